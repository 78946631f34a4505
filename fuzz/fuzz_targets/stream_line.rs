//! Reads arbitrary bytes as a line of a stream.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::stream_line(data);
});
