//! Pictures of a simulation: positions of the agents, use of the streets.

use crate::picture_file::{map_options, write_canvas};
use anyhow::Result;
use import::Imported;
use picture::{Circle, Colour, DrawOptions, Picture, Pixel, Polylines, Stroke, draw_map};
use std::path::Path;
use traffic::Simulation;

const MOVING: Colour = Colour::hex(0x0072b2);
const STANDING: Colour = Colour::hex(0xd55e00);
const USED: [Colour; 2] = [Colour::hex(0x4a90c4), Colour::hex(0x8c1d2f)];

/// Draws all agents at the end of a second, moving ones and standing ones.
pub fn agents(imported: &Imported, after: &Simulation, second: u32, out: &Path) -> Result<()> {
    let (moving, standing): (Vec<_>, Vec<_>) = after.agents().partition(|agent| agent.is_moving);
    let subtitle = format!(
        "second {second}: {} agents moving (blue), {} standing (red)",
        moving.len(),
        standing.len()
    );
    let mut picture = base_map(imported, subtitle)?;
    let radius = 2.0 * picture.scale;
    for (name, group, fill) in [("moving", moving, MOVING), ("standing", standing, STANDING)] {
        let centre = |position| picture.view.to_pixel(imported.map.point(position));
        let centres: Vec<Pixel> = group.iter().map(|agent| centre(agent.position)).collect();
        let fill = fill.with_opacity(200);
        picture.canvas.circles(name, centres, Circle { radius, fill, outline: None });
    }
    write_canvas(&picture.canvas, out)
}

/// Number of line widths; the most used street is this many times as wide as the least used.
const WIDTHS: usize = 12;

/// Draws the number of times that each street was entered as line width and colour.
pub fn uses(imported: &Imported, after: &Simulation, out: &Path) -> Result<()> {
    let map = &imported.map;
    let max_uses = map.streets().map(|street| after.uses(street)).max().unwrap_or(0).max(1);
    let subtitle = format!("width by use: up to {max_uses} agents on a street");
    let mut picture = base_map(imported, subtitle)?;
    let mut groups: Vec<Polylines> = (0..=WIDTHS).map(|_| Polylines::new()).collect();
    for street in map.streets() {
        let share = after.uses(street) as f64 / max_uses as f64;
        let width = (share * WIDTHS as f64).ceil() as usize;
        let pixels = map.shape(street).iter().map(|&point| picture.view.to_pixel(point));
        groups[width.min(WIDTHS)].add(pixels);
    }
    for (width, lines) in groups.into_iter().enumerate().skip(1) {
        if !lines.is_empty() {
            let colour = USED[0].mixed(USED[1], (width * 100 / WIDTHS) as u8);
            let stroke = Stroke { colour, width: width as f64 * 0.9 * picture.scale };
            picture.canvas.lines(&format!("use-{width}"), lines, stroke);
        }
    }
    write_canvas(&picture.canvas, out)
}

fn base_map(imported: &Imported, subtitle: String) -> Result<Picture> {
    let options = DrawOptions { pois: false, subtitle, ..map_options(imported) };
    let mut picture = draw_map(&imported.map, &options)?;
    picture.canvas.layer("people");
    Ok(picture)
}
