//! A figure of one or more map panels side by side, with notes below each panel and a legend.

use crate::canvas::{Anchor, Canvas, Circle, Stroke, Text, Weight};
use crate::colour::Colour;
use crate::lines::Lines;
use crate::view::{Pixel, PixelBox, View};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Point, Rectangle};

/// Colour of text and current users.
pub const INK: Colour = Colour::hex(0x1f2933);
/// Colour of secondary elements.
pub const FAINT: Colour = Colour::hex(0x66717f);
/// Colour of streets.
pub const STREET: Colour = Colour::hex(0xc3cad3);
/// Colour of reachable parts.
pub const BLUE: Colour = Colour::hex(0x2b6cb0);
/// Contrast colour to [`BLUE`].
pub const ORANGE: Colour = Colour::hex(0xdd6b20);
const WHITE: Colour = Colour::hex(0xffffff);

const WIDTH: f64 = 880.0;
const MARGIN: f64 = 24.0;
const LINE: f64 = 24.0;

/// Symbol of a position or style of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A filled circle.
    Dot(Colour),
    /// A filled circle with a dashed one around it.
    Ringed(Colour),
    /// A filled triangle.
    Triangle(Colour),
    /// A filled square.
    Square(Colour),
    /// The outline of a square.
    Hollow(Colour),
    /// A line of that width in pixels.
    Line(Colour, f64),
}

/// One map panel of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Text above the map.
    pub caption: String,
    /// Extent of the map that is shown.
    pub bounds: Rectangle,
    /// Lines of text below the map.
    pub notes: Vec<(String, Weight)>,
}

/// Part of a street between two offsets from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreetPart {
    /// The street.
    pub street: StreetId,
    /// Offset of the beginning.
    pub from: Length,
    /// Offset of the end.
    pub to: Length,
}

impl StreetPart {
    /// A street from end to end.
    pub fn whole(map: &StreetMap, street: StreetId) -> StreetPart {
        StreetPart { street, from: Length::ZERO, to: map.street(street).length }
    }
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
    views: Vec<View>,
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
            views.push(View::fit(panel.bounds, area.inside(24.0)));
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
            sheet.mark(*mark, at);
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
        let mut lines = Lines::new();
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
        let mut lines = Lines::new();
        for &part in parts {
            let points = part_of_shape(map, part);
            lines.add(points.into_iter().map(|point| self.at(point)));
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
        let mut outline = Lines::new();
        let base = tip.moved(-x * 15.0, -y * 15.0);
        outline.add([tip, base.moved(-y * 8.0, x * 8.0), base.moved(y * 8.0, -x * 8.0)]);
        self.canvas.areas("heads", outline, colour);
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

    fn outline(&self, bounds: Rectangle) -> Lines {
        let Rectangle { min, max } = bounds;
        let corners = [min, Point::new(max.x, min.y), max, Point::new(min.x, max.y), min];
        let mut outline = Lines::new();
        outline.add(corners.map(|corner| self.at(corner)));
        outline
    }

    /// Draws a straight line between two points; `mark` must be a [`Mark::Line`].
    pub fn line(&mut self, from: Point, to: Point, mark: Mark) {
        let Mark::Line(colour, width) = mark else { return };
        let mut lines = Lines::new();
        lines.add([self.at(from), self.at(to)]);
        self.canvas.lines("line", lines, Stroke { colour, width });
    }

    /// Draws a symbol at a pixel.
    pub fn mark(&mut self, mark: Mark, at: Pixel) {
        let outline = Some(Stroke { colour: WHITE, width: 2.0 });
        let around = |half: f64| PixelBox {
            left: at.x - half,
            top: at.y - half,
            width: 2.0 * half,
            height: 2.0 * half,
        };
        match mark {
            Mark::Dot(fill) => {
                self.canvas.circles("dot", vec![at], Circle { radius: 7.5, fill, outline });
            }
            Mark::Ringed(fill) => {
                let ring = Stroke { colour: fill, width: 2.0 };
                self.canvas.circles("dot", vec![at], Circle { radius: 7.5, fill, outline });
                self.canvas.lines("ring", dashed_circle(at, 12.0), ring);
            }
            Mark::Triangle(colour) => {
                let mut outline = Lines::new();
                outline.add([(8.0, 0.0), (-7.0, -8.0), (-7.0, 8.0)].map(|(x, y)| at.moved(x, y)));
                self.canvas.areas("heads", outline, colour);
            }
            Mark::Square(colour) => self.canvas.rectangle("terminal", around(6.0), colour),
            Mark::Hollow(colour) => {
                self.canvas.rectangle("terminal", around(5.5), WHITE);
                let mut outline = Lines::new();
                outline.add(around(5.5).corners());
                self.canvas.lines("terminal", outline, Stroke { colour, width: 1.5 });
            }
            Mark::Line(colour, width) => {
                let mut lines = Lines::new();
                lines.add([at.moved(-12.0, 0.0), at.moved(12.0, 0.0)]);
                self.canvas.lines("sample", lines, Stroke { colour, width });
            }
        }
    }

    /// Writes a label at `offset` from a map point.
    pub fn label(&mut self, words: &str, point: Point, offset: LabelOffset, weight: Weight) {
        let at = self.at(point).moved(offset.right, offset.down);
        let size = if weight == Weight::Bold { 19.0 } else { 14.0 };
        self.canvas.text(at, words, text(size, weight));
    }
}

fn text(size: f64, weight: Weight) -> Text {
    Text { colour: INK, size, weight, anchor: Anchor::Start }
}

/// Returns twelve dashes, computed by rotations of 15°: results do not depend on the platform's sine.
fn dashed_circle(centre: Pixel, radius: f64) -> Lines {
    const COS: f64 = 0.965_925_826_289_068_3;
    const SIN: f64 = 0.258_819_045_102_520_76;
    let mut lines = Lines::new();
    let (mut x, mut y) = (radius, 0.0);
    for step in 0..24 {
        let (next_x, next_y) = (x * COS - y * SIN, x * SIN + y * COS);
        if step % 2 == 0 {
            lines.add([centre.moved(x, y), centre.moved(next_x, next_y)]);
        }
        (x, y) = (next_x, next_y);
    }
    lines
}

/// Returns the points of a street's shape between two offsets.
fn part_of_shape(map: &StreetMap, part: StreetPart) -> Vec<Point> {
    let StreetPart { street, from, to } = part;
    let shape = map.shape(street);
    let metres = |pair: &[Point]| pair[0].distance(pair[1]);
    let whole: f64 = shape.windows(2).map(metres).sum();
    let scale = map.street(street).length.as_metres() / whole;
    let mut points = vec![map.point(Position { street, offset: from })];
    let mut passed = 0.0;
    for pair in shape.windows(2) {
        passed += metres(pair) * scale;
        if passed > from.as_metres() && passed < to.as_metres() {
            points.push(pair[1]);
        }
    }
    points.push(map.point(Position { street, offset: to }));
    points
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
