//! SVG output: one group per layer, one path for all lines of a kind.
//!
//! Coordinates are rounded to tenths of a pixel (hundredths for small shapes and pictures) and
//! written relative to the previous rounded point: files stay small and rounding errors do not
//! accumulate.

use crate::canvas::{Anchor, Canvas, Circle, NamedLines, Stroke, TextStyle, Weight};
use crate::canvas_shape::{CanvasLayer, CanvasShape};
use crate::colour::Colour;
use crate::escape::Escaped;
use crate::map_view::Pixel;
use crate::polylines::Polylines;
use std::fmt::{self, Write as _};

/// Pictures narrower than this many pixels use hundredths everywhere.
const SMALL_WIDTH: u32 = 500;

/// Whether a path is closed.
#[derive(Clone, Copy, PartialEq)]
enum PathEnd {
    Open,
    Closed,
}

/// Renders the canvas as an SVG file.
pub(crate) fn to_svg(canvas: &Canvas) -> String {
    let mut text = String::new();
    write(canvas, &mut text).expect("writing to a String cannot fail");
    text
}

fn write(canvas: &Canvas, out: &mut String) -> fmt::Result {
    let (width, height) = (canvas.width, canvas.height);
    write!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#)?;
    write!(out, r#"viewBox="0 0 {width} {height}" "#)?;
    writeln!(out, r#"font-family="'Noto Sans','Open Sans',Arial,Helvetica,sans-serif">"#)?;
    writeln!(out, r#"<rect width="{width}" height="{height}" fill="{}"/>"#, canvas.background)?;
    let ids = write_definitions(canvas, out)?;
    for layer in &canvas.layers {
        write_layer(canvas, &ids, layer, out)?;
    }
    out.push_str("</svg>\n");
    Ok(())
}

/// Writes lines that are drawn more than once as definitions; returns their ids.
fn write_definitions(canvas: &Canvas, out: &mut String) -> Result<Vec<Option<u64>>, fmt::Error> {
    let mut ids = vec![None; canvas.lines.len()];
    out.push_str("<defs>\n");
    for (index, lines) in canvas.lines.iter().enumerate().filter(|(_, lines)| lines.uses > 1) {
        let mut data = String::new();
        write_lines(&mut data, &lines.lines, steps(canvas), PathEnd::Open)?;
        let id = fingerprint(index, &data);
        ids[index] = Some(id);
        let name = Escaped(&lines.name);
        writeln!(out, r#"<path id="p{id:016x}" class="{name}" d="{data}"/>"#)?;
    }
    out.push_str("</defs>\n");
    Ok(ids)
}

/// FNV-1a hash. Ids depend on the content, so that several pictures can share a page.
fn fingerprint(index: usize, data: &str) -> u64 {
    let bytes = data.bytes().chain((index as u64).to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn write_layer(
    canvas: &Canvas,
    ids: &[Option<u64>],
    layer: &CanvasLayer,
    out: &mut String,
) -> fmt::Result {
    write!(out, r#"<g class="{}" fill="none" "#, Escaped(&layer.name))?;
    writeln!(out, r#"stroke-linecap="round" stroke-linejoin="round">"#)?;
    for shape in &layer.shapes {
        match shape {
            CanvasShape::Stroke { lines, stroke, dashes } => {
                let (named, definition) = (&canvas.lines[*lines], ids[*lines]);
                write_stroke(out, named, definition, *stroke, dashes)?;
                if definition.is_none() {
                    out.push_str(" d=\"");
                    write_lines(out, &named.lines, steps(canvas), PathEnd::Open)?;
                    out.push('"');
                }
                out.push_str("/>\n");
            }
            CanvasShape::Areas { name, outlines, fill } => {
                write!(out, r#"<path class="{}" fill="{fill}""#, Escaped(name))?;
                write_opacity(out, "fill-opacity", *fill)?;
                out.push_str(" d=\"");
                write_lines(out, outlines, 100, PathEnd::Closed)?;
                out.push_str("\"/>\n");
            }
            CanvasShape::Circles { name, centres, circle } => {
                write_circles(out, name, centres, circle)?;
            }
            CanvasShape::Text { at, text, style } => write_text(out, *at, text, style)?,
            CanvasShape::Tip { at, text } => write_tip(out, *at, text)?,
        }
    }
    out.push_str("</g>\n");
    Ok(())
}

/// Writes stroked lines: a reference if they are among the definitions, else a path.
fn write_stroke(
    out: &mut String,
    lines: &NamedLines,
    definition: Option<u64>,
    stroke: Stroke,
    dashes: &[f64],
) -> fmt::Result {
    let class = Escaped(&lines.name);
    match definition {
        Some(id) => write!(out, r##"<use href="#p{id:016x}" class="{class}""##)?,
        None => write!(out, r#"<path class="{class}""#)?,
    }
    write_stroke_style(out, stroke)?;
    write_dashes(out, dashes)
}

fn write_stroke_style(out: &mut String, stroke: Stroke) -> fmt::Result {
    let width = SvgNumber::of(stroke.width, 100);
    write!(out, r#" stroke="{}" stroke-width="{width}""#, stroke.colour)?;
    write_opacity(out, "stroke-opacity", stroke.colour)
}

fn write_dashes(out: &mut String, dashes: &[f64]) -> fmt::Result {
    for (index, &pixels) in dashes.iter().enumerate() {
        let before = if index == 0 { " stroke-dasharray=\"" } else { " " };
        write!(out, "{before}{}", SvgNumber::of(pixels, 100))?;
    }
    out.push_str(if dashes.is_empty() { "" } else { "\"" });
    Ok(())
}

fn write_opacity(out: &mut String, attribute: &str, colour: Colour) -> fmt::Result {
    if colour.is_opaque() {
        return Ok(());
    }
    let value = (i64::from(colour.opacity) * 1000 + 127) / 255;
    write!(out, r#" {attribute}="{}""#, SvgNumber { value, parts: 1000 })
}

/// Writes circles of one style as a group that carries the style.
fn write_circles(out: &mut String, name: &str, at: &[Pixel], circle: &Circle) -> fmt::Result {
    write!(out, r#"<g class="{}" fill="{}""#, Escaped(name), circle.fill)?;
    write_opacity(out, "fill-opacity", circle.fill)?;
    if let Some(outline) = circle.outline {
        write_stroke_style(out, outline)?;
    }
    out.push_str(">\n");
    let radius = SvgNumber::of(circle.radius, 100);
    for centre in at {
        let (x, y) = (SvgNumber::of(centre.x, 10), SvgNumber::of(centre.y, 10));
        writeln!(out, r#"<circle cx="{x}" cy="{y}" r="{radius}"/>"#)?;
    }
    out.push_str("</g>\n");
    Ok(())
}

fn write_text(out: &mut String, at: Pixel, text: &str, style: &TextStyle) -> fmt::Result {
    let (x, y, size) = (at.x, at.y, style.size);
    let (x, y, size) = (SvgNumber::of(x, 10), SvgNumber::of(y, 10), SvgNumber::of(size, 10));
    write!(out, r#"<text x="{x}" y="{y}" font-size="{size}" fill="{}""#, style.colour)?;
    write_opacity(out, "fill-opacity", style.colour)?;
    match style.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(r#" text-anchor="middle""#),
        Anchor::End => out.push_str(r#" text-anchor="end""#),
    }
    if style.weight == Weight::Bold {
        out.push_str(r#" font-weight="bold""#);
    }
    writeln!(out, ">{}</text>", Escaped(text))
}

/// Writes an invisible circle with a title.
fn write_tip(out: &mut String, at: Pixel, text: &str) -> fmt::Result {
    let (x, y) = (SvgNumber::of(at.x, 10), SvgNumber::of(at.y, 10));
    write!(out, r#"<circle class="tip" cx="{x}" cy="{y}" r="8" pointer-events="all">"#)?;
    writeln!(out, "<title>{}</title></circle>", Escaped(text))
}

/// Coordinate steps per pixel for lines of this canvas.
fn steps(canvas: &Canvas) -> i64 {
    if canvas.width < SMALL_WIDTH { 100 } else { 10 }
}

/// Writes lines as path data with `parts` coordinate steps per pixel.
fn write_lines(out: &mut String, lines: &Polylines, parts: i64, ends: PathEnd) -> fmt::Result {
    let step = |value: f64| SvgNumber::of(value, parts).value;
    let mut last = (0, 0);
    for line in lines.iter() {
        let mut drawn = 0;
        for (index, point) in line.iter().enumerate() {
            let next = (step(point.x), step(point.y));
            let end = index + 1 == line.len() && drawn < 2;
            if index > 0 && next == last && !end {
                continue;
            }
            let [x, y] = [next.0 - last.0, next.1 - last.1].map(|value| SvgNumber { value, parts });
            // Pairs after `m x y` are line segments; a minus sign needs no separator before it.
            let before = if index == 0 {
                "m"
            } else if x.value < 0 {
                ""
            } else {
                " "
            };
            let between = if y.value < 0 { "" } else { " " };
            write!(out, "{before}{x}{between}{y}")?;
            last = next;
            drawn += 1;
        }
        if ends == PathEnd::Closed {
            out.push('z');
            last = line.first().map_or(last, |first| (step(first.x), step(first.y)));
        }
    }
    Ok(())
}

/// The number `value / parts`, written without trailing zeros; `parts` is a power of ten.
#[derive(Clone, Copy)]
struct SvgNumber {
    value: i64,
    parts: i64,
}

impl SvgNumber {
    /// Rounds to the nearest step, clamped to ±10¹² steps; NaN becomes 0.
    fn of(number: f64, parts: i64) -> SvgNumber {
        SvgNumber { value: (number * parts as f64).round().clamp(-1e12, 1e12) as i64, parts }
    }
}

impl fmt::Display for SvgNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, mut part) = (self.value.abs() / self.parts, self.value.abs() % self.parts);
        let sign = if self.value < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}")?;
        let mut parts = self.parts;
        while part > 0 && part % 10 == 0 {
            part /= 10;
            parts /= 10;
        }
        if part == 0 {
            Ok(())
        } else {
            write!(f, ".{part:0>digits$}", digits = parts.ilog10() as usize)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_have_no_trailing_zeros() {
        let text = |value, parts| SvgNumber { value, parts }.to_string();
        assert_eq!(text(-5, 10), "-0.5");
        assert_eq!(text(1230, 100), "12.3");
        assert_eq!(text(1203, 100), "12.03");
        assert_eq!(text(400, 10), "40");
        assert_eq!(text(0, 10), "0");
    }

    #[test]
    fn relative_steps_sum_to_the_rounded_position() {
        let mut lines = Polylines::new();
        lines.add([Pixel::new(0.04, 1.0), Pixel::new(0.08, 1.0), Pixel::new(10.31, 0.5)]);
        lines.add([Pixel::new(7.0, 7.0), Pixel::new(7.01, 7.0)]);
        let mut text = String::new();
        write_lines(&mut text, &lines, 10, PathEnd::Open).unwrap();
        assert_eq!(text, "m0 1 0.1 0 10.2-0.5m-3.3 6.5 0 0");
    }
}
