//! Properties of generated cities.

use super::drawing::{Drawing, build, draw};
use super::lines::{RoadClass, Traffic};
use super::vector::meeting;
use super::{CityPlan, CitySizeError};
use meshcloak::map::{Built, Dropped, Extent, StreetMap};
use meshcloak::units::Point;
use std::collections::{BTreeMap, HashMap};

/// A straight segment of a street.
#[derive(Clone, Copy)]
struct Segment {
    street: usize,
    from: Point,
    to: Point,
}

/// An intersection of two segments.
#[derive(Debug)]
struct Intersection {
    street: usize,
    #[expect(dead_code, reason = "printed by a failing test")]
    other: usize,
    #[expect(dead_code, reason = "printed by a failing test")]
    point: Point,
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Ground,
    Motorway,
}

fn drawn(seed: u64, streets: usize) -> Drawing {
    draw(CityPlan::new(seed, streets).unwrap(), &())
}

fn built(seed: u64, streets: usize) -> Built {
    let draft = build(CityPlan::new(seed, streets).unwrap(), &());
    draft.builder.build(Extent::LargestPart).unwrap()
}

/// Checksum of all streets and points of interest of a map.
fn checksum(map: &StreetMap) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let mut text = |text: Option<&str>| {
        hasher.update(text.unwrap_or("").as_bytes());
        hasher.update(&[0]);
    };
    for street in map.streets() {
        let ends = map.street(street);
        text(Some(map.street_label(street)));
        text(map.street_name(street));
        text(map.class(street));
        text(Some(map.terminal_label(ends.from)));
        text(Some(map.terminal_label(ends.to)));
        text(Some(if ends.one_way { ">" } else { "-" }));
        for point in map.shape(street) {
            text(Some(&format!("{:?} {:?}", point.x, point.y)));
        }
    }
    for poi in map.pois() {
        let point = map.poi(poi).point;
        text(map.poi_name(poi));
        text(Some(map.category(poi)));
        text(Some(&format!("{:?} {:?}", point.x, point.y)));
    }
    hasher.finalize()
}

/// Returns the segments of all streets on one level.
fn segments(d: &Drawing, level: Level) -> Vec<Segment> {
    let mut all = Vec::new();
    for (n, road) in d.net.roads.iter().enumerate() {
        if (d.lines.get(road.line).class <= RoadClass::MotorwayLink) != (level == Level::Motorway) {
            continue;
        }
        let ends = [road.from, road.to].map(|t| d.net.terminals[t as usize]);
        let mut last = ends[0];
        for &p in road.bends.iter().chain([&ends[1]]) {
            all.push(Segment { street: n, from: last, to: p });
            last = p;
        }
    }
    all
}

/// Returns the intersections of segments, except at common ends.
fn intersections(a: &[Segment], b: &[Segment]) -> Vec<Intersection> {
    const CELL: f64 = 150.0;
    let cells = |segment: &Segment| {
        let (p, q) = (segment.from, segment.to);
        let cell = |v: f64| (v / CELL).floor() as i64;
        let (x0, x1) = (cell(p.x.min(q.x)), cell(p.x.max(q.x)));
        let (y0, y1) = (cell(p.y.min(q.y)), cell(p.y.max(q.y)));
        (x0..=x1).flat_map(move |x| (y0..=y1).map(move |y| (x, y)))
    };
    let mut grid: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (n, s) in b.iter().enumerate() {
        cells(s).for_each(|cell| grid.entry(cell).or_default().push(n));
    }
    let mut found = Vec::new();
    for s in a {
        let mut near: Vec<usize> =
            cells(s).filter_map(|cell| grid.get(&cell)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        for n in near {
            let t = &b[n];
            let common = [s.from, s.to].iter().any(|p| *p == t.from || *p == t.to);
            if let Some((at, _)) = meeting(s.from, s.to, t.from, t.to).filter(|_| !common) {
                let point = s.from.towards(s.to, at);
                found.push(Intersection { street: s.street, other: t.street, point });
            }
        }
    }
    found
}

#[test]
fn a_city_is_determined_by_its_seed_and_size() {
    let first = checksum(&built(1, 500).map);
    assert_eq!(first, checksum(&built(1, 500).map));
    assert_ne!(first, checksum(&built(2, 500).map));
    // Update when the generator is changed on purpose.
    assert_eq!(first, 0x91e4_1262, "{first:#x}");
}

#[test]
fn a_city_has_the_requested_streets_and_is_strongly_connected() {
    for (seed, streets) in [(1, 500), (2, 500), (3, 1200), (1, 7000), (2, 7000), (1, 50_000)] {
        let Built { map, dropped, repairs } = built(seed, streets);
        let off = map.street_count() as f64 / streets as f64 - 1.0;
        assert!(off.abs() < 0.03, "{} for {streets}", map.street_count());
        assert_eq!(dropped, Dropped::default(), "seed {seed}, {streets} streets");
        assert_eq!((repairs.zero_length, repairs.lengthened), (0, 0));
    }
}

#[test]
fn the_largest_city_has_two_hundred_thousand_streets() {
    let Built { map, dropped, .. } = built(1, CityPlan::MAX_STREETS);
    assert!((194_000..206_000).contains(&map.street_count()));
    assert_eq!(dropped, Dropped::default());
}

#[test]
fn streets_meet_only_at_terminals_and_motorways_cross_them() {
    for (seed, streets) in [(1, 500), (2, 500), (3, 500), (4, 2000), (1, 7000), (17, 7000)] {
        let city = drawn(seed, streets);
        let ground = segments(&city, Level::Ground);
        let found = intersections(&ground, &ground);
        assert!(found.is_empty(), "seed {seed}, {streets} streets: {:?}", found[0]);
        assert!(!intersections(&segments(&city, Level::Motorway), &ground).is_empty());
    }
}

#[test]
fn only_bridges_cross_the_river() {
    for (seed, streets) in [(1, 500), (2, 500), (108, 500), (4, 2000), (1, 7000), (2, 7000)] {
        let city = drawn(seed, streets);
        let mut all = segments(&city, Level::Ground);
        all.extend(segments(&city, Level::Motorway));
        let leg =
            |(street, ends): (usize, &[Point])| Segment { street, from: ends[0], to: ends[1] };
        let river: Vec<Segment> = city.river.windows(2).enumerate().map(leg).collect();
        let crossings = intersections(&all, &river);
        assert_eq!(crossings.len(), city.bridges, "seed {seed}, {streets} streets");
        assert!((4..=16).contains(&city.bridges));
        for Intersection { street, .. } in crossings {
            let line = city.net.roads[street].line;
            let name = &city.names[line.0 as usize];
            let motorway = city.lines.get(line).class == RoadClass::Motorway;
            assert!(motorway || name.ends_with("Bridge"), "{name}");
        }
    }
}

#[test]
fn shares_of_street_classes_match_a_real_city() {
    for seed in [1, 2] {
        let city = drawn(seed, 7000);
        let (roads, count) = (&city.net.roads, city.net.roads.len() as f64);
        let share = |part: usize| part as f64 / count;
        let one_way = roads.iter().filter(|road| road.traffic == Traffic::AsDrawn).count();
        assert!((0.10..0.25).contains(&share(one_way)));
        let class = |road: &&super::road_network::Road| city.lines.get(road.line).class;
        let homes = roads.iter().filter(|road| class(road) >= RoadClass::Residential).count();
        assert!((0.55..0.9).contains(&share(homes)));
        for word in
            [RoadClass::Motorway, RoadClass::MotorwayLink, RoadClass::Trunk, RoadClass::Primary]
        {
            assert!(roads.iter().any(|road| class(&road) == word), "{word:?}");
        }
        let mut degrees = vec![0; city.net.terminals.len()];
        for road in roads {
            degrees[road.from as usize] += 1;
            degrees[road.to as usize] += 1;
        }
        let dead_ends = degrees.iter().filter(|degree| **degree == 1).count() as f64;
        assert!((0.05..0.25).contains(&(dead_ends / degrees.len() as f64)));
    }
}

#[test]
fn the_default_city_is_25_km_wide_and_has_the_street_length_of_oldenburg() {
    let map = built(1, 7000).map;
    let bounds = map.bounds();
    assert!((22_000.0..28_000.0).contains(&bounds.width()));
    assert!((22_000.0..28_000.0).contains(&bounds.height()));
    let metres: f64 = map.streets().map(|street| map.metres(street)).sum();
    assert!((1_200_000.0..1_700_000.0).contains(&metres), "{metres}");
    assert!(map.streets().all(|street| map.metres(street) > 10.0));
    assert!(map.frame().is_some());
}

#[test]
fn points_of_interest_are_densest_in_the_centre() {
    let map = built(1, 7000).map;
    let mut categories: BTreeMap<&str, usize> = BTreeMap::new();
    map.pois().for_each(|poi| *categories.entry(map.category(poi)).or_default() += 1);
    assert!(categories.len() >= 8, "{categories:?}");
    assert!((800..1400).contains(&map.pois().len()));
    assert!(map.pois().all(|poi| map.poi_name(poi).is_some()));
    let within = |low: f64, high: f64| {
        let away = |poi: &_| map.poi(*poi).point.distance(Point::default());
        let count = map.pois().filter(|poi| (low..high).contains(&away(poi))).count();
        count as f64 / (high * high - low * low)
    };
    assert!(within(0.0, 800.0) > 3.0 * within(800.0, 3000.0));
    assert!(within(800.0, 3000.0) > 3.0 * within(3000.0, 12_000.0));
}

#[test]
fn sizes_outside_the_range_are_rejected() {
    for streets in [0, 499, 200_001, usize::MAX] {
        let error = CityPlan::new(1, streets).unwrap_err();
        assert_eq!(error, CitySizeError(streets));
        assert!(error.to_string().contains("500 to 200,000"));
    }
    assert_eq!(CityPlan::default(), CityPlan::new(1, 7000).unwrap());
}
