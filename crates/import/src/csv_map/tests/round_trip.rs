//! Written maps are read back unchanged.

use crate::csv_map::{CsvFiles, read, write};
use crate::options::Options;
use crate::read_osm_bytes;
use crate::testing::{assert_same_map, plain_street, real_map, whole};
use meshcloak::map::{Extent, Frame, MapBuilder, RawPoi, RawStreet, StreetMap};
use meshcloak::town::Town;
use meshcloak::units::{LonLat, Point};
use rand::RngExt as _;
use std::fs;
use std::path::Path;

fn through_csv(map: &StreetMap, folder: &Path, ending: &str) -> StreetMap {
    let files = CsvFiles::of_stem(&folder.join("m"), ending);
    write(map, &files).unwrap();
    let pois = files.pois.clone().filter(|path| path.exists());
    whole(read(&CsvFiles { pois, ..files }, None, &()).unwrap())
}

#[test]
fn random_towns_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..300 {
        let town = Town::random(seed);
        let back = through_csv(&town.map, folder.path(), "");
        assert_eq!(back, town.map, "seed {seed}\n{town}");
    }
}

const TEXTS: [&str; 10] =
    ["", "a", "Weiße Straße", "a,b", "say \"hi\"", "two\nlines", " spaced ", "cr\r", "\"", "\r\n"];

/// Builds a map with unusual coordinates and texts, points of interest and a frame.
fn odd_map(seed: u64) -> StreetMap {
    let mut random = Town::generator(seed);
    let mut builder = MapBuilder::new();
    let mut point = {
        let mut random = Town::generator(seed + 1_000_000);
        let mut side = move || random.random_range(-9e3..9e3) / 7.0;
        move || Point::new(side(), side())
    };
    let text = |number: usize| TEXTS[number % TEXTS.len()];
    let terminals: Vec<_> = (0..3 + seed % 20)
        .map(|n| builder.terminal(&format!("{}{n}", text(n as usize)), point()).unwrap())
        .collect();
    for n in 0..terminals.len() * 2 {
        let bends: Vec<Point> = (0..random.random_range(0..4)).map(|_| point()).collect();
        let raw = RawStreet {
            label: &format!("{n}{}", text(n)),
            from: terminals[random.random_range(0..terminals.len())],
            to: terminals[random.random_range(0..terminals.len())],
            written_metres: (n % 3 == 0).then(|| random.random_range(1e-3..1e4)),
            one_way: random.random_bool(0.5),
            bends: &bends,
            name: text(random.random_range(0..TEXTS.len())),
            class: text(random.random_range(0..TEXTS.len())),
        };
        builder.street(raw).unwrap();
    }
    for n in 0..seed as usize % 12 {
        let category = text(1 + n % 9);
        let raw = RawPoi { label: text(n), point: point(), category, name: text(n * 3) };
        builder.poi(raw).unwrap();
    }
    if seed.is_multiple_of(2) {
        builder.set_frame(Frame::at(LonLat { lon: 8.2 + seed as f64, lat: 53.1 }));
    }
    builder.build(Extent::Whole).unwrap().map
}

#[test]
fn unusual_texts_and_coordinates_are_restored_exactly() {
    for (seed, ending) in (0..60).zip(["", ".gz"].into_iter().cycle()) {
        let folder = tempfile::tempdir().unwrap();
        let map = odd_map(seed);
        let back = through_csv(&map, folder.path(), ending);
        assert_same_map(&back, &map, &format_args!("seed {seed}"));
        assert_same_frame(&back, &map);
    }
}

/// Asserts that both frames agree within 1 mm at all terminals.
#[track_caller]
fn assert_same_frame(a: &StreetMap, b: &StreetMap) {
    let (Some(a_frame), Some(b_frame)) = (a.frame(), b.frame()) else {
        assert!(a.frame().is_none() && b.frame().is_none());
        return;
    };
    for &point in &a.tables().terminals {
        let gap = b_frame.point(a_frame.lon_lat(point)).distance(point);
        assert!(gap < 1e-3, "{gap} m at {point:?}");
    }
}

#[test]
fn the_frame_is_restored_for_any_position_of_the_origin() {
    // A grid of 25 km with the origin at a corner, in the middle, and far away.
    for (corner, lat) in [(0.0, 53.1), (-12_500.0, -30.0), (60_000.0, 68.0), (-12_500.0, 1.3)] {
        let mut builder = MapBuilder::new();
        builder.set_frame(Frame::at(LonLat { lon: 179.99, lat }));
        let mut last = None;
        for n in 0..400_u32 {
            let point = Point::new(f64::from(n % 20), f64::from(n / 20));
            let point = Point::new(corner + point.x * 1250.0, corner + point.y * 1250.0);
            let id = builder.terminal(&n.to_string(), point).unwrap();
            if let Some(from) = last.replace(id) {
                builder.street(plain_street(&n.to_string(), from, id)).unwrap();
            }
        }
        let map = builder.build(Extent::Whole).unwrap().map;
        let folder = tempfile::tempdir().unwrap();
        let back = through_csv(&map, folder.path(), "");
        assert_same_map(&back, &map, &corner);
        assert_same_frame(&back, &map);
    }
}

#[test]
fn paris_is_restored() {
    let Some(nodes) = real_map("paris/paris.nodes.csv.gz") else { return };
    let streets = real_map("paris/paris.streets.csv.gz").unwrap();
    let map = whole(read(&CsvFiles { nodes, streets, pois: None }, None, &()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let back = through_csv(&map, folder.path(), ".gz");
    assert_same_map(&back, &map, &"Paris");
    assert_same_frame(&back, &map);
}

#[test]
fn shapes_lengths_names_and_points_of_interest_of_an_osm_map_are_restored() {
    let Some(path) = real_map("porto/porto-city.osm.pbf") else { return };
    let bytes = fs::read(&path).unwrap();
    let map = read_osm_bytes(&path, &bytes, &Options::default()).unwrap().map;
    let streets = || map.streets();
    assert!(streets().any(|street| map.shape(street).len() > 20));
    assert!(streets().any(|street| map.street(street).one_way));
    assert!(streets().any(|street| map.street_name(street).is_some()));
    assert!(streets().all(|street| map.class(street).is_some()));
    assert!(map.pois().len() > 100);
    let folder = tempfile::tempdir().unwrap();
    let back = through_csv(&map, folder.path(), "");
    assert_same_map(&back, &map, &"Porto");
    assert_same_frame(&back, &map);
}

#[test]
fn equal_maps_give_equal_bytes_and_replace_old_points_of_interest() {
    let folder = tempfile::tempdir().unwrap();
    let files = CsvFiles::of_stem(&folder.path().join("m"), ".gz");
    let bytes = || fs::read(&files.streets).unwrap();
    let map = odd_map(58);
    assert!(map.pois().len() > 0);
    write(&map, &files).unwrap();
    let first = bytes();
    write(&map, &files).unwrap();
    assert_eq!(bytes(), first);
    write(&odd_map(0), &files).unwrap();
    assert_eq!(whole(read(&files, None, &()).unwrap()).pois().len(), 0);
}
