//! Reads arbitrary bytes as an Overpass answer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::overpass_answer(data);
});
