//! Dot plots: one row per item, one panel per metric, one dot per series.

use crate::axis::{Axis, is_drawable, log10};
use crate::canvas::{Anchor, Canvas, PictureError, Stroke, Weight};
use crate::chart_legend::{ChartLegend, SeriesSymbol};
use crate::font::text_width;
use crate::map_view::{Pixel, PixelBox};
use crate::number::significant;
use crate::polylines::Polylines;
use crate::series_style::{BACKGROUND, SeriesStyle, chart_text};
use crate::theme::Theme;

/// A dot plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dots {
    /// Title above the plot.
    pub title: String,
    /// Labels of the rows, from the top.
    pub rows: Vec<String>,
    /// Names of the series in the legend; each has its colour and marker.
    pub series: Vec<String>,
    /// Panels from left to right.
    pub panels: Vec<DotPanel>,
}

/// One metric of all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DotPanel {
    /// Name of the metric, with unit.
    pub label: String,
    /// Scale of the axis.
    pub scale: DotScale,
    /// Values by series, then by row; `None` draws no dot. A series without rows is not in the panel.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Scale of the axis of a dot panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DotScale {
    /// Linear from zero.
    #[default]
    Linear,
    /// Logarithmic; values that are not positive are not drawn.
    Logarithmic,
}

/// Margin of the page in pixels.
const MARGIN: f64 = 20.0;
/// Height of a row in pixels.
const ROW: f64 = 25.0;
/// Distance between two panels in pixels.
const GAP: f64 = 36.0;
/// Height of the labels above the panels of a band, in pixels.
const PANEL_HEAD: f64 = 34.0;
/// Height of the tick labels below the panels of a band, in pixels.
const PANEL_FOOT: f64 = 46.0;

impl Dots {
    /// Draws the plot on a canvas of `width` pixels; the height follows from the rows.
    pub fn draw(&self, width: u32) -> Result<Canvas, PictureError> {
        self.draw_bands(width, &[self.panels.len()])
    }

    /// Draws the panels in bands below one another, each with the labels of the rows. `bands` holds
    /// the number of panels of each band.
    pub fn draw_bands(&self, width: u32, bands: &[usize]) -> Result<Canvas, PictureError> {
        let names = self.series.iter().map(String::as_str);
        let page_width = f64::from(width) - 2.0 * MARGIN;
        let legend = ChartLegend::new(names, SeriesSymbol::Marker, page_width);
        let height = self.rows.len() as f64 * ROW;
        let band_height = PANEL_HEAD + height + PANEL_FOOT;
        let bands_top = 46.0 + legend.height();
        let page_height = bands_top + band_height * bands.len().max(1) as f64;
        let mut canvas = Canvas::new(width, page_height as u32, BACKGROUND)?;
        canvas.layer("texts");
        canvas.text(Pixel::new(MARGIN, 30.0), &self.title, chart_text(18.0).bold());
        legend.draw(&mut canvas, Pixel::new(MARGIN, 54.0));
        let widths = self.rows.iter().map(|label| text_width(label, 14.0, Weight::Regular));
        let left = MARGIN + widths.fold(0.0, f64::max) + 16.0;
        let top = |band: usize| bands_top + band as f64 * band_height + PANEL_HEAD;
        for band in 0..bands.len() {
            for (row, label) in self.rows.iter().enumerate() {
                let at = Pixel::new(left - 14.0, top(band) + (row as f64 + 0.5) * ROW + 5.0);
                canvas.text(at, label, chart_text(14.0).anchored(Anchor::End));
            }
        }
        let mut panels = self.panels.iter();
        for (band, &panel_count) in bands.iter().enumerate() {
            let count = panel_count.max(1) as f64;
            let panel_width = (f64::from(width) - left - MARGIN - GAP * (count - 1.0)) / count;
            for (index, panel) in panels.by_ref().take(panel_count).enumerate() {
                let left = left + index as f64 * (panel_width + GAP);
                let area = PixelBox { left, top: top(band), width: panel_width.max(1.0), height };
                panel.draw(&mut canvas, area, self);
            }
        }
        Ok(canvas)
    }
}

impl DotPanel {
    fn axis(&self, width: f64) -> Axis {
        let values = || self.values.iter().flatten().flatten().copied();
        let pixels = width as u32;
        match self.scale {
            DotScale::Linear => Axis::linear(values().chain([0.0]), (pixels / 55).clamp(1, 6)),
            DotScale::Logarithmic => Axis::logarithmic(values(), (pixels / 38).max(1)),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: PixelBox, dots: &Dots) {
        let rows = dots.rows.len();
        let axis = self.axis(area.width);
        let middle = |row: usize| area.top + (row as f64 + 0.5) * ROW;
        draw_grid(canvas, &axis, area, (0..rows).map(middle));
        let at = Pixel::new(area.left, area.top - 12.0);
        canvas.text_within(at, &self.label, area.width + GAP - 8.0, chart_text(13.0).bold());
        let here = self.values.iter().enumerate().filter(|(_, values)| !values.is_empty());
        let last = here.clone().count() as f64 - 1.0;
        for (place, (series, values)) in here.enumerate() {
            // Dots of different series are shifted vertically, so that equal values show all.
            // Together at most 14 pixels high, so that rows stay apart.
            let down = (place as f64 - last / 2.0) * 7.0_f64.min(14.0 / last.max(1.0));
            let dot = |(row, value): (usize, &Option<f64>)| {
                let value = match self.scale {
                    DotScale::Linear => (*value)?,
                    DotScale::Logarithmic => log10((*value)?),
                };
                let x = area.left + axis.fraction(value) * area.width;
                is_drawable(value).then(|| Pixel::new(x, middle(row) + down))
            };
            let drawn: Vec<Option<Pixel>> = values.iter().enumerate().take(rows).map(dot).collect();
            SeriesStyle(series).draw_markers(canvas, drawn.iter().copied().flatten().collect());
            for ((at, value), row) in drawn.iter().zip(values).zip(&dots.rows) {
                if let (Some(at), Some(value)) = (at, value) {
                    let name = dots.series.get(series).map_or("", String::as_str);
                    canvas.tip(*at, &format!("{row}, {name}: {}", significant(*value)));
                }
            }
        }
    }
}

/// Draws tick lines with labels, and a horizontal line at each of `rows`, in pixels.
fn draw_grid(canvas: &mut Canvas, axis: &Axis, area: PixelBox, rows: impl Iterator<Item = f64>) {
    let frame = Theme::Light.palette().frame;
    let (mut grid, mut lanes) = (Polylines::new(), Polylines::new());
    canvas.layer("axes");
    for (value, label) in axis.ticks() {
        let at = Pixel::new(area.left + axis.fraction(*value) * area.width, area.bottom());
        grid.add([at.moved(0.0, 5.0), at.moved(0.0, -area.height)]);
        canvas.text(at.moved(0.0, 20.0), label, chart_text(12.0).anchored(Anchor::Middle));
    }
    for y in rows {
        let at = Pixel::new(area.left, y);
        lanes.add([at, at.moved(area.width, 0.0)]);
    }
    canvas.lines("lanes", lanes, Stroke { colour: frame.with_opacity(90), width: 1.0 });
    canvas.lines("grid", grid, Stroke { colour: frame, width: 1.0 });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_panels_and_series_have_labels_and_missing_values_no_dot() {
        let panel = |scale, values| DotPanel { label: "time (ms)".into(), scale, values };
        let values = vec![vec![Some(1.0), None], vec![Some(0.0), Some(f64::NAN)]];
        let dots = Dots {
            title: "Schemes".into(),
            rows: vec!["meshcloak".into(), "casper".into()],
            series: vec!["unlimited".into(), "real time".into()],
            panels: vec![
                panel(DotScale::Linear, values.clone()),
                panel(DotScale::Logarithmic, values),
            ],
        };
        let svg = dots.draw(900).unwrap().to_svg();
        for name in ["Schemes", "meshcloak", "casper", "unlimited", "real time"] {
            assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
        }
        assert_eq!(svg.matches(">time (ms)</text>").count(), 2);
        assert!(!svg.contains("NaN"));
        // Two dots of the first series and its symbol in the legend.
        assert_eq!(svg.matches("<circle cx").count(), 3);
        assert!(svg.contains("<title>meshcloak, unlimited: 1.00</title>"));
        assert!(Dots::default().draw(400).is_ok());
    }

    #[test]
    fn bands_repeat_the_row_labels_and_panels_may_lack_series() {
        let panel =
            |label: &str, values| DotPanel { label: label.into(), values, ..DotPanel::default() };
        let dots = Dots {
            title: "Settings".into(),
            rows: vec!["reciprocal".into()],
            series: vec!["cost".into(), "tracker".into()],
            panels: vec![
                panel("served", vec![vec![Some(0.5)]]),
                panel("street named", vec![Vec::new(), vec![Some(0.25)]]),
            ],
        };
        let (one, two) = (dots.draw(900).unwrap(), dots.draw_bands(900, &[1, 1]).unwrap());
        let (one, two) = (one.to_svg(), two.to_svg());
        assert_eq!(one.matches(">reciprocal</text>").count(), 1);
        assert_eq!(two.matches(">reciprocal</text>").count(), 2);
        assert!(one.contains("height=\"173\"") && two.contains("height=\"278\""), "{two}");
        // The tracker is drawn as a square in the middle of its row, not as the first series.
        assert_eq!(two.matches("<circle cx").count(), 2, "cost and its legend");
        assert!(two.contains("<title>reciprocal, tracker: 0.250</title>"), "{two}");
    }
}
