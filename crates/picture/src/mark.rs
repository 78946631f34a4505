//! Symbols of figures.

use crate::canvas::{Canvas, Circle, Stroke};
use crate::colour::Colour;
use crate::map_view::{Pixel, PixelBox};
use crate::polylines::Polylines;

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
pub(crate) const WHITE: Colour = Colour::hex(0xffffff);

/// Symbol of a position or style of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A filled circle with a white outline.
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

impl Mark {
    /// Draws the symbol at a pixel.
    pub(crate) fn draw(self, canvas: &mut Canvas, at: Pixel) {
        let outline = Some(Stroke { colour: WHITE, width: 2.0 });
        let square = |half: f64| {
            let side = 2.0 * half;
            PixelBox { left: at.x - half, top: at.y - half, width: side, height: side }
        };
        match self {
            Mark::Dot(fill) => {
                canvas.circles("dot", vec![at], Circle { radius: 7.5, fill, outline });
            }
            Mark::Ringed(colour) => {
                Mark::Dot(colour).draw(canvas, at);
                canvas.lines("ring", dashed_circle(at, 12.0), Stroke { colour, width: 2.0 });
            }
            Mark::Triangle(colour) => {
                let corners = [(8.0, 0.0), (-7.0, -8.0), (-7.0, 8.0)];
                let outline = Polylines::of(corners.map(|(x, y)| at.moved(x, y)));
                canvas.areas("heads", outline, colour);
            }
            Mark::Square(colour) => canvas.rectangle("terminal", square(6.0), colour),
            Mark::Hollow(colour) => {
                canvas.rectangle("terminal", square(5.5), WHITE);
                let outline = Polylines::of(square(5.5).corners());
                canvas.lines("terminal", outline, Stroke { colour, width: 1.5 });
            }
            Mark::Line(colour, width) => {
                let line = Polylines::of([at.moved(-12.0, 0.0), at.moved(12.0, 0.0)]);
                canvas.lines("sample", line, Stroke { colour, width });
            }
        }
    }
}

/// Returns a circle of twelve dashes, computed by rotations of 15° because the bits of `f64::sin`
/// depend on the platform.
fn dashed_circle(centre: Pixel, radius: f64) -> Polylines {
    const COS: f64 = 0.965_925_826_289_068_3;
    const SIN: f64 = 0.258_819_045_102_520_76;
    let mut lines = Polylines::new();
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
