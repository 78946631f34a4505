//! A figure of one or more map panels side by side, with notes below each panel and a legend.

use crate::canvas::{Canvas, Stroke, TextStyle, Weight};
use crate::colour::Colour;
use crate::map_view::{MapView, Pixel, PixelBox};
use crate::mark::WHITE;
use crate::polylines::Polylines;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Point, Rectangle};

pub use crate::mark::{BLUE, FAINT, INK, Mark, ORANGE, STREET};
pub use crate::street_part::StreetPart;

/// Width of a figure in pixels.
const WIDTH: f64 = 880.0;
/// Margin of the figure in pixels.
const MARGIN: f64 = 24.0;
/// Height of a line of text in pixels.
const LINE: f64 = 24.0;

/// One map panel of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Text above the map.
    pub caption: String,
    /// Extent of the map that is shown.
    pub bounds: Rectangle,
    /// Polylines of text below the map.
    pub notes: Vec<(String, Weight)>,
}

/// Offset of a label from its point, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelOffset {
    /// To the right.
    pub right: f64,
    /// Downwards.
    pub down: f64,
}

/// A figure under construction; drawing goes to the selected panel.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The canvas with everything drawn so far.
    pub canvas: Canvas,
    views: Vec<MapView>,
    selected: usize,
}

impl Sheet {
    /// Creates the figure with captions, notes and legend; the maps are empty.
    ///
    /// # Panics
    /// If the figure exceeds the size limits of a [`Canvas`].
    pub fn new(panels: &[Panel], legend: &[(Mark, &str)]) -> Sheet {
        let count = panels.len() as f64;
        let width = (WIDTH - MARGIN * (count + 1.0)) / count;
        let aspect = |panel: &Panel| panel.bounds.height() / panel.bounds.width();
        let height = panels.iter().map(aspect).fold(0.2, f64::max) * width;
        let top = MARGIN + LINE;
        let notes = panels.iter().map(|panel| panel.notes.len()).max().unwrap_or(0) as f64;
        let below = top + height + 60.0;
        let rows = legend.len().div_ceil(2) as f64;
        let bottom = below + (notes + rows) * LINE + MARGIN;
        let mut canvas = Canvas::new(WIDTH as u32, bottom as u32, WHITE)
            .expect("the figure is within the size limits of a canvas");
        let mut views = Vec::new();
        canvas.layer("captions");
        for (column, panel) in panels.iter().enumerate() {
            let left = MARGIN + (width + MARGIN) * column as f64;
            let area = PixelBox { left, top, width, height: height + 40.0 };
            views.push(MapView::fit(panel.bounds, area.inside(24.0)));
            canvas.text(Pixel::new(left, MARGIN + 6.0), &panel.caption, text(17.0, Weight::Bold));
            for (row, (note, weight)) in panel.notes.iter().enumerate() {
                let at = Pixel::new(left, below + row as f64 * LINE);
                canvas.text(at, note, text(15.0, *weight));
            }
        }
        let mut sheet = Sheet { canvas, views, selected: 0 };
        sheet.canvas.layer("legend");
        for (index, (mark, meaning)) in legend.iter().enumerate() {
            let left = MARGIN + (index % 2) as f64 * (WIDTH / 2.0);
            let row = notes + (index / 2) as f64;
            let at = Pixel::new(left + 14.0, below + row * LINE + 6.0);
            mark.draw(&mut sheet.canvas, at);
            sheet.canvas.text(at.moved(24.0, 5.0), meaning, text(14.0, Weight::Regular));
        }
        sheet
    }

    /// Selects the panel for subsequent drawing and starts a layer.
    pub fn select(&mut self, panel: usize, layer: &str) {
        self.selected = panel;
        self.canvas.layer(layer);
    }

    /// Returns the pixel of a map point in the selected panel.
    pub fn at(&self, point: Point) -> Pixel {
        self.views[self.selected].to_pixel(point)
    }

    /// Draws all streets, one-way streets with an arrow.
    pub fn streets(&mut self, map: &StreetMap) {
        let mut lines = Polylines::new();
        for street in map.streets() {
            lines.add(map.shape(street).iter().map(|&point| self.at(point)));
        }
        self.canvas.lines("streets", lines, Stroke { colour: STREET, width: 5.0 });
        for street in map.streets().filter(|&street| map.street(street).one_way) {
            self.arrow(map, street, 0.85, FAINT);
        }
    }

    /// Draws parts of streets as lines; `mark` must be a [`Mark::Line`], else nothing is drawn.
    pub fn parts(&mut self, map: &StreetMap, parts: &[StreetPart], mark: Mark) {
        let Mark::Line(colour, width) = mark else { return };
        let mut lines = Polylines::new();
        for part in parts {
            lines.add(part.shape(map).into_iter().map(|point| self.at(point)));
        }
        self.canvas.lines("parts", lines, Stroke { colour, width });
    }

    /// Draws an arrow head on a street at the fraction `part` of its length.
    pub fn arrow(&mut self, map: &StreetMap, street: StreetId, part: f64, colour: Colour) {
        let length = map.street(street).length;
        let near = Position { street, offset: length.part(part - 0.02) };
        let far = Position { street, offset: length.part(part + 0.02) };
        self.head(map.point(near), map.point(far), colour);
    }

    /// Draws an arrow head with its tip at `to`, pointing away from `from`.
    pub fn head(&mut self, from: Point, to: Point, colour: Colour) {
        let (from, tip) = (self.at(from), self.at(to));
        let length = from.distance(tip).max(1e-9);
        let (x, y) = ((tip.x - from.x) / length, (tip.y - from.y) / length);
        let base = tip.moved(-x * 15.0, -y * 15.0);
        let corners = [tip, base.moved(-y * 8.0, x * 8.0), base.moved(y * 8.0, -x * 8.0)];
        self.canvas.areas("heads", Polylines::of(corners), colour);
    }

    /// Draws the square of side `2 × reach` around a point.
    pub fn square(&mut self, centre: Point, reach: Length, colour: Colour) {
        let outline = self.outline(square_around(centre, reach));
        self.canvas.areas("square", outline.clone(), colour.with_opacity(20));
        self.canvas.lines("square", outline, Stroke { colour, width: 1.8 });
    }

    /// Draws a dashed rectangle.
    pub fn rectangle(&mut self, bounds: Rectangle, colour: Colour) {
        let outline = self.outline(bounds);
        self.canvas.areas("rectangle", outline.clone(), colour.with_opacity(28));
        self.canvas.dashed_lines("rectangle", outline, Stroke { colour, width: 2.0 }, &[7.0, 5.0]);
    }

    fn outline(&self, bounds: Rectangle) -> Polylines {
        let Rectangle { min, max } = bounds;
        let corners = [min, Point::new(max.x, min.y), max, Point::new(min.x, max.y), min];
        Polylines::of(corners.map(|corner| self.at(corner)))
    }

    /// Draws a straight line between two points; `mark` must be a [`Mark::Line`].
    pub fn line(&mut self, from: Point, to: Point, mark: Mark) {
        let Mark::Line(colour, width) = mark else { return };
        let line = Polylines::of([self.at(from), self.at(to)]);
        self.canvas.lines("line", line, Stroke { colour, width });
    }

    /// Draws a symbol at a pixel.
    pub fn mark(&mut self, mark: Mark, at: Pixel) {
        mark.draw(&mut self.canvas, at);
    }

    /// Writes a label at `offset` from a map point.
    pub fn label(&mut self, words: &str, point: Point, offset: LabelOffset, weight: Weight) {
        let at = self.at(point).moved(offset.right, offset.down);
        let size = if weight == Weight::Bold { 19.0 } else { 14.0 };
        self.canvas.text(at, words, text(size, weight));
    }
}

fn text(size: f64, weight: Weight) -> TextStyle {
    TextStyle { weight, ..TextStyle::new(INK, size) }
}

/// Returns the square of side `2 × reach` around a point.
pub fn square_around(centre: Point, reach: Length) -> Rectangle {
    let reach = reach.as_metres();
    let corner = |sign: f64| Point::new(centre.x + sign * reach, centre.y + sign * reach);
    Rectangle { min: corner(-1.0), max: corner(1.0) }
}

/// Whether a point lies in the square of side `2 × reach` around another.
pub fn in_square(centre: Point, reach: Length, point: Point) -> bool {
    let square = square_around(centre, reach);
    (square.min.x..=square.max.x).contains(&point.x)
        && (square.min.y..=square.max.y).contains(&point.y)
}
