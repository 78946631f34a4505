//! The graph has exactly the edges that the definition gives, one by one.

use super::*;
use crate::distance::{LARGEST_DC_MAX, Rows};
use crate::naive;
use crate::query::{QueryId, UserId};
use crate::town::{Town, town};
use crate::units::Length;

/// Compares the graph with the definition, under both rules; gives how many edges were compared.
fn compare(town: &Town, most_bytes: usize, waiting: &[Query], what: &str) -> usize {
    let atlas = Atlas::within(town.map.clone(), LARGEST_DC_MAX, most_bytes);
    assert_eq!(matches!(atlas.rows(), Rows::Streets(_)), most_bytes > 0);
    let table = naive::terminal_distances(&town.map);
    let mut edges = 0;
    for coverage in [Coverage::Own, Coverage::Both] {
        let mut builder = GraphBuilder::default();
        let graph = builder.build(&atlas, coverage, waiting).clone();
        let mut found: Vec<(u32, u32)> = (0..graph.len() as u32)
            .flat_map(|node| graph.later(node).iter().map(move |&later| (node, later)))
            .map(|(a, b)| (builder.nodes()[a as usize], builder.nodes()[b as usize]))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        found.sort_unstable();
        let expected = naive::edges(&town.map, &table, coverage, waiting);
        assert_eq!(found, expected, "{what} {coverage:?}\n{town}");
        assert!(!builder.truncated());
        edges += found.len();
    }
    edges
}

#[test]
fn the_graph_has_the_edges_of_the_definition_and_no_other() {
    let mut edges = 0;
    for seed in 0..400 {
        let town = Town::random(seed);
        let waiting = town.crowd(&mut Town::generator(seed), 1 + seed as usize % 40);
        let most_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        edges += compare(&town, most_bytes, &waiting, &format!("seed {seed}"));
    }
    assert!(edges > 10_000, "only {edges} edges were compared");
}

#[test]
fn so_it_has_where_more_stand_around_than_are_compared_at_once() {
    let mut edges = 0;
    for seed in 0..40 {
        let town = Town::random(seed);
        let mut waiting = town.crowd(&mut Town::generator(seed), 90 + seed as usize * 5);
        waiting.iter_mut().step_by(5).for_each(|query| query.distance_constraint = Length::ZERO);
        let most_bytes = if seed % 4 < 3 { usize::MAX } else { 0 };
        edges += compare(&town, most_bytes, &waiting, &format!("seed {seed}"));
    }
    assert!(edges > 100_000, "only {edges} edges were compared");
}

#[test]
fn so_it_has_on_streets_longer_than_sixteen_bits_can_say() {
    let mut edges = 0;
    for (seed, streets) in
        (0..).zip(["A-B B-C C-A", "A>B B-C C-A", "A-B(1500,-900)", "A>B B>C C>A"])
    {
        let town = town(&format!("A 0,0  B 3000,0  C 1500,40 | {streets}"));
        let waiting = town.crowd(&mut Town::generator(seed), 60);
        for most_bytes in [usize::MAX, 0] {
            edges += compare(&town, most_bytes, &waiting, streets);
        }
    }
    assert!(edges > 1_000, "only {edges} edges were compared");
}

#[test]
fn nodes_are_street_by_street_and_edges_stand_at_the_smaller_reach() {
    for seed in 0..50 {
        let town = Town::random(200 + seed);
        let mut waiting = town.crowd(&mut Town::generator(seed), 60);
        if seed % 2 == 0 {
            waiting.reverse();
        }
        (waiting[0].k, waiting[1].k) = (70_000, 65_535);
        let same = waiting[0].distance_constraint;
        waiting.iter_mut().step_by(3).for_each(|query| query.distance_constraint = same);
        let atlas = Atlas::new(town.map.clone(), LARGEST_DC_MAX);
        let mut builder = GraphBuilder::default();
        let graph = builder.build(&atlas, Coverage::Own, &waiting).clone();
        let query = |node: u32| &waiting[builder.nodes()[node as usize] as usize];
        let reach = |query: &Query| (query.distance_constraint, query.id);
        let nodes: Vec<&Query> = (0..60).map(query).collect();
        assert!(nodes.is_sorted_by_key(|query| (query.position.street, reach(query))));
        let order = |node: u32| (query(node).distance_constraint, node);
        for node in 0..60 {
            assert!(graph.later(node).is_sorted());
            assert!(graph.later(node).iter().all(|&other| order(node) < order(other)));
            assert_eq!(builder.member(node).id, query(node).id);
            assert_eq!(builder.member(node).mesh_key, query(node).mesh_key());
            for size in [2, query(node).k - 1, query(node).k, query(node).k + 1] {
                assert_eq!(builder.is_enough(node, size, &waiting), size >= query(node).k);
            }
        }
        let portions: Vec<_> = (0..graph.portion_count()).map(|n| graph.portion(n)).collect();
        assert!(portions.iter().flat_map(Clone::clone).eq(0..60), "{portions:?}");
    }
}

#[test]
fn a_builder_used_again_forgets_the_batch_before() {
    let mut builder = GraphBuilder::default();
    for seed in 0..60 {
        let town = Town::random(100 + seed);
        let waiting = town.crowd(&mut Town::generator(seed), (seed as usize * 7) % 50);
        let atlas = Atlas::new(town.map.clone(), LARGEST_DC_MAX);
        let fresh = GraphBuilder::default().build(&atlas, Coverage::Own, &waiting).clone();
        assert_eq!(builder.build(&atlas, Coverage::Own, &waiting).len(), fresh.len());
        for node in 0..fresh.len() as u32 {
            assert_eq!(builder.graph.later(node), fresh.later(node), "seed {seed}");
        }
    }
}

#[test]
fn a_crowd_on_one_street_stops_searching_when_its_edges_no_longer_fit() {
    let town = town("A 0,0  B 400,0 | A-B");
    let one = town.crowd(&mut Town::generator(1), 1).remove(0);
    let person = |number| Query {
        id: QueryId(number),
        user: UserId(number),
        position: town.at("A-B", number as f64 / 100.0),
        distance_constraint: Length::metres(1_000.0),
        ..one.clone()
    };
    let waiting: Vec<Query> = (0..20_000).map(person).collect();
    let atlas = Atlas::new(town.map.clone(), LARGEST_DC_MAX);
    let mut builder = GraphBuilder::default();
    let edges = builder.build(&atlas, Coverage::Own, &waiting).edge_count();
    assert!(builder.truncated() && edges <= EDGES_OF_A_CRUSH, "{edges}");
    let graph = builder.graph();
    assert!((0..20_000).all(|node| graph.later(node).is_sorted_by(|a, b| a < b)));
    // All would be 200 million; room grows by half, so twice what may be kept is more than it had.
    let room = |found: &Found| found.later.capacity();
    let most = builder.found.iter().map(room).sum::<usize>() + builder.graph.later.capacity();
    assert!(most <= 2 * MOST_EDGES + EDGES_OF_A_CRUSH, "{most}");
}

#[test]
fn a_crush_keeps_neighbours_on_the_own_street_first() {
    let most = 3;
    let mut cut = 0;
    for seed in 0..60 {
        let town = Town::random(seed);
        let waiting = town.crowd(&mut Town::generator(seed), 40 + seed as usize);
        let most_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        let atlas = Atlas::within(town.map.clone(), LARGEST_DC_MAX, most_bytes);
        for coverage in [Coverage::Own, Coverage::Both] {
            let mut builder = GraphBuilder::default();
            let full = builder.build(&atlas, coverage, &waiting).clone();
            builder.walk(&atlas, coverage, &waiting, most);
            builder.join();
            let street = |node: u32| builder.member(node).mesh_key.street;
            for node in 0..full.len() as u32 {
                let (all, kept) = (full.later(node), builder.graph.later(node));
                assert_eq!(kept.len(), all.len().min(most), "seed {seed}\n{town}");
                assert!(kept.is_sorted_by(|a, b| a < b));
                assert!(kept.iter().all(|other| all.contains(other)), "seed {seed}\n{town}");
                let own = |nodes: &[u32]| {
                    nodes.iter().filter(|&&other| street(other) == street(node)).count()
                };
                assert_eq!(own(kept), own(all).min(most), "seed {seed}\n{town}");
                cut += all.len() - kept.len();
            }
        }
    }
    assert!(cut > 1_000, "only {cut} were left out");
}
