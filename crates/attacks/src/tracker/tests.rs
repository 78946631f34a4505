use super::naive::ExactFilter;
use super::*;
use crate::testing::seconds;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::mix::mix64;
use meshcloak::region::Region;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Time};
use std::time::Duration;

const PARTICLES: usize = 20_000;

/// Every leg takes one second; turns have pseudo-random probabilities.
fn second_per_leg(map: &StreetMap) -> Movement {
    let pace = |leg: usize| {
        let metres = map.street(StreetId((leg / 2) as u32)).length.as_metres();
        LegPace { mean: metres.max(0.5), deviation: 0.0 }
    };
    Movement::new(map, pace, |from, to, _| 0.2 + unit(from as u64 * 1_000 + to as u64))
}

fn unit(value: u64) -> f64 {
    (mix64(value) >> 11) as f64 / (1_u64 << 53) as f64
}

fn middle(map: &StreetMap, street: StreetId) -> Position {
    Position { street, offset: Length::from_units(map.street(street).length.units() / 2) }
}

#[test]
fn the_filter_agrees_with_the_exact_one_on_random_towns() {
    for seed in 0..60 {
        let town = Town::random(seed);
        let movement = second_per_leg(&town.map);
        let start = StreetId((mix64(seed) % town.map.street_count() as u64) as u32);
        if town.map.street(start).length < Length::metres(2.0) {
            continue;
        }
        let mut exact = ExactFilter::new(&movement, start);
        let place = middle(&town.map, start);
        let mut tracker = Tracker::new(&town.map, &movement, place, PARTICLES, seed);
        for tick in 0..6 {
            exact.advance();
            tracker.advance(1.0);
            let likelihood =
                |street: StreetId| 0.3 + unit(seed << 20 | tick << 10 | u64::from(street.0));
            exact.observe(likelihood);
            tracker.observe(likelihood);
            let expected = exact.streets();
            let found = tracker.streets();
            assert!(found.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
            let sum: f64 = found.iter().map(|one| one.weight).sum();
            assert!((sum - 1.0).abs() < 1e-9);
            for one in &found {
                let right = expected.get(&one.street).copied().unwrap_or(0.0);
                let gap = (one.weight - right).abs();
                assert!(gap < 0.03, "seed {seed} tick {tick} {one:?} {right}\n{town}");
            }
        }
    }
}

/// A fork: the target comes from A; the branches end in C and D.
fn fork() -> Town {
    town("A 0,0  B 100,0  C 200,100  D 200,-100 | A-B B-C B-D")
}

#[test]
fn regions_tell_which_branch_was_taken() {
    let town = fork();
    let (left, right) = (town.at("B-C", 1.0).street, town.at("B-D", 1.0).street);
    let movement =
        Movement::new(&town.map, |_| LegPace { mean: 10.0, deviation: 0.0 }, |_, _, _| 1.0);
    let mut stream = RegionStream::new(Duration::from_secs(1));
    for second in 1..=60 {
        let is_left = second % 2 == 0 || (26..=30).contains(&second);
        let region = Region::Mesh(vec![if is_left { left } else { right }].into());
        // The same region twice counts once.
        stream.add(&town.map, seconds(second), vec![region.clone(), region]);
    }
    stream.finish(&town.map);
    let mut tracker = Tracker::new(&town.map, &movement, town.at("A-B", 50.0), 2_000, 1);
    for tick in 21..=30 {
        tracker.advance(1.0);
        tracker.observe(|street| stream.likelihood(tick, street, 0.5));
    }
    let weight = |street: StreetId| {
        tracker.streets().iter().find(|one| one.street == street).map_or(0.0, |one| one.weight)
    };
    assert!(weight(left) > 3.0 * weight(right), "{:?}", tracker.streets());
}

#[test]
fn likelihoods_compare_with_the_usual_density() {
    let town = fork();
    let left = town.at("B-C", 1.0).street;
    let right = town.at("B-D", 1.0).street;
    let mut stream = RegionStream::new(Duration::from_secs(5));
    let region = |street: StreetId| Region::Mesh(vec![street].into());
    stream.add(&town.map, seconds(1), vec![region(left)]);
    stream.add(&town.map, seconds(10), vec![region(right)]);
    stream.finish(&town.map);
    assert_eq!((stream.tick_count(), stream.tick_after(Time::from_millis(5_001))), (3, 2));
    assert_eq!(stream.time(2), seconds(10));
    // Covered in one of three ticks.
    assert!((stream.likelihood(1, left, 0.1) - (0.9 + 0.1 * 3.0)).abs() < 1e-6);
    assert!((stream.likelihood(2, left, 0.1) - 0.9).abs() < 1e-6);
    assert!((stream.likelihood(9, left, 0.1) - 0.9).abs() < 1e-6);
    assert_eq!(stream.likelihood(2, left, 0.0), 1.0);
}

#[test]
fn one_way_streets_are_followed_in_their_direction() {
    let town = town("A 0,0  B 100,0  C 100,100 | A>B B>C C>A");
    let movement =
        Movement::new(&town.map, |_| LegPace { mean: 10.0, deviation: 0.5 }, |_, _, _| 1.0);
    let mut tracker = Tracker::new(&town.map, &movement, town.at("A>B", 90.0), 500, 1);
    tracker.advance(4.0);
    let streets = tracker.streets();
    assert_eq!(streets.len(), 1);
    assert_eq!(streets[0].street, town.at("B>C", 1.0).street);
}

#[test]
fn excluded_particles_do_not_end_the_search() {
    let town = fork();
    let movement =
        Movement::new(&town.map, |_| LegPace { mean: 10.0, deviation: 1.0 }, |_, _, _| 1.0);
    let mut tracker = Tracker::new(&town.map, &movement, town.at("A-B", 50.0), 100, 1);
    tracker.observe(|_| 0.0);
    assert!((tracker.streets().iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-9);
}
