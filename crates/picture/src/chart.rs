//! Line charts: axes with units, a legend, and lines that differ in colour, dashes and markers,
//! so that they are told apart without seeing colours too.
//!
//! Drawn on our own canvas rather than by `plotters`: the canvas already has the font, SVG and
//! PNG, and the same bytes everywhere; `plotters` brings PNG only with a font stack and has no
//! dashes with markers in its legend.

use crate::axis::{Axis, is_drawable};
use crate::canvas::{Anchor, Canvas, Circle, PictureError, Stroke, Text, Weight};
use crate::colour::Colour;
use crate::font::{shortened, text_width};
use crate::lines::Lines;
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
    /// The lines.
    pub series: Vec<Series>,
}

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// In the order in which they are joined; a number that is none, or beyond ±10¹⁵, is a gap.
    pub points: Vec<(f64, f64)>,
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
/// Pixels between two markers of a line, and between two lines of text.
const APART: f64 = 90.0;
const ROW: f64 = 22.0;
const SAMPLE: f64 = 44.0;
const PAGE: Colour = Colour::hex(0xff_ffff);

impl LineChart {
    /// The chart on a canvas of that many pixels.
    pub fn draw(&self, width: u32, height: u32) -> Result<Canvas, PictureError> {
        let mut canvas = Canvas::new(width, height, PAGE)?;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::holding(points().map(|point| point.0), (width / 90).clamp(2, 12));
        // What is counted begins at nothing, or the differences look larger than they are.
        let up = points().map(|point| point.1).chain([0.0]);
        let y = Axis::holding(up, (height / 60).clamp(2, 8));
        let entries = self.legend(f64::from(width) - 40.0);
        let rows = entries.last().map_or(0, |entry| entry.1 + 1);
        let names = y.ticks().map(|tick| text_width(&tick.1, 13.0, Weight::Regular));
        let left = 28.0 + names.fold(0.0, f64::max);
        let top = 78.0 + f64::from(rows) * ROW;
        let panel = PixelBox {
            left,
            top,
            width: (f64::from(width) - left - 28.0).max(1.0),
            height: (f64::from(height) - top - 62.0).max(1.0),
        };
        self.draw_texts(&mut canvas, panel);
        draw_grid(&mut canvas, panel, [&x, &y]);
        let place = |&(right, up): &(f64, f64)| {
            (is_drawable(right) && is_drawable(up)).then(|| {
                let (right, up) = (x.part(right) * panel.width, y.part(up) * panel.height);
                Pixel::new(panel.left + right, panel.bottom() - up)
            })
        };
        for (number, series) in self.series.iter().enumerate() {
            canvas.layer(&series.name);
            let pixels: Vec<Option<Pixel>> = series.points.iter().map(place).collect();
            draw_line(&mut canvas, number, &pixels);
        }
        canvas.layer("legend");
        for (series, (left, row)) in self.series.iter().enumerate().zip(entries) {
            let at = Pixel::new(20.0 + left, 52.0 + f64::from(row) * ROW);
            draw_entry(&mut canvas, series, at);
        }
        Ok(canvas)
    }

    /// Left edge and row of every entry.
    fn legend(&self, room: f64) -> Vec<(f64, u32)> {
        let (mut left, mut row) = (0.0, 0);
        let entry = |series: &Series| {
            let width = SAMPLE + 8.0 + text_width(&series.name, 14.0, Weight::Regular);
            if left > 0.0 && left + width > room {
                (left, row) = (0.0, row + 1);
            }
            let at = (left, row);
            left += width + 26.0;
            at
        };
        self.series.iter().map(entry).collect()
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

fn draw_grid(canvas: &mut Canvas, panel: PixelBox, [x, y]: [&Axis; 2]) {
    let palette = Theme::Light.palette();
    let style = |anchor| Text { colour: palette.ink, size: 13.0, weight: Weight::Regular, anchor };
    let (mut grid, mut axes) = (Lines::new(), Lines::new());
    canvas.layer("axes");
    for (value, name) in y.ticks() {
        let at = Pixel::new(panel.left, panel.bottom() - y.part(value) * panel.height);
        grid.add([at, at.moved(panel.width, 0.0)]);
        canvas.text(at.moved(-8.0, 4.7), &name, style(Anchor::End));
    }
    for (value, name) in x.ticks() {
        let at = Pixel::new(panel.left + x.part(value) * panel.width, panel.bottom());
        axes.add([at, at.moved(0.0, 6.0)]);
        canvas.text(at.moved(0.0, 22.0), &name, style(Anchor::Middle));
    }
    let foot = Pixel::new(panel.left, panel.bottom());
    axes.add([Pixel::new(panel.left, panel.top), foot, foot.moved(panel.width, 0.0)]);
    canvas.lines("grid", grid, Stroke { colour: palette.frame.with_opacity(150), width: 1.0 });
    canvas.lines("axes", axes, Stroke { colour: palette.ink, width: 1.2 });
}

fn draw_line(canvas: &mut Canvas, series: usize, pixels: &[Option<Pixel>]) {
    let colour = COLOURS[series % COLOURS.len()];
    let mut line = Lines::new();
    for run in pixels.split(Option::is_none) {
        line.add_spaced(run.iter().flatten().copied(), 0.4);
    }
    let stroke = Stroke { colour, width: 2.2 };
    canvas.dashed_lines("line", line, stroke, DASHES[series % DASHES.len()]);
    // The first marker of every line is elsewhere, so that lines upon each other show theirs.
    let first = pixels.iter().flatten().next().map_or(0.0, |pixel| pixel.x);
    let shift = if pixels.len() > 1 { 12.0 + 17.0 * (series % 5) as f64 } else { 0.0 };
    let mut next = first + shift;
    let mut marked = Vec::new();
    for &pixel in pixels.iter().flatten() {
        if pixel.x >= next {
            next = pixel.x + APART;
            marked.push(pixel);
        }
    }
    draw_markers(canvas, series, marked);
}

/// Four shapes, filled or hollow.
fn draw_markers(canvas: &mut Canvas, series: usize, centres: Vec<Pixel>) {
    let colour = COLOURS[series % COLOURS.len()];
    let corners: &[(f64, f64)] = match series % 4 {
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

fn draw_entry(canvas: &mut Canvas, (number, series): (usize, &Series), at: Pixel) {
    let mut line = Lines::new();
    line.add([at, at.moved(SAMPLE, 0.0)]);
    let stroke = Stroke { colour: COLOURS[number % COLOURS.len()], width: 2.2 };
    canvas.dashed_lines("line", line, stroke, DASHES[number % DASHES.len()]);
    draw_markers(canvas, number, vec![at.moved(SAMPLE / 2.0, 0.0)]);
    let colour = Theme::Light.palette().ink;
    let style = Text { colour, size: 14.0, weight: Weight::Regular, anchor: Anchor::Start };
    canvas.text(at.moved(SAMPLE + 8.0, 5.0), &series.name, style);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(series: Vec<Series>) -> LineChart {
        let [title, x_label, y_label] =
            ["Title", "time (s)", "new queries (1/s)"].map(String::from);
        LineChart { title, x_label, y_label, series }
    }

    #[test]
    fn every_line_has_its_own_look_and_its_name_in_the_legend() {
        let series = (0..60).map(|number| Series {
            name: format!("line {number}"),
            points: vec![(0.0, 0.0), (10.0, f64::from(number))],
        });
        let svg = chart(series.collect()).draw(900, 900).unwrap().to_svg();
        assert!((0..60).all(|number| svg.contains(&format!(">line {number}</text>"))));
        assert!(svg.contains(">new queries (1/s)</text>") && svg.contains("stroke-dasharray"));
        let looks = |number: usize| (number % COLOURS.len(), number % DASHES.len(), number % 4);
        let distinct: std::collections::BTreeSet<_> = (0..60).map(looks).collect();
        assert_eq!(distinct.len(), 60);
    }

    #[test]
    fn nothing_and_nonsense_can_be_drawn() {
        let gap =
            vec![(0.0, 1.0), (f64::NAN, 2.0), (3.0, f64::INFINITY), (4.0, -1e300), (5.0, 9.0)];
        let one = |points| chart(vec![Series { name: String::new(), points }]);
        for chart in [chart(vec![]), one(vec![]), one(vec![(1.0, 1.0)]), one(gap)] {
            let canvas = chart.draw(640, 400).unwrap();
            assert!(canvas.to_svg().ends_with("</svg>\n") && !canvas.to_svg().contains("NaN"));
            assert!(canvas.to_png().starts_with(b"\x89PNG"));
        }
        assert!(chart(vec![]).draw(16, 16).is_ok());
        assert!(chart(vec![]).draw(1, 400).is_err());
    }
}
