//! Content of a picture: named layers of lines or points in map metres.

use meshcloak::units::{Point, Rectangle};

/// Layers of a picture, from bottom to top, and notes below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Layer name and points; a line, or a single point.
    pub layers: Vec<(&'static str, Vec<Point>)>,
    /// Lines of text.
    pub notes: Vec<String>,
}

impl Drawing {
    /// Adds a line or a point to a layer; lines without points are left out.
    pub(crate) fn add(&mut self, layer: &'static str, points: Vec<Point>) {
        if !points.is_empty() {
            self.layers.push((layer, points));
        }
    }
}

/// Square with the centre of a rectangle that is a tenth larger than its longer side.
pub(crate) fn square(bounds: Rectangle) -> Rectangle {
    let half = 0.55 * bounds.width().max(bounds.height());
    let Point { x, y } = bounds.centre();
    Rectangle { min: Point::new(x - half, y - half), max: Point::new(x + half, y + half) }
}
