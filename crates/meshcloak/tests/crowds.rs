//! Crowds in random towns (docs/SPEC.md §6): sets are cliques of distinct users in which every k is
//! met, by the naive definitions, and nearly all queries are served.

use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::LastPositions;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::naive;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Users of a town. Some users ask twice in a batch.
const USERS: u64 = 220;

/// Seconds between the two batches.
const PAUSE: u64 = 20;

/// Queries of a batch.
fn batch(town: &Town, seed: u64, second: u64) -> Vec<Query> {
    let mut random = Town::generator(seed * 2 + second);
    let mut queries = town.random_queries(&mut random, USERS as usize + 10);
    for (number, query) in (0..).zip(&mut queries) {
        query.id = QueryId(second * 1_000 + number);
        query.user = UserId(number % USERS);
        query.asked_at = Time::from_millis(second * 1_000);
        query.temporal_tolerance = Duration::from_secs(2);
        query.speed = Some(Speed::metres_per_second(random.random_range(5.0..60.0)));
        query.k = random.random_range(2..=4);
        if seed.is_multiple_of(2) {
            query.distance_constraint = Length::metres(random.random_range(300.0..2_000.0));
        }
    }
    queries
}

/// What the members of a set are checked against.
struct Definition<'a> {
    town: &'a Town,
    table: Vec<Vec<Option<Length>>>,
    guarantee: Guarantee,
    previous: BTreeMap<UserId, Position>,
}

impl Definition<'_> {
    fn distance(&self, from: Position, to: Position) -> Option<Length> {
        naive::distance(&self.town.map, &self.table, from, to)
    }

    /// Whether the user of `a` can be at the place of `b`.
    fn counts(&self, a: &Query, b: &Query) -> bool {
        let past = self.previous.get(&a.user).filter(|_| self.guarantee == Guarantee::History);
        let Some(&past) = past else { return true };
        let limit = a.speed.expect("it has one") * Duration::from_secs(PAUSE);
        self.distance(past, b.position).is_some_and(|length| length <= limit)
    }

    /// Checks a set, of which some or, unless under `paper`, all queries are served.
    fn check(&self, members: &[&Query], served: &[&Query], what: &str) {
        let copies: Vec<Query> = members.iter().map(|&query| query.clone()).collect();
        let edges = naive::edges(&self.town.map, &self.table, Coverage::Own, &copies);
        assert_eq!(edges.len(), members.len() * (members.len() - 1) / 2, "{what}: no clique");
        assert!(served.iter().all(|query| query.k as usize <= members.len()), "{what}: k");
        if self.guarantee != Guarantee::Paper {
            assert_eq!(served.len(), members.len(), "{what}: a member is not served");
            let nodes: Vec<u32> = (0..members.len() as u32).collect();
            let k: Vec<u32> = members.iter().map(|query| query.k).collect();
            let counts = |a: u32, b: u32| self.counts(members[a as usize], members[b as usize]);
            assert!(naive::is_satisfied(&nodes, &k, &counts), "{what}: a k is not met");
        }
    }
}

/// Runs two batches; returns the served queries, the largest set and the number of truncated batches.
fn run(town: &Town, guarantee: Guarantee, seed: u64, threads: usize) -> (Vec<u64>, usize, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let settings = Settings { guarantee, ..Settings::default() };
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut scheme = MeshCloak::new(atlas, settings);
    let (mut state, mut positions) = (State::default(), LastPositions::new(settings.horizon));
    let table = naive::terminal_distances(&town.map);
    let mut definition = Definition { town, table, guarantee, previous: BTreeMap::new() };
    let (mut all, mut largest, mut truncated) = (Vec::new(), 0, 0);
    for second in [0, PAUSE] {
        let mut arrivals = batch(town, seed, second);
        if second > 0 {
            arrivals.truncate(USERS as usize); // one query of each user: the past is that of second 0
        }
        positions.record_all(&arrivals, &mut state.history);
        let (now, queries) = (Time::from_millis(second * 1_000), arrivals.clone());
        let input = Batch { now, arrivals, cancelled: Vec::new() };
        let done = pool.install(|| turn(&mut scheme, &mut state, input, &mut ()));
        let what = format!("seed {seed}, {guarantee:?}, second {second}\n{town}");
        assert_eq!(done.published.stats.rejected.total(), 0, "{what}");
        for set in 0..done.published.set_count() as u32 {
            let ids = done.published.set(set).members;
            let find = |id: &QueryId| &queries[(id.0 - second * 1_000) as usize];
            let members: Vec<&Query> = ids.iter().map(find).collect();
            let served =
                done.served.iter().filter(|served| served.1 == set).map(|(query, _)| query);
            if second > 0 || guarantee != Guarantee::History {
                definition.check(&members, &served.collect::<Vec<_>>(), &what);
            }
            largest = largest.max(members.len());
        }
        all.extend(done.served.iter().map(|(query, _)| query.id.0));
        truncated += usize::from(done.published.stats.truncated);
        definition.previous = queries.iter().map(|query| (query.user, query.position)).collect();
    }
    (all, largest, truncated)
}

#[test]
fn sets_of_crowds_in_random_towns_are_valid_and_independent_of_threads() {
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let (mut served, mut crowds, mut quiet) = (0, 0, 0);
        for seed in 0..40 {
            let town = Town::random(seed * 15);
            let (all, largest, truncated) = run(&town, guarantee, seed, 1);
            assert_eq!(run(&town, guarantee, seed, 3), (all.clone(), largest, truncated));
            served += all.len();
            crowds += truncated;
            quiet += 2 - truncated;
            assert!(truncated < 2 || guarantee == Guarantee::Paper || largest <= 64, "{largest}");
        }
        assert!(crowds > 10 && quiet > 10, "{guarantee:?}: {crowds} crowds, {quiet} without");
        assert!(served > 8_000, "{guarantee:?}: {served}");
    }
}
