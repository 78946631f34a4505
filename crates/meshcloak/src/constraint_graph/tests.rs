//! The graph has exactly the edges of the definition (`naive::edges`).

use super::*;
use crate::cells::Cells;
use crate::distance::{MAX_DC_MAX, RowLimits, Rows};
use crate::naive;
use crate::query::{QueryId, UserId};
use crate::town::{Town, town};
use crate::units::Length;

/// Length of the near part of rows: short, so that small towns have far parts.
const NEAR_LEN: usize = 5;

fn atlas(town: &Town, max_bytes: usize) -> Atlas {
    let limits = RowLimits { max_bytes, near_len: NEAR_LEN };
    Atlas::with_limits(town.map.clone(), MAX_DC_MAX, limits)
}

/// Compares the graph with the definition under both coverage rules; returns the number of edges.
fn compare(town: &Town, max_bytes: usize, waiting: &[Query], case: &str) -> usize {
    let atlas = atlas(town, max_bytes);
    assert_eq!(matches!(atlas.rows(), Rows::Streets(_)), max_bytes > 0);
    let table = naive::terminal_distances(&town.map);
    let mut edges = 0;
    for coverage in [Coverage::Own, Coverage::Both] {
        let mut builder = GraphBuilder::default();
        let graph = builder.build(&atlas, coverage, waiting).clone();
        let mut found: Vec<(u32, u32)> = (0..graph.len() as u32)
            .flat_map(|node| graph.later(node).iter().map(move |&later| (node, later)))
            .map(|(a, b)| {
                (builder.waiting_indices()[a as usize], builder.waiting_indices()[b as usize])
            })
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        found.sort_unstable();
        let expected = naive::edges(&town.map, &table, coverage, waiting);
        assert_eq!(found, expected, "{case} {coverage:?}\n{town}");
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
        let waiting = town.random_queries(&mut Town::generator(seed), 1 + seed as usize % 40);
        let max_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        edges += compare(&town, max_bytes, &waiting, &format!("seed {seed}"));
    }
    assert!(edges > 10_000, "only {edges} edges were compared");
}

#[test]
fn the_graph_is_exact_with_more_candidates_than_one_block_holds() {
    let mut edges = 0;
    for seed in 0..40 {
        let town = Town::random(seed);
        let mut waiting = town.random_queries(&mut Town::generator(seed), 90 + seed as usize * 5);
        waiting.iter_mut().step_by(5).for_each(|query| query.distance_constraint = Length::ZERO);
        let max_bytes = if seed % 4 < 3 { usize::MAX } else { 0 };
        edges += compare(&town, max_bytes, &waiting, &format!("seed {seed}"));
    }
    assert!(edges > 100_000, "only {edges} edges were compared");
}

#[test]
fn the_graph_is_exact_on_streets_longer_than_sixteen_bits_hold() {
    let mut edges = 0;
    for (seed, streets) in
        (0..).zip(["A-B B-C C-A", "A>B B-C C-A", "A-B(1500,-900)", "A>B B>C C>A"])
    {
        let town = town(&format!("A 0,0  B 3000,0  C 1500,40 | {streets}"));
        let waiting = town.random_queries(&mut Town::generator(seed), 60);
        for max_bytes in [usize::MAX, 0] {
            edges += compare(&town, max_bytes, &waiting, streets);
        }
    }
    assert!(edges > 1_000, "only {edges} edges were compared");
}

#[test]
fn within_cells_the_graph_has_the_edges_of_the_definition() {
    let (mut edges, mut fewer, mut truncated) = (0, 0, 0);
    let mut builder = GraphBuilder::default();
    for seed in 0..300 {
        let town = Town::random(seed * 2);
        let mut waiting =
            town.random_queries(&mut Town::generator(seed), 1 + seed as usize * 3 % 200);
        if seed % 3 == 0 {
            waiting.reverse();
        }
        let max_bytes = if seed % 4 == 0 { 0 } else { usize::MAX };
        let atlas = atlas(&town, max_bytes);
        let table = naive::terminal_distances(&town.map);
        let cells = Cells::new(&town.map, Length::metres([80.0, 300.0, 1e5][seed as usize % 3]));
        // Every tenth town has a low limit, so that some of its cells are truncated.
        builder.limits = match seed % 10 {
            0 => EdgeLimits { complete: 30, capped: 20 },
            _ => EdgeLimits::default(),
        };
        let coverage = [Coverage::Own, Coverage::Both][seed as usize % 2];
        let graph = builder.build_in_cells(&atlas, coverage, &cells, &waiting).clone();
        let indices = builder.waiting_indices();
        let all = naive::edges_in_cells(&town.map, &table, coverage, &cells, &waiting);
        fewer += usize::from(all.len() < naive::edges(&town.map, &table, coverage, &waiting).len());
        let cell = |index: u32| cells.of(waiting[index as usize].position.street);
        let mut nodes = 0;
        for Section { nodes: range, truncated: is_truncated } in builder.sections() {
            assert_eq!(std::mem::replace(&mut nodes, range.end), range.start);
            let own = cell(indices[range.start as usize]);
            let mut found: Vec<(u32, u32)> = Vec::new();
            for node in range.clone() {
                assert_eq!(cell(indices[node as usize]), own, "seed {seed}");
                assert!(graph.later(node).is_sorted_by(|a, b| a < b), "seed {seed}");
                let query = &waiting[indices[node as usize] as usize];
                assert_eq!(builder.member(node).id, query.id);
                assert_eq!(u32::from(builder.k()[node as usize]), query.k);
                let ends = |&later: &u32| (indices[node as usize], indices[later as usize]);
                found.extend(graph.later(node).iter().map(ends).map(|(a, b)| (a.min(b), a.max(b))));
            }
            found.sort_unstable();
            let expected: Vec<_> = all.iter().copied().filter(|edge| cell(edge.0) == own).collect();
            assert_eq!(*is_truncated, expected.len() > builder.limits.complete, "seed {seed}");
            if *is_truncated {
                truncated += 1;
                assert!(found.len() <= builder.limits.capped, "seed {seed}");
                assert!(found.iter().all(|edge| expected.binary_search(edge).is_ok()));
            } else {
                assert_eq!(found, expected, "seed {seed} {coverage:?}\n{town}");
            }
            edges += found.len();
        }
        assert_eq!(nodes as usize, waiting.len(), "seed {seed}");
        let partitions = (0..graph.partition_count()).flat_map(|n| graph.partition(n));
        assert!(partitions.eq(0..waiting.len() as u32), "seed {seed}");
    }
    assert!(edges > 20_000 && fewer > 100 && truncated > 20, "{edges}, {fewer}, {truncated}");
}

#[test]
fn nodes_are_sorted_by_street_and_edges_are_stored_at_the_smaller_dc() {
    for seed in 0..50 {
        let town = Town::random(200 + seed);
        let mut waiting = town.random_queries(&mut Town::generator(seed), 60);
        if seed % 2 == 0 {
            waiting.reverse();
        }
        (waiting[0].k, waiting[1].k) = (70_000, 65_535);
        let equal = waiting[0].distance_constraint;
        waiting.iter_mut().step_by(3).for_each(|query| query.distance_constraint = equal);
        let atlas = atlas(&town, usize::MAX);
        let mut builder = GraphBuilder::default();
        let graph = builder.build(&atlas, Coverage::Own, &waiting).clone();
        let query = |node: u32| &waiting[builder.waiting_indices()[node as usize] as usize];
        let key = |query: &Query| (query.distance_constraint, query.id);
        let nodes: Vec<&Query> = (0..60).map(query).collect();
        assert!(nodes.is_sorted_by_key(|query| (query.position.street, key(query))));
        let order = |node: u32| (query(node).distance_constraint, node);
        for node in 0..60 {
            assert!(graph.later(node).is_sorted());
            assert!(graph.later(node).iter().all(|&other| order(node) < order(other)));
            assert_eq!(builder.member(node).id, query(node).id);
            assert_eq!(builder.member(node).mesh_key, query(node).mesh_key());
            for size in [2, query(node).k - 1, query(node).k, query(node).k + 1] {
                assert_eq!(builder.is_satisfied(node, size, &waiting), size >= query(node).k);
            }
        }
        let partitions: Vec<_> = (0..graph.partition_count()).map(|n| graph.partition(n)).collect();
        assert!(partitions.iter().flat_map(Clone::clone).eq(0..60), "{partitions:?}");
    }
}

#[test]
fn a_reused_builder_ignores_the_previous_batch() {
    let mut builder = GraphBuilder::default();
    for seed in 0..60 {
        let town = Town::random(100 + seed);
        let waiting = town.random_queries(&mut Town::generator(seed), (seed as usize * 7) % 50);
        let atlas = atlas(&town, usize::MAX);
        let fresh = GraphBuilder::default().build(&atlas, Coverage::Own, &waiting).clone();
        assert_eq!(builder.build(&atlas, Coverage::Own, &waiting).len(), fresh.len());
        for node in 0..fresh.len() as u32 {
            assert_eq!(builder.graph.later(node), fresh.later(node), "seed {seed}");
        }
    }
}

#[test]
fn the_search_of_one_street_stops_when_its_edges_exceed_the_limit() {
    let town = town("A 0,0  B 400,0 | A-B");
    let template = town.random_queries(&mut Town::generator(1), 1).remove(0);
    let query = |number| Query {
        id: QueryId(number),
        user: UserId(number),
        position: town.at("A-B", number as f64 / 100.0),
        distance_constraint: Length::metres(1_000.0),
        ..template.clone()
    };
    let waiting: Vec<Query> = (0..20_000).map(query).collect();
    let atlas = atlas(&town, usize::MAX);
    let mut builder = GraphBuilder::default();
    let edges = builder.build(&atlas, Coverage::Own, &waiting).edge_count();
    assert!(builder.truncated() && edges <= MAX_CAPPED_EDGES, "{edges}");
    let graph = builder.graph();
    assert!((0..20_000).all(|node| graph.later(node).is_sorted_by(|a, b| a < b)));
    // The complete graph has 200 million edges. Buffers grow by half, so less than twice the limit
    // was ever allocated.
    let capacity = |edges: &PartitionEdges| edges.later.capacity();
    let total = builder.edges.iter().map(capacity).sum::<usize>() + builder.graph.later.capacity();
    assert!(total <= 2 * MAX_EDGES + MAX_CAPPED_EDGES, "{total}");
}

#[test]
fn a_capped_graph_keeps_neighbours_on_the_own_street_first() {
    let max_degree = 3;
    let mut removed = 0;
    for seed in 0..60 {
        let town = Town::random(seed);
        let waiting = town.random_queries(&mut Town::generator(seed), 40 + seed as usize);
        let max_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        let atlas = atlas(&town, max_bytes);
        for coverage in [Coverage::Own, Coverage::Both] {
            let mut builder = GraphBuilder::default();
            let full = builder.build(&atlas, coverage, &waiting).clone();
            builder.find_edges(&atlas, coverage, &waiting, max_degree);
            builder.concatenate();
            let street = |node: u32| builder.member(node).mesh_key.street;
            for node in 0..full.len() as u32 {
                let (all, kept) = (full.later(node), builder.graph.later(node));
                assert_eq!(kept.len(), all.len().min(max_degree), "seed {seed}\n{town}");
                assert!(kept.is_sorted_by(|a, b| a < b));
                assert!(kept.iter().all(|other| all.contains(other)), "seed {seed}\n{town}");
                let own = |nodes: &[u32]| {
                    nodes.iter().filter(|&&other| street(other) == street(node)).count()
                };
                assert_eq!(own(kept), own(all).min(max_degree), "seed {seed}\n{town}");
                removed += all.len() - kept.len();
            }
        }
    }
    assert!(removed > 1_000, "only {removed} edges were removed");
}
