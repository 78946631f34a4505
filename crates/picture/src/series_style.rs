//! Style of the series of charts. Series differ in colour, dashes and markers, so that they can be
//! distinguished without colour vision.

use crate::canvas::{Canvas, Circle, Stroke, TextStyle};
use crate::colour::Colour;
use crate::map_view::Pixel;
use crate::polylines::Polylines;
use crate::theme::Theme;

/// Colours of Okabe and Ito that are dark enough for a thin line on white.
const COLOURS: [Colour; 6] = [
    Colour::hex(0x0072b2),
    Colour::hex(0xd55e00),
    Colour::hex(0x009e73),
    Colour::hex(0xcc79a7),
    Colour::hex(0xe69f00),
    Colour::hex(0x2b2d30),
];
/// Dash and gap lengths in pixels; the first line is solid.
const DASHES: [&[f64]; 5] = [&[], &[9.0, 6.0], &[2.0, 5.0], &[14.0, 5.0, 2.0, 5.0], &[5.0, 4.0]];
/// Radius of a marker in pixels.
const MARKER_RADIUS: f64 = 4.6;
/// Distance of the markers of a line with many points, in pixels.
const MARKER_SPACING: f64 = 90.0;
/// Largest number of points of a line with a marker at every point.
const MAX_MARKED_POINTS: usize = 12;

/// Background colour of charts.
pub(crate) const BACKGROUND: Colour = Colour::hex(0xff_ffff);

/// Returns the style of chart texts of `size` pixels.
pub(crate) fn chart_text(size: f64) -> TextStyle {
    TextStyle::new(Theme::Light.palette().ink, size)
}

/// Style of the series with this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeriesStyle(pub usize);

impl SeriesStyle {
    fn colour(self) -> Colour {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Draws a series: error bars, line and markers. `None` interrupts the line.
    pub fn draw(self, canvas: &mut Canvas, pixels: &[Option<Pixel>], error_bars: Polylines) {
        let mut line = Polylines::new();
        for run in pixels.split(Option::is_none) {
            line.add_spaced(run.iter().flatten().copied(), 0.4);
        }
        canvas.lines("spread", error_bars, Stroke { colour: self.colour(), width: 1.4 });
        self.stroke(canvas, line);
        let mut marked: Vec<Pixel> = pixels.iter().flatten().copied().collect();
        if marked.len() > MAX_MARKED_POINTS {
            // The first marker depends on the series, so that coinciding lines show different ones.
            let mut next = marked[0].x + 12.0 + 17.0 * (self.0 % 5) as f64;
            marked.retain(|pixel| {
                let due = pixel.x >= next;
                next = if due { pixel.x + MARKER_SPACING } else { next };
                due
            });
        }
        self.draw_markers(canvas, marked);
    }

    /// Draws a line without markers.
    pub fn stroke(self, canvas: &mut Canvas, line: Polylines) {
        let stroke = Stroke { colour: self.colour(), width: 2.2 };
        canvas.dashed_lines("line", line, stroke, DASHES[self.0 % DASHES.len()]);
    }

    /// Draws markers: hollow circles, squares, triangles or diamonds.
    pub fn draw_markers(self, canvas: &mut Canvas, centres: Vec<Pixel>) {
        let colour = self.colour();
        let corners: &[(f64, f64)] = match self.0 % 4 {
            0 => {
                let outline = Some(Stroke { colour, width: 1.6 });
                let circle = Circle { radius: MARKER_RADIUS - 0.4, fill: BACKGROUND, outline };
                return canvas.circles("markers", centres, circle);
            }
            1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            _ => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        };
        let mut outlines = Polylines::new();
        for centre in centres {
            let corner = |&(x, y)| centre.moved(x * MARKER_RADIUS, y * MARKER_RADIUS);
            outlines.add(corners.iter().map(corner));
        }
        canvas.areas("markers", outlines, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_series_have_different_styles() {
        let style = |index: usize| (index % COLOURS.len(), index % DASHES.len(), index % 4);
        let distinct: std::collections::BTreeSet<_> = (0..60).map(style).collect();
        assert_eq!(distinct.len(), 60);
    }
}
