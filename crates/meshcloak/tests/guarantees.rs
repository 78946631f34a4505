//! Properties of `reciprocal` and `history` (docs/SPEC.md §6), checked with naive algorithms on
//! random towns: every set of every turn, and that the sets are maximal.

use meshcloak::cells::Cells;
use meshcloak::constraint_graph::{ConstraintGraph, Coverage};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::LastPositions;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::naive;
use meshcloak::printed::maximal_cliques;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Queries of few users, each several times and with a speed, in order of time.
fn random_workload(town: &Town, seed: u64, count: usize) -> Vec<Query> {
    let mut random = Town::generator(seed + 777);
    let mut workload = town.random_queries(&mut random, count);
    workload.sort_by_key(|query| query.asked_at);
    for (number, query) in workload.iter_mut().enumerate() {
        query.id = QueryId(number as u64);
        query.user = UserId(random.random_range(0..1 + count as u64 / 2));
        query.k = random.random_range(2..=4);
        query.speed = Some(Speed::metres_per_second(random.random_range(10.0..900.0)));
    }
    workload
}

/// Reachable streets, or a cell for every third seed.
fn region(seed: u64) -> RegionRule {
    let cell = RegionRule::Cell(Length::metres(400.0));
    if seed.is_multiple_of(3) { cell } else { RegionRule::default() }
}

/// Checks the result of each turn.
struct SetChecker<'a> {
    town: &'a Town,
    table: Vec<Vec<Option<Length>>>,
    settings: Settings,
    workload: &'a [Query],
    /// Previous time and position of the user of each query.
    previous: BTreeMap<u64, (Time, Position)>,
    with_previous: usize,
}

impl<'a> SetChecker<'a> {
    fn new(town: &'a Town, settings: Settings, workload: &'a [Query]) -> SetChecker<'a> {
        let table = naive::terminal_distances(&town.map);
        let mut previous = BTreeMap::new();
        for (number, query) in workload.iter().enumerate() {
            let earlier =
                workload[..number].iter().rev().find(|earlier| earlier.user == query.user);
            if let Some(earlier) = earlier {
                previous.insert(query.id.0, (earlier.asked_at, earlier.position));
            }
        }
        SetChecker { town, table, settings, workload, previous, with_previous: 0 }
    }

    fn counts(&self, a: &Query, b: &Query) -> bool {
        let Some(&(at, position)) = self.previous.get(&a.id.0) else { return true };
        let max_travel = a.speed.expect("every query has a speed") * (a.asked_at - at);
        let length = naive::distance(&self.town.map, &self.table, position, b.position);
        self.settings.guarantee != Guarantee::History || length.is_some_and(|d| d <= max_travel)
    }

    fn edges(&self, queries: &[Query]) -> Vec<(u32, u32)> {
        let (map, Settings { coverage, region, .. }) = (&self.town.map, self.settings);
        let RegionRule::Cell(length) = region else {
            return naive::edges(map, &self.table, coverage, queries);
        };
        naive::edges_in_cells(map, &self.table, coverage, &Cells::new(map, length), queries)
    }

    fn is_satisfied(&self, set: &[&Query]) -> bool {
        let have = |a: &Query| set.iter().filter(|b| self.counts(a, b)).count();
        set.iter().all(|a| have(a) >= a.k as usize)
    }

    /// Whether `group`, which may be empty, and some queries of `free` form a larger valid set.
    fn could_be_added(&self, group: &[&Query], free: &[&Query]) -> bool {
        let queries: Vec<Query> = group.iter().chain(free).map(|q| (*q).clone()).collect();
        let edges = self.edges(&queries);
        let adjacent = |a: u32, b: u32| edges.binary_search(&(a.min(b), a.max(b))).is_ok();
        let near: Vec<u32> = (group.len() as u32..queries.len() as u32)
            .filter(|&b| (0..group.len() as u32).all(|a| adjacent(a, b)))
            .collect();
        let graph = ConstraintGraph::from_fn(near.len() as u32, |a, b| {
            adjacent(near[a as usize], near[b as usize])
        });
        let mut possible = false;
        maximal_cliques(&graph, |clique| {
            let more = clique.iter().map(|&index| near[index as usize]);
            let all = (0..group.len() as u32).chain(more);
            let mut set: Vec<&Query> = all.map(|index| &queries[index as usize]).collect();
            // Prunes to a fixpoint: the rest is the largest valid set within the clique.
            while let Some(index) = set.iter().position(|a| {
                let have = set.iter().filter(|b| self.counts(a, b)).count();
                have < a.k as usize
            }) {
                set.remove(index);
            }
            possible |= set.len() > group.len();
        });
        possible
    }

    fn check(&mut self, sets: &[(Vec<u64>, Vec<u64>)], waiting: &[Query], what: &str) {
        let edges = self.edges(self.workload);
        let adjacent =
            |a: u64, b: u64| edges.binary_search(&(a.min(b) as u32, a.max(b) as u32)).is_ok();
        let mut seen: Vec<u64> = Vec::new();
        let free: Vec<&Query> = waiting.iter().collect();
        for (members, served) in sets {
            assert_eq!(members, served, "{what}: a member does not publish the set");
            assert!(members.iter().all(|id| !seen.contains(id)), "{what}: sets overlap");
            seen.extend(members);
            let pairs = members.iter().flat_map(|a| members.iter().map(move |b| (*a, *b)));
            assert!(
                pairs.filter(|(a, b)| a != b).all(|(a, b)| adjacent(a, b)),
                "{what}: no clique"
            );
            let set: Vec<&Query> = members.iter().map(|&id| &self.workload[id as usize]).collect();
            assert!(self.is_satisfied(&set), "{what}: a k is not met");
            self.with_previous +=
                set.iter().filter(|q| self.previous.contains_key(&q.id.0)).count();
            assert!(!self.could_be_added(&set, &free), "{what}: a query could be added");
        }
        assert!(!self.could_be_added(&[], &free), "{what}: a set could still be published");
    }
}

/// Runs batches of one second until no query waits; returns the numbers of served queries and of
/// those with a past.
fn run(town: &Town, settings: Settings, workload: &[Query], what: &str) -> (usize, usize) {
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
    let mut checker = SetChecker::new(town, settings, workload);
    let mut state = State::default();
    let mut positions = scheme.history_horizon().map(LastPositions::new);
    let mut all = 0;
    for second in 0..=12 {
        let now = Time::from_millis(second * 1_000);
        let arrived = |query: &&Query| query.asked_at.as_millis().div_ceil(1_000) == second;
        let arrivals: Vec<Query> = workload.iter().filter(arrived).cloned().collect();
        if let Some(positions) = &mut positions {
            positions.record_all(&arrivals, &mut state.history);
        }
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        let stats = done.published.stats;
        assert!(!stats.truncated && stats.rejected.total() == 0, "{what}");
        let sets: Vec<(Vec<u64>, Vec<u64>)> = (0..done.published.set_count() as u32)
            .map(|set| {
                let served = done.served.iter().filter(|served| served.1 == set);
                let mut served: Vec<u64> = served.map(|(query, _)| query.id.0).collect();
                served.sort_unstable();
                let members = done.published.set(set).members.iter().map(|id| id.0).collect();
                (members, served)
            })
            .collect();
        all += done.served.len();
        checker.check(&sets, &state.waiting, what);
    }
    assert!(state.waiting.is_empty());
    (all, checker.with_previous)
}

#[test]
fn sets_are_reciprocal_and_maximal_on_random_towns() {
    let mut served = 0;
    for seed in 0..200 {
        let town = Town::random(seed * 5);
        let workload = random_workload(&town, seed, 4 + seed as usize % 40);
        for coverage in [Coverage::Own, Coverage::Both] {
            let (guarantee, region) = (Guarantee::Reciprocal, region(seed));
            let settings = Settings { guarantee, coverage, region, ..Settings::default() };
            served += run(&town, settings, &workload, &format!("seed {seed}\n{town}")).0;
        }
    }
    assert!(served > 1_000, "only {served} were served");
}

#[test]
fn history_sets_hide_every_member_with_a_known_past() {
    let (mut served, mut with_previous) = (0, 0);
    for seed in 0..400 {
        let town = Town::random(seed * 3);
        let workload = random_workload(&town, seed, 4 + seed as usize % 40);
        let (guarantee, region) = (Guarantee::History, region(seed));
        let settings = Settings { guarantee, region, ..Settings::default() };
        let (all, past) = run(&town, settings, &workload, &format!("seed {seed}\n{town}"));
        served += all;
        with_previous += past;
    }
    assert!(served > 500 && with_previous > 100, "{served} served, {with_previous} with a past");
}

#[test]
fn a_fresh_scheme_proposes_the_same_for_the_same_state() {
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let town = Town::random(450);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let settings = Settings { guarantee, ..Settings::default() };
        let mut warm = MeshCloak::new(Arc::clone(&atlas), settings);
        let mut state = State::default();
        let mut positions = LastPositions::new(settings.horizon);
        for second in 0..20 {
            let mut arrivals = town.random_queries(&mut Town::generator(second), 30);
            for query in &mut arrivals {
                query.id = QueryId(second * 100 + query.id.0);
                query.asked_at = Time::from_millis(second * 1_000);
            }
            let now = Time::from_millis(second * 1_000);
            positions.record_all(&arrivals, &mut state.history);
            let mut twin = state.clone();
            let mut cold = MeshCloak::new(Arc::clone(&atlas), settings);
            let batch = Batch { now, arrivals, cancelled: Vec::new() };
            let expected = turn(&mut cold, &mut twin, batch.clone(), &mut ()).published.clone();
            let found = turn(&mut warm, &mut state, batch, &mut ()).published.clone();
            assert_eq!(found, expected, "second {second}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let town = Town::random(520);
        let state = State::with_waiting(town.random_queries(&mut Town::generator(3), 400));
        let answer = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
                let settings = Settings { guarantee, ..Settings::default() };
                MeshCloak::new(atlas, settings).cloak(&state, Time::default(), &mut ()).clone()
            })
        };
        let one = answer(1);
        assert!(!one.served().is_empty());
        assert_eq!(one, answer(2));
        assert_eq!(one, answer(8));
    }
}

#[test]
fn history_depends_on_neither_threads_nor_scratch_buffers() {
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let pools = [1, 2, 8].map(|threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads")
    });
    let (mut served, mut with_previous, mut cancelled_count) = (0, 0, 0);
    for seed in 0..40 {
        let town = Town::random(seed + 900);
        let workload = random_workload(&town, seed, 200);
        // Beyond the dc_max of the atlas, past positions need a search.
        let dc_max = [MAX_DC_MAX, Length::metres(300.0)][seed as usize % 2];
        let atlas = Arc::new(Atlas::new(town.map.clone(), dc_max));
        let mut warm = [0; 3].map(|_| MeshCloak::new(Arc::clone(&atlas), settings));
        let mut state = State::default();
        let mut positions = LastPositions::new(settings.horizon);
        for second in 0..=12 {
            let now = Time::from_millis(second * 1_000);
            let arrived = |query: &&Query| query.asked_at.as_millis().div_ceil(1_000) == second;
            let arrivals: Vec<Query> = workload.iter().filter(arrived).cloned().collect();
            let cancelled = state.waiting.iter().step_by(7).map(|query| query.id).collect();
            positions.record_all(&arrivals, &mut state.history);
            let batch = Batch { now, arrivals, cancelled };
            let mut fresh = MeshCloak::new(Arc::clone(&atlas), settings);
            let mut twin = state.clone();
            let expected = turn(&mut fresh, &mut twin, batch.clone(), &mut ()).published.clone();
            let before = state.clone();
            for (pool, scheme) in pools.iter().zip(&mut warm) {
                state = before.clone();
                pool.install(|| {
                    let done = turn(scheme, &mut state, batch.clone(), &mut ());
                    assert_eq!(*done.published, expected, "seed {seed}, second {second}");
                    let past = |query: &Query| before.history.previous(query.id).is_some();
                    with_previous += done.served.iter().filter(|served| past(&served.0)).count();
                    served += done.served.len();
                    cancelled_count += done.cancelled.len();
                });
            }
        }
    }
    assert!(
        served > 1_000 && with_previous > 500 && cancelled_count > 500,
        "{served} {with_previous}"
    );
}
