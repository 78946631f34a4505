//! Reads arbitrary bytes as an OSM XML file, and as the content of its root element.
#![no_main]

use import::{Options, read_osm_bytes};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let _ = read_osm_bytes(Path::new("fuzz.osm"), data, &Options::default());
    let inside = [b"<osm>", data, b"</osm>"].concat();
    let _ = read_osm_bytes(Path::new("fuzz.osm"), &inside, &Options::default());
});
