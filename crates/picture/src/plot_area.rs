//! Part of a chart inside its axes.

use crate::axis::{Axis, is_drawable};
use crate::canvas::{Anchor, Canvas, Stroke, Weight};
use crate::font::text_width;
use crate::map_view::{Pixel, PixelBox};
use crate::number::significant;
use crate::polylines::Polylines;
use crate::series::Series;
use crate::series_style::{SeriesStyle, chart_text};
use crate::theme::Theme;

/// Size of tick labels in pixels.
const LABEL: f64 = 13.0;

/// Largest number of points of a line that have tooltips; longer lines would fill the file.
const MAX_TIPS: usize = 30;

/// Area of a plot and its axes.
pub(crate) struct PlotArea {
    pub area: PixelBox,
    pub x: Axis,
    pub y: Axis,
}

impl PlotArea {
    /// Returns the width of the widest label of a vertical axis, in pixels.
    pub fn label_width(axis: &Axis) -> f64 {
        let widths = axis.ticks().iter().map(|tick| text_width(&tick.1, LABEL, Weight::Regular));
        widths.fold(0.0, f64::max)
    }

    /// Returns the pixel of a point; `None` if a coordinate cannot be drawn.
    fn pixel(&self, x: f64, y: f64) -> Option<Pixel> {
        let PixelBox { left, width, height, .. } = self.area;
        (is_drawable(x) && is_drawable(y)).then(|| {
            let bottom = self.area.bottom();
            Pixel::new(left + self.x.fraction(x) * width, bottom - self.y.fraction(y) * height)
        })
    }

    /// Draws lines with error bars, each in its own layer.
    pub fn draw_series(&self, canvas: &mut Canvas, all: &[Series]) {
        for (index, series) in all.iter().enumerate() {
            canvas.layer(&series.name);
            let pixels: Vec<_> = series.points.iter().map(|&(x, y)| self.pixel(x, y)).collect();
            let mut bars = Polylines::new();
            for (&(x, _), &(low, high)) in series.points.iter().zip(&series.spread) {
                let ends = self.pixel(x, low).zip(self.pixel(x, high));
                if let Some((low, high)) = ends.filter(|(low, high)| low != high) {
                    self.add_error_bar(&mut bars, [low, high]);
                }
            }
            SeriesStyle(index).draw(canvas, &pixels, bars);
            if series.points.len() <= MAX_TIPS {
                self.add_tips(canvas, series, &pixels);
            }
        }
    }

    /// Adds the name of the line and the value to each point.
    fn add_tips(&self, canvas: &mut Canvas, series: &Series, pixels: &[Option<Pixel>]) {
        for (number, (pixel, &(x, y))) in pixels.iter().zip(&series.points).enumerate() {
            let Some(at) = pixel else { continue };
            let tick = self.x.ticks().iter().find(|tick| tick.0 == x);
            let x = tick.map_or_else(|| significant(x), |tick| tick.1.clone());
            let spread = series.spread.get(number).filter(|(low, high)| low != high);
            let spread = spread.map_or(String::new(), |&(low, high)| {
                format!(" ({} to {})", significant(low), significant(high))
            });
            canvas.tip(*at, &format!("{}, {x}: {}{spread}", series.name, significant(y)));
        }
    }

    /// Adds a vertical line with a cap at both ends, clipped to the area.
    fn add_error_bar(&self, bars: &mut Polylines, ends: [Pixel; 2]) {
        let (top, bottom) = (self.area.top, self.area.bottom());
        let ends = ends.map(|end| Pixel::new(end.x, end.y.clamp(top, bottom)));
        bars.add(ends);
        for end in ends {
            bars.add([end.moved(-3.5, 0.0), end.moved(3.5, 0.0)]);
        }
    }

    /// Draws axes, horizontal grid lines and tick labels.
    pub fn draw_grid(&self, canvas: &mut Canvas, with_y_labels: bool) {
        let PlotArea { area, x, y } = self;
        let palette = Theme::Light.palette();
        let style = |anchor| chart_text(LABEL).anchored(anchor);
        let (mut grid, mut axes) = (Polylines::new(), Polylines::new());
        canvas.layer("axes");
        for (value, label) in y.ticks() {
            let at = Pixel::new(area.left, area.bottom() - y.fraction(*value) * area.height);
            grid.add([at, at.moved(area.width, 0.0)]);
            if with_y_labels {
                canvas.text(at.moved(-8.0, 4.7), label, style(Anchor::End));
            }
        }
        for (value, label) in x.ticks() {
            let at = Pixel::new(area.left + x.fraction(*value) * area.width, area.bottom());
            axes.add([at, at.moved(0.0, 6.0)]);
            canvas.text(at.moved(0.0, 22.0), label, style(Anchor::Middle));
        }
        let origin = Pixel::new(area.left, area.bottom());
        axes.add([Pixel::new(area.left, area.top), origin, origin.moved(area.width, 0.0)]);
        canvas.lines("grid", grid, Stroke { colour: palette.frame.with_opacity(150), width: 1.0 });
        canvas.lines("axes", axes, Stroke { colour: palette.ink, width: 1.2 });
    }
}
