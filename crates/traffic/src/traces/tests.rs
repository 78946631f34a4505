//! Queries from traces lie on the route, are in order of time and never exceed `dc`.

use super::along::{MatchedTrip, queries_along};
use super::reports::{Report, Reported, queries_from};
use super::*;
use crate::matching::{MatchSettings, Matcher, Sighting};
use crate::naive;
use meshcloak::map::StreetMap;
use meshcloak::town::{Town, town};
use meshcloak::units::Point;
use std::time::Duration;

fn settings(seconds: u64) -> TraceSettings {
    let profile = Profile::named("p1").unwrap();
    let floor = Length::metres(10.0);
    TraceSettings { floor, seed: 7, ..TraceSettings::new(&profile).every(seconds as u32 * 1000) }
}

fn sighting(seconds: u64, x: f64, y: f64) -> Sighting {
    Sighting { at: Duration::from_secs(seconds), point: Point::new(x, y) }
}

fn along(map: &StreetMap, sightings: &[Sighting], settings: &TraceSettings) -> TraceQueries {
    let matching = MatchSettings { radius: 150.0, ..MatchSettings::default() };
    let matched = Matcher::new(map, matching).match_trip(sightings);
    queries_along([MatchedTrip { name: "t", sightings, matched: &matched }], settings)
}

/// Panics if consecutive queries of a user are farther apart than dc allows.
fn assert_within_reach(map: &StreetMap, result: &TraceQueries, context: &dyn std::fmt::Display) {
    for user in 0..result.names.len() as u32 {
        let own: Vec<&SimulatedQuery> =
            result.queries.iter().filter(|query| query.user == user).collect();
        for pair in own.windows(2) {
            let length = naive::distance(map, pair[0].position, pair[1].position);
            let steps = (pair[1].asked_at - pair[0].asked_at) / u64::from(pair[0].query_interval);
            let reach = u64::from(pair[0].distance_constraint.units()) * steps;
            let length = length.unwrap_or_else(|| panic!("no path\n{context}"));
            assert!(steps >= 1 && length <= reach, "{pair:?}\n{context}");
        }
    }
}

#[test]
fn queries_lie_along_the_route_at_constant_speed_between_sightings() {
    //  A ────────── B ────────── C
    let town = town("A 0,0  B 500,0  C 500,500 | A-B B-C");
    let trip = [sighting(0, 400.0, 0.0), sighting(20, 500.0, 100.0), sighting(30, 500.0, 120.0)];
    let result = along(&town.map, &trip, &settings(5));
    let positions: Vec<(u64, Point)> = result
        .queries
        .iter()
        .map(|query| (query.asked_at, town.map.point(query.position)))
        .collect();
    let expected = [
        (0, 400.0, 0.0),
        (5_000, 450.0, 0.0),
        (10_000, 500.0, 0.0),
        (15_000, 500.0, 50.0),
        (20_000, 500.0, 100.0),
        (25_000, 500.0, 110.0),
        (30_000, 500.0, 120.0),
    ];
    assert_eq!(positions, expected.map(|(at, x, y)| (at, Point::new(x, y))));
    for query in &result.queries {
        assert_eq!((query.speed, query.distance_constraint), (10_000, Length::metres(50.0)));
        assert!((2..=5).contains(&query.k));
    }
}

#[test]
fn a_jump_of_a_recorded_position_does_not_raise_the_speed_above_the_top_speed() {
    let town = town("A 0,0  B 3000,0 | A-B");
    // 20 m/s, recorded every second; from 10 to 14 s the positions are 110 m ahead.
    let error = |second: u64| if (10..15).contains(&second) { 110.0 } else { 0.0 };
    let at = |second: u64| sighting(second, 100.0 + 20.0 * second as f64 + error(second), 0.0);
    let trip: Vec<Sighting> = (0..60).map(at).collect();
    let result = along(&town.map, &trip, &settings(1));
    assert_eq!(result.names.len(), 1);
    let top_speed = Length::metres(MatchSettings::default().top_speed);
    assert!(result.queries.iter().all(|query| query.distance_constraint <= top_speed));
    assert_within_reach(&town.map, &result, &town);
    let last = town.map.point(result.queries.last().unwrap().position);
    assert_eq!(last, Point::new(1_280.0, 0.0));
}

#[test]
fn standing_users_have_the_minimum_dc_and_a_broken_trip_is_two_users() {
    let town = town("A 0,0  B 300,0  C 900,0  D 1200,0 | A-B C-D");
    let xs = [100.0, 100.0, 100.0, 1_000.0, 1_100.0];
    let trip: Vec<Sighting> =
        xs.iter().enumerate().map(|(n, &x)| sighting(n as u64 * 15, x, 3.0)).collect();
    let result = along(&town.map, &trip, &settings(10));
    assert_eq!(result.names, ["t", "t#2"]);
    assert_eq!(result.queries[0].distance_constraint, Length::metres(10.0));
    assert!(result.queries.last().unwrap().distance_constraint >= Length::metres(66.0));
}

#[test]
fn queries_of_matched_trips_stay_within_dc() {
    let mut queries = 0;
    for seed in 0..200 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let mut coordinate = || random.random_range(-500.0..500.0);
        let trip: Vec<Sighting> =
            (0..10).map(|n| sighting(n * 20, coordinate(), coordinate())).collect();
        let seconds = 1 + seed % 30;
        let result = along(&town.map, &trip, &settings(seconds));
        queries += result.queries.len();
        assert!(result.queries.is_sorted_by_key(|query| (query.asked_at, query.user)));
        assert_within_reach(&town.map, &result, &format!("seed {seed}\n{town}"));
    }
    assert!(queries > 1_000, "only {queries} queries");
}

#[test]
fn queries_of_a_brinkhoff_trace_stay_within_dc() {
    let mut raised = 0;
    for seed in 0..200 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let mut coordinate = || random.random_range(-600.0..600.0);
        let reports = (0..8).map(|n| Report {
            stamp: n * (1 + n % 2),
            point: Point::new(coordinate(), coordinate()),
            speed: 50.0,
            k: None,
        });
        let mut reports: Vec<Report> = reports.collect();
        reports.sort_by_key(|report| report.stamp);
        reports.dedup_by_key(|report| report.stamp);
        let objects = [Reported { name: "7".into(), reports }];
        let (result, snapping) = queries_from(&town.map, &objects, Some(300.0), &settings(5));
        raised += snapping.raised;
        assert_eq!(snapping.snapped() + snapping.off_map, snapping.reports);
        assert_eq!(result.queries.len(), snapping.snapped());
        assert_within_reach(&town.map, &result, &format!("seed {seed}\n{town}"));
    }
    assert!(raised > 50, "only {raised} were raised");
}

#[test]
fn a_report_keeps_its_k_and_its_speed_determines_dc() {
    let town = town("A 0,0  B 900,0 | A-B");
    let report = |stamp, x, speed, k| Report { stamp, point: Point::new(x, 4.0), speed, k };
    let reports = vec![
        report(0, 100.0, 39.0, Some(4)),
        report(1, 139.0, 59.0, None),
        report(2, 1e6, 1.0, None),
    ];
    let objects = [Reported { name: "7".into(), reports }];
    let (result, snapping) = queries_from(&town.map, &objects, Some(50.0), &settings(5));
    assert_eq!((snapping.snapped(), snapping.off_map, snapping.raised), (2, 1, 0));
    assert_eq!((snapping.distance(0.5), snapping.distance(1.0)), (4.0, 4.0));
    assert_eq!(result.queries[0].k, 4);
    assert_eq!(result.queries[1].asked_at, 5_000);
    assert_eq!(
        (result.queries[0].speed, result.queries[0].distance_constraint),
        (11_800, Length::metres(59.0))
    );
}

#[test]
fn overlaid_trips_start_within_the_window_and_keep_their_duration() {
    let mut trips = [
        vec![sighting(1_000, 0.0, 0.0), sighting(1_030, 1.0, 0.0)],
        vec![],
        vec![sighting(8_250, 0.0, 0.0), sighting(8_300, 1.0, 0.0)],
    ];
    overlay(trips.iter_mut(), Duration::from_secs(3_600));
    let times: Vec<Vec<u64>> = trips
        .iter()
        .map(|trip| trip.iter().map(|sighting| sighting.at.as_secs()).collect())
        .collect();
    assert_eq!(times, [vec![0, 30], vec![], vec![50, 100]]);
    overlay(trips.iter_mut(), Duration::ZERO);
    assert_eq!(trips[2][0].at.as_secs(), 50);
}

#[test]
fn intervals_follow_the_profile() {
    let own = TraceSettings::new(&Profile::named("p1").unwrap());
    assert_eq!(own.stamp(), 5_000);
    let drawn = |n| own.interval(&mut own.generator(n));
    let fives = (0..4_000).filter(|&n| drawn(n) == 5_000).count();
    assert!((1_900..2_100).contains(&fives), "{fives}");
    assert_eq!(own.clone().every(0).stamp(), 1);
}
