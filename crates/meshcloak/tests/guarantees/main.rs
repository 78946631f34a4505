//! Properties of `reciprocal` and `history` (docs/SPEC.md §6), checked with naive algorithms on
//! random towns: every set of every turn, and that the sets are maximal, also with presence reports.

mod set_checker;

use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::history::LastPositions;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::presence::PresenceRule;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use set_checker::SetChecker;
use std::sync::Arc;
use std::time::Duration;

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

/// Makes half of the users present: they report without a question, wait longer, and have k 1 to 3.
fn make_present(workload: &mut [Query]) {
    for query in workload.iter_mut().filter(|query| query.user.0 % 2 == 1) {
        query.asks = false;
        query.k -= 1;
        query.temporal_tolerance = Duration::from_secs(5);
    }
}

/// How presence reports count, by seed.
fn presence(seed: u64) -> PresenceRule {
    let max_age = Some(Duration::from_secs(2));
    let all = PresenceRule::default();
    let aged = PresenceRule { max_age, ..all };
    [all, aged, PresenceRule { counts: false, ..all }, all][seed as usize % 4]
}

/// Runs batches of one second until no query waits; returns the numbers of served queries and of
/// those with a past.
fn run(town: &Town, settings: Settings, workload: &[Query], what: &str) -> (usize, usize) {
    let checker = run_checked(town, settings, workload, what);
    (checker.1, checker.0.with_previous)
}

/// The same; returns the checker and the number of served queries.
fn run_checked<'a>(
    town: &'a Town,
    settings: Settings,
    workload: &'a [Query],
    what: &str,
) -> (SetChecker<'a>, usize) {
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
    let mut checker = SetChecker::new(town, settings, workload);
    let mut state = State::default();
    let mut positions = scheme.history_horizon().map(LastPositions::new);
    let mut all = 0;
    for second in 0..=16 {
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
        checker.check(now, &sets, &state.waiting, what);
    }
    assert!(state.waiting.is_empty());
    (checker, all)
}

#[test]
fn sets_with_presence_reports_meet_every_k_and_are_maximal() {
    let clocks = [HistoryClock::Asked, HistoryClock::Published];
    for (guarantee, history_clock) in [
        (Guarantee::Reciprocal, clocks[0]),
        (Guarantee::History, clocks[0]),
        (Guarantee::History, clocks[1]),
    ] {
        let (mut served, mut present) = (0, [0; 4]);
        for seed in 0..450 {
            let town = Town::random(seed * 3);
            let mut workload = random_workload(&town, seed, 4 + seed as usize % 40);
            make_present(&mut workload);
            let (region, presence) = (region(seed), presence(seed));
            let settings =
                Settings { guarantee, history_clock, region, presence, ..Settings::default() };
            let what = format!("seed {seed}, {guarantee:?}, {history_clock:?}\n{town}");
            let (checker, all) = run_checked(&town, settings, &workload, &what);
            served += all;
            present[seed as usize % 4] += checker.present;
        }
        assert!(
            served > 500 && present.iter().all(|&count| count > 20),
            "{guarantee:?}: {served} served, {present:?} present"
        );
    }
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
    for history_clock in [HistoryClock::Asked, HistoryClock::Published] {
        let (mut served, mut with_previous) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed * 3);
            let workload = random_workload(&town, seed, 4 + seed as usize % 40);
            let (guarantee, region) = (Guarantee::History, region(seed));
            let settings = Settings { guarantee, history_clock, region, ..Settings::default() };
            let what = format!("seed {seed}, {history_clock:?}\n{town}");
            let (all, past) = run(&town, settings, &workload, &what);
            served += all;
            with_previous += past;
        }
        assert!(
            served > 500 && with_previous > 100,
            "{history_clock:?}: {served} served, {with_previous} with a past"
        );
    }
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
    for history_clock in [HistoryClock::Asked, HistoryClock::Published] {
        let guarantee = Guarantee::History;
        check_threads_and_buffers(Settings { guarantee, history_clock, ..Settings::default() });
    }
}

fn check_threads_and_buffers(settings: Settings) {
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
