//! What is on a picture: shapes in layers, in the order in which they cover each other.
//!
//! A canvas only records. It is written as text by `svg` or as pixels by `pixels`, so whatever is
//! drawn looks the same in both. Everything is in pixels; a [`View`](crate::View) brings a map's
//! points there.

use crate::colour::Colour;
use crate::lines::Lines;
use crate::view::{Pixel, PixelBox};
use crate::{pixels, svg};

/// Why no picture can be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// Nobody could look at it, or no memory would hold it.
    #[error("a picture cannot be {asked} pixels wide; expected {least} to {most}")]
    Width {
        /// As given.
        asked: u32,
        /// The narrowest.
        least: u32,
        /// The widest.
        most: u32,
    },
    /// The same, upwards.
    #[error("a picture cannot be {asked} pixels high; expected {least} to {most}")]
    Height {
        /// As given.
        asked: u32,
        /// The lowest.
        least: u32,
        /// The highest.
        most: u32,
    },
}

/// How a line is drawn; ends and joins are round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Of the line.
    pub colour: Colour,
    /// In pixels.
    pub width: f64,
}

/// A filled circle, perhaps with a line around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// In pixels.
    pub radius: f64,
    /// Of the inside.
    pub fill: Colour,
    /// The line around it.
    pub outline: Option<Stroke>,
}

/// Which part of a text lies at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// How thick the letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For everything.
    Regular,
    /// For titles.
    Bold,
}

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text {
    /// Of the letters.
    pub colour: Colour,
    /// Height of a line in pixels.
    pub size: f64,
    /// Thickness of the letters.
    pub weight: Weight,
    /// Which part of it lies at its place.
    pub anchor: Anchor,
}

/// Lines that a canvas holds, to be drawn any number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanvasLines(usize);

#[derive(Clone, Debug)]
pub(crate) struct NamedLines {
    pub name: String,
    pub lines: Lines,
    pub uses: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Stroke { lines: usize, stroke: Stroke, dashes: &'static [f64] },
    Areas { name: String, outlines: Lines, fill: Colour },
    Circles { name: String, centres: Vec<Pixel>, circle: Circle },
    Text { at: Pixel, text: String, style: Text },
}

#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub name: String,
    pub shapes: Vec<Shape>,
}

/// A picture in the making.
#[derive(Clone, Debug)]
pub struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) background: Colour,
    pub(crate) lines: Vec<NamedLines>,
    pub(crate) layers: Vec<Layer>,
}

impl Canvas {
    /// The narrowest and lowest a canvas can be.
    pub const MIN_SIDE: u32 = 16;
    /// The widest and highest a canvas can be.
    pub const MAX_SIDE: u32 = 8000;

    /// An empty canvas of that many pixels.
    pub fn new(width: u32, height: u32, background: Colour) -> Result<Canvas, PictureError> {
        let (least, most) = (Self::MIN_SIDE, Self::MAX_SIDE);
        if !(least..=most).contains(&width) {
            return Err(PictureError::Width { asked: width, least, most });
        }
        if !(least..=most).contains(&height) {
            return Err(PictureError::Height { asked: height, least, most });
        }
        Ok(Canvas { width, height, background, lines: Vec::new(), layers: Vec::new() })
    }

    /// Pixels from left to right.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Begins a layer on top of all others; what is drawn from now on belongs to it.
    pub fn layer(&mut self, name: &str) {
        self.layers.push(Layer { name: name.to_owned(), shapes: Vec::new() });
    }

    /// Keeps lines without drawing them; see [`Canvas::stroke`].
    pub fn keep(&mut self, name: &str, lines: Lines) -> CanvasLines {
        self.lines.push(NamedLines { name: name.to_owned(), lines, uses: 0 });
        CanvasLines(self.lines.len() - 1)
    }

    /// Draws kept lines.
    ///
    /// # Panics
    /// If the lines were kept by another canvas.
    pub fn stroke(&mut self, lines: CanvasLines, stroke: Stroke) {
        self.stroke_dashed(lines, stroke, &[]);
    }

    fn stroke_dashed(&mut self, lines: CanvasLines, stroke: Stroke, dashes: &'static [f64]) {
        let kept = &mut self.lines[lines.0];
        if !kept.lines.is_empty() {
            kept.uses += 1;
            self.push(Shape::Stroke { lines: lines.0, stroke, dashes });
        }
    }

    /// Draws lines.
    pub fn lines(&mut self, name: &str, lines: Lines, stroke: Stroke) {
        let lines = self.keep(name, lines);
        self.stroke(lines, stroke);
    }

    /// Draws lines in dashes: pixels of line and of gap in turn, an even number of positive ones
    /// (none for a whole line).
    pub fn dashed_lines(
        &mut self,
        name: &str,
        lines: Lines,
        stroke: Stroke,
        dashes: &'static [f64],
    ) {
        let lines = self.keep(name, lines);
        self.stroke_dashed(lines, stroke, dashes);
    }

    /// Draws lines over a broader line of another colour, which shows on both sides.
    pub fn cased_lines(&mut self, name: &str, lines: Lines, strokes: [Stroke; 2]) {
        let lines = self.keep(name, lines);
        for stroke in strokes {
            self.stroke(lines, stroke);
        }
    }

    /// Fills what outlines enclose.
    pub fn areas(&mut self, name: &str, outlines: Lines, fill: Colour) {
        if !outlines.is_empty() {
            self.push(Shape::Areas { name: name.to_owned(), outlines, fill });
        }
    }

    /// Fills a rectangle.
    pub fn rectangle(&mut self, name: &str, area: PixelBox, fill: Colour) {
        let mut outline = Lines::new();
        outline.add(area.corners().into_iter().take(4));
        self.areas(name, outline, fill);
    }

    /// Draws a circle around every one of `centres`.
    pub fn circles(&mut self, name: &str, centres: Vec<Pixel>, circle: Circle) {
        if !centres.is_empty() {
            self.push(Shape::Circles { name: name.to_owned(), centres, circle });
        }
    }

    /// Writes one line of text whose baseline runs through `at`.
    pub fn text(&mut self, at: Pixel, text: &str, style: Text) {
        if !text.is_empty() {
            self.push(Shape::Text { at, text: text.to_owned(), style });
        }
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        pixels::to_png(self)
    }

    /// The picture as an SVG file.
    pub fn to_svg(&self) -> String {
        svg::to_svg(self)
    }

    fn push(&mut self, shape: Shape) {
        if self.layers.is_empty() {
            self.layer("drawing");
        }
        let layer = self.layers.last_mut().expect("a layer was begun if there was none");
        layer.shapes.push(shape);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_the_allowed_range_are_refused() {
        let size = |width, height| {
            Canvas::new(width, height, Colour::hex(0)).map_err(|error| error.to_string()).err()
        };
        let wide = "a picture cannot be 0 pixels wide; expected 16 to 8000";
        assert_eq!(size(0, 500).as_deref(), Some(wide));
        let high = "a picture cannot be 100000 pixels high; expected 16 to 8000";
        assert_eq!(size(500, 100_000).as_deref(), Some(high));
        assert_eq!(size(16, 8000), None);
    }
}
