//! Reads arbitrary bytes as a settings file of a remote service.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::service_settings(data);
});
