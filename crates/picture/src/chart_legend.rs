//! Legend of a chart: one entry per series, in rows.

use crate::canvas::{Canvas, Weight};
use crate::font::text_width;
use crate::map_view::Pixel;
use crate::polylines::Polylines;
use crate::series_style::{SeriesStyle, chart_text};

/// Height of a row in pixels.
const ROW: f64 = 22.0;
/// Text size in pixels.
const TEXT: f64 = 14.0;

/// Symbol before the name of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeriesSymbol {
    /// Line with a marker.
    Line,
    /// Marker only.
    Marker,
}

impl SeriesSymbol {
    fn width(self) -> f64 {
        match self {
            SeriesSymbol::Line => 44.0,
            SeriesSymbol::Marker => 14.0,
        }
    }
}

/// Name and place of a series in the legend.
struct SeriesEntry {
    name: String,
    /// Left edge in pixels.
    left: f64,
    row: u32,
}

/// Entries laid out in rows.
pub(crate) struct ChartLegend {
    entries: Vec<SeriesEntry>,
    symbol: SeriesSymbol,
}

impl ChartLegend {
    /// Lays out one entry per name in rows of at most `width` pixels.
    pub fn new<'a>(
        names: impl Iterator<Item = &'a str>,
        symbol: SeriesSymbol,
        width: f64,
    ) -> ChartLegend {
        let (mut left, mut row) = (0.0, 0);
        let entry = |name: &str| {
            let entry_width = symbol.width() + 8.0 + text_width(name, TEXT, Weight::Regular);
            if left > 0.0 && left + entry_width > width {
                (left, row) = (0.0, row + 1);
            }
            let entry = SeriesEntry { name: name.to_owned(), left, row };
            left += entry_width + 26.0;
            entry
        };
        ChartLegend { entries: names.map(entry).collect(), symbol }
    }

    /// Height in pixels.
    pub fn height(&self) -> f64 {
        self.entries.last().map_or(0.0, |entry| f64::from(entry.row + 1) * ROW)
    }

    /// Draws the entries; the first symbol begins at `corner`.
    pub fn draw(&self, canvas: &mut Canvas, corner: Pixel) {
        canvas.layer("legend");
        let width = self.symbol.width();
        for (index, entry) in self.entries.iter().enumerate() {
            let at = corner.moved(entry.left, f64::from(entry.row) * ROW);
            let style = SeriesStyle(index);
            if self.symbol == SeriesSymbol::Line {
                style.stroke(canvas, Polylines::of([at, at.moved(width, 0.0)]));
            }
            style.draw_markers(canvas, vec![at.moved(width / 2.0, 0.0)]);
            canvas.text(at.moved(width + 8.0, 5.0), &entry.name, chart_text(TEXT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_wrap_and_keep_their_order() {
        let names = ["one", "two", "three"].into_iter();
        let legend = ChartLegend::new(names, SeriesSymbol::Line, 200.0);
        let [first, second, third] = &legend.entries[..] else { panic!("three entries") };
        assert_eq!((first.left, first.row), (0.0, 0));
        assert!(second.left > 0.0 && second.row == 0);
        assert_eq!((third.left, third.row), (0.0, 1));
        assert_eq!(legend.height(), 2.0 * ROW);
    }
}
