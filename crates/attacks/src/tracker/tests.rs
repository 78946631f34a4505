use super::naive::Enumeration;
use super::*;
use crate::testing::seconds;
use crate::view::RegionDependence;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::mix::mix64;
use meshcloak::region::Region;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Time};
use rand::RngExt as _;
use std::sync::Arc;
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

/// A scheme that publishes some streets around its users.
pub(super) struct RandomScheme {
    pub town: Town,
    pub stream: RegionStream,
    pub examples: Vec<Example>,
    pub model: SchemeModel,
}

/// Publishes users of a random town from tick 1 on; one in twenty is outside of its region.
pub(super) fn random_scheme(seed: u64, ticks: usize, publications: usize) -> RandomScheme {
    let town = Town::random(seed);
    let mut random = Town::generator(seed ^ 0xa55a);
    let mut stream = RegionStream::new(Duration::from_secs(1), 1..ticks + 1);
    let mut lessons = Lessons { asked: vec![0; town.map.street_count()], published: Vec::new() };
    let streets: Vec<StreetId> = town.map.streets().collect();
    while lessons.published.len() < publications {
        let tick = random.random_range(1..=ticks);
        let own = streets[random.random_range(0..streets.len())];
        let ends = [town.map.street(own).from, town.map.street(own).to];
        let near = ends.iter().flat_map(|&end| town.map.leaving(end).iter().map(|arm| arm.street));
        let mut region: Vec<StreetId> = near.chain([own]).collect();
        region.sort_unstable();
        region.dedup();
        let users = random.random_range(1..4);
        let first = stream.add(seconds(tick as u64), vec![Region::Mesh(region.clone().into())]);
        for _ in 0..users {
            let is_outside = random.random_range(0..20) == 0;
            let from = if is_outside { &streets } else { &region };
            let street = from[random.random_range(0..from.len())];
            let (dc, waited) = (Length::metres(100.0), random.random_range(0..3));
            let region = first.expect("the tick is in the window");
            lessons.published.push(Example { tick, region, street, dc, waited });
            lessons.asked[street.index()] += random.random_range(1..3);
        }
    }
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let model = SchemeModel::learn(&atlas, RegionDependence::Fixed, &stream, &lessons);
    RandomScheme { town, stream, examples: lessons.published, model }
}

#[test]
fn the_tracker_agrees_with_the_enumeration_of_all_associations() {
    let mut moved = 0.0;
    for seed in 20..110 {
        let RandomScheme { town, stream, model, .. } = random_scheme(seed, 4, 20);
        let movement = second_per_leg(&town.map);
        let start = StreetId((mix64(seed) % town.map.street_count() as u64) as u32);
        if town.map.street(start).length < Length::metres(2.0) {
            continue;
        }
        let kind =
            |tick: usize, region: usize| 2.0 * unit((seed << 20) + (tick << 8 | region) as u64);
        let associations = Associations::new(&model, &stream, None, |tick, at, _| kind(tick, at));
        let confidence = [1.0, 0.6][seed as usize % 2];
        let mut naive = Enumeration::new(&movement, &model, &stream, confidence, start);
        let mut prior = Enumeration::new(&movement, &model, &stream, 0.0, start);
        let place = middle(&town.map, start);
        let mut tracker = Tracker::new(&town.map, &movement, place, PARTICLES, seed);
        for (tick, waited) in [(1, 1), (2, 0), (3, 1), (4, 0)] {
            naive.advance();
            prior.advance();
            tracker.advance(1.0);
            if waited == 0 {
                naive.ask();
                tracker.ask();
            }
            naive.observe(tick, waited, |region| kind(tick, region));
            tracker.observe(|street| {
                model.evidence(waited, street, associations.likelihood(tick, street, confidence))
            });
            let expected = naive.streets();
            let found = tracker.streets();
            assert!(found.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
            let sum: f64 = found.iter().map(|one| one.weight).sum();
            assert!((sum - 1.0).abs() < 1e-9);
            for one in &found {
                let right = expected.get(&one.street).copied().unwrap_or(0.0);
                let gap = (one.weight - right).abs();
                assert!(gap < 0.03, "seed {seed} tick {tick} {one:?} {right}\n{town}");
                moved += (right - prior.streets().get(&one.street).unwrap_or(&0.0)).abs();
            }
        }
    }
    assert!(moved > 10.0, "the regions make a difference: {moved}");
}

#[test]
fn densities_sum_to_the_expected_number_of_users() {
    for seed in 0..40 {
        let RandomScheme { town, stream, model, .. } = random_scheme(seed, 6, 60);
        let associations = Associations::new(&model, &stream, None, |_, _, _| 1.0);
        for tick in stream.window() {
            let regions = stream.regions(tick).iter();
            let users =
                regions.map(|region| model.members(model.usual(tick, &region.streets(&town.map))));
            let found = town
                .map
                .streets()
                .map(|street| associations.density(tick, street) * model.usual(tick, &[street]));
            let (users, found): (f64, f64) = (users.sum(), found.sum());
            assert!((users - found).abs() < 1e-3 * (1.0 + users), "seed {seed} {users} {found}");
        }
    }
}

#[test]
fn the_model_counts_what_other_users_publish() {
    let RandomScheme { town, stream, examples, model } = random_scheme(400, 40, 4_000);
    let share: f64 = model.shares.iter().sum();
    assert!((share - 1.0).abs() < 1e-9);
    assert!((model.volume(20) / 100.0 - 1.0).abs() < 0.1, "4,000 in 40 ticks");
    assert!((model.order.inside - 0.95).abs() < 0.03, "{}", model.order.inside);
    let regions: usize = stream.window().map(|tick| stream.regions(tick).len()).sum();
    let mean = examples.len() as f64 / regions as f64;
    let usual = model.usual(20, &stream.regions(20)[0].streets(&town.map));
    assert!((model.members(usual) / mean - 1.0).abs() < 0.1, "{} {mean}", model.members(usual));
    // Two in three queries are published, a third of them in each of three ticks.
    let busy = examples[0].street;
    let odds = [0, 1, 2, 3].map(|waited| model.odds(waited, busy));
    assert!(odds[0] > 0.15 && odds[1] > odds[0] && odds[2] > odds[1] && odds[3] == 0.0, "{odds:?}");
}

/// A fork: the target comes from A; the branches end in C and D.
fn fork() -> Town {
    town("A 0,0  B 100,0  C 200,100  D 200,-100 | A-B B-C B-D")
}

/// A stream of 40 ticks in which the branches of the fork are published in turn, one user each, and
/// only the left one in ticks 21 to 30.
fn published_branches(town: &Town) -> (RegionStream, SchemeModel) {
    let branches = [town.street("B-C"), town.street("B-D")];
    let mut stream = RegionStream::new(Duration::from_secs(1), 1..41);
    let mut lessons = Lessons { asked: vec![40; town.map.street_count()], published: Vec::new() };
    for tick in 1..=40_usize {
        let street = branches[if (21..=30).contains(&tick) { 0 } else { tick % 2 }];
        stream.add(seconds(tick as u64), vec![Region::Mesh(vec![street].into())]);
        let dc = Length::metres(50.0);
        lessons.published.push(Example { tick, region: 0, street, dc, waited: 0 });
    }
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let model = SchemeModel::learn(&atlas, RegionDependence::Fixed, &stream, &lessons);
    (stream, model)
}

#[test]
fn regions_tell_which_branch_was_taken() {
    let town = fork();
    let (stream, model) = published_branches(&town);
    let associations = Associations::new(&model, &stream, None, |_, _, _| 1.0);
    let movement =
        Movement::new(&town.map, |_| LegPace { mean: 10.0, deviation: 0.0 }, |_, _, _| 1.0);
    let mut tracker = Tracker::new(&town.map, &movement, town.at("A-B", 50.0), 2_000, 1);
    for tick in 21..=30 {
        tracker.advance(1.0);
        tracker.ask();
        tracker.observe(|street| model.evidence(0, street, associations.density(tick, street)));
    }
    let weight = |name: &str| {
        let street = town.street(name);
        tracker.streets().iter().find(|one| one.street == street).map_or(0.0, |one| one.weight)
    };
    assert!(weight("B-C") > 3.0 * weight("B-D"), "{:?}", tracker.streets());
}

#[test]
fn a_target_that_does_not_wait_is_in_no_region() {
    let town = fork();
    let movement =
        Movement::new(&town.map, |_| LegPace { mean: 10.0, deviation: 0.0 }, |_, _, _| 1.0);
    let mut tracker = Tracker::new(&town.map, &movement, town.at("A-B", 50.0), 2_000, 1);
    // The known query is certainly published in the first tick.
    tracker.observe(|_| Evidence { published: 1.0, waiting: 0.0 });
    tracker.advance(7.0);
    let weight = |tracker: &Tracker<'_>, name: &str| {
        let street = town.street(name);
        tracker.streets().iter().find(|one| one.street == street).map_or(0.0, |one| one.weight)
    };
    let branch = town.street("B-C");
    let evidence =
        |street| Evidence { published: if street == branch { 2.0 } else { 0.5 }, waiting: 0.1 };
    let before = weight(&tracker, "B-C");
    tracker.observe(evidence);
    assert!((weight(&tracker, "B-C") - before).abs() < 1e-9);
    tracker.ask();
    tracker.observe(evidence);
    assert!(weight(&tracker, "B-C") > 2.0 * before);
}

#[test]
fn ticks_are_numbered_by_time() {
    let mut stream = RegionStream::new(Duration::from_secs(5), 1..3);
    let region = || Region::Mesh(vec![StreetId(0)].into());
    assert_eq!(stream.add(seconds(10), vec![region(), region()]), Some(0));
    assert_eq!(stream.add(seconds(9), vec![region()]), Some(2), "the same tick");
    assert_eq!(stream.add(seconds(0), vec![region()]), None, "before the window");
    assert_eq!(stream.add(seconds(11), vec![region()]), None, "after the window");
    assert_eq!([1, 2, 3].map(|tick| stream.regions(tick).len()), [0, 3, 0]);
    assert_eq!(stream.tick_after(Time::from_millis(5_001)), 2);
    assert_eq!(stream.time(2), seconds(10));
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
    tracker.observe(|_| Evidence { published: 0.0, waiting: 0.0 });
    assert!((tracker.streets().iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-9);
}
