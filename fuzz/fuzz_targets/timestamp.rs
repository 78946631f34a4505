//! Reads arbitrary bytes as a time of a report.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::timestamp(data);
});
