//! Mutated input for every entry point.

use super::*;
use meshcloak::town::Town;
use rand::RngExt as _;
use std::path::Path;

/// Applies one to three random flips, cuts, insertions or repetitions.
fn mutate(bytes: &mut Vec<u8>, random: &mut impl rand::Rng) {
    const ODD: [&[u8]; 16] = [
        b"\0",
        b"\n",
        b"[",
        b"]",
        b"{",
        b"}",
        b"\"",
        b"\\u",
        b",",
        b":",
        b"-",
        b"1e999",
        b"\xff",
        "é".as_bytes(),
        b"null",
        b"18446744073709551616",
    ];
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..=bytes.len());
        let odd = ODD[random.random_range(0..ODD.len())];
        match random.random_range(0..6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            1 if at < bytes.len() => drop(bytes.splice(at..=at, odd.iter().copied())),
            2 => drop(bytes.splice(at..at, odd.iter().copied())),
            3 => bytes.truncate(at),
            4 => {
                let end = random.random_range(at..=bytes.len());
                bytes.drain(at..end.min(at + 8));
            }
            _ => {
                let piece = bytes[at..].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}

/// Reads a valid sample, its mutations, its beginnings, and arbitrary bytes.
#[track_caller]
fn check(sample: &str, read: fn(&[u8]) -> bool) {
    assert!(read(sample.as_bytes()), "the unchanged sample is valid");
    let mut valid = 0;
    for seed in 0..3000 {
        let (mut bytes, mut random) = (sample.as_bytes().to_vec(), Town::generator(seed));
        mutate(&mut bytes, &mut random);
        valid += usize::from(read(&bytes));
        let arbitrary: Vec<u8> = (0..seed % 64).map(|_| random.random()).collect();
        read(&arbitrary);
    }
    for len in 0..sample.len() {
        read(&sample.as_bytes()[..len]);
    }
    assert!(valid < 3000, "the mutations reach the error paths");
}

/// Checks the seeds of a fuzz target.
#[track_caller]
fn check_seeds(target: &str, read: fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut seeds = 0;
    for entry in folder.read_dir().expect("a folder of seeds") {
        let sample = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        check(&sample, read);
        seeds += 1;
    }
    assert!(seeds > 0, "{target} has no seed");
}

#[test]
fn no_answer_of_a_service_panics() {
    check_seeds("feature_collection", feature_collection);
    check_seeds("overpass_answer", overpass_answer);
    check_seeds("text_list", text_list);
}

#[test]
fn no_report_of_a_phone_panics() {
    check_seeds("owntracks", owntracks);
    check_seeds("osmand", osmand);
    check_seeds("traccar", traccar);
    check_seeds("timestamp", timestamp);
    for text in ["+1é9", "2016-01-01T00:00:00+1é9", "2016-01-01T00:00:00+é", "é:é"] {
        assert!(!timestamp(text.as_bytes()), "{text}");
    }
}

#[test]
fn no_settings_panic() {
    check_seeds("settings", settings);
    check_seeds("service_settings", service_settings);
    check_seeds("user_settings", user_settings);
}

#[test]
fn no_message_of_a_client_panics() {
    check_seeds("stream_line", stream_line);
    check_seeds("socket_message", socket_message);
    check_seeds("overpass_query", overpass_query);
}
