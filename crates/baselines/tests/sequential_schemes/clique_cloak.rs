//! CliqueCloak publishes cliques that meet every k and misses none within its search mode.

use crate::replay::{PublishedSet, Step, WarmAndCold, find, run};
use baselines::clique_cloak::{CliqueCloak, KSearch};
use meshcloak::constraint_graph::ConstraintGraph;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::printed::maximal_cliques;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::Scheme;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Rectangle, Time};
use std::sync::Arc;
use std::time::Duration;

/// Reference: each point lies in the other's box in space and time.
fn adjacent(town: &Town, a: &Query, b: &Query) -> bool {
    let (p, q) = (town.map.point(a.position), town.map.point(b.position));
    let interval = a.asked_at.as_millis().abs_diff(b.asked_at.as_millis());
    let covers = |query: &Query| {
        let dc = query.distance_constraint.as_metres();
        (p.x - q.x).abs() <= dc
            && (p.y - q.y).abs() <= dc
            && u128::from(interval) <= query.temporal_tolerance.as_millis()
    };
    a.user != b.user && covers(a) && covers(b)
}

/// Whether there is a clique of at least `k` queries with the newest one, whose members have no
/// larger k than `k`.
fn feasible(town: &Town, waiting: &[Query], newest: &Query, k: u32) -> bool {
    let candidates: Vec<&Query> = waiting
        .iter()
        .filter(|q| q.k <= k && (q.id == newest.id || adjacent(town, q, newest)))
        .collect();
    let edge = |a: u32, b: u32| adjacent(town, candidates[a as usize], candidates[b as usize]);
    let graph = ConstraintGraph::from_fn(candidates.len() as u32, edge);
    let mut largest = 0;
    maximal_cliques(&graph, |clique| largest = largest.max(clique.len()));
    newest.k <= k && largest >= k as usize
}

fn check_set(town: &Town, waiting: &[Query], newest: &Query, set: &PublishedSet) {
    let members: Vec<&Query> = set.members.iter().map(|&id| find(waiting, id)).collect();
    assert!(set.members.contains(&newest.id), "a set holds the newest query");
    assert_eq!(set.served, set.members, "all members are served");
    let points = members.iter().map(|member| town.map.point(member.position));
    let rectangle = Rectangle::around(points).expect("a set has members");
    assert_eq!(set.region, Region::Rectangle(rectangle), "its bounding rectangle");
    for a in &members {
        assert!(members.len() >= a.k as usize, "every k is met");
        assert!(set.region.contains(&town.map, a.position));
        for b in members.iter().filter(|b| b.id != a.id) {
            assert!(adjacent(town, a, b), "members are adjacent and of different users");
        }
    }
}

#[test]
fn published_cliques_meet_every_k_and_no_feasible_clique_is_missed() {
    let mut counts = [0, 0];
    for seed in 0..150 {
        let town = Town::random(seed * 4);
        let queries = town.random_queries(&mut Town::generator(seed), 2 + seed as usize % 60);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        for (index, k_search) in [KSearch::Local, KSearch::Neighbours].into_iter().enumerate() {
            let fresh =
                || Box::new(CliqueCloak::new(Arc::clone(&atlas), k_search)) as Box<dyn Scheme>;
            counts[index] += run(&mut WarmAndCold::new(fresh), &queries, |step: &Step<'_>| {
                assert!(!step.truncated && step.sets.len() <= 1);
                // A query with zero tolerance is still waiting at its own time.
                let Some(newest) = step.newest else { return assert!(step.sets.is_empty()) };
                step.sets.iter().for_each(|set| check_set(&town, &step.waiting, newest, set));
                let sizes = 2..=6;
                let possible = match k_search {
                    KSearch::Local => feasible(&town, &step.waiting, newest, newest.k),
                    KSearch::Neighbours => {
                        sizes.into_iter().any(|k| feasible(&town, &step.waiting, newest, k))
                    }
                };
                assert_eq!(!step.sets.is_empty(), possible, "seed {seed} {newest:?}\n{town}");
            });
        }
    }
    assert!(counts[0] > 300 && counts[1] > 300, "{counts:?} were served");
    assert_ne!(counts[0], counts[1], "the larger k of neighbours never mattered");
}

/// Queries on one street at one-second intervals: metres from its start, k, dc in metres.
fn street(entries: &[(f64, u32, f64)]) -> (Town, Vec<Query>) {
    let town = town("A 0,0  B 2000,0 | A-B");
    let query = |(id, &(metres, k, dc)): (u64, &(f64, u32, f64))| {
        Query::builder(UserId(id), town.at("A-B", metres))
            .id(QueryId(id))
            .at(Time::from_millis(id * 1_000))
            .k(k)
            .dt(Duration::from_secs(10))
            .dc(Length::metres(dc))
            .build_unchecked()
    };
    let queries = (0..).zip(entries).map(query).collect();
    (town, queries)
}

#[test]
fn only_nbr_k_serves_a_neighbour_with_a_larger_k() {
    let (town, queries) = street(&[(0.0, 3, 100.0), (50.0, 3, 100.0), (80.0, 2, 100.0)]);
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let served =
        |k_search| run(&mut CliqueCloak::new(Arc::clone(&atlas), k_search), &queries, |_| ());
    assert_eq!(served(KSearch::Local), 0, "no neighbour has a k as small as the newest query");
    assert_eq!(served(KSearch::Neighbours), 3);
}

#[test]
fn an_infeasible_search_stops_at_its_budget_and_reports_it() {
    // Two queries of each of 30 users, all close together: there is no clique of 31.
    let (town, mut queries) = street(&vec![(0.0, 31, 999.0); 60]);
    for query in &mut queries {
        query.user = UserId(query.id.0 / 2);
        query.asked_at = Time::from_millis(query.id.0);
    }
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    for k_search in [KSearch::Local, KSearch::Neighbours] {
        let mut scheme = CliqueCloak::new(Arc::clone(&atlas), k_search);
        let mut truncated = false;
        let served = run(&mut scheme, &queries, |step| {
            truncated |= step.truncated;
            for set in &step.sets {
                check_set(&town, &step.waiting, step.newest.unwrap(), set);
            }
        });
        assert!(truncated && served == 0, "{served} served");
    }
}
