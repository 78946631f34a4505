//! Round trips of prepared maps, and rejection of everything else.

use super::sections::HEADER;
use super::*;
use crate::draft::Provenance;
use meshcloak::map::{Dropped, Frame, MapBuilder, Position, RawPoi, Repairs};
use meshcloak::town::Town;
use meshcloak::units::LonLat;
use rand::RngExt as _;

fn imported(seed: u64) -> Imported {
    let town = Town::random(seed);
    let mut builder = MapBuilder::from_map(&town.map);
    builder.set_frame(Frame::at(LonLat { lon: 9.7, lat: 50.8 }));
    for (label, category) in [("p1", "pharmacy"), ("", "café")] {
        let point = Point::new(seed as f64 / 3.0, 7.25);
        builder.poi(RawPoi { label, point, category, name: "Zum Löwen" }).unwrap();
    }
    let map = builder.build(Extent::Whole).unwrap().map;
    let provenance = Provenance {
        source: format!("town {seed}"),
        format: "text".into(),
        nodes: 7,
        edges: 9,
        width: 0.1 + seed as f64 / 7.0,
        height: 2.5,
        metres: 1e9 / 3.0,
    };
    let dropped = Dropped { terminals: 1, streets: 2, metres: 0.3, parts: 4 };
    let repairs = Repairs { zero_length: 5, lengthened: 6 };
    let notes = vec!["seven \"things\"".into()];
    Imported { map, provenance, dropped, repairs, notes, prepared: None }
}

fn message(bytes: &[u8]) -> String {
    decode(bytes).unwrap_err().to_string()
}

#[test]
fn a_prepared_map_is_decoded_unchanged() {
    for seed in 0..200 {
        let original = imported(seed);
        for extent in [Extent::Whole, Extent::LargestPart] {
            let bytes = encode(&original, extent);
            let prepared = decode(&bytes).unwrap();
            assert_eq!(prepared.imported, original, "seed {seed}");
            assert_eq!(prepared.extent, extent);
            assert_eq!(encode(&prepared.imported, extent), bytes);
        }
    }
}

#[test]
fn the_digest_is_that_of_the_tables() {
    let digests: std::collections::BTreeSet<u64> = (0..200)
        .map(|seed| {
            let original = imported(seed);
            let prepared = decode(&encode(&original, Extent::Whole)).unwrap();
            assert_eq!(digest(&original.map), digest(&prepared.imported.map), "seed {seed}");
            let mut builder = MapBuilder::from_map(&original.map);
            builder.set_frame(Frame::at(LonLat { lon: 9.7, lat: 50.800_001 }));
            let moved = builder.build(Extent::Whole).unwrap().map;
            assert!(digest(&original.map) != digest(&moved), "seed {seed}");
            digest(&original.map)
        })
        .collect();
    assert_eq!(digests.len(), 200, "different maps have different digests");
}

#[test]
fn a_file_of_another_format_is_rejected() {
    let bytes = encode(&imported(80), Extent::Whole);
    assert!(message(b"").starts_with("unknown map format"));
    assert!(message(b"PK\x03\x04 something else entirely").starts_with("unknown map format"));
    assert_eq!(message(&bytes[..200]), "unexpected end of file in the header");
    let mut newer = bytes.clone();
    newer[8] = 9;
    let expected = "prepared map has format version 9; expected 1; \
                    prepare the map again with this program";
    assert_eq!(message(&newer), expected);
    let mut longer = bytes.clone();
    longer.extend_from_slice(b"abc");
    assert_eq!(message(&longer), "damaged: 3 extra bytes at the end");
    assert_eq!(message(&sealed(&longer)), "damaged: 3 extra bytes at the end");
}

#[test]
fn a_truncated_file_is_rejected() {
    let bytes = encode(&imported(60), Extent::Whole);
    for cut in 8..bytes.len() {
        assert!(message(&bytes[..cut]).starts_with("unexpected end of file"), "cut at {cut}");
    }
}

#[test]
fn every_flipped_bit_is_detected() {
    let bytes = encode(&imported(30), Extent::Whole);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&flipped).is_err(), "bit {bit} of {}", bytes.len() * 8);
    }
}

#[test]
fn a_section_of_three_gigabytes_is_rejected_before_allocation() {
    let mut bytes = encode(&imported(10), Extent::Whole);
    bytes[24..32].copy_from_slice(&3_000_000_000_u64.to_le_bytes());
    assert_eq!(message(&sealed(&bytes)), "damaged: a section exceeds the file");
}

#[test]
fn every_accepted_file_is_a_usable_map() {
    let mut random = Town::generator(7);
    let originals: Vec<Vec<u8>> =
        (0..40).map(|seed| encode(&imported(seed * 5), Extent::Whole)).collect();
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut bytes = originals[round % originals.len()].clone();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(HEADER..bytes.len());
            bytes[at] = random.random();
        }
        if let Ok(prepared) = decode(&sealed(&bytes)) {
            accepted += 1;
            let map = &prepared.imported.map;
            for street in map.streets() {
                let middle = map.street(street).length.part(0.5);
                let point = map.point(Position { street, offset: middle });
                map.snap(point, None);
            }
            for terminal in map.terminals() {
                assert!(map.leaving(terminal).len() <= 2 * map.street_count());
            }
        }
    }
    assert!((100..20_000).contains(&accepted), "{accepted} of 20,000 were accepted");
}
