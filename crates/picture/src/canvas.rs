//! Recording of shapes in layers, from bottom to top.
//!
//! The `svg` and `pixels` backends render the same recording. Coordinates are pixels; a
//! [`MapView`](crate::MapView) converts map points to pixels.

use crate::canvas_shape::{CanvasLayer, CanvasShape};
use crate::colour::Colour;
use crate::font::shortened;
use crate::map_view::{Pixel, PixelBox};
use crate::polylines::Polylines;
use crate::{pixels, svg};
use std::ops::RangeInclusive;

/// Requested size outside the supported range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a picture cannot be {requested} pixels {side}; expected {} to {}", range.start(), range.end())]
pub struct PictureError {
    /// `wide` or `high`.
    side: &'static str,
    requested: u32,
    range: RangeInclusive<u32>,
}

impl PictureError {
    /// Fails if `requested` is outside `range`.
    pub(crate) fn check(
        side: &'static str,
        requested: u32,
        range: RangeInclusive<u32>,
    ) -> Result<(), PictureError> {
        if range.contains(&requested) {
            return Ok(());
        }
        Err(PictureError { side, requested, range })
    }
}

/// Line style; caps and joins are round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Line colour.
    pub colour: Colour,
    /// Line width in pixels.
    pub width: f64,
}

/// Style of a filled circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Radius in pixels.
    pub radius: f64,
    /// Fill colour.
    pub fill: Colour,
    /// Optional outline.
    pub outline: Option<Stroke>,
}

/// Horizontal alignment of a text to its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts at the position.
    Start,
    /// The text is centred at the position.
    Middle,
    /// The text ends at the position.
    End,
}

/// Font weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Regular weight.
    Regular,
    /// Bold weight.
    Bold,
}

/// Style of a line of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Text colour.
    pub colour: Colour,
    /// Font size in pixels.
    pub size: f64,
    /// Font weight.
    pub weight: Weight,
    /// Horizontal alignment.
    pub anchor: Anchor,
}

impl TextStyle {
    /// Creates a style of regular weight that starts at its position; `size` is in pixels.
    pub const fn new(colour: Colour, size: f64) -> TextStyle {
        TextStyle { colour, size, weight: Weight::Regular, anchor: Anchor::Start }
    }

    /// Returns the style in bold.
    #[must_use]
    pub const fn bold(self) -> TextStyle {
        TextStyle { weight: Weight::Bold, ..self }
    }

    /// Returns the style with another alignment.
    #[must_use]
    pub const fn anchored(self, anchor: Anchor) -> TextStyle {
        TextStyle { anchor, ..self }
    }
}

/// Handle of lines stored in a canvas, which can be drawn several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanvasLines(usize);

/// Stored lines and the number of times they are drawn.
#[derive(Clone, Debug)]
pub(crate) struct NamedLines {
    pub name: String,
    pub lines: Polylines,
    pub uses: usize,
}

/// A picture under construction.
#[derive(Clone, Debug)]
pub struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) background: Colour,
    pub(crate) lines: Vec<NamedLines>,
    pub(crate) layers: Vec<CanvasLayer>,
}

impl Canvas {
    /// Smallest width and height in pixels.
    pub const MIN_SIDE: u32 = 16;
    /// Largest width and height in pixels.
    pub const MAX_SIDE: u32 = 8000;

    /// Creates an empty canvas; sizes are in pixels.
    pub fn new(width: u32, height: u32, background: Colour) -> Result<Canvas, PictureError> {
        let range = Self::MIN_SIDE..=Self::MAX_SIDE;
        PictureError::check("wide", width, range.clone())?;
        PictureError::check("high", height, range)?;
        Ok(Canvas { width, height, background, lines: Vec::new(), layers: Vec::new() })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Starts a layer on top of all others; subsequent shapes belong to it.
    pub fn layer(&mut self, name: &str) {
        self.layers.push(CanvasLayer { name: name.to_owned(), shapes: Vec::new() });
    }

    /// Stores lines without drawing them; see [`Canvas::stroke`].
    pub fn keep(&mut self, name: &str, lines: Polylines) -> CanvasLines {
        self.lines.push(NamedLines { name: name.to_owned(), lines, uses: 0 });
        CanvasLines(self.lines.len() - 1)
    }

    /// Draws stored lines.
    ///
    /// # Panics
    /// If the handle belongs to another canvas.
    pub fn stroke(&mut self, lines: CanvasLines, stroke: Stroke) {
        self.stroke_dashed(lines, stroke, &[]);
    }

    fn stroke_dashed(&mut self, lines: CanvasLines, stroke: Stroke, dashes: &'static [f64]) {
        let kept = &mut self.lines[lines.0];
        if !kept.lines.is_empty() {
            kept.uses += 1;
            self.push(CanvasShape::Stroke { lines: lines.0, stroke, dashes });
        }
    }

    /// Draws lines.
    pub fn lines(&mut self, name: &str, lines: Polylines, stroke: Stroke) {
        let lines = self.keep(name, lines);
        self.stroke(lines, stroke);
    }

    /// Draws dashed lines. `dashes` alternates dash and gap lengths in pixels: an even number of
    /// positive values, or empty for a solid line.
    pub fn dashed_lines(
        &mut self,
        name: &str,
        lines: Polylines,
        stroke: Stroke,
        dashes: &'static [f64],
    ) {
        let lines = self.keep(name, lines);
        self.stroke_dashed(lines, stroke, dashes);
    }

    /// Fills the areas inside outlines.
    pub fn areas(&mut self, name: &str, outlines: Polylines, fill: Colour) {
        if !outlines.is_empty() {
            self.push(CanvasShape::Areas { name: name.to_owned(), outlines, fill });
        }
    }

    /// Fills a rectangle.
    pub fn rectangle(&mut self, name: &str, area: PixelBox, fill: Colour) {
        self.areas(name, Polylines::of(area.corners().into_iter().take(4)), fill);
    }

    /// Draws a circle at each of `centres`.
    pub fn circles(&mut self, name: &str, centres: Vec<Pixel>, circle: Circle) {
        if !centres.is_empty() {
            self.push(CanvasShape::Circles { name: name.to_owned(), centres, circle });
        }
    }

    /// Writes one line of text whose baseline runs through `at`.
    pub fn text(&mut self, at: Pixel, text: &str, style: TextStyle) {
        if !text.is_empty() {
            self.push(CanvasShape::Text { at, text: text.to_owned(), style });
        }
    }

    /// Adds a tooltip to a point; only in SVG.
    pub(crate) fn tip(&mut self, at: Pixel, text: &str) {
        self.push(CanvasShape::Tip { at, text: text.to_owned() });
    }

    /// Writes one line of text, cut with `…` if it is wider than `max_width` pixels.
    pub(crate) fn text_within(&mut self, at: Pixel, text: &str, max_width: f64, style: TextStyle) {
        self.text(at, &shortened(text, max_width, &style), style);
    }

    /// Renders a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        pixels::to_png(self)
    }

    /// Renders an SVG file.
    pub fn to_svg(&self) -> String {
        svg::to_svg(self)
    }

    fn push(&mut self, shape: CanvasShape) {
        if self.layers.is_empty() {
            self.layer("drawing");
        }
        let layer = self.layers.last_mut().expect("a layer was started above");
        layer.shapes.push(shape);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_the_supported_range_are_rejected() {
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
