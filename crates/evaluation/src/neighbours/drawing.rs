//! Pictures of the systems of crate `neighbours` from rows of `neighbours-drawings.csv`.

use crate::distinct::distinct;
use crate::point_list;
use meshcloak::units::{Point, Rectangle};
use picture::sheet::{BLUE, FAINT, INK, Mark, ORANGE, Panel, STREET, Sheet};
use picture::{Canvas, Colour, Polylines, Stroke, Weight};
use serde::{Deserialize, Serialize};

/// A row of `neighbours-drawings.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawingRow {
    /// Name of the subcommand.
    pub system: String,
    /// Caption of the panel.
    pub panel: String,
    /// Layer, or `note` for a line of text below the panel.
    pub layer: String,
    /// `x y;x y;…` in metres; the text of a note.
    pub points: String,
}

impl DrawingRow {
    /// Creates the row of a line or a point.
    pub fn new(system: &str, panel: &str, layer: &str, points: &[Point]) -> DrawingRow {
        let points = point_list::write(points.iter().copied());
        DrawingRow { system: system.into(), panel: panel.into(), layer: layer.into(), points }
    }

    /// Creates the row of a note.
    pub fn note(system: &str, panel: &str, text: &str) -> DrawingRow {
        let (layer, points) = (NOTE.to_owned(), text.to_owned());
        DrawingRow { system: system.into(), panel: panel.into(), layer, points }
    }
}

const NOTE: &str = "note";
const GREEN: Colour = Colour::hex(0x1f7a4d);
const PURPLE: Colour = Colour::hex(0x7a3e9d);
const HIDDEN: Colour = Colour::hex(0xf3c9a5);

/// Layers from bottom to top: name, symbol and meaning; an empty meaning is not in the legend.
const LAYERS: &[(&str, Mark, &str)] = &[
    ("street", Mark::Line(STREET, 1.5), "street"),
    ("hidden", Mark::Line(HIDDEN, 12.0), "mix-zone: no position is reported"),
    ("suppressed", Mark::Line(FAINT, 1.2), "not published"),
    ("cluster 1", Mark::Line(BLUE, 2.0), "first set of at least k"),
    ("cluster 2", Mark::Line(ORANGE, 2.0), "second set"),
    ("cluster 3", Mark::Line(GREEN, 2.0), "third set"),
    ("cluster 4", Mark::Line(PURPLE, 2.0), "fourth set"),
    ("before", Mark::Line(BLUE, 3.0), "path of an old pseudonym"),
    ("after", Mark::Line(GREEN, 3.0), "path of a new pseudonym"),
    ("entry", Mark::Dot(BLUE), "last position before the zone"),
    ("exit", Mark::Triangle(GREEN), "first position after it"),
    ("start", Mark::Dot(INK), "start of a trajectory"),
];

/// Draws the panels of a system; `None` without points. Panels with sets of trajectories show the
/// same extent.
pub fn draw(rows: &[DrawingRow], system: &str) -> Option<Canvas> {
    let rows: Vec<&DrawingRow> = rows.iter().filter(|row| row.system == system).collect();
    let lines: Vec<(&DrawingRow, Vec<Point>)> = rows
        .iter()
        .filter(|row| row.layer != NOTE)
        .map(|row| (*row, point_list::read(&row.points)))
        .collect();
    let captions = distinct(rows.iter().map(|row| row.panel.as_str()));
    let extent = |caption: &str| {
        let is_shared = lines.iter().any(|line| line.0.layer.starts_with("cluster"));
        let content = lines.iter().filter(|line| line.0.layer != "street");
        let content = content.filter(|line| is_shared || line.0.panel == caption);
        Rectangle::around(content.flat_map(|line| line.1.iter().copied())).map(square)
    };
    let notes = |caption: &str| {
        let notes = rows.iter().filter(|row| row.layer == NOTE && row.panel == caption);
        notes.map(|row| (row.points.clone(), Weight::Regular)).collect()
    };
    let panel = |caption: &&str| {
        let bounds = extent(caption)?;
        Some(Panel { caption: (*caption).to_owned(), bounds, notes: notes(caption) })
    };
    let panels: Vec<Panel> = captions.iter().filter_map(panel).take(MAX_PANELS).collect();
    if panels.is_empty() {
        return None;
    }
    let is_used = |layer: &&(&str, Mark, &str)| lines.iter().any(|line| line.0.layer == layer.0);
    let legend: Vec<(Mark, &str)> =
        LAYERS.iter().filter(is_used).map(|layer| (layer.1, layer.2)).collect();
    let mut sheet = Sheet::new(&panels, &legend);
    for (index, panel) in panels.iter().enumerate() {
        sheet.select(index, &panel.caption);
        for (name, mark, _) in LAYERS {
            let of_layer = lines.iter().filter(|line| line.0.layer == *name);
            let of_panel = of_layer.filter(|line| line.0.panel == panel.caption);
            draw_layer(&mut sheet, *mark, name, panel.bounds, of_panel.map(|line| &line.1));
        }
    }
    Some(sheet.canvas)
}

/// Largest number of panels of a picture.
const MAX_PANELS: usize = 3;

/// Square around a rectangle, with a margin.
fn square(Rectangle { min, max }: Rectangle) -> Rectangle {
    let half = 0.55 * (max.x - min.x).max(max.y - min.y).max(50.0);
    let (x, y) = (f64::midpoint(min.x, max.x), f64::midpoint(min.y, max.y));
    let corner = |sign: f64| Point::new(x + sign * half, y + sign * half);
    Rectangle { min: corner(-1.0), max: corner(1.0) }
}

fn draw_layer<'a>(
    sheet: &mut Sheet,
    mark: Mark,
    name: &str,
    bounds: Rectangle,
    lines: impl Iterator<Item = &'a Vec<Point>>,
) {
    let is_inside = |point: &Point| bounds.nearest(*point) == *point;
    let Mark::Line(colour, width) = mark else {
        for &point in lines.flatten().filter(|point| is_inside(point)) {
            let at = sheet.at(point);
            sheet.mark(mark, at);
        }
        return;
    };
    let mut polylines = Polylines::new();
    for line in lines {
        for part in line.split(|point| !is_inside(point)).filter(|part| part.len() > 1) {
            polylines.add(part.iter().map(|&point| sheet.at(point)));
        }
    }
    if !polylines.is_empty() {
        sheet.canvas.lines(name, polylines, Stroke { colour, width });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_has_a_panel_per_caption_and_a_legend_of_used_layers() {
        let line = [Point::new(0.0, 0.0), Point::new(100.0, 50.0)];
        let rows = [
            DrawingRow::new("nwa", "before <b>", "cluster 1", &line),
            DrawingRow::new("nwa", "after", "cluster 1", &line),
            DrawingRow::note("nwa", "after", "12 m"),
            DrawingRow::new("mobimix", "zone", "hidden", &line),
        ];
        let svg = draw(&rows, "nwa").unwrap().to_svg();
        assert!(svg.contains("before &lt;b&gt;") && svg.contains("12 m"));
        assert!(svg.contains("first set") && !svg.contains("mix-zone"));
        assert!(draw(&rows, "cache").is_none());
        assert!(draw(&[DrawingRow::new("x", "p", "street", &line)], "x").is_none());
    }
}
