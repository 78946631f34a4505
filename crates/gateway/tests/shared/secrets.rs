//! What must not be found in anything that is sent, logged or counted, and the look for it: as
//! words, as numbers in decimals or in binary, as pairs of numbers near somebody's place.

use meshcloak::map::StreetMap;
use meshcloak::units::{LonLat, Point};
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Secrets {
    pub words: Vec<String>,
    /// With how near a number must be to be one.
    pub numbers: Vec<(f64, f64)>,
    places: Vec<(LonLat, Point)>,
}

/// Degrees that are as near as this are found in a text that says nothing about places; in one
/// that does, those that are the same in seven decimals.
const DEGREES: f64 = 1e-4;
/// A metre, in degrees and in metres.
const CLOSE: (f64, f64) = (8e-6, 1.0);

impl Secrets {
    /// Where somebody is: on Earth, in the plane, and how far along her street.
    pub fn add_place(&mut self, map: &StreetMap, lon: f64, lat: f64) {
        let point = map.frame().unwrap().point(LonLat { lon, lat });
        let offset = map.snap(point, None).unwrap().position.offset;
        self.numbers.extend([(lon, DEGREES), (lat, DEGREES), (point.x, 0.6), (point.y, 0.6)]);
        self.numbers.extend([(offset.as_metres(), 1e-3), (f64::from(offset.units()), 1e-3)]);
        self.places.push((LonLat { lon, lat }, point));
    }

    /// Longitudes and latitudes of all places.
    pub fn on_earth(&self) -> Vec<(f64, f64)> {
        self.places.iter().map(|(place, _)| (place.lon, place.lat)).collect()
    }

    /// What of these is in a text that says nothing about places.
    pub fn found(&self, text: &str) -> Vec<String> {
        let mut found: Vec<String> =
            self.words.iter().filter(|word| text.contains(*word)).cloned().collect();
        for number in numbers(text) {
            let near = |&&(secret, near): &&(f64, f64)| (number - secret).abs() < near;
            found.extend(self.numbers.iter().find(near).map(|_| number.to_string()));
        }
        found
    }

    /// What of these is in bytes that tell a region. `elsewhere` is what was sent of the same
    /// region while everybody was at other places of it: a number that is there too is no one's.
    /// A pair of numbers near somebody has no excuse.
    pub fn told(&self, sent: &[u8], elsewhere: &[u8]) -> Vec<String> {
        let text = readable(sent);
        let mut found: Vec<String> =
            self.words.iter().filter(|word| text.contains(*word)).cloned().collect();
        let said: Vec<f64> = numbers(&text).collect();
        for pair in said.windows(2).filter(|pair| self.is_near(pair[0], pair[1])) {
            found.push(format!("{pair:?}"));
        }
        let excused: BTreeSet<u64> =
            numbers(&readable(elsewhere)).chain(doubles(elsewhere)).map(f64::to_bits).collect();
        for number in said.into_iter().chain(doubles(sent)) {
            if !excused.contains(&number.to_bits()) && self.is_hers(number) {
                found.push(number.to_string());
            }
        }
        found
    }

    /// Whether two numbers are a place next to somebody's, in either order.
    fn is_near(&self, a: f64, b: f64) -> bool {
        self.places.iter().any(|(place, point)| {
            let near = |x: f64, y: f64, most: f64| {
                let both = |(a, b): (f64, f64)| (a - x).abs() < most && (b - y).abs() < most;
                both((a, b)) || both((b, a))
            };
            near(place.lon, place.lat, CLOSE.0) || near(point.x, point.y, CLOSE.1)
        })
    }

    /// Whether a number is a part of somebody's place, in any unit in which we write one.
    fn is_hers(&self, number: f64) -> bool {
        self.numbers.iter().any(|&(secret, near)| match near {
            DEGREES => {
                let in_units = (number - (secret * 1e7).round()).abs() < 1.5;
                (number - secret).abs() < 1.5e-7 || in_units
            }
            _ => (number - secret).abs() < 1e-3,
        })
    }
}

/// Bytes as text, as they are and with what addresses and forms escape.
fn readable(bytes: &[u8]) -> String {
    let plain = String::from_utf8_lossy(bytes);
    let mut text = plain.clone().into_owned();
    let mut rest = &*plain;
    text.push('\n');
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let escaped = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        text.push(escaped.map_or('%', char::from));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    text.push_str(rest);
    text
}

fn numbers(text: &str) -> impl Iterator<Item = f64> + '_ {
    let digits = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    digits.filter_map(|number| number.parse::<f64>().ok())
}

/// Every eight bytes in a row as a number, whichever way round.
fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.windows(8).flat_map(|eight| {
        let eight: [u8; 8] = eight.try_into().unwrap();
        let both = [f64::from_le_bytes(eight), f64::from_be_bytes(eight)];
        both.into_iter().filter(|number| (1e-3..1e10).contains(&number.abs()))
    })
}
