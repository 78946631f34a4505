//! Line charts: axes with units, legend, lines with error bars.
//!
//! `plotters` is not used: its PNG output needs a second font library, and its legends cannot show
//! dashes and markers together.

use crate::axis::Axis;
use crate::canvas::{Anchor, Canvas, PictureError};
use crate::chart_legend::{ChartLegend, SeriesSymbol};
use crate::map_view::{Pixel, PixelBox};
use crate::plot_area::PlotArea;
use crate::series::Series;
use crate::series_style::{BACKGROUND, chart_text};

/// A line chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// Title above the chart.
    pub title: String,
    /// Label of the horizontal axis, with unit.
    pub x_label: String,
    /// Label of the vertical axis, with unit.
    pub y_label: String,
    /// Values and labels of the horizontal ticks, ascending; empty for round numbers.
    pub x_ticks: Vec<(f64, String)>,
    /// Lines in the order of the legend.
    pub series: Vec<Series>,
}

impl LineChart {
    /// Draws the chart on a canvas of `width` × `height` pixels.
    pub fn draw(&self, width: u32, height: u32) -> Result<Canvas, PictureError> {
        let mut canvas = Canvas::new(width, height, BACKGROUND)?;
        let names = self.series.iter().map(|series| series.name.as_str());
        let legend = ChartLegend::new(names, SeriesSymbol::Line, f64::from(width) - 40.0);
        let y = Axis::linear(self.y_values(), (height / 60).clamp(2, 8));
        let left = 28.0 + PlotArea::label_width(&y);
        let top = 78.0 + legend.height();
        let area = PixelBox {
            left,
            top,
            width: (f64::from(width) - left - 28.0).max(1.0),
            height: (f64::from(height) - top - 62.0).max(1.0),
        };
        self.draw_texts(&mut canvas, area);
        let plot = PlotArea { area, x: self.x_axis(f64::from(width)), y };
        plot.draw_grid(&mut canvas, true);
        plot.draw_series(&mut canvas, &self.series);
        legend.draw(&mut canvas, Pixel::new(20.0, 52.0));
        Ok(canvas)
    }

    /// Iterates over all vertical values and zero: an axis that does not start at zero exaggerates
    /// differences.
    pub(crate) fn y_values(&self) -> impl Iterator<Item = f64> {
        let points = self.series.iter().flat_map(|series| &series.points).map(|point| point.1);
        let spread = self.series.iter().flat_map(|series| &series.spread);
        points.chain(spread.flat_map(|&(low, high)| [low, high])).chain([0.0])
    }

    /// Returns the horizontal axis for a plot of `width` pixels.
    pub(crate) fn x_axis(&self, width: f64) -> Axis {
        if !self.x_ticks.is_empty() {
            return Axis::with_ticks(&self.x_ticks);
        }
        let points = self.series.iter().flat_map(|series| &series.points);
        Axis::linear(points.map(|point| point.0), (width as u32 / 80).clamp(2, 12))
    }

    fn draw_texts(&self, canvas: &mut Canvas, plot: PixelBox) {
        let width = f64::from(canvas.width()) - 40.0;
        canvas.layer("texts");
        canvas.text_within(Pixel::new(20.0, 32.0), &self.title, width, chart_text(19.0).bold());
        let above = Pixel::new(20.0, plot.top - 14.0);
        canvas.text_within(above, &self.y_label, width, chart_text(14.0));
        let below = Pixel::new(plot.centre().x, plot.bottom() + 48.0);
        let style = chart_text(14.0).anchored(Anchor::Middle);
        canvas.text_within(below, &self.x_label, width, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(series: Vec<Series>) -> LineChart {
        let [title, x_label, y_label] =
            ["Title", "time (s)", "new queries (1/s)"].map(String::from);
        LineChart { title, x_label, y_label, series, ..LineChart::default() }
    }

    #[test]
    fn every_series_has_its_name_in_the_legend() {
        let series = (0..60).map(|number| Series {
            name: format!("line {number}"),
            points: vec![(0.0, 0.0), (10.0, f64::from(number))],
            ..Series::default()
        });
        let svg = chart(series.collect()).draw(900, 900).unwrap().to_svg();
        assert!((0..60).all(|number| svg.contains(&format!(">line {number}</text>"))));
        assert!(svg.contains(">new queries (1/s)</text>") && svg.contains("stroke-dasharray"));
    }

    #[test]
    fn empty_charts_and_values_that_are_not_finite_are_drawn() {
        let gap =
            vec![(0.0, 1.0), (f64::NAN, 2.0), (3.0, f64::INFINITY), (4.0, -1e300), (5.0, 9.0)];
        let one = |points: Vec<_>| {
            let spread = points.clone();
            chart(vec![Series { name: String::new(), points, spread }])
        };
        for chart in [chart(vec![]), one(vec![]), one(vec![(1.0, 1.0)]), one(gap)] {
            let canvas = chart.draw(640, 400).unwrap();
            assert!(canvas.to_svg().ends_with("</svg>\n") && !canvas.to_svg().contains("NaN"));
            assert!(canvas.to_png().starts_with(b"\x89PNG"));
        }
        assert!(chart(vec![]).draw(16, 16).is_ok());
        assert!(chart(vec![]).draw(1, 400).is_err());
    }

    #[test]
    fn spread_is_drawn_as_error_bars_and_given_ticks_have_their_labels() {
        let points = vec![(0.0, 5.0), (1.0, 6.0)];
        let spread = vec![(4.0, 7.0), (6.0, 6.0)];
        let mut chart = chart(vec![Series { name: "a".into(), points, spread }]);
        chart.x_ticks = vec![(0.0, "1,000".into()), (1.0, "3,000".into())];
        let svg = chart.draw(640, 400).unwrap().to_svg();
        assert!(svg.contains(r#"class="spread""#));
        assert!(svg.contains(">1,000</text>") && svg.contains(">3,000</text>"));
    }
}
