//! Bytes as an OSM PBF file: a header the reader accepts, then one block, unpacked, of these bytes;
//! and the bytes as a whole file.
#![no_main]

use import::{Options, read_osm_bytes};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

const HEADER: &[u8] = b"\x00\x00\x00\x0d\x0a\x09OSMHeader\x18\x02\x0a\x00";

fuzz_target!(|data: &[u8]| {
    let _ = read_osm_bytes(Path::new("fuzz.osm.pbf"), data, &Options::default());
    let _ = read_osm_bytes(Path::new("fuzz.osm.pbf"), &around(data), &Options::default());
});

/// A file whose block of data is `block`.
fn around(block: &[u8]) -> Vec<u8> {
    let body = [&[0x0a][..], &number(block.len()), block].concat();
    let header = [&b"\x0a\x07OSMData\x18"[..], &number(body.len())].concat();
    [HEADER, &(header.len() as u32).to_be_bytes(), &header, &body].concat()
}

fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
