//! CliqueCloak publishes cliques in which every k is met, and misses none that it promises.

use crate::feed::{Set, Step, WarmAndCold, find, run};
use baselines::clique_cloak::{Ambition, CliqueCloak};
use meshcloak::constraint_graph::ConstraintGraph;
use meshcloak::distance::{Atlas, LARGEST_DC_MAX};
use meshcloak::printed::maximal_cliques;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::Scheme;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Rectangle, Time};
use std::sync::Arc;
use std::time::Duration;

/// The definition, written once more: each point in the other's box, time included.
fn adjacent(town: &Town, a: &Query, b: &Query) -> bool {
    let (p, q) = (town.map.point(a.position), town.map.point(b.position));
    let apart = a.asked_at.as_millis().abs_diff(b.asked_at.as_millis());
    let covers = |query: &Query| {
        let dc = query.distance_constraint.as_metres();
        (p.x - q.x).abs() <= dc
            && (p.y - q.y).abs() <= dc
            && u128::from(apart) <= query.temporal_tolerance.as_millis()
    };
    a.user != b.user && covers(a) && covers(b)
}

/// Whether somebody could be published: whether there is a clique with the newest, all of whose
/// members want no more than `k`, of at least `k` members.
fn feasible(town: &Town, waiting: &[Query], newest: &Query, k: u32) -> bool {
    let people: Vec<&Query> = waiting
        .iter()
        .filter(|q| q.k <= k && (q.id == newest.id || adjacent(town, q, newest)))
        .collect();
    let edge = |a: u32, b: u32| adjacent(town, people[a as usize], people[b as usize]);
    let graph = ConstraintGraph::from_fn(people.len() as u32, edge);
    let mut most = 0;
    maximal_cliques(&graph, |clique| most = most.max(clique.len()));
    newest.k <= k && most >= k as usize
}

fn check_set(town: &Town, waiting: &[Query], newest: &Query, set: &Set) {
    let members: Vec<&Query> = set.members.iter().map(|&id| find(waiting, id)).collect();
    assert!(set.members.contains(&newest.id), "a set is found by the newest of it");
    assert_eq!(set.served, set.members, "all of it is published");
    let points = members.iter().map(|member| town.map.point(member.position));
    let rectangle = Rectangle::around(points).expect("a set has members");
    assert_eq!(set.region, Region::Rectangle(rectangle), "its bounding rectangle");
    for a in &members {
        assert!(members.len() >= a.k as usize, "every k is met");
        assert!(set.region.contains(&town.map, a.position));
        for b in members.iter().filter(|b| b.id != a.id) {
            assert!(adjacent(town, a, b), "each in everyone's box, and different people");
        }
    }
}

#[test]
fn every_k_is_met_under_one_rectangle_and_no_promised_clique_is_missed() {
    let mut counts = [0, 0];
    for seed in 0..150 {
        let town = Town::random(seed * 4);
        let crowd = town.crowd(&mut Town::generator(seed), 2 + seed as usize % 60);
        let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
        for (at, ambition) in [Ambition::Local, Ambition::Neighbours].into_iter().enumerate() {
            let fresh =
                || Box::new(CliqueCloak::new(Arc::clone(&atlas), ambition)) as Box<dyn Scheme>;
            counts[at] += run(&mut WarmAndCold::new(fresh), &crowd, |step: &Step<'_>| {
                assert!(!step.truncated && step.sets.len() <= 1);
                // Who asks with no patience at all is still there at that instant.
                let Some(newest) = step.newest else { return assert!(step.sets.is_empty()) };
                step.sets.iter().for_each(|set| check_set(&town, &step.waiting, newest, set));
                let sizes = 2..=6;
                let possible = match ambition {
                    Ambition::Local => feasible(&town, &step.waiting, newest, newest.k),
                    Ambition::Neighbours => {
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

/// People on one street, `metres` from its beginning, asking one second after the other.
fn street(people: &[(f64, u32, f64)]) -> (Town, Vec<Query>) {
    let town = town("A 0,0  B 2000,0 | A-B");
    let query = |(id, &(metres, k, dc)): (u64, &(f64, u32, f64))| Query {
        id: QueryId(id),
        user: UserId(id),
        asked_at: Time::from_millis(id * 1_000),
        position: town.at("A-B", metres),
        k,
        temporal_tolerance: Duration::from_secs(10),
        distance_constraint: Length::metres(dc),
        speed: None,
    };
    let crowd = (0..).zip(people).map(query).collect();
    (town, crowd)
}

#[test]
fn only_nbr_k_serves_a_neighbour_who_wants_more_than_the_newest() {
    let (town, crowd) = street(&[(0.0, 3, 100.0), (50.0, 3, 100.0), (80.0, 2, 100.0)]);
    let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
    let served =
        |ambition| run(&mut CliqueCloak::new(Arc::clone(&atlas), ambition), &crowd, |_| ());
    assert_eq!(served(Ambition::Local), 0, "nobody near the newest wants as little");
    assert_eq!(served(Ambition::Neighbours), 3);
}

#[test]
fn a_search_for_more_than_there_are_ends_within_the_budget_and_says_so() {
    // Two queries each of thirty people, all near one another: there is no clique of 31.
    let (town, mut crowd) = street(&vec![(0.0, 31, 999.0); 60]);
    for query in &mut crowd {
        query.user = UserId(query.id.0 / 2);
        query.asked_at = Time::from_millis(query.id.0);
    }
    let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
    for ambition in [Ambition::Local, Ambition::Neighbours] {
        let mut scheme = CliqueCloak::new(Arc::clone(&atlas), ambition);
        let mut truncated = false;
        let served = run(&mut scheme, &crowd, |step| {
            truncated |= step.truncated;
            for set in &step.sets {
                check_set(&town, &step.waiting, step.newest.unwrap(), set);
            }
        });
        assert!(truncated && served == 0, "{served} served");
    }
}
