//! Draws the paper's figures 1, 2 and 4–9 from the towns in `fixtures/`, everything in them computed by
//! the engine: `cargo run -p picture --example figures [FOLDER] [svg|png]`.

#[path = "paper.rs"]
mod paper;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().unwrap_or_else(|| "docs/img".to_owned()));
    let format = words.next().unwrap_or_else(|| "svg".to_owned());
    std::fs::create_dir_all(&folder)?;
    for (name, canvas) in paper::figures() {
        let file = folder.join(format!("{name}.{format}"));
        let bytes = if format == "png" { canvas.to_png() } else { canvas.to_svg().into_bytes() };
        std::fs::write(&file, bytes)?;
        println!("{}", file.display());
    }
    Ok(())
}
