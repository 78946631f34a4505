//! Reads arbitrary bytes as a settings file of the gateway.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::settings(data);
});
