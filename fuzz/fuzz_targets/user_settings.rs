//! Reads arbitrary bytes as a settings of a user.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::user_settings(data);
});
