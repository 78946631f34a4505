//! The graph has exactly the edges that the definition gives, one by one.

use super::*;
use crate::distance::{LARGEST_DC_MAX, Rows};
use crate::naive;
use crate::town::Town;

#[test]
fn the_graph_has_the_edges_of_the_definition_and_no_other() {
    let mut edges = 0;
    for seed in 0..400 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let waiting = town.crowd(&mut random, 1 + seed as usize % 40);
        let most_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        let atlas = Atlas::within(town.map.clone(), LARGEST_DC_MAX, most_bytes);
        assert_eq!(matches!(atlas.rows(), Rows::Streets(_)), seed % 2 == 0);
        let table = naive::terminal_distances(&town.map);
        for coverage in [Coverage::Own, Coverage::Both] {
            let mut builder = GraphBuilder::default();
            let graph = builder.build(&atlas, coverage, &waiting).clone();
            let mut found: Vec<(u32, u32)> = (0..graph.len() as u32)
                .flat_map(|node| graph.later(node).iter().map(move |&later| (node, later)))
                .map(|(a, b)| (builder.nodes()[a as usize], builder.nodes()[b as usize]))
                .map(|(a, b)| (a.min(b), a.max(b)))
                .collect();
            found.sort_unstable();
            let expected = naive::edges(&town.map, &table, coverage, &waiting);
            assert_eq!(found, expected, "seed {seed} {coverage:?}\n{town}");
            assert!(!builder.truncated());
            edges += found.len();
        }
    }
    assert!(edges > 10_000, "only {edges} edges were compared");
}

#[test]
fn nodes_are_in_order_of_reach_and_then_of_id() {
    for seed in 0..50 {
        let town = Town::random(200 + seed);
        let mut waiting = town.crowd(&mut Town::generator(seed), 60);
        waiting.reverse();
        let atlas = Atlas::new(town.map.clone(), LARGEST_DC_MAX);
        let mut builder = GraphBuilder::default();
        builder.build(&atlas, Coverage::Own, &waiting);
        let key = |place: &u32| {
            let query = &waiting[*place as usize];
            (query.distance_constraint, query.id)
        };
        assert!(builder.nodes().is_sorted_by_key(key));
        assert_eq!(builder.nodes().len(), 60);
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
