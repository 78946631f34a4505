use super::naive::{can_reach, is_reachable};
use crate::SchemeChoice;
use crate::rounded_rectangle::RoundedRectangle;
use crate::testing::with_pois;
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::map::Position;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Requirement, Scheme, State};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Point, Speed, Time};
use rand::RngExt as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A publication: batch, query, positions of its members, region and what the scheme requires of it.
struct Shown {
    at: Time,
    query: Query,
    members: Vec<Position>,
    region: Region<'static>,
    required: Requirement,
}

fn build(town: &Town, scheme: &str) -> Box<dyn Scheme> {
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(2_000.0)));
    SchemeChoice::parse(scheme).unwrap().build(&atlas).unwrap()
}

/// A random town with points of interest.
fn random_town(seed: u64) -> Town {
    let mut town = Town::random(seed);
    town.map = with_pois(&town, seed);
    town
}

/// Runs a scheme in batches of one second.
fn run(town: &Town, scheme: &str, queries: &[Query]) -> Vec<Shown> {
    let (mut scheme, judge) = (build(town, scheme), build(town, scheme));
    let (mut state, mut shown) = (State::default(), Vec::new());
    for second in 1..=40 {
        let now = Time::from_millis(second * 1_000);
        let is_due = |query: &&Query| {
            query.asked_at <= now && query.asked_at.as_millis() + 1_000 > now.as_millis()
        };
        let arrivals = queries.iter().filter(is_due).cloned().collect();
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(scheme.as_mut(), &mut state, batch, &mut ());
        for (query, set) in &done.served {
            let set = done.published.set(*set);
            let of_member = |query: &&Query| set.members.contains(&query.id);
            let members: Vec<Position> =
                queries.iter().filter(of_member).map(|query| query.position).collect();
            assert_eq!(members.len(), set.members.len());
            let region = set.region.into_owned();
            let required = judge.requirement(&town.map, query, &region);
            shown.push(Shown { at: now, query: query.clone(), members, region, required });
        }
    }
    shown
}

/// Queries of a few users who return every few seconds.
fn random_queries(town: &Town, seed: u64) -> Vec<Query> {
    let mut random = Town::generator(seed);
    let mut queries = town.random_queries(&mut random, 60);
    for query in &mut queries {
        query.user = UserId(random.random_range(0..12));
        query.asked_at = Time::from_millis(random.random_range(1..30_000));
        query.k = random.random_range(2..=3);
        query.temporal_tolerance = Duration::from_secs(random.random_range(0..8));
        query.speed = Some(Speed::metres_per_second(random.random_range(5.0..60.0)));
    }
    queries.sort_by_key(|query| query.asked_at);
    queries
}

fn contains(outer: &Region<'_>, inner: &Region<'_>) -> bool {
    match (outer, inner) {
        (Region::Rectangle(outer), Region::Rectangle(inner)) => {
            RoundedRectangle { rectangle: *outer, radius: 0.0 }.contains_all(*inner)
        }
        (Region::Mesh(outer), Region::Mesh(inner)) => {
            inner.iter().all(|street| outer.binary_search(street).is_ok())
        }
        _ => panic!("one scheme publishes one kind of region"),
    }
}

/// Wrapped schemes with anonymity sets that publish rectangles.
const RECTANGLES: [&str; 5] = [
    "casper",
    "interval-cloak",
    "hilbert-cloak",
    "reciprocal-framework",
    "l2p2:cell=60:share=0.5:factor=3",
];

/// Wrapped schemes with anonymity sets that publish meshes.
const MESHES: [&str; 9] = [
    "hilbert-streets",
    "xstar",
    "plpca",
    "semantics:places=3",
    "query-aware",
    "star-cloak",
    "road-network-k",
    "meshcloak",
    "meshcloak-printed",
];

/// Wrapped schemes without anonymity sets.
const NOISE: [&str; 2] = ["planar-laplace", "optimal"];

#[test]
fn all_schemes_without_a_past_can_be_wrapped() {
    let tested = [&RECTANGLES[..], &MESHES, &NOISE].concat();
    let names = tested.iter().map(|name| name.split(':').next().unwrap());
    let wrapped: BTreeSet<&str> = super::WRAPPED.iter().copied().collect();
    assert_eq!(names.collect::<BTreeSet<&str>>(), wrapped);
    let town = random_town(40);
    for name in crate::names() {
        let scheme = build(&town, name);
        let has_past =
            scheme.history_horizon().is_some() || scheme.describe().pace == Pace::Sequential;
        assert_eq!(wrapped.contains(name), !has_past, "{name}");
    }
}

#[test]
fn a_patched_region_holds_the_last_one_the_asker_and_reachable_users_as_required() {
    let (mut followed, mut raised) = (BTreeMap::<&str, usize>::new(), 0);
    let all = [&RECTANGLES[..], &MESHES].concat();
    for (seed, wrapped) in (0..30 * all.len() as u64).zip(all.iter().cycle()) {
        let town = random_town(seed);
        let atlas = Atlas::new(town.map.clone(), Length::metres(2_000.0));
        let mut last: BTreeMap<UserId, (Time, Region<'static>)> = BTreeMap::new();
        for shown in run(&town, &format!("patching:of={wrapped}"), &random_queries(&town, seed)) {
            let Shown { query, members, region, required, .. } = shown;
            let at = format!("seed {seed} {wrapped}\n{town}");
            assert!(region.contains(&town.map, query.position), "{at}");
            let enough = required.users as usize;
            assert!(members.len() >= enough && required.users >= query.k, "{at}");
            assert!(required.places.is_none_or(|places| places.present >= 3), "{at}");
            raised += usize::from(required.users > query.k);
            let next = (query.asked_at, region.clone());
            if let Some((before, last)) = last.insert(query.user, next) {
                assert!(contains(&region, &last), "{at}");
                let time = (query.asked_at - before).max(before - query.asked_at);
                let can_reach = can_reach(&atlas, &last, query.speed.unwrap() * time);
                let reachable = members.iter().filter(|&&member| can_reach(member)).count();
                assert!(reachable >= enough, "{reachable} of {enough}, {at}");
                *followed.entry(wrapped).or_default() += 1;
            }
        }
    }
    assert!(raised > 20 && followed.len() == all.len(), "{raised} {followed:?}");
    assert!(followed.values().all(|&count| count > 20), "{followed:?}");
}

#[test]
fn every_query_of_a_scheme_without_sets_is_patched() {
    for (seed, wrapped) in (0..20).zip(NOISE.into_iter().cycle()) {
        let town = random_town(seed * 5);
        let queries = random_queries(&town, seed);
        let patched = run(&town, &format!("patching:of={wrapped}"), &queries);
        assert_eq!(patched.len(), run(&town, wrapped, &queries).len(), "seed {seed} {wrapped}");
        assert!(patched.iter().all(|shown| shown.members.len() == 1));
    }
}

#[test]
fn a_delayed_region_can_be_reached_from_the_last_one() {
    let (mut followed, mut withheld) = (BTreeMap::<&str, usize>::new(), 0);
    let all = [&RECTANGLES[..], &MESHES].concat();
    for (seed, wrapped) in (0..20 * all.len() as u64).zip(all.iter().cycle()) {
        let town = random_town(seed);
        let atlas = Atlas::new(town.map.clone(), Length::metres(2_000.0));
        let queries = random_queries(&town, seed);
        let mut last: BTreeMap<UserId, (Time, Region<'static>)> = BTreeMap::new();
        let shown = run(&town, &format!("delaying:of={wrapped}"), &queries);
        withheld += run(&town, wrapped, &queries).len().saturating_sub(shown.len());
        for Shown { at, query, region, members, required } in shown {
            assert!(members.len() >= required.users as usize, "seed {seed} {wrapped}\n{town}");
            if let Some((before, last)) = last.insert(query.user, (at, region.clone())) {
                let range = query.speed.unwrap() * (at - before);
                let is_reachable = is_reachable(&atlas, &last, &region, range);
                assert!(is_reachable, "seed {seed} {wrapped}\n{town}");
                *followed.entry(wrapped).or_default() += 1;
            }
        }
    }
    assert!(withheld > 500 && followed.len() == all.len(), "{withheld} {followed:?}");
    assert!(followed.values().all(|&count| count > 10), "{followed:?}");
}

/// Queries with k = 2 on a street of 2 km in pieces of 100 m: user, second, metres from its start.
fn street(entries: &[(u64, u64, f64)], tolerance: u64) -> (Town, Vec<Query>) {
    let names: Vec<String> = (0..=20).map(|n| format!("T{n} {},0", n * 100)).collect();
    let streets: Vec<String> = (0..20).map(|n| format!("T{n}-T{}", n + 1)).collect();
    let town = town(&format!("{} | {}", names.join(" "), streets.join(" ")));
    let query = |(id, &(user, second, metres)): (u64, &(u64, u64, f64))| {
        let piece = (metres / 100.0) as u64;
        let position = town.at(&streets[piece as usize], metres - piece as f64 * 100.0);
        Query::builder(UserId(user), position)
            .id(QueryId(id))
            .at(Time::from_millis(second * 1_000))
            .k(2)
            .dt(Duration::from_secs(tolerance))
            .dc(Length::metres(100.0))
            .speed(Speed::metres_per_second(10.0))
            .build_unchecked()
    };
    let queries = (0..).zip(entries).map(query).collect();
    (town, queries)
}

#[test]
fn patching_cuts_off_what_cannot_be_reached() {
    // Users 1 and 2 are at 0–200 m; ten seconds later user 1 can be at 300 m at most, and user 3
    // shares its rectangle from farther away. User 4 makes up the number.
    let entries = [
        (1, 1, 0.0),
        (2, 1, 200.0),
        (1, 11, 250.0),
        (3, 11, 900.0),
        (4, 11, 210.0),
        (5, 11, 950.0),
    ];
    let (town, queries) = street(&entries, 0);
    let shown = run(&town, "patching:of=interval-cloak", &queries);
    let of_user = |user: u64| shown.iter().filter(move |shown| shown.query.user == UserId(user));
    let last = of_user(1).next_back().expect("user 1 is served twice");
    let Region::Rectangle(rectangle) = last.region else { panic!("rectangles") };
    let first = of_user(1).next().expect("user 1 is served");
    let Region::Rectangle(before) = first.region else { panic!("rectangles") };
    assert!(rectangle.max.x <= before.max.x + 100.0, "{rectangle:?} after {before:?}");
    assert_eq!(rectangle.nearest(Point::new(250.0, 0.0)), Point::new(250.0, 0.0));
}

#[test]
fn delaying_waits_for_a_mesh_to_come_within_reach() {
    // Users 1 and 2 publish 0–200 m. Three seconds later they are on the pieces from 200 to 300 m
    // and from 300 to 400 m, whose end is within reach after 20 s.
    let entries = [(1, 1, 10.0), (2, 1, 150.0), (1, 4, 220.0), (2, 4, 320.0)];
    for (tolerance, expected) in [(5, None), (30, Some(21))] {
        let (town, queries) = street(&entries, tolerance);
        let shown = run(&town, "delaying:of=hilbert-streets", &queries);
        let second = shown.iter().filter(|shown| shown.query.user == UserId(1)).nth(1);
        let at = second.map(|shown| shown.at.as_millis() / 1_000);
        assert_eq!(at, expected, "tolerance {tolerance}");
    }
}
