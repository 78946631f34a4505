//! Data that the format can represent is restored.

use crate::brinkhoff::{BrinkhoffFiles, Encoding, read, write};
use crate::csv_map::{self, CsvFiles};
use crate::testing::{plain_street, real_map, whole};
use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetMap};
use meshcloak::town::{Town, town};
use meshcloak::units::Point;
use rand::RngExt as _;
use std::collections::BTreeSet;
use std::path::Path;

fn through(map: &StreetMap, folder: &Path, encoding: Encoding) -> (StreetMap, Vec<String>) {
    let files = BrinkhoffFiles::of_stem(&folder.join("m"), encoding, "");
    let notes = write(map, &files, encoding).unwrap();
    (whole(read(&files.nodes, &files.edges, &()).unwrap()), notes)
}

/// Builds a map that the format represents fully: two-way, straight, whole metres, no repeated pair.
fn representable(seed: u64) -> StreetMap {
    let mut random = Town::generator(seed);
    let mut builder = MapBuilder::new();
    let count = 2 + seed as i64 % 40;
    let mut side = || f64::from(random.random_range(-9000..9000_i32));
    let terminals: Vec<_> = (0..count)
        .map(|n| builder.terminal(&(n * n - 5).to_string(), Point::new(side(), side())).unwrap())
        .collect();
    let mut pairs = BTreeSet::new();
    for n in 0..count * 2 {
        let [from, to] = [(); 2].map(|()| terminals[random.random_range(0..terminals.len())]);
        if !pairs.insert((from.min(to), from.max(to))) {
            continue;
        }
        let raw = RawStreet {
            label: &(1_000_000 - n * 3).to_string(),
            from,
            to,
            written_metres: None,
            one_way: false,
            bends: &[],
            name: ["", "Weiße Straße", "a,b \"c\"", "7"][random.random_range(0..4)],
            class: ["0", "1", "2", "3", "4", "5", "6"][random.random_range(0..7)],
        };
        builder.street(raw).unwrap();
    }
    builder.build(Extent::Whole).unwrap().map
}

#[test]
fn a_representable_map_is_restored_also_through_csv() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..120 {
        let map = representable(seed);
        for encoding in [Encoding::Binary, Encoding::Text] {
            let (back, notes) = through(&map, folder.path(), encoding);
            assert_eq!(back, map, "seed {seed}");
            assert_eq!(notes, Vec::<String>::new());
        }
        let files = CsvFiles { pois: None, ..CsvFiles::of_stem(&folder.path().join("c"), "") };
        csv_map::write(&map, &files).unwrap();
        let csv = whole(csv_map::read(&files, None, &()).unwrap());
        assert_eq!(through(&csv, folder.path(), Encoding::Binary).0, map, "seed {seed}");
    }
}

/// Terminals keep their order and points; streets become chains of edges with the same geometry,
/// without repeated pairs; both encodings agree; a second round trip changes nothing.
#[test]
fn random_towns_keep_their_geometry() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..200 {
        let town = Town::random(seed);
        let (map, context) = (&town.map, format!("seed {seed}\n{town}"));
        let (back, _) = through(map, folder.path(), Encoding::Binary);
        assert_eq!(through(map, folder.path(), Encoding::Text).0, back, "{context}");
        for terminal in map.terminals() {
            assert_eq!(back.terminal(terminal), map.terminal(terminal), "{context}");
        }
        assert_eq!(back.street_count(), distinct_pairs(map), "{context}");
        let bends = map.tables().shape_points.len() - 2 * map.street_count();
        assert_eq!(back.terminal_count(), map.terminal_count() + bends, "{context}");
        assert_eq!(all_lines(&back), all_lines(map), "{context}");
        let (again, notes) = through(&back, folder.path(), Encoding::Binary);
        assert_eq!(again, back, "{context}");
        assert_eq!(notes, Vec::<String>::new(), "{context}");
    }
}

/// Returns the segments of all streets, each with its smaller end first.
fn all_lines(map: &StreetMap) -> BTreeSet<[(i64, i64); 2]> {
    let whole = |point: &Point| (point.x as i64, point.y as i64);
    let pieces = map.streets().flat_map(|street| map.shape(street).windows(2));
    let pieces = pieces.map(|ends| [whole(&ends[0]), whole(&ends[1])]);
    pieces.map(|[a, b]| if a <= b { [a, b] } else { [b, a] }).collect()
}

/// Counts the pairs of nodes joined by segments; every bend is a separate node.
fn distinct_pairs(map: &StreetMap) -> usize {
    let mut pairs = BTreeSet::new();
    let mut next = map.terminal_count() as u32;
    for id in map.streets() {
        let (street, bends) = (map.street(id), map.shape(id).len() as u32 - 2);
        let mut nodes = vec![street.from.0];
        nodes.extend(next..next + bends);
        nodes.push(street.to.0);
        next += bends;
        pairs.extend(nodes.windows(2).map(|ends| (ends[0].min(ends[1]), ends[0].max(ends[1]))));
    }
    pairs.len()
}

#[test]
fn losses_are_described_in_notes() {
    let folder = tempfile::tempdir().unwrap();
    //  A ─▶ B twice, a long street, a bend
    let map = town("A 0,0  B 100.5,0 | A>B A-B A-B:300 B-A(50,20)").map;
    let (back, notes) = through(&map, folder.path(), Encoding::Text);
    assert_eq!(
        notes,
        [
            "one-way streets converted to two-way: 1",
            "street lengths replaced by the shorter length of the geometry: 1",
            "streets with bends divided into edges, with nodes at the bends: 1",
            "skipped edges between nodes that are already joined: 2",
            "street classes replaced by the number of their rank, 0 to 6: 4",
            "points rounded to whole metres: 1",
            "nodes renumbered from 1, because some ids are not whole numbers: 2",
            "streets renumbered from 1, because some ids are not whole numbers: 4",
        ]
    );
    assert_eq!((back.terminal_count(), back.street_count()), (3, 3));
    let labels: Vec<&str> = back.streets().map(|street| back.street_label(street)).collect();
    assert_eq!(labels, ["1", "4", "5"]);
}

#[test]
fn long_and_multiline_names_are_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["ß".repeat(200), " two\nlines ".to_owned(), "*".to_owned()];
    let mut builder = MapBuilder::new();
    let mut last = builder.terminal("0", Point::new(0.0, 0.0)).unwrap();
    for (name, number) in names.iter().zip(1..) {
        let label = &number.to_string();
        let to = builder.terminal(label, Point::new(f64::from(number), 0.0)).unwrap();
        let raw = RawStreet { name, class: "5", ..plain_street(label, last, to) };
        builder.street(raw).unwrap();
        last = to;
    }
    let map = builder.build(Extent::Whole).unwrap().map;
    let (back, notes) = through(&map, folder.path(), Encoding::Binary);
    assert_eq!(notes, ["street names shortened to one line of at most 255 bytes: 3"]);
    let read: Vec<_> = back.streets().map(|street| back.street_name(street)).collect();
    assert_eq!(read, [Some("ß".repeat(127).as_str()), Some("two lines"), None]);
    assert_eq!(through(&map, folder.path(), Encoding::Text).0, back);
}

#[test]
fn numeric_ids_do_not_overflow() {
    let folder = tempfile::tempdir().unwrap();
    let map = town("9223372036854775807 0,0  2 10,0 | 2-9223372036854775807(5,5)").map;
    let (back, _) = through(&map, folder.path(), Encoding::Binary);
    let labels: Vec<&str> = back.terminals().map(|node| back.terminal_label(node)).collect();
    assert_eq!(labels, ["1", "2", "3"]);
}

#[test]
fn oldenburg_is_restored() {
    let Some(nodes) = real_map("oldenburg/oldenburgGen.node") else { return };
    let edges = real_map("oldenburg/oldenburgGen.edge").unwrap();
    let map = whole(read(&nodes, &edges, &()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    for encoding in [Encoding::Binary, Encoding::Text] {
        assert_eq!(through(&map, folder.path(), encoding), (map.clone(), Vec::new()));
    }
    let files = BrinkhoffFiles::of_stem(&folder.path().join("m"), Encoding::Binary, "");
    assert_eq!(std::fs::read(&files.nodes).unwrap(), std::fs::read(&nodes).unwrap());
}
