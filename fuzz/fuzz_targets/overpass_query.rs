//! Reads arbitrary bytes as a query of Overpass.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::overpass_query(data);
});
