//! Scale bar: a round number of metres and its length in pixels.

use crate::canvas::{Anchor, Canvas, TextStyle, Weight};
use crate::font::text_width;
use crate::map_view::{MapView, Pixel, PixelBox};
use crate::polylines::Polylines;
use crate::theme::Palette;

/// A round length, 1, 2 or 5 times a power of ten metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleBar {
    /// Length in metres.
    pub metres: f64,
    /// Length in pixels.
    pub pixels: f64,
    /// Number of equal pieces.
    pub pieces: u32,
}

impl ScaleBar {
    /// Returns the longest bar of a round length within `max_pixels`; one metre if none fits.
    pub fn new(view: &MapView, max_pixels: f64) -> ScaleBar {
        let max_metres = max_pixels * view.metres_per_pixel();
        let (mut metres, mut pieces) = (1.0, 4);
        let mut power = 1.0;
        while power <= max_metres {
            for (factor, parts) in [(1.0, 4), (2.0, 4), (5.0, 5)] {
                if factor * power <= max_metres {
                    (metres, pieces) = (factor * power, parts);
                }
            }
            power *= 10.0;
        }
        ScaleBar { metres, pixels: metres / view.metres_per_pixel(), pieces }
    }

    /// Label with unit: `500 m`, `2 km`.
    pub fn label(&self) -> String {
        if self.metres >= 1000.0 {
            format!("{} km", self.metres / 1000.0)
        } else {
            format!("{} m", self.metres)
        }
    }

    /// Draws the bar with its upper left corner at `at`: alternating dark and light pieces, labels
    /// below.
    pub(crate) fn draw(&self, canvas: &mut Canvas, at: Pixel, palette: &Palette, scale: f64) {
        canvas.layer("scale-bar");
        let height = 6.0 * scale;
        let whole = PixelBox { left: at.x, top: at.y, width: self.pixels, height };
        canvas.rectangle("bar", whole, palette.ink);
        let piece = self.pixels / f64::from(self.pieces);
        let mut light = Polylines::new();
        for index in (1..self.pieces).step_by(2) {
            let left = at.x + piece * f64::from(index);
            let area = PixelBox { left, top: at.y, width: piece, height };
            let edge = 1.0_f64.min(height / 4.0);
            let top = PixelBox { top: at.y + edge, height: height - 2.0 * edge, ..area };
            light.add(top.corners().into_iter().take(4));
        }
        canvas.areas("pieces", light, palette.page);
        let size = 13.0 * scale;
        let style = |anchor| TextStyle::new(palette.ink, size).anchored(anchor);
        let below = at.y + height + size * 1.15;
        let label = self.label();
        if text_width(&format!("0  {label}"), size, Weight::Regular) < self.pixels {
            canvas.text(Pixel::new(at.x, below), "0", style(Anchor::Start));
            canvas.text(Pixel::new(at.x + self.pixels, below), &label, style(Anchor::End));
        } else {
            canvas.text(Pixel::new(at.x, below), &label, style(Anchor::Start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::units::{Point, Rectangle};

    fn view(metres: f64) -> MapView {
        let bounds = Rectangle { min: Point::new(0.0, 0.0), max: Point::new(metres, metres) };
        let area = PixelBox { left: 10.0, top: 10.0, width: 1000.0, height: 1000.0 };
        MapView::fit(bounds, area)
    }

    #[test]
    fn the_bar_is_round_and_as_long_as_its_label_says() {
        for (extent, metres, label) in [
            (100.0, 20.0, "20 m"),
            (7_000.0, 1_000.0, "1 km"),
            (2_100.0, 500.0, "500 m"),
            (35_000.0, 5_000.0, "5 km"),
            (40_000.0, 10_000.0, "10 km"),
            (4e7, 1e7, "10000 km"),
        ] {
            let view = view(extent);
            let bar = ScaleBar::new(&view, 250.0);
            assert_eq!((bar.metres, bar.label().as_str()), (metres, label), "{extent}");
            let a = view.to_pixel(Point::new(50.0, 50.0));
            let b = view.to_pixel(Point::new(50.0 + metres, 50.0));
            assert!((b.x - a.x - bar.pixels).abs() < 1e-6 && bar.pixels <= 250.0);
        }
    }

    #[test]
    fn a_view_too_small_for_a_metre_still_has_a_bar() {
        assert_eq!(ScaleBar::new(&view(0.0), 1.0).metres, 1.0);
    }
}
