//! Small multiples: charts side by side with one legend and, if requested, one vertical scale.

use crate::axis::Axis;
use crate::canvas::{Anchor, Canvas, PictureError};
use crate::chart::LineChart;
use crate::chart_legend::{ChartLegend, SeriesSymbol};
use crate::map_view::{Pixel, PixelBox};
use crate::plot_area::PlotArea;
use crate::series_style::{BACKGROUND, chart_text};

/// Charts whose series have the same names in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// Title above all charts.
    pub title: String,
    /// Charts, row by row.
    pub charts: Vec<LineChart>,
    /// Number of charts per row.
    pub columns: usize,
    /// Whether all charts have the same vertical axis.
    pub scale: Scale,
}

/// Vertical axes of several charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// One axis for all charts, labelled at the first chart of each row.
    #[default]
    Shared,
    /// An axis for each chart.
    Own,
}

/// Margin of the page in pixels.
const MARGIN: f64 = 20.0;
/// Distance between two charts in pixels.
const GAP: f64 = 22.0;
/// Space for title and label above a plot, in pixels.
const ABOVE: f64 = 58.0;
/// Space for ticks and label below a plot, in pixels.
const BELOW: f64 = 62.0;

impl Panels {
    /// Draws the charts on a canvas of `width` pixels; each chart with its texts is `panel_height`
    /// pixels high.
    pub fn draw(&self, width: u32, panel_height: u32) -> Result<Canvas, PictureError> {
        let columns = self.columns.max(1);
        let rows = self.charts.len().div_ceil(columns) as u32;
        let longest = self.charts.iter().max_by_key(|chart| chart.series.len());
        let names = longest.iter().flat_map(|chart| &chart.series).map(|line| line.name.as_str());
        let page_width = f64::from(width) - 2.0 * MARGIN;
        let legend = ChartLegend::new(names, SeriesSymbol::Line, page_width);
        let top = 46.0 + legend.height();
        let height = (top as u32).saturating_add(rows.saturating_mul(panel_height));
        let mut canvas = Canvas::new(width, height, BACKGROUND)?;
        canvas.layer("texts");
        let at = Pixel::new(MARGIN, 30.0);
        canvas.text_within(at, &self.title, page_width, chart_text(18.0).bold());
        legend.draw(&mut canvas, Pixel::new(MARGIN, 54.0));
        let height = f64::from(panel_height);
        for (row, charts) in self.charts.chunks(columns).enumerate() {
            let top = top + row as f64 * height;
            let area = PixelBox { left: MARGIN, top, width: page_width, height };
            self.draw_row(&mut canvas, charts, area, columns);
        }
        Ok(canvas)
    }

    fn y_axis(&self, chart: &LineChart, height: f64) -> Axis {
        let max_steps = (height as u32 / 42).clamp(2, 8);
        match self.scale {
            Scale::Own => Axis::linear(chart.y_values(), max_steps),
            Scale::Shared => {
                Axis::linear(self.charts.iter().flat_map(LineChart::y_values), max_steps)
            }
        }
    }

    /// Draws one row of charts; the last row may have fewer than `columns`.
    fn draw_row(&self, canvas: &mut Canvas, charts: &[LineChart], row: PixelBox, columns: usize) {
        let height = (row.height - ABOVE - BELOW).max(1.0);
        let axes: Vec<Axis> = charts.iter().map(|chart| self.y_axis(chart, height)).collect();
        let has_labels = |column: usize| self.scale == Scale::Own || column == 0;
        let label_space = |column: usize| match has_labels(column) {
            true => 10.0 + axes.get(column).map_or(0.0, PlotArea::label_width),
            false => 0.0,
        };
        let labels: f64 = (0..columns).map(label_space).sum();
        let gaps = GAP * columns.saturating_sub(1) as f64;
        let width = ((row.width - labels - gaps - 8.0) / columns as f64).max(1.0);
        let mut left = row.left;
        for (column, (chart, y)) in charts.iter().zip(&axes).enumerate() {
            let start = left;
            left += label_space(column);
            let area = PixelBox { left, top: row.top + ABOVE, width, height };
            let plot = PlotArea { area, x: chart.x_axis(width), y: y.clone() };
            plot.draw_grid(canvas, has_labels(column));
            plot.draw_series(canvas, &chart.series);
            draw_texts(canvas, chart, area, start);
            left += width + GAP;
        }
    }
}

/// Draws title and axis labels of a chart whose panel starts at the pixel column `start`.
fn draw_texts(canvas: &mut Canvas, chart: &LineChart, plot: PixelBox, start: f64) {
    canvas.layer("texts");
    let width = plot.right() - start;
    let at = |y: f64| Pixel::new(start, y);
    canvas.text_within(at(plot.top - 34.0), &chart.title, width, chart_text(14.0).bold());
    canvas.text_within(at(plot.top - 13.0), &chart.y_label, width, chart_text(13.0));
    let below = Pixel::new(plot.centre().x, plot.bottom() + 43.0);
    let style = chart_text(13.0).anchored(Anchor::Middle);
    canvas.text_within(below, &chart.x_label, width, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Series;

    fn panels(count: usize, scale: Scale) -> Panels {
        let chart = |index: usize| LineChart {
            title: format!("panel {index}"),
            x_label: "dt (s)".into(),
            y_label: "success (%)".into(),
            series: vec![Series {
                name: "Oldenburg".into(),
                points: vec![(3.0, 10.0), (5.0, 10.0 * (index + 1) as f64)],
                spread: vec![],
            }],
            ..LineChart::default()
        };
        let charts = (0..count).map(chart).collect();
        Panels { title: "Success".into(), charts, columns: 4, scale }
    }

    #[test]
    fn every_panel_has_its_title_and_units_and_there_is_one_legend() {
        let svg = panels(6, Scale::Own).draw(1100, 300).unwrap().to_svg();
        assert!((0..6).all(|index| svg.contains(&format!(">panel {index}</text>"))));
        assert_eq!(svg.matches(">success (%)</text>").count(), 6);
        assert_eq!(svg.matches(">dt (s)</text>").count(), 6);
        assert_eq!(svg.matches(">Oldenburg</text>").count(), 1);
    }

    #[test]
    fn a_shared_scale_is_labelled_once_and_contains_all_values() {
        let svg = panels(3, Scale::Shared).draw(1100, 300).unwrap().to_svg();
        assert_eq!(svg.matches(">30</text>").count(), 1);
        let svg = panels(3, Scale::Own).draw(1100, 300).unwrap().to_svg();
        assert_eq!(svg.matches(">10</text>").count(), 3);
    }

    #[test]
    fn no_panels_are_drawn_and_too_many_are_an_error() {
        assert!(panels(0, Scale::Shared).draw(300, 200).is_ok());
        assert!(panels(400, Scale::Shared).draw(300, 200).is_err());
    }
}
