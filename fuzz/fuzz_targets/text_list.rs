//! Reads arbitrary bytes as a list of categories of a service.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::text_list(data);
});
