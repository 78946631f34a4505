//! Dots in rows: things by name, downwards, and a number of each in several panels; a panel may
//! count in powers of ten. Kinds of dots differ in colour and shape.

use crate::axis::{Axis, is_drawable, log10};
use crate::canvas::{Anchor, Canvas, PictureError, Stroke, Text, Weight};
use crate::font::{shortened, text_width};
use crate::lines::Lines;
use crate::series::{Entries, Look, PAGE, Sample};
use crate::theme::Theme;
use crate::view::{Pixel, PixelBox};

/// Rows of things and panels of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dots {
    /// Above it.
    pub title: String,
    /// The things, from the top.
    pub rows: Vec<String>,
    /// The kinds of dots, in the legend.
    pub kinds: Vec<String>,
    /// From left to right.
    pub panels: Vec<DotPanel>,
}

/// One number of each thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DotPanel {
    /// What is counted, with its unit.
    pub label: String,
    /// How it is counted.
    pub steps: Steps,
    /// For each kind, for each row.
    pub values: Vec<Vec<Option<f64>>>,
}

/// How numbers grow along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// From nothing, evenly.
    #[default]
    Even,
    /// By powers of ten; what is not positive is left out.
    Powers,
}

const MARGIN: f64 = 20.0;
const ROW: f64 = 25.0;
const GAP: f64 = 36.0;

impl Dots {
    /// The rows on a canvas of that width, as high as they need.
    pub fn draw(&self, width: u32) -> Result<Canvas, PictureError> {
        let kinds = self.kinds.iter().map(String::as_str);
        let entries = Entries::new(kinds, Sample::Marker, f64::from(width) - 2.0 * MARGIN);
        let top = 46.0 + entries.height() + 34.0;
        let tall = self.rows.len() as f64 * ROW;
        let mut canvas = Canvas::new(width, (top + tall + 46.0) as u32, PAGE)?;
        canvas.layer("texts");
        put(&mut canvas, Pixel::new(MARGIN, 30.0), &self.title, text(18.0, Weight::Bold));
        entries.draw(&mut canvas, Pixel::new(MARGIN, 54.0));
        let names = self.rows.iter().map(|name| text_width(name, 14.0, Weight::Regular));
        let left = MARGIN + names.fold(0.0, f64::max) + 16.0;
        for (place, name) in self.rows.iter().enumerate() {
            let at = Pixel::new(left - 14.0, top + (place as f64 + 0.5) * ROW + 5.0);
            let style = Text { anchor: Anchor::End, ..text(14.0, Weight::Regular) };
            put(&mut canvas, at, name, style);
        }
        let count = self.panels.len().max(1) as f64;
        let across = (f64::from(width) - left - MARGIN - GAP * (count - 1.0)) / count;
        for (place, panel) in self.panels.iter().enumerate() {
            let left = left + place as f64 * (across + GAP);
            let area = PixelBox { left, top, width: across.max(1.0), height: tall };
            panel.draw(&mut canvas, area, self.rows.len());
        }
        Ok(canvas)
    }
}

impl DotPanel {
    fn axis(&self, width: f64) -> Axis {
        let values = || self.values.iter().flatten().flatten().copied();
        match self.steps {
            Steps::Even => Axis::holding(values().chain([0.0]), (width as u32 / 55).clamp(1, 6)),
            Steps::Powers => Axis::of_powers(values(), (width as u32 / 38).max(1)),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: PixelBox, rows: usize) {
        let palette = Theme::Light.palette();
        let axis = self.axis(area.width);
        canvas.layer("axes");
        let style = Text { anchor: Anchor::Middle, ..text(12.0, Weight::Regular) };
        let (mut grid, mut lanes) = (Lines::new(), Lines::new());
        for (value, name) in axis.ticks() {
            let at = Pixel::new(area.left + axis.part(*value) * area.width, area.bottom());
            grid.add([at.moved(0.0, 5.0), at.moved(0.0, -area.height)]);
            put(canvas, at.moved(0.0, 20.0), name, style);
        }
        let middle = |row: usize| area.top + (row as f64 + 0.5) * ROW;
        for row in 0..rows {
            let at = Pixel::new(area.left, middle(row));
            lanes.add([at, at.moved(area.width, 0.0)]);
        }
        canvas.lines("lanes", lanes, Stroke { colour: palette.frame.with_opacity(90), width: 1.0 });
        canvas.lines("grid", grid, Stroke { colour: palette.frame, width: 1.0 });
        let style = text(13.0, Weight::Bold);
        let label = shortened(&self.label, area.width + GAP - 8.0, &style);
        put(canvas, Pixel::new(area.left, area.top - 12.0), &label, style);
        for (kind, values) in self.values.iter().enumerate() {
            let place = |(row, value): (usize, &Option<f64>)| {
                let value = match self.steps {
                    Steps::Even => (*value)?,
                    Steps::Powers => log10((*value)?),
                };
                let x = area.left + axis.part(value) * area.width;
                // A little apart, so that equal numbers of two kinds show both.
                let down = (kind as f64 - (self.values.len() as f64 - 1.0) / 2.0) * 7.0;
                is_drawable(value).then(|| Pixel::new(x, middle(row) + down))
            };
            let dots = values.iter().enumerate().take(rows).filter_map(place).collect();
            Look(kind).markers(canvas, dots);
        }
    }
}

fn put(canvas: &mut Canvas, at: Pixel, words: &str, style: Text) {
    canvas.text(at, words, style);
}

fn text(size: f64, weight: Weight) -> Text {
    Text { colour: Theme::Light.palette().ink, size, weight, anchor: Anchor::Start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_panels_and_kinds_have_their_names_and_absent_numbers_no_dot() {
        let panel = |steps, values| DotPanel { label: "time (ms)".into(), steps, values };
        let values = vec![vec![Some(1.0), None], vec![Some(0.0), Some(f64::NAN)]];
        let dots = Dots {
            title: "Schemes".into(),
            rows: vec!["meshcloak".into(), "casper".into()],
            kinds: vec!["unlimited".into(), "real time".into()],
            panels: vec![panel(Steps::Even, values.clone()), panel(Steps::Powers, values)],
        };
        let svg = dots.draw(900).unwrap().to_svg();
        for name in ["Schemes", "meshcloak", "casper", "unlimited", "real time"] {
            assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
        }
        assert_eq!(svg.matches(">time (ms)</text>").count(), 2);
        assert!(!svg.contains("NaN"));
        // Two of the first kind and its sample in the legend.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(Dots::default().draw(400).is_ok());
    }
}
