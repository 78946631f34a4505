//! Counts of the real OSM extracts below `MESHCLOAK_MAPS`, compared with their README.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use import::{Imported, Options, read_osm_bytes};
use meshcloak::map::Extent;
use std::path::PathBuf;

/// A row of the README: nodes, edges, one-way share of edges in %, points of interest.
struct Row {
    file: &'static str,
    nodes: f64,
    edges: f64,
    one_way: f64,
    pois: f64,
}

/// All counts are exact except for two nodes of `porto_portugal`, which occur only in ways of a
/// single node.
const ROWS: [Row; 5] = [
    row("porto/porto-city.osm.pbf", [54_769.0, 60_144.0, 38.0, 136.0]),
    row("porto/porto_portugal.osm.pbf", [276_034.0, 297_022.0, 22.0, 316.0]),
    row("porto-alegre/porto-alegre.osm.pbf", [32_701.0, 38_606.0, 36.0, 455.0]),
    row("baltimore/baltimore.osm.pbf", [13_981.0, 16_665.0, 35.0, 1_066.0]),
    row("bad-hersfeld/bad-hersfeld.osm.xml.gz", [10_953.0, 11_525.0, 19.0, 994.0]),
];

const fn row(file: &'static str, [nodes, edges, one_way, pois]: [f64; 4]) -> Row {
    Row { file, nodes, edges, one_way, pois }
}

fn read(folder: &str, file: &str, options: &Options) -> Imported {
    let path = PathBuf::from(folder).join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_osm_bytes(&path, &bytes, options).unwrap()
}

fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} instead of {expected}");
}

#[test]
fn real_extracts_have_the_documented_counts() {
    let Ok(folder) = std::env::var("MESHCLOAK_MAPS") else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set");
        return;
    };
    for row in ROWS {
        let mut options = Options { extent: Extent::Whole, ..Options::default() };
        options.osm.every_node = true;
        let imported = read(&folder, row.file, &options);
        let map = &imported.map;
        let streets = map.street_count() as f64;
        let one_way = map.streets().filter(|&street| map.street(street).one_way).count() as f64;
        assert_near(row.file, imported.provenance.nodes as f64, row.nodes, row.nodes / 100.0);
        assert_near(row.file, imported.provenance.edges as f64, row.edges, row.edges / 100.0);
        assert_near(row.file, map.terminal_count() as f64, row.nodes, row.nodes / 100.0);
        assert_near(row.file, streets, row.edges, row.edges / 100.0);
        assert_near(row.file, 100.0 * one_way / streets, row.one_way, 1.0);
        assert_near(row.file, map.pois().len() as f64, row.pois, row.pois / 20.0);
    }
}

#[test]
fn cutting_at_junctions_keeps_the_total_length() {
    let Ok(folder) = std::env::var("MESHCLOAK_MAPS") else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set");
        return;
    };
    let mut options = Options { extent: Extent::Whole, ..Options::default() };
    let cut = read(&folder, "baltimore/baltimore.osm.pbf", &options);
    options.osm.every_node = true;
    let every_node = read(&folder, "baltimore/baltimore.osm.pbf", &options);
    assert_near("metres", cut.provenance.metres, every_node.provenance.metres, 0.01);
    assert!(cut.map.street_count() < every_node.map.street_count() * 6 / 10);
    let longest = cut.map.streets().map(|street| cut.map.metres(street)).fold(0.0, f64::max);
    assert!(longest <= 1000.001, "{longest}");
}

#[test]
fn the_number_of_threads_does_not_change_the_map() {
    let Ok(folder) = std::env::var("MESHCLOAK_MAPS") else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set");
        return;
    };
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let file = "porto-alegre/porto-alegre.osm.pbf";
        pool.install(|| read(&folder, file, &Options::default()))
    });
    assert_eq!(one, three);
}
