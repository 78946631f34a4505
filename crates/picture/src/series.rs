//! A line of a chart and how it looks: lines differ in colour, dashes and markers, so that they are
//! told apart without seeing colours too.

use crate::canvas::{Anchor, Canvas, Circle, Stroke, Text, Weight};
use crate::colour::Colour;
use crate::font::text_width;
use crate::lines::Lines;
use crate::theme::Theme;
use crate::view::{Pixel, PixelBox};

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// In the order in which they are joined; a number that is none, or beyond ±10¹⁵, is a gap.
    pub points: Vec<(f64, f64)>,
    /// From where to where each point may lie, drawn as a bar; may be shorter than `points`.
    pub spread: Vec<(f64, f64)>,
}

/// The colours of Okabe and Ito that are dark enough for a thin line on white.
const COLOURS: [Colour; 6] = [
    Colour::hex(0x0072b2),
    Colour::hex(0xd55e00),
    Colour::hex(0x009e73),
    Colour::hex(0xcc79a7),
    Colour::hex(0xe69f00),
    Colour::hex(0x2b2d30),
];
const DASHES: [&[f64]; 5] = [&[], &[9.0, 6.0], &[2.0, 5.0], &[14.0, 5.0, 2.0, 5.0], &[5.0, 4.0]];
const MARKER: f64 = 4.6;
/// Pixels between two markers of a line that has many points.
const APART: f64 = 90.0;
/// A line of no more points has a marker at each.
const FEW: usize = 12;
/// Pixels between two rows of the legend, and of the line in an entry.
pub(crate) const ROW: f64 = 22.0;
const SAMPLE: f64 = 44.0;
const TEXT: f64 = 14.0;
pub(crate) const PAGE: Colour = Colour::hex(0xff_ffff);

/// How the line of that number looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look(pub(crate) usize);

impl Look {
    fn colour(self) -> Colour {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Draws a line through all places that are there, its bars and its markers.
    pub(crate) fn line(self, canvas: &mut Canvas, pixels: &[Option<Pixel>], bars: Lines) {
        let mut line = Lines::new();
        for run in pixels.split(Option::is_none) {
            line.add_spaced(run.iter().flatten().copied(), 0.4);
        }
        canvas.lines("spread", bars, Stroke { colour: self.colour(), width: 1.4 });
        self.stroke(canvas, line);
        let mut marked: Vec<Pixel> = pixels.iter().flatten().copied().collect();
        if marked.len() > FEW {
            // The first marker of every line is elsewhere, so that lines upon each other show theirs.
            let mut next = marked[0].x + 12.0 + 17.0 * (self.0 % 5) as f64;
            marked.retain(|pixel| {
                let due = pixel.x >= next;
                next = if due { pixel.x + APART } else { next };
                due
            });
        }
        self.markers(canvas, marked);
    }

    fn stroke(self, canvas: &mut Canvas, line: Lines) {
        let stroke = Stroke { colour: self.colour(), width: 2.2 };
        canvas.dashed_lines("line", line, stroke, DASHES[self.0 % DASHES.len()]);
    }

    /// Four shapes, filled or hollow.
    pub(crate) fn markers(self, canvas: &mut Canvas, centres: Vec<Pixel>) {
        let colour = self.colour();
        let corners: &[(f64, f64)] = match self.0 % 4 {
            0 => {
                let outline = Some(Stroke { colour, width: 1.6 });
                let circle = Circle { radius: MARKER - 0.4, fill: PAGE, outline };
                return canvas.circles("markers", centres, circle);
            }
            1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            _ => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        };
        let mut outlines = Lines::new();
        for centre in centres {
            outlines.add(corners.iter().map(|&(x, y)| centre.moved(x * MARKER, y * MARKER)));
        }
        canvas.areas("markers", outlines, colour);
    }
}

/// Whether lines or only markers are explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    Line,
    Marker,
}

impl Sample {
    fn width(self) -> f64 {
        match self {
            Sample::Line => SAMPLE,
            Sample::Marker => 14.0,
        }
    }
}

/// The entries of a chart, in rows.
pub(crate) struct Entries {
    /// Name, left edge and row of each.
    entries: Vec<(String, f64, u32)>,
    sample: Sample,
}

impl Entries {
    /// Entries that wrap where there is no more room.
    pub(crate) fn new<'a>(
        names: impl Iterator<Item = &'a str>,
        sample: Sample,
        room: f64,
    ) -> Entries {
        let (mut left, mut row) = (0.0, 0);
        let entry = |name: &str| {
            let width = sample.width() + 8.0 + text_width(name, TEXT, Weight::Regular);
            if left > 0.0 && left + width > room {
                (left, row) = (0.0, row + 1);
            }
            let at = (name.to_owned(), left, row);
            left += width + 26.0;
            at
        };
        Entries { entries: names.map(entry).collect(), sample }
    }

    /// Pixels from top to bottom.
    pub(crate) fn height(&self) -> f64 {
        self.entries.last().map_or(0.0, |entry| f64::from(entry.2 + 1) * ROW)
    }

    /// Draws them below and right of a place.
    pub(crate) fn draw(&self, canvas: &mut Canvas, corner: Pixel) {
        canvas.layer("legend");
        let colour = Theme::Light.palette().ink;
        for (number, (name, left, row)) in self.entries.iter().enumerate() {
            let at = corner.moved(*left, f64::from(*row) * ROW);
            let width = self.sample.width();
            if self.sample == Sample::Line {
                let mut line = Lines::new();
                line.add([at, at.moved(width, 0.0)]);
                Look(number).stroke(canvas, line);
            }
            Look(number).markers(canvas, vec![at.moved(width / 2.0, 0.0)]);
            let style = Text { colour, size: TEXT, weight: Weight::Regular, anchor: Anchor::Start };
            canvas.text(at.moved(width + 8.0, 5.0), name, style);
        }
    }
}

/// Bars from low to high with a short line at both ends, within a panel.
pub(crate) fn bar(lines: &mut Lines, low: Pixel, high: Pixel, panel: PixelBox) {
    let within = |pixel: Pixel| Pixel::new(pixel.x, pixel.y.clamp(panel.top, panel.bottom()));
    let (low, high) = (within(low), within(high));
    lines.add([low, high]);
    for end in [low, high] {
        lines.add([end.moved(-3.5, 0.0), end.moved(3.5, 0.0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_lines_look_different() {
        let looks = |number: usize| (number % COLOURS.len(), number % DASHES.len(), number % 4);
        let distinct: std::collections::BTreeSet<_> = (0..60).map(looks).collect();
        assert_eq!(distinct.len(), 60);
    }

    #[test]
    fn entries_wrap_and_keep_their_order() {
        let entries = Entries::new(["one", "two", "three"].into_iter(), Sample::Line, 200.0);
        let places: Vec<(f64, u32)> =
            entries.entries.iter().map(|entry| (entry.1, entry.2)).collect();
        assert_eq!((places[0], places[1].1, places[2]), ((0.0, 0), 0, (0.0, 1)));
        assert_eq!(entries.height(), 2.0 * ROW);
    }
}
