//! Damaged OSM files: an error with its location, never a panic or a huge allocation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod osm_files;

use import::{FileLocation, ImportError, Options, Problem, read_osm_bytes};
use osm_files::{Content, blob, bytes, framed, gzipped, number};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::path::Path;

fn town() -> Content {
    Content::default()
        .nodes(&[(1, [0, 0]), (2, [100, 9]), (3, [200, 0]), (4, [200, 1500]), (-5, [0, 90])])
        .node(8, [5, 5], "amenity=bar name=Zum_Löwen")
        .way(10, &[1, 2, 3], "highway=residential name=Lange_Straße")
        .way(11, &[3, 4], "highway=service oneway=-1")
        .way(12, &[3, -5, 1, 3], "highway=tertiary junction=roundabout")
        .way(13, &[1, 2, 3, 1], "leisure=park")
}

fn read(bytes: &[u8]) -> Result<import::Imported, ImportError> {
    read_osm_bytes(Path::new("town.osm.pbf"), bytes, &Options::default())
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// Returns a file with one data block of this body.
fn with_body(body: &[u8]) -> Vec<u8> {
    [header(), framed("OSMData", body)].concat()
}

fn header() -> Vec<u8> {
    blob("OSMHeader", &bytes(4, b"OsmSchema-V0.6"))
}

#[test]
fn a_truncated_pbf_is_reported_at_its_last_block() {
    let file = town().pbf();
    let blocks = [0, header().len(), header().len() + blob("OSMData", &town().node_block()).len()];
    for end in 15..file.len() {
        // A cut between blocks cannot be detected; the ways then have no nodes or are missing.
        if blocks.contains(&end) {
            assert!(read(&file[..end]).is_err());
            continue;
        }
        let error = read(&file[..end]).unwrap_err();
        let start = *blocks.iter().rfind(|&&start| start < end).unwrap();
        assert_eq!(error.location, FileLocation::Byte(start as u64), "cut at {end}: {error}");
        assert!(matches!(error.problem, Problem::Truncated(_)), "cut at {end}: {error}");
    }
}

#[test]
fn a_flipped_bit_in_compressed_data_is_detected() {
    let file = town().pbf();
    let second = header().len();
    let block = blob("OSMData", &town().node_block());
    for at in second + block.len() - 60..second + block.len() {
        for bit in 0..8 {
            let mut file = file.clone();
            file[at] ^= 1 << bit;
            let error = read(&file).unwrap_err();
            assert_eq!(error.location, FileLocation::Byte(second as u64), "{error}");
        }
    }
}

#[test]
fn wrong_lengths_are_rejected_before_allocation() {
    let three_gb = 3_000_000_000_u64;
    let header_length = [&3_000_000_000_u32.to_be_bytes()[..], &[0; 1000]].concat();
    let file = [header(), header_length].concat();
    let at = header().len();
    let expected =
        format!("town.osm.pbf, byte {at}: damaged: a block header is larger than 64 KiB");
    assert_eq!(message(&file), expected);

    let header_of = [bytes(1, b"OSMData"), number(3, three_gb)].concat();
    let length = (header_of.len() as u32).to_be_bytes();
    let file = [&header()[..], &length, &header_of, &[0; 1000]].concat();
    assert!(message(&file).ends_with("damaged: a block is larger than 32 MiB"));

    let raw_size = [number(2, three_gb), bytes(3, &[0x78; 1000])].concat();
    let larger = "damaged: the stated size of a block is too large for its compressed data";
    assert!(message(&with_body(&raw_size)).ends_with(larger));
    let raw_size = [number(2, 30 << 20), bytes(3, &[0x78; 100])].concat();
    assert!(message(&with_body(&raw_size)).ends_with(larger));
}

#[test]
fn a_block_with_a_wrong_size_is_damaged() {
    let good = blob("OSMData", &town().way_block());
    let size = town().way_block().len() as u64;
    for wrong in [size - 1, size + 1, 1] {
        let (old, new) = (number(2, size), number(2, wrong));
        let body_start = good.windows(old.len()).position(|window| window == old).unwrap();
        let body = [&new, &good[body_start + old.len()..]].concat();
        assert!(matches!(read(&with_body(&body)).unwrap_err().problem, Problem::Damaged(_)));
    }
}

#[test]
fn unsupported_compressions_and_features_are_named() {
    for (field, name) in [(4, "lzma"), (5, "bzip2"), (6, "lz4"), (7, "zstd")] {
        let reason = format!("not supported: a block is compressed with {name}; expected zlib");
        assert!(message(&with_body(&bytes(field, b"data"))).ends_with(&reason));
    }
    let history = blob("OSMHeader", &bytes(4, b"HistoricalInformation"));
    assert_eq!(
        message(&history),
        "town.osm.pbf, byte 0: not supported: the file requires feature \
         `HistoricalInformation`"
    );
    assert!(message(&with_body(&number(2, 5))).ends_with("damaged: a block is empty"));
    assert!(message(&with_body(&bytes(3, b"x"))).ends_with("has no size"));
}

#[test]
fn inconsistent_blocks_are_damaged() {
    let group = |content: &[u8]| [bytes(1, &bytes(1, b"")), bytes(2, content)].concat();
    let dense = |columns: &[Vec<u8>]| group(&bytes(2, &columns.concat()));
    let way = |fields: &[Vec<u8>]| group(&bytes(3, &fields.concat()));
    let place = [bytes(8, &[0]), bytes(9, &[0])].concat();
    let cases = [
        (dense(&[bytes(1, &[2, 2]), place.clone()]), "different numbers of ids and positions"),
        (dense(&[bytes(1, &[2]), place.clone(), bytes(10, &[9, 9, 0])]), "unknown string"),
        (dense(&[bytes(1, &[2]), place.clone(), bytes(10, &[0x80])]), "exceeds its message"),
        (dense(&[bytes(1, &[2]), place, bytes(10, &[7])]), "unexpected end of the tags"),
        (way(&[number(1, 5), bytes(2, &[0])]), "different numbers of keys and values"),
        (way(&[number(1, 5), bytes(2, &[77]), bytes(3, &[77])]), "unknown string"),
        (way(&[bytes(8, &[1, 1])]), "a way has no id"),
        (group(&bytes(1, &number(1, 4))), "a node has no id or no position"),
        (vec![0x07], "unknown wire type"),
    ];
    for (block, reason) in cases {
        let message = message(&with_body(&bytes(1, &block)));
        assert!(message.contains(reason) && message.contains(", byte "), "{message}");
    }
}

#[test]
fn plain_nodes_and_unpacked_numbers_are_read() {
    let signed = |field, value: i64| number(field, ((value << 1) ^ (value >> 63)) as u64);
    let node = |id: i64, lat: i64, lon: i64| {
        bytes(1, &[signed(1, id), signed(8, lat), signed(9, lon)].concat())
    };
    let strings: Vec<u8> =
        [&b""[..], b"highway", b"road"].iter().flat_map(|text| bytes(1, text)).collect();
    let way = [number(1, 7), number(2, 1), number(3, 2), signed(8, 4), signed(8, 1)].concat();
    let nodes = [node(4, 531_400_000, 82_100_000), node(5, 531_400_000, 82_200_000)].concat();
    // The format allows groups before the string table.
    let block = [bytes(2, &bytes(3, &way)), bytes(2, &nodes), bytes(1, &strings)].concat();
    let map = read(&with_body(&bytes(1, &block))).unwrap().map;
    assert_eq!((map.terminal_count(), map.street_count()), (2, 1));
}

#[test]
fn a_file_without_a_header_has_an_unknown_format() {
    let mut file = town().pbf();
    file[6] = b'X';
    assert!(matches!(read(&file).unwrap_err().problem, Problem::UnknownFormat));
    assert!(matches!(read(b"").unwrap_err().problem, Problem::UnknownFormat));
    assert!(matches!(read(b"id,x,y\n").unwrap_err().problem, Problem::UnknownFormat));
}

#[test]
fn a_truncated_xml_is_an_error_with_its_byte_offset() {
    let xml = town().xml();
    for end in (60..xml.trim_end().len()).filter(|&end| xml.is_char_boundary(end)) {
        let error = read(&xml.as_bytes()[..end]).unwrap_err();
        let FileLocation::Byte(byte) = error.location else { panic!("cut at {end}: {error}") };
        assert!(byte <= end as u64, "cut at {end}: {error}");
        assert!(matches!(error.problem, Problem::Truncated(_)), "cut at {end}: {error}");
    }
}

#[test]
fn xml_that_is_not_an_extract_is_rejected() {
    let cases = [
        ("<?xml version='1.0'?><osmChange/>", "expected one `<osm>`, found `<osmChange>`"),
        ("<osm></osm><osm></osm>", "expected one `<osm>`, found `<osm>`"),
        ("<osm><node id='x' lat='1' lon='1'/></osm>", "field `id` is `x`"),
        ("<osm><way id='1'><nd ref='1.5'/></way></osm>", "field `ref` is `1.5`"),
        ("<osm><way id='1'></osm>", "damaged: "),
        ("<osm><way></way></osm>", "field `id` is ``"),
        ("<osm><way id='1'><tag k='name' v='&x;'/></way></osm>", "damaged: "),
        ("<osm><node id=1 lat='1' lon='1'/></osm>", "damaged: "),
    ];
    for (xml, reason) in cases {
        let message = message(xml.as_bytes());
        assert!(message.contains(reason) && message.contains(", byte "), "{message}");
    }
}

#[test]
fn deleted_elements_are_skipped() {
    let xml = town().xml().replace("<way id=\"11\"", "<way visible=\"false\" id=\"11\"");
    let xml = xml.replace("<way id=\"12\"", "<way action='delete' id=\"12\"");
    assert_eq!(read(xml.as_bytes()).unwrap().map.street_count(), 1);
}

#[test]
fn truncated_gzip_is_an_error() {
    for content in [town().pbf(), town().xml().into_bytes()] {
        let packed = gzipped(&content);
        for end in [packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let error = read(&packed[..end]).unwrap_err();
            assert!(matches!(error.problem, Problem::Truncated(_)), "{error}");
        }
    }
}

/// Random changes give a map or an error.
#[test]
fn no_damage_panics() {
    let unpacked = |block: Vec<u8>| framed("OSMData", &bytes(1, &block));
    let [nodes, ways] = [town().node_block(), town().way_block()].map(unpacked);
    let raw = [header(), nodes, ways].concat();
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for file in [town().pbf(), raw, town().xml().into_bytes()] {
        for _ in 0..4_000 {
            let mut file = file.clone();
            for _ in 0..random.random_range(1..4) {
                damage(&mut file, &mut random);
            }
            let _ = read(&file);
        }
    }
}

fn damage(file: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    let at = random.random_range(0..file.len());
    match random.random_range(0..6) {
        0 => file[at] ^= 1 << random.random_range(0..8),
        1 => file[at] = random.random(),
        2 => file[at] = [0, 1, 0x7f, 0x80, 0xff][random.random_range(0..5)],
        3 => file.insert(at, random.random()),
        4 => drop(file.remove(at)),
        _ => file.truncate(at.max(20)),
    }
}
