//! Writers of small OSM files for tests: the same content as PBF and as XML.

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::Write;

/// Content of a file.
#[derive(Clone, Default)]
pub struct Content {
    /// Id, lat and lon in units of 1e-7 degrees, tags.
    pub nodes: Vec<(i64, i64, i64, Tags)>,
    /// Id, nodes, tags.
    pub ways: Vec<(i64, Vec<i64>, Tags)>,
}

type Tags = Vec<(String, String)>;

/// Parses tags such as `highway=road name=Long_Lane`; `_` is a space in values of `name`.
fn tags(text: &str) -> Tags {
    let tag = |tag: &str| {
        let (key, value) = tag.split_once('=').expect("a tag is written key=value");
        let value = if key == "name" { value.replace('_', " ") } else { value.to_owned() };
        (key.to_owned(), value)
    };
    text.split_whitespace().map(tag).collect()
}

impl Content {
    /// Adds a node about `east` and `north` metres from a point in Oldenburg.
    pub fn node(mut self, id: i64, [east, north]: [i64; 2], text: &str) -> Content {
        let (lat, lon) = (531_400_000 + north * 90, 82_100_000 + east * 150);
        self.nodes.push((id, lat, lon, tags(text)));
        self
    }

    /// Adds nodes without tags.
    pub fn nodes(self, nodes: &[(i64, [i64; 2])]) -> Content {
        nodes.iter().fold(self, |content, &(id, at)| content.node(id, at, ""))
    }

    pub fn way(mut self, id: i64, nodes: &[i64], text: &str) -> Content {
        self.ways.push((id, nodes.to_vec(), tags(text)));
        self
    }

    pub fn xml(&self) -> String {
        let mut xml = "<?xml version='1.0' encoding='UTF-8'?>\n<osm version=\"0.6\">\n".to_owned();
        let tag = |(key, value): &(String, String)| {
            let value = value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
            format!("<tag k=\"{key}\" v=\"{value}\"/>")
        };
        for (id, lat, lon, tags) in &self.nodes {
            let degrees = |v: i64| {
                format!(
                    "{}{}.{:07}",
                    if v < 0 { "-" } else { "" },
                    v.abs() / 10_000_000,
                    v.abs() % 10_000_000
                )
            };
            let (lat, lon) = (degrees(*lat), degrees(*lon));
            let tags: String = tags.iter().map(tag).collect();
            xml += &format!("<node id=\"{id}\" lat=\"{lat}\" lon=\"{lon}\">{tags}</node>\n");
        }
        for (id, nodes, tags) in &self.ways {
            let nodes: String = nodes.iter().map(|id| format!("<nd ref=\"{id}\"/>")).collect();
            let tags: String = tags.iter().map(tag).collect();
            xml += &format!("<way id=\"{id}\">{nodes}{tags}</way>\n");
        }
        xml + "</osm>\n"
    }

    /// Encodes a PBF file of three blocks: header, nodes, ways.
    pub fn pbf(&self) -> Vec<u8> {
        let mut file = blob("OSMHeader", &bytes(4, b"OsmSchema-V0.6"));
        file.extend(blob("OSMData", &self.node_block()));
        file.extend(blob("OSMData", &self.way_block()));
        file
    }

    pub fn node_block(&self) -> Vec<u8> {
        let mut strings = Strings(vec![String::new()]);
        let [mut ids, mut lats, mut lons] = [const { Vec::new() }; 3];
        let mut pairs = Vec::new();
        for (id, lat, lon, tags) in &self.nodes {
            ids.push(*id);
            lats.push(*lat);
            lons.push(*lon);
            for (key, value) in tags {
                pairs.extend([strings.row(key), strings.row(value)]);
            }
            pairs.push(0);
        }
        let columns = [differences(1, &ids), differences(8, &lats), differences(9, &lons)];
        let dense = [columns.concat(), bytes(10, &numbers(&pairs))].concat();
        block(&strings, &bytes(2, &dense))
    }

    pub fn way_block(&self) -> Vec<u8> {
        let mut strings = Strings(vec![String::new()]);
        let mut group = Vec::new();
        for (id, nodes, tags) in &self.ways {
            let mut way = number(1, *id as u64);
            let keys: Vec<u64> = tags.iter().map(|(key, _)| strings.row(key)).collect();
            let values: Vec<u64> = tags.iter().map(|(_, value)| strings.row(value)).collect();
            way.extend(bytes(2, &numbers(&keys)));
            way.extend(bytes(3, &numbers(&values)));
            way.extend(differences(8, nodes));
            group.extend(bytes(3, &way));
        }
        block(&strings, &group)
    }
}

struct Strings(Vec<String>);

impl Strings {
    fn row(&mut self, text: &str) -> u64 {
        let row = self.0.iter().position(|other| other == text && !text.is_empty());
        row.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        }) as u64
    }
}

fn block(strings: &Strings, group: &[u8]) -> Vec<u8> {
    let table: Vec<u8> = strings.0.iter().flat_map(|text| bytes(1, text.as_bytes())).collect();
    [bytes(1, &table), bytes(2, group)].concat()
}

/// Returns a framed block, compressed with zlib.
pub fn blob(kind: &str, content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    let body = [number(2, content.len() as u64), bytes(3, &encoder.finish().unwrap())].concat();
    framed(kind, &body)
}

/// Returns a framed block with this body.
pub fn framed(kind: &str, body: &[u8]) -> Vec<u8> {
    let header = [bytes(1, kind.as_bytes()), number(3, body.len() as u64)].concat();
    [&(header.len() as u32).to_be_bytes()[..], &header, body].concat()
}

pub fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Encodes a numeric field.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    numbers(&[field << 3, value])
}

/// Encodes a length-delimited field.
pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [numbers(&[field << 3 | 2, value.len() as u64]), value.to_vec()].concat()
}

fn differences(field: u64, values: &[i64]) -> Vec<u8> {
    let mut previous = 0_i64;
    let difference = |&value: &i64| {
        let difference = value.wrapping_sub(std::mem::replace(&mut previous, value));
        ((difference << 1) ^ (difference >> 63)) as u64
    };
    let values: Vec<u64> = values.iter().map(difference).collect();
    bytes(field, &numbers(&values))
}

fn numbers(values: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &value in values {
        let mut rest = value;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}
