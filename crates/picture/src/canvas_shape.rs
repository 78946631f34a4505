//! Recorded drawing operations of a canvas.

use crate::canvas::{Circle, Stroke, TextStyle};
use crate::colour::Colour;
use crate::map_view::Pixel;
use crate::polylines::Polylines;

/// A recorded drawing operation.
#[derive(Clone, Debug)]
pub(crate) enum CanvasShape {
    /// `lines` is an index into the lines of the canvas.
    Stroke {
        lines: usize,
        stroke: Stroke,
        dashes: &'static [f64],
    },
    Areas {
        name: String,
        outlines: Polylines,
        fill: Colour,
    },
    Circles {
        name: String,
        centres: Vec<Pixel>,
        circle: Circle,
    },
    Text {
        at: Pixel,
        text: String,
        style: TextStyle,
    },
    /// Text that a browser shows while the pointer is near a point; SVG only.
    Tip {
        at: Pixel,
        text: String,
    },
}

/// A group of shapes with a name.
#[derive(Clone, Debug)]
pub(crate) struct CanvasLayer {
    pub name: String,
    pub shapes: Vec<CanvasShape>,
}
