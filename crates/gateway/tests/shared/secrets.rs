//! Secrets that must not occur in requests, logs or metrics, and the search for them: as words, as
//! decimal or binary numbers, and as pairs of numbers near a user's position.

use meshcloak::map::StreetMap;
use meshcloak::units::{LonLat, Point};
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Secrets {
    pub words: Vec<String>,
    /// Numbers with their tolerance.
    pub numbers: Vec<(f64, f64)>,
    places: Vec<(LonLat, Point)>,
}

/// Tolerance for degrees in texts without coordinates. In texts with coordinates, seven decimals must
/// agree.
const DEGREES: f64 = 1e-4;
/// One metre, in degrees and in metres.
const CLOSE: (f64, f64) = (8e-6, 1.0);

impl Secrets {
    /// Adds a position: lon/lat, point in the plane, and offset along the street.
    pub fn add_place(&mut self, map: &StreetMap, lon: f64, lat: f64) {
        let point = map.frame().unwrap().point(LonLat { lon, lat });
        let offset = map.snap(point, None).unwrap().position.offset;
        self.numbers.extend([(lon, DEGREES), (lat, DEGREES), (point.x, 0.6), (point.y, 0.6)]);
        self.numbers.extend([(offset.as_metres(), 1e-3), (f64::from(offset.units()), 1e-3)]);
        self.places.push((LonLat { lon, lat }, point));
    }

    /// Longitudes and latitudes of all positions.
    pub fn on_earth(&self) -> Vec<(f64, f64)> {
        self.places.iter().map(|(place, _)| (place.lon, place.lat)).collect()
    }

    /// Returns the secrets in a text without coordinates.
    pub fn found(&self, text: &str) -> Vec<String> {
        let mut found: Vec<String> =
            self.words.iter().filter(|word| text.contains(*word)).cloned().collect();
        for number in numbers(text) {
            let near = |&&(secret, near): &&(f64, f64)| (number - secret).abs() < near;
            found.extend(self.numbers.iter().find(near).map(|_| number.to_string()));
        }
        found
    }

    /// Returns the secrets in bytes that describe a region. `elsewhere` are the bytes sent for the same
    /// region with other positions: a number in both is no secret. A pair of numbers near a position
    /// always is.
    pub fn sent_secrets(&self, sent: &[u8], elsewhere: &[u8]) -> Vec<String> {
        let text = readable(sent);
        let mut found: Vec<String> =
            self.words.iter().filter(|word| text.contains(*word)).cloned().collect();
        let sent_numbers: Vec<f64> = numbers(&text).collect();
        for pair in sent_numbers.windows(2).filter(|pair| self.is_near(pair[0], pair[1])) {
            found.push(format!("{pair:?}"));
        }
        let allowed: BTreeSet<u64> =
            numbers(&readable(elsewhere)).chain(doubles(elsewhere)).map(f64::to_bits).collect();
        for number in sent_numbers.into_iter().chain(doubles(sent)) {
            if !allowed.contains(&number.to_bits()) && self.is_part_of_position(number) {
                found.push(number.to_string());
            }
        }
        found
    }

    /// Returns whether two numbers, in either order, are a coordinate near a position.
    fn is_near(&self, a: f64, b: f64) -> bool {
        self.places.iter().any(|(place, point)| {
            let near = |x: f64, y: f64, max: f64| {
                let both = |(a, b): (f64, f64)| (a - x).abs() < max && (b - y).abs() < max;
                both((a, b)) || both((b, a))
            };
            near(place.lon, place.lat, CLOSE.0) || near(point.x, point.y, CLOSE.1)
        })
    }

    /// Returns whether a number is part of a position, in any unit used.
    fn is_part_of_position(&self, number: f64) -> bool {
        self.numbers.iter().any(|&(secret, near)| match near {
            DEGREES => {
                let in_units = (number - (secret * 1e7).round()).abs() < 1.5;
                (number - secret).abs() < 1.5e-7 || in_units
            }
            _ => (number - secret).abs() < 1e-3,
        })
    }
}

/// Returns bytes as text, raw and with percent-decoding.
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

/// Returns every eight consecutive bytes as a number, in both byte orders.
fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.windows(8).flat_map(|eight| {
        let eight: [u8; 8] = eight.try_into().unwrap();
        let both = [f64::from_le_bytes(eight), f64::from_be_bytes(eight)];
        both.into_iter().filter(|number| (1e-3..1e10).contains(&number.abs()))
    })
}
