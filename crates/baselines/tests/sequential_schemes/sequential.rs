//! Sequential MeshCloak publishes what its definition demands under both kinds of increment.

use crate::replay::{PublishedSet, Step, WarmAndCold, find, run};
use baselines::sequential::Sequential;
use meshcloak::constraint_graph::{ConstraintGraph, Coverage};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::map::{Position, StreetId};
use meshcloak::mesh::MeshKey;
use meshcloak::naive;
use meshcloak::printed::maximal_cliques;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::Scheme;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Time};
use std::sync::Arc;
use std::time::Duration;

/// Reference: Algorithm 4 for the waiting queries; ties by ids.
fn expected(town: &Town, table: &[Vec<Option<Length>>], waiting: &[Query]) -> Vec<PublishedSet> {
    let edges = naive::edges(&town.map, table, Coverage::Own, waiting);
    let graph =
        ConstraintGraph::from_fn(waiting.len() as u32, |a, b| edges.binary_search(&(a, b)).is_ok());
    let mut cliques: Vec<Vec<QueryId>> = Vec::new();
    maximal_cliques(&graph, |clique| {
        let mut ids: Vec<QueryId> = clique.iter().map(|&node| waiting[node as usize].id).collect();
        ids.sort_unstable();
        cliques.push(ids);
    });
    cliques.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut sets: Vec<PublishedSet> = Vec::new();
    for query in waiting {
        let largest = cliques.iter().find(|clique| clique.contains(&query.id));
        let largest = largest.expect("every query is in a maximal clique");
        if largest.len() < query.k as usize {
            continue;
        }
        if let Some(set) = sets.iter_mut().find(|set| set.members == *largest) {
            set.served.push(query.id);
            continue;
        }
        let members = largest.iter().map(|&id| find(waiting, id));
        let mesh_keys: Vec<MeshKey> = members
            .map(|q| MeshKey { street: q.position.street, dc: q.distance_constraint })
            .collect();
        let mesh = naive::cloaking_mesh(&town.map, table, &mesh_keys);
        let region = Region::Mesh(mesh.into());
        sets.push(PublishedSet { members: largest.clone(), served: vec![query.id], region });
    }
    sets.iter_mut().for_each(|set| set.served.sort_unstable());
    sets
}

#[test]
fn exactly_the_queries_in_a_clique_of_k_are_served_by_the_largest() {
    let mut served = 0;
    for seed in 0..120 {
        let town = Town::random(seed * 5);
        let queries = town.random_queries(&mut Town::generator(seed), 2 + seed as usize % 60);
        let table = naive::terminal_distances(&town.map);
        let max_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        let atlas = Arc::new(Atlas::with_max_bytes(town.map.clone(), MAX_DC_MAX, max_bytes));
        for make in [Sequential::new, Sequential::edge_by_edge] {
            let fresh = || Box::new(make(Arc::clone(&atlas))) as Box<dyn Scheme>;
            served += run(&mut WarmAndCold::new(fresh), &queries, |step: &Step<'_>| {
                let expected = expected(&town, &table, &step.waiting);
                assert_eq!(step.sets, expected, "seed {seed}\n{town}");
                assert!(!step.truncated);
            });
        }
    }
    assert!(served > 1_000, "only {served} were served");
}

/// Queries evenly along a square ring of 4 × 400 m; each reaches all but the opposite one.
fn ring(count: u64, k: u32) -> (Town, Vec<Query>) {
    let ring = town("A 0,0  B 400,0  C 400,400  D 0,400 | A-B B-C C-D D-A");
    let apart = 1_600.0 / count as f64;
    let query = |id: u64| {
        let metres = id as f64 * apart;
        let street = StreetId((metres / 400.0) as u32);
        Query::builder(UserId(id), Position { street, offset: Length::metres(metres % 400.0) })
            .id(QueryId(id))
            .at(Time::from_millis(id))
            .k(k)
            .dt(Duration::from_secs(3))
            .dc(Length::metres(800.0 - apart / 2.0))
            .build_unchecked()
    };
    (ring, (0..count).map(query).collect())
}

#[test]
fn a_ring_road_stops_at_the_budget_and_reports_it() {
    for (count, k) in [(40, 21), (40, 20), (100, 51), (200, 100)] {
        let (town, queries) = ring(count, k);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        for make in [Sequential::new, Sequential::edge_by_edge] {
            let fresh = || Box::new(make(Arc::clone(&atlas))) as Box<dyn Scheme>;
            let mut truncated = false;
            let served = run(&mut WarmAndCold::new(fresh), &queries, |step| {
                truncated |= step.truncated;
                for set in &step.sets {
                    assert!(set.members.len() >= k as usize);
                    for a in &set.members {
                        assert!(set.members.iter().all(|b| a.0.abs_diff(b.0) != count / 2));
                    }
                }
            });
            let possible = u64::from(k) <= count / 2;
            assert_eq!(served > 0, possible, "{count} {k}");
            assert_eq!(truncated, !possible, "{count} {k}");
        }
    }
}

#[test]
fn two_queries_of_one_user_are_never_in_one_set() {
    let town = town("A 0,0  B 400,0 | A-B");
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut queries = town.random_queries(&mut Town::generator(3), 3);
    for (number, query) in queries.iter_mut().enumerate() {
        query.user = UserId(number as u64 / 2);
        query.k = 3;
        query.asked_at = Time::from_millis(number as u64);
        query.temporal_tolerance = Duration::from_secs(1);
        query.distance_constraint = Length::metres(1_000.0);
    }
    let served = |queries: &[Query]| run(&mut Sequential::new(Arc::clone(&atlas)), queries, |_| ());
    assert_eq!(served(&queries), 0, "two users do not meet k = 3");
    queries[1].user = UserId(7);
    assert_eq!(served(&queries), 3);
}
