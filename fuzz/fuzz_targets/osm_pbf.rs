//! Reads arbitrary bytes as an OSM PBF file, and as an uncompressed block behind a valid header.
#![no_main]

use import::{Options, read_osm_bytes};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

const HEADER: &[u8] = b"\x00\x00\x00\x0d\x0a\x09OSMHeader\x18\x02\x0a\x00";

fuzz_target!(|data: &[u8]| {
    let _ = read_osm_bytes(Path::new("fuzz.osm.pbf"), data, &Options::default());
    let _ = read_osm_bytes(Path::new("fuzz.osm.pbf"), &file_with_block(data), &Options::default());
});

/// Returns a file with one uncompressed data block.
fn file_with_block(block: &[u8]) -> Vec<u8> {
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
