//! Encoder of Mapbox vector tiles, version 2, for lines and points.
//!
//! ```text
//! tile     3 layer*
//! layer    15 version  1 name  2 feature*  3 key*  4 value*  5 extent
//! feature  1 id  2 tags (index of key, index of value)*  3 type  4 geometry
//! value    1 text  5 unsigned  7 bool
//! geometry command | count << 3, then zigzag (dx, dy) for each point      (all packed varints)
//! ```
//! The numbers are protocol buffer field numbers.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "lengths of lists in memory; tile units are below 2^20"
)]

/// Width of a tile in tile units.
pub const EXTENT: u32 = 4096;

/// Value of a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// Unsigned integer.
    Number(u64),
    /// Boolean.
    Bool(bool),
}

/// A point of a tile in tile units: x to the right, y down.
pub type TilePoint = (i32, i32);

/// Layer under construction: features are encoded at once, keys and values are deduplicated.
#[derive(Debug, Default)]
pub struct LayerWriter {
    features: Vec<u8>,
    keys: Vec<&'static str>,
    values: Vec<Value>,
    scratch: Vec<u8>,
    body: Vec<u8>,
}

impl LayerWriter {
    /// Appends a feature of one or more lines, each of at least two points.
    pub fn add_lines(
        &mut self,
        id: Option<u64>,
        tags: &[(&'static str, Value)],
        lines: &[Vec<TilePoint>],
    ) {
        self.scratch.clear();
        let mut pen = Pen::default();
        for line in lines {
            let Some((first, rest)) = line.split_first() else { continue };
            pen.command(&mut self.scratch, MOVE_TO, 1);
            pen.draw_to(&mut self.scratch, *first);
            pen.command(&mut self.scratch, LINE_TO, rest.len() as u64);
            rest.iter().for_each(|&step| pen.draw_to(&mut self.scratch, step));
        }
        self.feature(id, tags, LINESTRING);
    }

    /// Appends a point feature.
    pub fn add_point(&mut self, id: u64, tags: &[(&'static str, Value)], at: TilePoint) {
        self.scratch.clear();
        let mut pen = Pen::default();
        pen.command(&mut self.scratch, MOVE_TO, 1);
        pen.draw_to(&mut self.scratch, at);
        self.feature(Some(id), tags, POINT);
    }

    fn feature(&mut self, id: Option<u64>, tags: &[(&'static str, Value)], kind: u64) {
        let mut words = Vec::with_capacity(tags.len() * 2);
        for (key, value) in tags {
            varint(&mut words, self.key(key));
            varint(&mut words, self.value(value));
        }
        self.body.clear();
        if let Some(id) = id {
            number(&mut self.body, 1, id);
        }
        bytes(&mut self.body, 2, &words);
        number(&mut self.body, 3, kind);
        bytes(&mut self.body, 4, &self.scratch);
        bytes(&mut self.features, 2, &self.body);
    }

    fn key(&mut self, key: &'static str) -> u64 {
        let known = self.keys.iter().position(|&other| other == key);
        known.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        }) as u64
    }

    fn value(&mut self, value: &Value) -> u64 {
        let known = self.values.iter().position(|other| other == value);
        known.unwrap_or_else(|| {
            self.values.push(value.clone());
            self.values.len() - 1
        }) as u64
    }

    /// Appends the layer to a tile; an empty layer is omitted.
    pub fn write(&self, name: &str, tile: &mut Vec<u8>) {
        if self.features.is_empty() {
            return;
        }
        let mut layer = Vec::with_capacity(self.features.len() + 256);
        number(&mut layer, 15, 2); // version
        bytes(&mut layer, 1, name.as_bytes());
        layer.extend_from_slice(&self.features);
        for key in &self.keys {
            bytes(&mut layer, 3, key.as_bytes());
        }
        for value in &self.values {
            let mut coded = Vec::new();
            match value {
                Value::Text(text) => bytes(&mut coded, 1, text.as_bytes()),
                Value::Number(value) => number(&mut coded, 5, *value),
                Value::Bool(flag) => number(&mut coded, 7, u64::from(*flag)),
            }
            bytes(&mut layer, 4, &coded);
        }
        number(&mut layer, 5, u64::from(EXTENT));
        bytes(tile, 3, &layer);
    }
}

const MOVE_TO: u64 = 1;
const LINE_TO: u64 = 2;
const POINT: u64 = 1;
const LINESTRING: u64 = 2;

/// Cursor of the geometry encoding: each point is stored relative to the previous one.
#[derive(Default)]
struct Pen {
    at: TilePoint,
}

impl Pen {
    fn command(&self, out: &mut Vec<u8>, command: u64, count: u64) {
        varint(out, command | count << 3);
    }

    fn draw_to(&mut self, out: &mut Vec<u8>, to: TilePoint) {
        varint(out, zigzag(to.0 - self.at.0));
        varint(out, zigzag(to.1 - self.at.1));
        self.at = to;
    }
}

fn zigzag(value: i32) -> u64 {
    u64::from(((value << 1) ^ (value >> 31)) as u32)
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Writes a varint field.
fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

/// Writes a length-delimited field.
fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::super::decode::{DecodedGeometry, decode};
    use super::*;

    #[test]
    fn encoded_tiles_can_be_decoded() {
        let mut streets = LayerWriter::default();
        let tags = [("rank", Value::Number(5)), ("oneway", Value::Bool(true))];
        streets.add_lines(
            Some(300),
            &tags,
            &[vec![(0, 0), (-64, 4160), (10, 7)], vec![(5, 5), (6, 6)]],
        );
        streets.add_lines(None, &[("rank", Value::Number(5))], &[vec![(1, 2), (3, 4)]]);
        let mut places = LayerWriter::default();
        places.add_point(0, &[("name", Value::Text("Café".into()))], (4095, 12));
        let mut tile = Vec::new();
        streets.write("streets", &mut tile);
        places.write("pois", &mut tile);
        LayerWriter::default().write("nothing", &mut tile);

        let layers = decode(&tile).expect("the encoder wrote it");
        assert_eq!(layers.len(), 2);
        assert_eq!((layers[0].name.as_str(), layers[0].extent), ("streets", 4096));
        let first = &layers[0].features[0];
        assert_eq!((first.id, first.tags.len()), (Some(300), 2));
        assert_eq!(layers[0].features[1].id, None);
        assert_eq!(first.tags[1], ("oneway".into(), Value::Bool(true)));
        let lines = vec![vec![(0, 0), (-64, 4160), (10, 7)], vec![(5, 5), (6, 6)]];
        assert_eq!(first.geometry, DecodedGeometry::Lines(lines));
        assert_eq!(layers[0].features[1].tags, [("rank".into(), Value::Number(5))]);
        let cafe = &layers[1].features[0];
        assert_eq!(cafe.geometry, DecodedGeometry::Point((4095, 12)));
        assert_eq!(cafe.tags, [("name".into(), Value::Text("Café".into()))]);
    }
}
