//! PNG output: shapes are rasterised with antialiasing by tiny-skia.

use crate::canvas::{Canvas, Circle, Stroke};
use crate::canvas_shape::CanvasShape;
use crate::colour::Colour;
use crate::font;
use crate::map_view::Pixel;
use crate::polylines::Polylines;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform,
};

/// Renders the canvas as a PNG file.
pub(crate) fn to_png(canvas: &Canvas) -> Vec<u8> {
    let mut pixmap = Pixmap::new(canvas.width, canvas.height)
        .expect("the size limits of a canvas exclude empty and oversized pictures");
    pixmap.fill(colour(canvas.background));
    for shape in canvas.layers.iter().flat_map(|layer| &layer.shapes) {
        match shape {
            CanvasShape::Stroke { lines, stroke, dashes } => {
                stroke_lines(&mut pixmap, &canvas.lines[*lines].lines, *stroke, dashes);
            }
            CanvasShape::Areas { outlines, fill, .. } => fill_areas(&mut pixmap, outlines, *fill),
            CanvasShape::Circles { centres, circle, .. } => {
                draw_circles(&mut pixmap, centres, circle);
            }
            CanvasShape::Text { at, text, style } => {
                if let Some(path) = font::outlines(*at, text, style) {
                    fill_path(&mut pixmap, &path, style.colour);
                }
            }
            CanvasShape::Tip { .. } => {}
        }
    }
    pixmap.encode_png().expect("encoding to memory cannot fail")
}

/// Strokes all lines as one path, so that transparent lines are not darker where they cross.
fn stroke_lines(pixmap: &mut Pixmap, lines: &Polylines, stroke: Stroke, dashes: &[f64]) {
    let mut builder = PathBuilder::new();
    for line in lines.iter() {
        add_line(&mut builder, line);
    }
    let Some(path) = builder.finish() else { return };
    let style = tiny_skia::Stroke {
        width: stroke.width as f32,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(dashes.iter().map(|&pixels| pixels as f32).collect(), 0.0),
        ..tiny_skia::Stroke::default()
    };
    pixmap.stroke_path(&path, &paint(stroke.colour), &style, Transform::identity(), None);
}

fn fill_areas(pixmap: &mut Pixmap, outlines: &Polylines, fill: Colour) {
    let mut builder = PathBuilder::new();
    for outline in outlines.iter() {
        add_line(&mut builder, outline);
        builder.close();
    }
    if let Some(path) = builder.finish() {
        fill_path(pixmap, &path, fill);
    }
}

fn draw_circles(pixmap: &mut Pixmap, centres: &[Pixel], circle: &Circle) {
    for centre in centres {
        let (x, y) = (centre.x as f32, centre.y as f32);
        let Some(path) = PathBuilder::from_circle(x, y, circle.radius as f32) else { continue };
        fill_path(pixmap, &path, circle.fill);
        if let Some(outline) = circle.outline {
            let style =
                tiny_skia::Stroke { width: outline.width as f32, ..tiny_skia::Stroke::default() };
            let paint = paint(outline.colour);
            pixmap.stroke_path(&path, &paint, &style, Transform::identity(), None);
        }
    }
}

fn fill_path(pixmap: &mut Pixmap, path: &Path, fill: Colour) {
    pixmap.fill_path(path, &paint(fill), FillRule::Winding, Transform::identity(), None);
}

fn add_line(builder: &mut PathBuilder, line: &[Pixel]) {
    for (index, point) in line.iter().enumerate() {
        let (x, y) = (point.x as f32, point.y as f32);
        if index == 0 {
            builder.move_to(x, y);
        } else {
            builder.line_to(x, y);
        }
    }
}

fn paint(fill: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour(fill));
    paint
}

fn colour(colour: Colour) -> Color {
    Color::from_rgba8(colour.red, colour.green, colour.blue, colour.opacity)
}
