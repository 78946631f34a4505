//! The map builder returns a valid map or an error that names the problem.

use meshcloak::map::{Built, Dropped, Extent, MapBuilder, MapError, RawPoi, RawStreet, Repairs};
use meshcloak::map::{StreetId, TerminalId};
use meshcloak::town::Town;
use meshcloak::units::{Length, Point};

fn street<'a>(label: &'a str, from: u32, to: u32) -> RawStreet<'a> {
    RawStreet {
        label,
        from: TerminalId(from),
        to: TerminalId(to),
        written_metres: None,
        one_way: false,
        bends: &[],
        name: "",
        class: "",
    }
}

/// Terminals 0, 1, 2, … at x = 0, 100, 200, … metres.
fn row(terminals: u32) -> MapBuilder {
    let mut builder = MapBuilder::new();
    for number in 0..terminals {
        builder
            .terminal(&number.to_string(), Point::new(f64::from(number) * 100.0, 0.0))
            .expect("a new label");
    }
    builder
}

#[test]
fn a_street_of_zero_length_is_one_unit_long_and_counted() {
    let mut builder = row(1);
    builder.terminal("same place", Point::new(0.0, 0.0)).unwrap();
    builder.street(street("a", 0, 1)).unwrap();
    let built = builder.build(Extent::Whole).unwrap();
    assert_eq!(built.map.street(StreetId(0)).length, Length::UNIT);
    assert_eq!(built.map.metres(StreetId(0)), 0.0);
    assert_eq!(built.repairs, Repairs { zero_length: 1, lengthened: 0 });
}

#[test]
fn a_length_below_that_of_the_shape_is_increased_and_counted() {
    let mut builder = row(2);
    for (label, metres) in [("longer", 140.0), ("equal", 100.0), ("shorter", 60.0)] {
        builder.street(RawStreet { written_metres: Some(metres), ..street(label, 0, 1) }).unwrap();
    }
    let Built { map, repairs, .. } = builder.build(Extent::Whole).unwrap();
    let metres: Vec<f64> = map.streets().map(|s| map.street(s).length.as_metres()).collect();
    assert_eq!(metres, [140.0, 100.0, 100.0]);
    assert_eq!(repairs, Repairs { zero_length: 0, lengthened: 1 });
}

#[test]
fn a_length_must_be_positive_and_finite() {
    for metres in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        let raw = RawStreet { written_metres: Some(metres), ..street("s7", 0, 1) };
        let error = row(2).street(raw).unwrap_err().to_string();
        assert!(error.starts_with("street `s7` has length"), "{error}");
    }
    let raw = RawStreet { written_metres: Some(2e8), ..street("s7", 0, 1) };
    assert!(matches!(row(2).street(raw), Err(MapError::TooLong { .. })));
}

#[test]
fn invalid_items_are_rejected_when_added() {
    let mut builder = row(2);
    let invalid = Point::new(f64::NAN, 0.0);
    let place = "`t` is at NaN, 0; expected finite metres within ±40,000 km";
    assert_eq!(builder.terminal("t", invalid).unwrap_err().to_string(), place);
    assert!(matches!(
        builder.terminal("t", Point::new(5e7, 0.0)),
        Err(MapError::BadCoordinates { .. })
    ));
    assert_eq!(
        builder.terminal("1", Point::new(5.0, 5.0)),
        Err(MapError::DuplicateTerminal("1".into()))
    );
    builder.street(street("a", 0, 1)).unwrap();
    assert_eq!(builder.street(street("a", 1, 0)), Err(MapError::DuplicateStreet("a".into())));
    assert_eq!(builder.street(street("b", 0, 9)), Err(MapError::UnknownTerminal("b".into())));
    let bent = RawStreet { bends: &[invalid], ..street("c", 0, 1) };
    assert!(matches!(builder.street(bent), Err(MapError::BadCoordinates { .. })));
    let poi = RawPoi { label: "", point: invalid, category: "bank", name: "" };
    assert!(
        matches!(builder.poi(poi), Err(MapError::BadCoordinates { label, .. }) if label == "bank")
    );
    let map = builder.build(Extent::Whole).unwrap().map;
    assert_eq!(
        (map.street_count(), map.tables().shape_points.len()),
        (1, 2),
        "rejected items are not kept"
    );
}

#[test]
fn a_map_must_have_a_street() {
    assert_eq!(row(3).build(Extent::Whole), Err(MapError::NoStreet));
    // A single one-way street: each terminal is a component without a street.
    let mut builder = row(2);
    builder.street(RawStreet { one_way: true, ..street("out", 0, 1) }).unwrap();
    assert_eq!(builder.clone().build(Extent::LargestPart), Err(MapError::NoStreet));
    assert!(builder.build(Extent::Whole).is_ok());
}

#[test]
fn only_the_largest_component_is_kept_and_the_rest_is_counted() {
    //  0 ── 1 ── 2 ─▶ 3     4 ── 5
    let mut builder = row(6);
    builder.street(street("a", 0, 1)).unwrap();
    builder.street(street("b", 4, 5)).unwrap();
    builder.street(RawStreet { one_way: true, ..street("c", 2, 3) }).unwrap();
    builder.street(RawStreet { name: "Long Lane", class: "primary", ..street("d", 1, 2) }).unwrap();
    let poi = RawPoi { label: "p", point: Point::new(460.0, 5.0), category: "bank", name: "" };
    builder.poi(poi).unwrap();
    let Built { map, dropped, .. } = builder.build(Extent::LargestPart).unwrap();
    let labels: Vec<&str> = map.streets().map(|s| map.street_label(s)).collect();
    assert_eq!(labels, ["a", "d"]);
    assert_eq!(map.street_name(StreetId(1)), Some("Long Lane"));
    assert_eq!(dropped, Dropped { terminals: 3, streets: 2, metres: 200.0, parts: 2 });
    let poi = map.poi(map.pois().next().unwrap());
    assert_eq!(map.point(poi.position), Point::new(200.0, 0.0), "on a kept street");
}

#[test]
fn all_terminals_of_the_largest_component_reach_each_other() {
    let mut cut = 0;
    for seed in 0..300 {
        let town = Town::random(seed);
        let Ok(built) = MapBuilder::from_map(&town.map).build(Extent::LargestPart) else {
            continue;
        };
        let reach = meshcloak::naive::reachability(&built.map);
        assert!(reach.iter().flatten().all(|&reached| reached), "seed {seed}\n{town}");
        let whole = town.map.street_count();
        assert_eq!(built.map.street_count() + built.dropped.streets, whole, "seed {seed}");
        cut += usize::from(built.dropped.streets > 0);
    }
    assert!(cut > 50, "only {cut} towns have dropped streets");
}

#[test]
fn a_rebuilt_map_is_unchanged() {
    for seed in 0..200 {
        let town = Town::random(seed);
        let again = MapBuilder::from_map(&town.map).build(Extent::Whole).unwrap();
        assert_eq!(again.map, town.map, "seed {seed}\n{town}");
    }
}
