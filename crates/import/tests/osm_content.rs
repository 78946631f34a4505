//! Conversion of OSM content to a map (docs/SPEC.md §8); PBF and XML must give the same map.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod osm_files;

use import::{FileLocation, Highways, Imported, Options, Problem, read_osm_bytes};
use meshcloak::map::{Extent, StreetMap};
use osm_files::{Content, gzipped};
use std::path::Path;

fn options() -> Options {
    Options { extent: Extent::Whole, ..Options::default() }
}

fn import(bytes: &[u8], options: &Options) -> Imported {
    read_osm_bytes(Path::new("town.osm"), bytes, options).unwrap()
}

/// Imports the content after checking that PBF, XML and both gzipped give the same map.
fn map(content: &Content, options: &Options) -> Imported {
    let (pbf, xml) = (content.pbf(), content.xml());
    let imported = import(&pbf, options);
    for other in [xml.as_bytes(), &gzipped(&pbf), &gzipped(xml.as_bytes())] {
        let mut other = import(other, options);
        other.provenance.format = imported.provenance.format.clone();
        assert_eq!(other, imported);
    }
    imported
}

/// Formats streets as `label from>to bends`, with `-` for two-way.
fn streets(map: &StreetMap) -> Vec<String> {
    let line = |street| {
        let row = map.street(street);
        let (from, to) = (map.terminal_label(row.from), map.terminal_label(row.to));
        let sign = if row.one_way { '>' } else { '-' };
        let bends = map.shape(street).len() - 2;
        format!("{} {from}{sign}{to} {bends}", map.street_label(street))
    };
    map.streets().map(line).collect()
}

#[test]
fn ways_are_cut_at_junctions_and_keep_bends() {
    //          6
    //          │  way 12, one way up
    //  1 ─ 2 ─ 3 ─ 4 ─ 5      way 10, from 1 to 5
    let content = Content::default()
        .nodes(&[(1, [0, 0]), (2, [100, 9]), (3, [200, 0]), (4, [300, 9]), (5, [400, 0])])
        .nodes(&[(6, [200, 150])])
        .way(10, &[1, 2, 3, 4, 5], "highway=residential name=Long_Lane")
        .way(12, &[6, 3], "highway=service oneway=-1")
        .way(13, &[6, 1], "highway=footway")
        .way(14, &[6, 5], "highway=proposed");
    let imported = map(&content, &options());
    let map = &imported.map;
    assert_eq!(streets(map), ["10.1 1-3 1", "10.2 3-5 1", "12.1 3>6 0"]);
    assert_eq!(map.street_name(map.streets().next().unwrap()), Some("Long Lane"));
    assert_eq!(map.class(map.streets().last().unwrap()), Some("service"));
    assert_eq!((imported.provenance.nodes, imported.provenance.edges), (6, 5));
    let mut options = options();
    options.osm.highways = Highways::All;
    let all = import(&content.pbf(), &options).map;
    assert_eq!(streets(&all).last().unwrap(), "13.1 6-1 0");
}

#[test]
fn a_way_is_cut_where_it_crosses_itself() {
    //  1 ─ 2 ─ 3
    //      │   │
    //      5 ─ 4
    let content = Content::default()
        .nodes(&[(1, [0, 0]), (2, [100, 0]), (3, [200, 0]), (4, [200, -90]), (5, [100, -90])])
        .way(7, &[1, 2, 3, 4, 5, 2], "highway=road");
    assert_eq!(streets(&map(&content, &options()).map), ["7.1 1-2 0", "7.2 2-2 3"]);
}

#[test]
fn an_isolated_roundabout_is_a_one_way_loop() {
    let circle = Content::default()
        .nodes(&[(1, [0, 0]), (2, [30, 0]), (3, [30, 30]), (4, [0, 30]), (5, [60, 30])])
        .way(7, &[1, 2, 3, 4, 1], "highway=tertiary junction=roundabout");
    assert_eq!(streets(&map(&circle, &options()).map), ["7.1 1>1 3"]);
    let with_exit = circle.way(8, &[3, 5], "highway=tertiary");
    let cut = ["7.1 1>3 1", "7.2 3>1 1", "8.1 3-5 0"];
    assert_eq!(streets(&map(&with_exit, &options()).map), cut);
}

#[test]
fn areas_are_not_streets() {
    let content = Content::default()
        .nodes(&[(1, [0, 0]), (2, [30, 0]), (3, [30, 30])])
        .way(7, &[1, 2, 3, 1], "highway=service area=yes")
        .way(8, &[1, 2], "highway=service");
    assert_eq!(streets(&map(&content, &options()).map), ["8.1 1-2 0"]);
}

#[test]
fn the_option_every_node_makes_all_nodes_terminals() {
    let content = Content::default().nodes(&[(1, [0, 0]), (2, [100, 9]), (3, [2600, 0])]).way(
        7,
        &[1, 2, 2, 3],
        "highway=road oneway=-1",
    );
    let mut options = options();
    options.osm.every_node = true;
    assert_eq!(streets(&map(&content, &options).map), ["7.1 3>2 0", "7.2 2>1 0"]);
}

#[test]
fn a_street_longer_than_the_limit_is_split() {
    let content = Content::default()
        .nodes(&[(1, [0, 0]), (2, [700, 0]), (3, [1400, 0]), (4, [0, 100]), (5, [1700, 100])])
        .way(7, &[1, 2, 3], "highway=road")
        .way(8, &[4, 5], "highway=road oneway=yes");
    let map = map(&content, &options()).map;
    assert_eq!(streets(&map), ["7.1 1-2 0", "7.2 2-3 0", "8.1 4>8.1 0", "8.2 8.1>5 0"]);
    let metres: Vec<f64> = map.streets().map(|street| map.metres(street)).collect();
    assert!((metres[2] - metres[3]).abs() < 1e-6);
    for longest in [f64::NAN, 0.0, -5.0, f64::INFINITY] {
        let mut options = options();
        options.osm.max_street_metres = longest;
        let count = import(&content.pbf(), &options).map.street_count();
        assert_eq!(count == 2, longest == f64::INFINITY, "{longest}");
    }
}

#[test]
fn nodes_and_ways_become_points_of_interest() {
    let content = Content::default()
        .nodes(&[(1, [0, 0]), (2, [100, 0]), (3, [100, 40]), (4, [0, 40])])
        .node(9, [50, 10], "amenity=cafe name=Ada_&_\"Bob\"")
        .node(10, [50_000, 10], "shop=yes")
        .node(11, [50, 10], "natural=tree")
        .way(7, &[1, 2], "highway=road")
        .way(8, &[1, 2, 3, 4, 1], "leisure=park")
        .way(9, &[404], "tourism=hotel");
    let imported = map(&content, &options());
    let map = &imported.map;
    let found: Vec<_> = map.pois().map(|poi| (map.poi_label(poi), map.category(poi))).collect();
    assert_eq!(found, [(Some("n9"), "cafe"), (Some("n10"), "shop"), (Some("w8"), "park")]);
    let [cafe, _, park] = map.pois().collect::<Vec<_>>()[..] else { panic!("three") };
    assert_eq!(map.poi_name(cafe), Some("Ada & \"Bob\""));
    let frame = map.frame().unwrap();
    let middle = frame.lon_lat(map.poi(park).point);
    assert!((middle.lon - 8.210_75).abs() < 1e-7 && (middle.lat - 53.140_18).abs() < 1e-7);
    assert_eq!(imported.notes, ["skipped points of interest without a position: 1"]);
}

#[test]
fn a_clipped_way_is_cut_at_missing_nodes() {
    let content = Content::default()
        .nodes(&[(1, [0, 0]), (2, [100, 0]), (4, [300, 0]), (5, [400, 0]), (7, [500, 0])])
        .way(7, &[404, 1, 2, 403, 4, 5, 402, 7], "highway=road")
        .way(8, &[5], "highway=road")
        .way(9, &[], "highway=road");
    let imported = map(&content, &options());
    assert_eq!(streets(&imported.map), ["7.1 1-2 0", "7.2 4-5 0"]);
    assert_eq!(imported.provenance.nodes, 4);
    assert_eq!(
        imported.notes,
        [
            "skipped ways with fewer than two nodes: 2 (first: way 8)",
            "nodes of ways missing in the file: 3 (first: node 404 of way 7); \
             the ways are cut there",
        ]
    );
}

/// Returns the error of the content, which must be equal for PBF and XML.
fn error(content: &Content) -> (FileLocation, String) {
    let read = |bytes: &[u8]| {
        let error = read_osm_bytes(Path::new("town.osm"), bytes, &options()).unwrap_err();
        assert!(error.to_string().starts_with("town.osm"), "{error}");
        (error.location, error.problem.to_string())
    };
    let pbf = read(&content.pbf());
    assert_eq!(read(content.xml().as_bytes()), pbf);
    pbf
}

#[test]
fn ways_without_known_nodes_are_an_error() {
    let content = Content::default().nodes(&[(1, [0, 0])]).way(7, &[403, 404], "highway=road");
    let reason = "field `nd` refers to unknown node `403`";
    assert_eq!(error(&content), (FileLocation::Element("way", 7), reason.to_owned()));
}

#[test]
fn an_extract_without_a_drivable_street_is_an_error() {
    let nothing = Content::default();
    let path = nothing.clone().nodes(&[(1, [0, 0]), (2, [9, 0])]).way(7, &[1, 2], "highway=path");
    let single = nothing.clone().nodes(&[(1, [0, 0])]).way(7, &[1], "highway=road");
    for content in [nothing, path, single] {
        assert_eq!(
            error(&content),
            (FileLocation::File, "no drivable street in the extract".to_owned())
        );
    }
}

#[test]
fn a_duplicate_id_is_an_error() {
    let base =
        Content::default().nodes(&[(1, [0, 0]), (2, [100, 0])]).way(7, &[1, 2], "highway=road");
    let twice = "damaged: duplicate id".to_owned();
    let node = base.clone().nodes(&[(2, [50, 0])]);
    assert_eq!(error(&node), (FileLocation::Element("node", 2), twice.clone()));
    let way = base.clone().way(7, &[2, 1], "highway=road");
    assert_eq!(error(&way), (FileLocation::Element("way", 7), twice.clone()));
    let poi = base.node(3, [0, 0], "amenity=bar").node(3, [9, 9], "amenity=bar");
    assert_eq!(error(&poi), (FileLocation::Element("node", 3), twice));
}

#[test]
fn invalid_coordinates_are_an_error_that_names_the_node() {
    let mut content =
        Content::default().nodes(&[(1, [0, 0]), (2, [100, 0])]).way(7, &[1, 2], "highway=road");
    content.nodes[1].1 = 950_000_000;
    let reason = "field `lat` is `95`; expected degrees from -90 to 90";
    assert_eq!(error(&content), (FileLocation::Element("node", 2), reason.to_owned()));
    content.nodes[1].1 = 0;
    content.nodes[1].2 = -1_800_000_001;
    let reason = "field `lon` is `-180.0000001`; expected degrees from -180 to 180";
    assert_eq!(error(&content), (FileLocation::Element("node", 2), reason.to_owned()));
    for value in ["NaN", "inf", "-infinity", "1e999", "", "5O.1"] {
        let xml = content.xml().replace("-180.0000001", value);
        let error = read_osm_bytes(Path::new("x.osm"), xml.as_bytes(), &options()).unwrap_err();
        assert_eq!(error.location, FileLocation::Element("node", 2), "{value}: {error}");
        assert!(matches!(error.problem, Problem::BadField { field: "lon", .. }), "{value}");
    }
}

#[test]
fn a_node_far_from_its_neighbour_is_an_error_that_names_the_way() {
    let mut content =
        Content::default().nodes(&[(1, [0, 0]), (2, [100, 0])]).way(7, &[1, 2], "highway=road");
    (content.nodes[1].1, content.nodes[1].2) = (0, 0);
    let (place, reason) = error(&content);
    assert_eq!(place, FileLocation::Element("way", 7));
    assert!(reason.starts_with("damaged: nodes 1 and 2 are 5"), "{reason}");
    for (lat, lon) in [(-531_400_000, -1_717_900_000), (900_000_000, 0), (-900_000_000, 5)] {
        (content.nodes[1].1, content.nodes[1].2) = (lat, lon);
        assert!(matches!(error(&content).0, FileLocation::Element(..)));
    }
}
