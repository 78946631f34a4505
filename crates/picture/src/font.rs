//! Noto Sans, embedded in the program, so that pictures do not depend on installed fonts.
//!
//! PNG output fills glyph outlines; SVG output keeps text and uses only its width.

use crate::canvas::{Anchor, TextStyle, Weight};
use crate::map_view::Pixel;
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| face(notosans::REGULAR_TTF));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| face(notosans::BOLD_TTF));

fn face(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the embedded font is valid, which a test checks")
}

fn face_of(weight: Weight) -> &'static Face<'static> {
    match weight {
        Weight::Regular => &REGULAR,
        Weight::Bold => &BOLD,
    }
}

/// Returns the width of a line of text in pixels.
pub fn text_width(text: &str, size: f64, weight: Weight) -> f64 {
    let face = face_of(weight);
    let units: u64 = glyphs(face, text).map(|(_, advance)| u64::from(advance)).sum();
    units as f64 * size / f64::from(face.units_per_em())
}

/// Returns `text`, cut with `…` if it is wider than `width` pixels.
pub(crate) fn shortened(text: &str, width: f64, style: &TextStyle) -> String {
    if text_width(text, style.size, style.weight) <= width {
        return text.to_owned();
    }
    let dots = text_width("…", style.size, style.weight);
    let mut kept = String::new();
    let mut used = dots;
    for letter in text.chars() {
        used += text_width(letter.encode_utf8(&mut [0; 4]), style.size, style.weight);
        if used > width {
            break;
        }
        kept.push(letter);
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

/// Returns the outlines of a text whose baseline runs through `at`; `None` if they are empty.
pub(crate) fn outlines(at: Pixel, text: &str, style: &TextStyle) -> Option<Path> {
    let face = face_of(style.weight);
    let width = text_width(text, style.size, style.weight);
    let left = match style.anchor {
        Anchor::Start => at.x,
        Anchor::Middle => at.x - width / 2.0,
        Anchor::End => at.x - width,
    };
    let scale = style.size / f64::from(face.units_per_em());
    // A baseline on a pixel boundary gives sharper letters.
    let mut pen = GlyphPen { path: PathBuilder::new(), at: Pixel::new(left, at.y.round()), scale };
    for (glyph, advance) in glyphs(face, text) {
        face.outline_glyph(glyph, &mut pen);
        pen.at.x += f64::from(advance) * scale;
    }
    pen.path.finish()
}

/// Iterates over the glyphs of a text with their advance widths, in font units.
fn glyphs<'a>(face: &'a Face<'static>, text: &'a str) -> impl Iterator<Item = (GlyphId, u16)> + 'a {
    text.chars().map(|letter| {
        let glyph = face.glyph_index(letter).unwrap_or(GlyphId(0));
        (glyph, face.glyph_hor_advance(glyph).unwrap_or(0))
    })
}

/// Adds glyph outlines to a path.
struct GlyphPen {
    path: PathBuilder,
    /// Origin of the current glyph.
    at: Pixel,
    /// Pixels per font unit.
    scale: f64,
}

impl GlyphPen {
    /// Converts font units, y upwards, to pixels.
    fn pixel(&self, x: f32, y: f32) -> (f32, f32) {
        let right = self.at.x + f64::from(x) * self.scale;
        let down = self.at.y - f64::from(y) * self.scale;
        (right as f32, down as f32)
    }
}

impl OutlineBuilder for GlyphPen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.pixel(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.pixel(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.pixel(x1, y1), self.pixel(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2)) = (self.pixel(x1, y1), self.pixel(x2, y2));
        let (x, y) = self.pixel(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    fn style(anchor: Anchor) -> TextStyle {
        TextStyle::new(Colour::hex(0), 20.0).bold().anchored(anchor)
    }

    #[test]
    fn letters_stand_on_the_baseline_where_they_are_anchored() {
        for (anchor, left, right) in [
            (Anchor::Start, 100.0, 160.0),
            (Anchor::Middle, 70.0, 130.0),
            (Anchor::End, 40.0, 100.0),
        ] {
            let path = outlines(Pixel::new(100.0, 50.0), "HHHH", &style(anchor)).unwrap();
            let bounds = path.bounds();
            assert_eq!(bounds.bottom(), 50.0);
            assert!(left <= bounds.left() && bounds.right() <= right + 5.0, "{bounds:?}");
        }
    }

    #[test]
    fn any_text_has_outlines_and_long_texts_are_cut() {
        for text in ["", " ", "Hà Nội, Łódź, Αθήνα, Москва", "東京\u{0}\u{10ffff}"]
        {
            outlines(Pixel::new(0.0, 0.0), text, &style(Anchor::Start));
        }
        let short = shortened("A very long title of a map", 120.0, &style(Anchor::Start));
        assert!(short.ends_with('…') && text_width(&short, 20.0, Weight::Bold) <= 120.0);
        assert_eq!(shortened("Oldenburg", 500.0, &style(Anchor::Start)), "Oldenburg");
        assert_eq!(shortened("Oldenburg", 0.0, &style(Anchor::Start)), "…");
    }

    #[test]
    fn both_weights_contain_the_letters_of_european_and_vietnamese_names() {
        for face in [&REGULAR, &BOLD] {
            let known = "AZaz09©–·…×äßéçãøłőșğộữ".chars().all(|c| face.glyph_index(c).is_some());
            assert!(known);
        }
    }
}
