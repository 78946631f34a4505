//! Reads arbitrary bytes as a GeoJSON answer of a service.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::feature_collection(data);
});
