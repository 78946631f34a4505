//! Fast formatting of NDJSON: numbers, strings, street labels.

use meshcloak::map::{StreetId, StreetMap};
use meshcloak::region::{Disc, Region};
use meshcloak::units::Rectangle;
use std::io::Write as _;

/// Appends thousandths as a decimal number, as in `12.0` and `0.125`.
pub fn put_thousandths(out: &mut Vec<u8>, thousandths: u64) {
    put_whole(out, thousandths / 1000);
    let rest = thousandths % 1000;
    let digits = [rest / 100, rest / 10 % 10, rest % 10].map(|digit| b'0' + digit as u8);
    let used = digits.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
    out.push(b'.');
    out.extend_from_slice(&digits[..=used]);
}

/// Appends an integer.
pub fn put_whole(out: &mut Vec<u8>, mut number: u64) {
    let start = out.len();
    loop {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out[start..].reverse();
}

/// Appends a JSON string.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("writing to memory does not fail");
}

/// Labels of all streets, as JSON strings that end with a comma.
#[derive(Debug)]
pub struct Labels {
    starts: Vec<usize>,
    text: Vec<u8>,
}

impl Labels {
    /// Builds the labels of a map.
    pub fn of(map: &StreetMap) -> Labels {
        let mut labels = Labels { starts: vec![0], text: Vec::new() };
        for street in map.streets() {
            put_text(&mut labels.text, map.street_label(street));
            labels.text.push(b',');
            labels.starts.push(labels.text.len());
        }
        labels
    }

    /// Appends a JSON array of streets.
    pub fn put(&self, out: &mut Vec<u8>, streets: &[StreetId]) {
        out.push(b'[');
        for street in streets {
            let index = street.index();
            out.extend_from_slice(&self.text[self.starts[index]..self.starts[index + 1]]);
        }
        end_list(out);
    }
}

/// Appends a region as a field; starts with a comma. A mesh lists its streets, a rectangle or disc
/// its numbers.
pub fn put_region(out: &mut Vec<u8>, labels: &Labels, region: &Region<'_>) {
    let written = match region {
        Region::Mesh(streets) => {
            out.extend_from_slice(b",\"mesh\":");
            labels.put(out, streets);
            Ok(())
        }
        Region::Rectangle(Rectangle { min, max }) => {
            write!(out, r#","rectangle":[{},{},{},{}]"#, min.x, min.y, max.x, max.y)
        }
        Region::Disc(Disc { centre, radius }) => {
            write!(out, r#","disc":[{},{},{radius}]"#, centre.x, centre.y)
        }
    };
    written.expect("writing to memory does not fail");
}

/// Ends an array in which a comma follows each element.
pub fn end_list(out: &mut Vec<u8>) {
    if out.ends_with(b",") {
        out.pop();
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_one_to_three_decimals() {
        let text = |thousandths| {
            let mut out = Vec::new();
            put_thousandths(&mut out, thousandths);
            String::from_utf8(out).unwrap_or_default()
        };
        let texts = [0, 5, 50, 500, 12_000, 412_500, 1_001_125].map(text);
        assert_eq!(texts, ["0.0", "0.005", "0.05", "0.5", "12.0", "412.5", "1001.125"]);
    }

    #[test]
    fn streets_have_the_labels_of_the_map() {
        let map = meshcloak::town::town("A 0,0  B 9,0 | A-B A>B").map;
        let labels = Labels::of(&map);
        let list = |streets: &[StreetId]| {
            let mut out = Vec::new();
            labels.put(&mut out, streets);
            serde_json::from_slice::<Vec<String>>(&out).expect("valid JSON")
        };
        let names: Vec<&str> = map.streets().map(|street| map.street_label(street)).collect();
        assert_eq!(list(&map.streets().collect::<Vec<_>>()), names);
        assert_eq!(list(&[]), Vec::<String>::new());
    }
}
