//! Invariants of the engine: both pipelines agree, and every query has exactly one outcome.

use meshcloak::cells::{CellId, Cells};
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::mesh::{MeshKey, MeshRule};
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::naive;
use meshcloak::printed::Printed;
use meshcloak::query::{Query, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Time};
use meshcloak::{AdmissionError, Engine, Guarantee, QueryError, SubmitError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Second and set size of each query; no size if it expired.
type Outcomes = BTreeMap<u64, (u64, Option<usize>)>;

/// Runs batches of one second until no query waits, and checks every set.
fn run(town: &Town, scheme: &mut dyn Scheme, workload: &[Query], settings: Settings) -> Outcomes {
    let table = naive::terminal_distances(&town.map);
    let edges = match settings.region {
        RegionRule::Cell(length) => {
            let cells = Cells::new(&town.map, length);
            naive::edges_in_cells(&town.map, &table, settings.coverage, &cells, workload)
        }
        _ => naive::edges(&town.map, &table, settings.coverage, workload),
    };
    let adjacent =
        |a: u64, b: u64| edges.binary_search(&(a.min(b) as u32, a.max(b) as u32)).is_ok();
    let mut state = State::default();
    let mut outcomes = Outcomes::new();
    for second in 0..=20 {
        let now = Time::from_millis(second * 1_000);
        let arrived = |query: &&Query| {
            let millis = query.asked_at.as_millis();
            millis.div_ceil(1_000) == second
        };
        let arrivals: Vec<Query> = workload.iter().filter(arrived).cloned().collect();
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(scheme, &mut state, batch, &mut ());
        assert!(!done.published.stats.truncated);
        for query in &done.expired {
            assert!(query.has_expired(now));
            assert_eq!(outcomes.insert(query.id.0, (second, None)), None, "twice: {query:?}");
        }
        for (query, set) in &done.served {
            let set = done.published.set(*set);
            let outcome = (second, Some(set.members.len()));
            assert_eq!(outcomes.insert(query.id.0, outcome), None, "twice: {query:?}");
            assert!(!query.has_expired(now) && set.members.len() >= query.k as usize);
            assert!(set.members.contains(&query.id));
            let pairs =
                set.members.iter().flat_map(|a| set.members.iter().map(move |b| (a.0, b.0)));
            assert!(pairs.filter(|(a, b)| a != b).all(|(a, b)| adjacent(a, b)), "no clique");
            let mesh_keys: Vec<MeshKey> = set
                .members
                .iter()
                .map(|id| &workload[id.0 as usize])
                .map(|q| MeshKey { street: q.position.street, dc: q.distance_constraint })
                .collect();
            let region = match settings.region {
                RegionRule::Mesh(MeshRule::Reach) => {
                    naive::cloaking_mesh(&town.map, &table, &mesh_keys)
                }
                RegionRule::Mesh(MeshRule::Printed) => continue,
                RegionRule::Cells(length) | RegionRule::Cell(length) => {
                    let cells = Cells::new(&town.map, length);
                    let shown: BTreeSet<CellId> =
                        mesh_keys.iter().map(|s| cells.of(s.street)).collect();
                    let streets = town.map.streets();
                    streets.filter(|&street| shown.contains(&cells.of(street))).collect()
                }
            };
            assert_eq!(set.region, Region::Mesh(region.into()));
        }
    }
    assert!(state.waiting.is_empty());
    assert_eq!(outcomes.len(), workload.len(), "every query has exactly one outcome");
    outcomes
}

#[test]
fn both_pipelines_give_the_same_outcome_time_and_clique_size() {
    let mut served = 0;
    for seed in 0..150 {
        let town = Town::random(seed * 4);
        let workload = town.random_queries(&mut Town::generator(seed), 2 + seed as usize % 50);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        for coverage in [Coverage::Own, Coverage::Both] {
            for region in [
                RegionRule::Mesh(MeshRule::Reach),
                RegionRule::Mesh(MeshRule::Printed),
                RegionRule::Cells(Length::metres(400.0)),
                RegionRule::Cell(Length::metres(400.0)),
            ] {
                let settings = Settings { coverage, region, ..Settings::paper() };
                let mut fast = MeshCloak::new(Arc::clone(&atlas), settings);
                let mut printed = Printed::new(Arc::clone(&atlas), settings);
                let expected = run(&town, &mut printed, &workload, settings);
                let found = run(&town, &mut fast, &workload, settings);
                assert_eq!(found, expected, "seed {seed} {settings:?}\n{town}");
                served += found.values().filter(|(_, set)| set.is_some()).count();
            }
        }
    }
    assert!(served > 3_000, "only {served} were served");
}

#[test]
fn a_warm_scheme_proposes_the_same_as_a_fresh_one() {
    let mut warm: Option<(Arc<Atlas>, MeshCloak)> = None;
    let town = Town::random(500);
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    for seed in 0..60 {
        let state = State::with_waiting(town.random_queries(&mut Town::generator(seed), 40));
        let (atlas, scheme) = warm.get_or_insert_with(|| {
            (Arc::clone(&atlas), MeshCloak::new(Arc::clone(&atlas), Settings::paper()))
        });
        let mut cold = MeshCloak::new(Arc::clone(atlas), Settings::paper());
        let now = Time::from_millis(seed);
        assert_eq!(scheme.cloak(&state, now, &mut ()), cold.cloak(&state, now, &mut ()));
    }
}

#[test]
fn a_cancelled_query_is_not_served_and_does_not_count() {
    let town = meshcloak::town::town("A 0,0  B 400,0 | A-B");
    let mut workload = town.random_queries(&mut Town::generator(1), 3);
    for (number, query) in workload.iter_mut().enumerate() {
        query.user = UserId(number as u64);
        query.k = 3;
        query.distance_constraint = Length::metres(1_000.0);
    }
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut scheme = MeshCloak::new(atlas, Settings::paper());
    let batch = |cancelled| Batch { now: Time::default(), arrivals: workload.clone(), cancelled };
    let all = turn(&mut scheme, &mut State::default(), batch(Vec::new()), &mut ()).served.len();
    assert_eq!(all, 3);
    let mut state = State::default();
    let done = turn(&mut scheme, &mut state, batch(vec![workload[1].id]), &mut ());
    assert_eq!((done.served.len(), done.cancelled.len(), state.waiting.len()), (0, 1, 2));
}

#[test]
fn the_engine_refuses_queries_that_it_could_never_serve() {
    let town = meshcloak::town::town("A 0,0  B 400,0 | A-B");
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(300.0)));
    let mut engine = Engine::new(Arc::clone(&atlas), Settings::default());
    let query = Query::builder(UserId(1), town.at("A-B", 100.0)).dc(Length::metres(200.0));
    let error = engine.submit(query.clone().k(1).build_unchecked());
    assert_eq!(error, Err(SubmitError::Query(QueryError::K(1))));
    let error = engine.submit(query.clone().dc(Length::ZERO).build_unchecked());
    assert!(matches!(error, Err(SubmitError::Query(QueryError::DistanceConstraint { .. }))));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let mut engine = Engine::new(atlas, settings);
    assert_eq!(
        engine.submit(query.build_unchecked()),
        Err(SubmitError::Admission(AdmissionError::Speed))
    );
    assert!(engine.tick(Time::default()).served.is_empty() && engine.waiting().is_empty());
}

#[test]
#[should_panic(expected = "Admission::admit")]
fn history_cannot_run_without_admission() {
    let town = meshcloak::town::town("A 0,0  B 400,0 | A-B");
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let arrivals = town.random_queries(&mut Town::generator(1), 3);
    let batch = Batch { arrivals, ..Batch::default() };
    turn(&mut MeshCloak::new(atlas, settings), &mut State::default(), batch, &mut ());
}
