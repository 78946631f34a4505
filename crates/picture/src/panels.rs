//! Small multiples: charts side by side that share their legend, and their scale where asked.

use crate::axis::Axis;
use crate::canvas::{Anchor, Canvas, PictureError, Text, Weight};
use crate::chart::{Labels, LineChart, Plane, label_room};
use crate::font::shortened;
use crate::series::{Entries, PAGE, Sample};
use crate::theme::Theme;
use crate::view::{Pixel, PixelBox};

/// Charts whose lines have the same names in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// Above all of them.
    pub title: String,
    /// From left to right, then downwards.
    pub charts: Vec<LineChart>,
    /// How many stand side by side.
    pub columns: usize,
    /// Whether they count upwards alike.
    pub scale: Scale,
}

/// Whether charts count upwards alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// All have the same axis, so that they can be compared.
    #[default]
    Shared,
    /// Each has its own.
    Own,
}

const MARGIN: f64 = 20.0;
const GAP: f64 = 22.0;

impl Panels {
    /// The charts on a canvas of that width, each panel with its texts that high.
    pub fn draw(&self, width: u32, panel_height: u32) -> Result<Canvas, PictureError> {
        let columns = self.columns.max(1);
        let rows = self.charts.len().div_ceil(columns) as u32;
        let longest = self.charts.iter().max_by_key(|chart| chart.series.len());
        let names = longest.iter().flat_map(|chart| &chart.series).map(|line| line.name.as_str());
        let entries = Entries::new(names, Sample::Line, f64::from(width) - 2.0 * MARGIN);
        let top = 46.0 + entries.height();
        let height = (top as u32).saturating_add(rows.saturating_mul(panel_height));
        let mut canvas = Canvas::new(width, height, PAGE)?;
        canvas.layer("texts");
        let room = f64::from(width) - 2.0 * MARGIN;
        write(&mut canvas, Pixel::new(MARGIN, 30.0), &self.title, (18.0, Weight::Bold, room));
        entries.draw(&mut canvas, Pixel::new(MARGIN, 54.0));
        let row_height = f64::from(panel_height);
        for row in 0..rows {
            let from = row as usize * columns;
            let charts = &self.charts[from..(from + columns).min(self.charts.len())];
            let across = PixelBox {
                left: MARGIN,
                top: top + f64::from(row) * row_height,
                width: room,
                height: row_height,
            };
            self.draw_row(&mut canvas, charts, across, columns);
        }
        Ok(canvas)
    }

    fn y_axis(&self, chart: &LineChart, height: f64) -> Axis {
        let ticks = (height as u32 / 42).clamp(2, 8);
        match self.scale {
            Scale::Own => Axis::holding(chart.values(), ticks),
            Scale::Shared => Axis::holding(self.charts.iter().flat_map(LineChart::values), ticks),
        }
    }

    fn draw_row(
        &self,
        canvas: &mut Canvas,
        charts: &[LineChart],
        across: PixelBox,
        columns: usize,
    ) {
        let (above, below) = (58.0, 62.0);
        let height = (across.height - above - below).max(1.0);
        let axes: Vec<Axis> = charts.iter().map(|chart| self.y_axis(chart, height)).collect();
        let room = |place: usize| match self.scale {
            Scale::Shared if place > 0 => 0.0,
            _ => 10.0 + axes.get(place).map_or(0.0, label_room),
        };
        let labels: f64 = (0..columns).map(room).sum();
        let gaps = GAP * columns.saturating_sub(1) as f64;
        let width = ((across.width - labels - gaps - 8.0) / columns as f64).max(1.0);
        let mut left = across.left;
        for (place, (chart, y)) in charts.iter().zip(&axes).enumerate() {
            let start = left;
            left += room(place);
            let area = PixelBox { left, top: across.top + above, width, height };
            let plane = Plane { area, x: chart.x_axis(width), y: y.clone() };
            let written = self.scale == Scale::Own || place == 0;
            plane.draw_grid(canvas, if written { Labels::Written } else { Labels::LeftOut });
            plane.draw_series(canvas, &chart.series);
            draw_texts(canvas, chart, area, start);
            left += width + GAP;
        }
    }
}

/// A panel's name, and what is counted upwards and to the right.
fn draw_texts(canvas: &mut Canvas, chart: &LineChart, area: PixelBox, start: f64) {
    canvas.layer("texts");
    let room = area.right() - start;
    let at = |y: f64| Pixel::new(start, y);
    write(canvas, at(area.top - 34.0), &chart.title, (14.0, Weight::Bold, room));
    write(canvas, at(area.top - 13.0), &chart.y_label, (13.0, Weight::Regular, room));
    let style = Text {
        colour: Theme::Light.palette().ink,
        size: 13.0,
        weight: Weight::Regular,
        anchor: Anchor::Middle,
    };
    let below = Pixel::new(area.centre().x, area.bottom() + 43.0);
    canvas.text(below, &shortened(&chart.x_label, room, &style), style);
}

fn write(canvas: &mut Canvas, at: Pixel, text: &str, (size, weight, room): (f64, Weight, f64)) {
    let style = Text { colour: Theme::Light.palette().ink, size, weight, anchor: Anchor::Start };
    canvas.text(at, &shortened(text, room, &style), style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Series;

    fn panels(count: usize, scale: Scale) -> Panels {
        let chart = |place: usize| LineChart {
            title: format!("panel {place}"),
            x_label: "dt (s)".into(),
            y_label: "success (%)".into(),
            series: vec![Series {
                name: "Oldenburg".into(),
                points: vec![(3.0, 10.0), (5.0, 10.0 * (place + 1) as f64)],
                spread: vec![],
            }],
            ..LineChart::default()
        };
        let charts = (0..count).map(chart).collect();
        Panels { title: "Success".into(), charts, columns: 4, scale }
    }

    #[test]
    fn every_panel_has_its_name_and_units_and_there_is_one_legend() {
        let svg = panels(6, Scale::Own).draw(1100, 300).unwrap().to_svg();
        assert!((0..6).all(|place| svg.contains(&format!(">panel {place}</text>"))));
        assert_eq!(svg.matches(">success (%)</text>").count(), 6);
        assert_eq!(svg.matches(">dt (s)</text>").count(), 6);
        assert_eq!(svg.matches(">Oldenburg</text>").count(), 1);
    }

    #[test]
    fn a_shared_scale_is_written_once_and_holds_every_panel() {
        let svg = panels(3, Scale::Shared).draw(1100, 300).unwrap().to_svg();
        assert_eq!(svg.matches(">30</text>").count(), 1);
        let svg = panels(3, Scale::Own).draw(1100, 300).unwrap().to_svg();
        assert_eq!(svg.matches(">10</text>").count(), 3);
    }

    #[test]
    fn nothing_can_be_drawn_and_too_much_is_refused() {
        assert!(panels(0, Scale::Shared).draw(300, 200).is_ok());
        assert!(panels(400, Scale::Shared).draw(300, 200).is_err());
    }
}
