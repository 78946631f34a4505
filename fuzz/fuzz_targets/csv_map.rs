//! Reads arbitrary bytes as a CSV map: a map or an error, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = import::fuzzing::csv_map(bytes);
});
