//! Properties of all agents on random towns with all profiles.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetMap};
use meshcloak::town::Town;
use rand::RngExt as _;
use std::collections::BTreeMap;
use traffic::{Profile, Routes, SimulatedQuery, Simulation, SimulationSettings, naive};

/// The largest part of a random town, with streets of all ranks.
fn ranked_town(seed: u64) -> StreetMap {
    let town = Town::random(seed);
    let part = MapBuilder::from_map(&town.map).build(Extent::LargestPart);
    let map = part.map_or(town.map, |built| built.map);
    let mut random = Town::generator(seed);
    let mut builder = MapBuilder::new();
    for terminal in map.terminals() {
        builder.terminal(map.terminal_label(terminal), map.terminal(terminal)).unwrap();
    }
    for id in map.streets() {
        let (street, shape) = (map.street(id), map.shape(id));
        let raw = RawStreet {
            label: map.street_label(id),
            from: street.from,
            to: street.to,
            written_metres: Some(street.length.as_metres()),
            one_way: street.one_way,
            bends: &shape[1..shape.len() - 1],
            name: "",
            class: &random.random_range(0..7).to_string(),
        };
        builder.street(raw).unwrap();
    }
    builder.build(Extent::Whole).unwrap().map
}

/// Short variants of the built-in profiles; the last one has intervals of about a second.
fn profiles() -> Vec<Profile> {
    let city = include_str!("../profiles/city.toml")
        .replace("duration = 3600", "duration = 90")
        .replace("to = 2400", "to = 30");
    let every_second = city
        .replace("seconds = [10, 20, 30]", "seconds = [1, 0.7, 2.5]")
        .replace("metres = 8.0", "metres = 150.0")
        .replace("every = 120", "every = 7");
    let mut all: Vec<Profile> = ["p1", "p2"].map(|name| Profile::named(name).unwrap()).into();
    all.extend([city, every_second].map(|text| Profile::from_toml(&text).unwrap()));
    all
}

fn queries(
    map: &StreetMap,
    profile: &Profile,
    settings: SimulationSettings,
) -> Vec<SimulatedQuery> {
    let mut simulation = Simulation::new(map, profile, settings);
    let mut all = Vec::new();
    while let Some(batch) = simulation.step() {
        all.extend(batch.queries);
    }
    all
}

fn by_user(queries: &[SimulatedQuery]) -> BTreeMap<u32, Vec<SimulatedQuery>> {
    let mut traces: BTreeMap<u32, Vec<SimulatedQuery>> = BTreeMap::new();
    for query in queries {
        traces.entry(query.user).or_default().push(*query);
    }
    traces
}

/// Asserts that consecutive queries are within dc; returns the number of moves.
fn check_constraints(map: &StreetMap, seed: u64, users: u32) -> usize {
    let mut moved = 0;
    for (number, profile) in profiles().iter().enumerate() {
        let settings = SimulationSettings { users, seed, ..SimulationSettings::default() };
        for trace in by_user(&queries(map, profile, settings)).values() {
            for pair in trace.windows(2) {
                let [a, b] = [pair[0].position, pair[1].position];
                let distance = naive::distance(map, a, b);
                let max = u64::from(pair[0].distance_constraint.units());
                let is_within = distance.is_some_and(|distance| distance <= max);
                assert!(is_within, "seed {seed} profile {number} {distance:?} {pair:?}");
                let span = pair[1].asked_at - pair[0].asked_at;
                assert_eq!(span, u64::from(pair[0].query_interval));
                moved += usize::from(a != b);
            }
        }
    }
    moved
}

#[test]
fn consecutive_queries_are_within_dc() {
    let moved: usize = (0..160).map(|seed| check_constraints(&ranked_town(seed), seed, 10)).sum();
    assert!(moved > 10_000, "only {moved} moves");
}

fn city(seed: u64, streets: usize) -> StreetMap {
    let source = import::MapSource::City(import::CityPlan::new(seed, streets).unwrap());
    import::read_map(&source, &import::Options::default(), &()).unwrap().map
}

#[test]
fn consecutive_queries_are_within_dc_in_built_in_cities() {
    for (seed, streets) in [(1, 500), (2, 700)] {
        assert!(check_constraints(&city(seed, streets), seed, 12) > 300);
    }
}

/// Asserts that no agent is faster than its own speed and the limits allow along one-way streets;
/// returns the number of compared pairs of queries.
fn check_speeds(map: &StreetMap, seed: u64, users: u32) -> usize {
    let kmh = [110.0, 80.0, 60.0, 50.0, 50.0, 30.0, 20.0];
    let limit = |leg: usize| {
        let street = traffic::Leg::from_index(leg).street();
        (kmh[map.rank(street).number()] * 1000.0 / 3.6_f64).floor() as u32
    };
    let limits: Vec<u32> = (0..2 * map.street_count()).map(limit).collect();
    let settings = SimulationSettings { users, seed, ..SimulationSettings::default() };
    let all = queries(map, &profiles()[3], settings);
    let mut by_speed: BTreeMap<u32, Routes> = BTreeMap::new();
    let mut compared = 0;
    for trace in by_user(&all).values() {
        let speed = trace[0].speed;
        let routes =
            by_speed.entry(speed).or_insert_with(|| Routes::new(map, Some(speed), &limits));
        for pair in trace.windows(2).filter(|pair| pair[0].position != pair[1].position) {
            let fastest = naive::cheapest(map, routes, pair[0].position, pair[1].position);
            // Costs are rounded up once for each leg of the route.
            let span = u64::from(pair[0].query_interval) * 1000 + 2000;
            assert!(fastest.is_some_and(|time| time <= span), "seed {seed} {pair:?}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn agents_respect_speed_limits_and_one_way_streets() {
    let compared: usize = (0..200).map(|seed| check_speeds(&ranked_town(seed), seed, 10)).sum();
    assert!(compared > 10_000, "only {compared} moves");
}

#[test]
fn agents_respect_speed_limits_in_built_in_cities() {
    for (seed, streets, users) in [(1, 500, 30), (2, 2000, 12)] {
        let map = city(seed, streets);
        assert!(map.streets().any(|street| map.street(street).one_way));
        assert!(check_speeds(&map, seed, users) > 300);
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let map = ranked_town(600);
    for profile in &profiles() {
        let settings = SimulationSettings { users: 5000, seed: 9, ..SimulationSettings::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| queries(&map, profile, settings))
        };
        let one = with(1);
        assert!(one.len() > 10_000);
        assert!(one.is_sorted_by_key(|query| (query.asked_at, query.user)));
        assert!(one == with(2) && one == with(8));
        assert!(one != queries(&map, profile, SimulationSettings { seed: 10, ..settings }));
    }
}

#[test]
fn congestion_slows_agents_and_changes_routes() {
    let map = ranked_town(590);
    let text = include_str!("../profiles/city.toml")
        .replace("duration = 3600", "duration = 600")
        .replace("to = 2400", "to = 30")
        .replace("leave = 0.4", "leave = 0.0");
    let totals = |capacity: &str| {
        let text = text.replace("metres = 8.0", capacity);
        let profile = Profile::from_toml(&text).unwrap();
        let settings = SimulationSettings { users: 2000, ..SimulationSettings::default() };
        let mut simulation = Simulation::new(&map, &profile, settings);
        while simulation.step().is_some() {}
        simulation.totals()
    };
    let (free, congested) = (totals("metres = 0.1"), totals("metres = 20.0"));
    assert!(congested.travelled < free.travelled / 10 * 7, "{congested:?} {free:?}");
    assert!(congested.changes_of_route > free.changes_of_route, "{congested:?} {free:?}");
}

#[test]
fn towns_without_routes_are_handled() {
    // One-way streets into dead ends, and a town a few centimetres across.
    for text in
        ["A 0,0 B 9,0 | A>B", "A 0,0 B 0,0 | A-B", "A 0,0 | A>A A-A", "A 0,0 B 1,0 C 9,9 | A-B"]
    {
        let town = meshcloak::town::town(text);
        for profile in &profiles() {
            let settings = SimulationSettings { users: 20, ..SimulationSettings::default() };
            assert!(!queries(&town.map, profile, settings).is_empty(), "{town}");
        }
    }
}
