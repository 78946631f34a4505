//! What the page gets once a second: where everyone is, what was published, how it goes.
//!
//! A person takes five bytes, so that thousands fit into a small message.

use meshcloak::units::{Point, Rectangle};
use serde::Serialize;

/// How somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum How {
    /// Not there.
    Absent = 0,
    /// Going about.
    Idle = 1,
    /// Has asked and waits.
    Waiting = 2,
    /// Was hidden in this second.
    Hidden = 3,
}

/// A second of the demo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Second {
    /// Which one.
    pub second: u64,
    /// Everyone, five bytes each, base64; see [`pack`].
    pub people: String,
    /// The part of the square of the world that coordinates are parts of.
    pub bounds: [f64; 4],
    /// How it goes.
    pub counts: Counts,
    /// The streets of every published region.
    pub regions: Vec<Vec<u32>>,
}

/// How it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// How many people there are.
    pub present: usize,
    /// Who asked in this second.
    pub asked: usize,
    /// Who was hidden.
    pub served: usize,
    /// Whose patience was over.
    pub expired: usize,
    /// Who waits.
    pub waiting: usize,
    /// Published sets.
    pub sets: usize,
    /// People in a set, on average.
    pub set_size: Option<f64>,
    /// Seconds from asking to being hidden, on average.
    pub delay: Option<f64>,
    /// Milliseconds the engine took.
    pub batch_ms: f64,
    /// Of those whose queries ended in the last seconds, the share who were hidden.
    pub success: Option<f64>,
}

/// Everyone in five bytes: x and y in 1/65535 of the bounds, low byte first, and how they are.
pub fn pack(people: &[(Point, How)], bounds: Rectangle) -> Vec<u8> {
    let part = |value: f64, from: f64, span: f64| {
        let part = if span > 0.0 { (value - from) / span } else { 0.0 };
        ((part.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes()
    };
    let mut bytes = Vec::with_capacity(people.len() * 5);
    for &(point, how) in people {
        bytes.extend(part(point.x, bounds.min.x, bounds.width()));
        bytes.extend(part(point.y, bounds.min.y, bounds.height()));
        bytes.push(how as u8);
    }
    bytes
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64, padded.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..4 {
            let index = (bits >> (18 - 6 * letter)) as usize & 63;
            text.push(if letter <= chunk.len() { LETTERS[index] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_everyone_else() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn a_person_takes_five_bytes() {
        let bounds = Rectangle { min: Point::new(0.5, 0.5), max: Point::new(0.6, 0.7) };
        let people = [(Point::new(0.6, 0.5), How::Waiting), (Point::new(0.55, 0.9), How::Idle)];
        assert_eq!(pack(&people, bounds), [255, 255, 0, 0, 2, 0, 128, 255, 255, 1]);
    }
}
