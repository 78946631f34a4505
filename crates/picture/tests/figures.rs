//! Compares the figures in `docs/img` with those that the engine computes. `MESHCLOAK_BLESS=1`
//! (`make bless`) rewrites them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "../examples/figures/paper.rs"]
mod paper;

use std::path::Path;

#[test]
fn the_committed_figures_are_what_the_engine_draws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/img");
    let bless = std::env::var_os("MESHCLOAK_BLESS").is_some();
    for (name, canvas) in paper::figures() {
        let file = folder.join(format!("{name}.svg"));
        let drawn = canvas.to_svg();
        if bless {
            std::fs::write(&file, &drawn).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(committed == drawn, "docs/img/{name}.svg is out of date: make bless, then look");
    }
}
