//! Reads arbitrary bytes as a WebSocket message.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    gateway::fuzzing::socket_message(data);
});
