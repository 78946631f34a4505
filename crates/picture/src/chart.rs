//! Line charts: axes with units, a legend, and lines with the spread of each point.
//!
//! Drawn on our own canvas rather than by `plotters`: the canvas already has the font, SVG and
//! PNG, and the same bytes everywhere; `plotters` brings PNG only with a font stack and has no
//! dashes with markers in its legend.

use crate::axis::{Axis, is_drawable};
use crate::canvas::{Anchor, Canvas, PictureError, Stroke, Text, Weight};
use crate::font::{shortened, text_width};
use crate::lines::Lines;
use crate::series::{Entries, Look, PAGE, Sample, Series, bar};
use crate::theme::Theme;
use crate::view::{Pixel, PixelBox};

/// What a chart shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// Above it.
    pub title: String,
    /// What is counted to the right, with its unit.
    pub x_label: String,
    /// What is counted upwards, with its unit.
    pub y_label: String,
    /// Ticks to the right and their names, ascending; none: round numbers.
    pub x_ticks: Vec<(f64, String)>,
    /// The lines.
    pub series: Vec<Series>,
}

impl LineChart {
    /// The chart on a canvas of that many pixels.
    pub fn draw(&self, width: u32, height: u32) -> Result<Canvas, PictureError> {
        let mut canvas = Canvas::new(width, height, PAGE)?;
        let names = self.series.iter().map(|series| series.name.as_str());
        let entries = Entries::new(names, Sample::Line, f64::from(width) - 40.0);
        let y = Axis::holding(self.values(), (height / 60).clamp(2, 8));
        let left = 28.0 + label_room(&y);
        let top = 78.0 + entries.height();
        let area = PixelBox {
            left,
            top,
            width: (f64::from(width) - left - 28.0).max(1.0),
            height: (f64::from(height) - top - 62.0).max(1.0),
        };
        self.draw_texts(&mut canvas, area);
        let plane = Plane { area, x: self.x_axis(f64::from(width)), y };
        plane.draw_grid(&mut canvas, Labels::Written);
        plane.draw_series(&mut canvas, &self.series);
        entries.draw(&mut canvas, Pixel::new(20.0, 52.0));
        Ok(canvas)
    }

    /// All that is counted upwards. It begins at nothing, or the differences look larger than they
    /// are.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        let points = self.series.iter().flat_map(|series| &series.points).map(|point| point.1);
        let spread = self.series.iter().flat_map(|series| &series.spread);
        points.chain(spread.flat_map(|&(low, high)| [low, high])).chain([0.0])
    }

    /// What is counted to the right, for that many pixels.
    pub(crate) fn x_axis(&self, width: f64) -> Axis {
        if !self.x_ticks.is_empty() {
            return Axis::with_ticks(&self.x_ticks);
        }
        let points = self.series.iter().flat_map(|series| &series.points);
        Axis::holding(points.map(|point| point.0), (width as u32 / 80).clamp(2, 12))
    }

    fn draw_texts(&self, canvas: &mut Canvas, panel: PixelBox) {
        let palette = Theme::Light.palette();
        let width = f64::from(canvas.width()) - 40.0;
        canvas.layer("texts");
        let mut put = |at, text: &str, size, weight, anchor| {
            let style = Text { colour: palette.ink, size, weight, anchor };
            canvas.text(at, &shortened(text, width, &style), style);
        };
        put(Pixel::new(20.0, 32.0), &self.title, 19.0, Weight::Bold, Anchor::Start);
        let above = Pixel::new(20.0, panel.top - 14.0);
        put(above, &self.y_label, 14.0, Weight::Regular, Anchor::Start);
        let below = Pixel::new(panel.centre().x, panel.bottom() + 48.0);
        put(below, &self.x_label, 14.0, Weight::Regular, Anchor::Middle);
    }
}

/// Pixels that the names of ticks need to the left of an axis.
pub(crate) fn label_room(axis: &Axis) -> f64 {
    let names = axis.ticks().iter().map(|tick| text_width(&tick.1, 13.0, Weight::Regular));
    names.fold(0.0, f64::max)
}

/// Whether the ticks that go upwards have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labels {
    Written,
    LeftOut,
}

/// Where numbers are on a canvas.
pub(crate) struct Plane {
    pub(crate) area: PixelBox,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
}

impl Plane {
    /// The place of a pair of numbers, if they can be drawn.
    fn place(&self, (right, up): (f64, f64)) -> Option<Pixel> {
        (is_drawable(right) && is_drawable(up)).then(|| {
            let right = self.x.part(right) * self.area.width;
            Pixel::new(
                self.area.left + right,
                self.area.bottom() - self.y.part(up) * self.area.height,
            )
        })
    }

    pub(crate) fn draw_series(&self, canvas: &mut Canvas, all: &[Series]) {
        for (number, series) in all.iter().enumerate() {
            canvas.layer(&series.name);
            let pixels: Vec<_> = series.points.iter().map(|&point| self.place(point)).collect();
            let mut bars = Lines::new();
            for (&(x, _), &(low, high)) in series.points.iter().zip(&series.spread) {
                let ends = self.place((x, low)).zip(self.place((x, high)));
                if let Some((low, high)) = ends.filter(|(low, high)| low != high) {
                    bar(&mut bars, low, high, self.area);
                }
            }
            Look(number).line(canvas, &pixels, bars);
        }
    }

    pub(crate) fn draw_grid(&self, canvas: &mut Canvas, labels: Labels) {
        let Plane { area, x, y } = self;
        let palette = Theme::Light.palette();
        let style =
            |anchor| Text { colour: palette.ink, size: 13.0, weight: Weight::Regular, anchor };
        let (mut grid, mut axes) = (Lines::new(), Lines::new());
        canvas.layer("axes");
        for (value, name) in y.ticks() {
            let at = Pixel::new(area.left, area.bottom() - y.part(*value) * area.height);
            grid.add([at, at.moved(area.width, 0.0)]);
            if labels == Labels::Written {
                canvas.text(at.moved(-8.0, 4.7), name, style(Anchor::End));
            }
        }
        for (value, name) in x.ticks() {
            let at = Pixel::new(area.left + x.part(*value) * area.width, area.bottom());
            axes.add([at, at.moved(0.0, 6.0)]);
            canvas.text(at.moved(0.0, 22.0), name, style(Anchor::Middle));
        }
        let foot = Pixel::new(area.left, area.bottom());
        axes.add([Pixel::new(area.left, area.top), foot, foot.moved(area.width, 0.0)]);
        canvas.lines("grid", grid, Stroke { colour: palette.frame.with_opacity(150), width: 1.0 });
        canvas.lines("axes", axes, Stroke { colour: palette.ink, width: 1.2 });
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
    fn every_line_has_its_own_look_and_its_name_in_the_legend() {
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
    fn nothing_and_nonsense_can_be_drawn() {
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
    fn spread_is_drawn_as_bars_and_given_ticks_by_their_names() {
        let points = vec![(0.0, 5.0), (1.0, 6.0)];
        let spread = vec![(4.0, 7.0), (6.0, 6.0)];
        let mut chart = chart(vec![Series { name: "a".into(), points, spread }]);
        chart.x_ticks = vec![(0.0, "1,000".into()), (1.0, "3,000".into())];
        let svg = chart.draw(640, 400).unwrap().to_svg();
        assert!(svg.contains(r#"class="spread""#));
        assert!(svg.contains(">1,000</text>") && svg.contains(">3,000</text>"));
    }
}
