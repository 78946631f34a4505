//! Reads arbitrary bytes as a report of OsmAnd.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::osmand(data);
});
