//! Pictures of a simulation: where everyone is, and how much each street is used.

use anyhow::{Result, bail};
use import::Imported;
use picture::{Canvas, Circle, Colour, Lines, Options, Picture, Pixel, Stroke, draw_map};
use std::path::Path;
use traffic::Simulation;

/// What a picture is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pixels.
    Png,
    /// Shapes.
    Svg,
}

/// What the ending of a file says.
pub fn kind_of(out: &Path) -> Result<Kind> {
    match out.extension().and_then(|ending| ending.to_str()) {
        Some("png") => Ok(Kind::Png),
        Some("svg") => Ok(Kind::Svg),
        _ => bail!("{}: expected an ending .png or .svg", out.display()),
    }
}

const MOVING: Colour = Colour::hex(0x0072b2);
const STANDING: Colour = Colour::hex(0xd55e00);
const USED: [Colour; 2] = [Colour::hex(0x4a90c4), Colour::hex(0x8c1d2f)];

/// Everyone at the end of the last second: those who move, and those who stand.
pub fn people(imported: &Imported, after: &Simulation, second: u32, out: &Path) -> Result<()> {
    let (moving, standing): (Vec<_>, Vec<_>) = after.agents().partition(|agent| agent.is_moving);
    let subtitle = format!(
        "second {second}: {} people move (blue), {} stand (red)",
        moving.len(),
        standing.len()
    );
    let mut picture = ground(imported, subtitle)?;
    let radius = 2.0 * picture.scale;
    for (name, group, fill) in [("moving", moving, MOVING), ("standing", standing, STANDING)] {
        let centre = |position| picture.view.to_pixel(imported.map.point(position));
        let centres: Vec<Pixel> = group.iter().map(|agent| centre(agent.position)).collect();
        let fill = fill.with_opacity(200);
        picture.canvas.circles(name, centres, Circle { radius, fill, outline: None });
    }
    write_canvas(&picture.canvas, out)
}

/// Streets as broad as their use: the most used are this many times as broad as the least.
const BREADTHS: usize = 12;

/// How often each street was entered, as breadth and colour.
pub fn uses(imported: &Imported, after: &Simulation, out: &Path) -> Result<()> {
    let map = &imported.map;
    let most = map.streets().map(|street| after.uses(street)).max().unwrap_or(0).max(1);
    let subtitle = format!("breadth by use: up to {most} people on a street");
    let mut picture = ground(imported, subtitle)?;
    let mut groups: Vec<Lines> = (0..=BREADTHS).map(|_| Lines::new()).collect();
    for street in map.streets() {
        let share = after.uses(street) as f64 / most as f64;
        let breadth = (share * BREADTHS as f64).ceil() as usize;
        let pixels = map.shape(street).iter().map(|&point| picture.view.to_pixel(point));
        groups[breadth.min(BREADTHS)].add(pixels);
    }
    for (breadth, lines) in groups.into_iter().enumerate().skip(1) {
        if !lines.is_empty() {
            let colour = USED[0].mixed(USED[1], (breadth * 100 / BREADTHS) as u8);
            let width = breadth as f64 * 0.9 * picture.scale;
            picture.canvas.lines(&format!("use-{breadth}"), lines, Stroke { colour, width });
        }
    }
    write_canvas(&picture.canvas, out)
}

fn ground(imported: &Imported, subtitle: String) -> Result<Picture> {
    let osm = imported.provenance.format.starts_with("OSM");
    let options = Options {
        pois: false,
        title: map_name(imported),
        subtitle,
        attribution: if osm { "© OpenStreetMap contributors".into() } else { String::new() },
        ..Options::default()
    };
    let mut picture = draw_map(&imported.map, &options)?;
    picture.canvas.layer("people");
    Ok(picture)
}

/// What a map is called: its file, without folders.
pub fn map_name(imported: &Imported) -> String {
    let source = Path::new(&imported.provenance.source);
    source.file_name().unwrap_or(source.as_os_str()).to_string_lossy().into_owned()
}

/// Writes a drawing as its name says.
pub fn write_canvas(canvas: &Canvas, out: &Path) -> Result<()> {
    let bytes = match kind_of(out)? {
        Kind::Png => canvas.to_png(),
        Kind::Svg => canvas.to_svg().into_bytes(),
    };
    import::write_file(out, &bytes)?;
    Ok(())
}
