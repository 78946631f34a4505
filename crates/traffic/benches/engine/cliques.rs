//! The distance matrix (Algorithm 1), and all maximal cliques against petgraph.

use crate::people::{DC_MAX, Setting, label, maps, read, settings, tape};
use crate::run::in_pool;
use meshcloak::cliques::maximal_cliques;
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, DistanceMatrix};
use meshcloak::query::Query;
use meshcloak::units::Length;
use petgraph::algo::maximal_cliques as petgraph_cliques;
use petgraph::graph::UnGraph;
use std::sync::Arc;
use std::time::Instant;

/// M(dc_max), one thread: Algorithm 1.
pub fn matrix() {
    println!("\nDistance matrix, one thread");
    for (name, source) in maps() {
        let map = read(&source);
        for metres in [1_000.0, 2_000.0] {
            let (mut best, mut pairs) = (f64::MAX, 0);
            for _ in 0..5 {
                let begun = Instant::now();
                pairs =
                    in_pool(1, || DistanceMatrix::new(&map, Length::metres(metres))).pair_count();
                best = best.min(begun.elapsed().as_secs_f64());
            }
            println!("{name:12} M({metres} m): {:8.1} ms, {pairs} pairs", best * 1e3);
        }
    }
}

/// All maximal cliques of a constraint graph of every run, against petgraph.
pub fn cliques() {
    println!("\nAll maximal cliques, one thread");
    for (name, source) in maps() {
        let atlas = Arc::new(Atlas::new(read(&source), Length::metres(DC_MAX)));
        for setting in settings() {
            compare(name, &atlas, setting);
        }
    }
}

/// The graph of two seconds in the middle of a run.
pub fn compare(name: &str, atlas: &Atlas, setting: Setting) {
    let tape = tape(atlas.map(), 100_000, setting);
    let waiting: Vec<Query> = tape.iter().skip(50).take(2).flatten().cloned().collect();
    let mut builder = GraphBuilder::default();
    let graph = builder.build(atlas, Coverage::Own, &waiting).clone();
    let begun = Instant::now();
    let mut ours = 0;
    maximal_cliques(&graph, |_| ours += 1);
    let spent = begun.elapsed().as_secs_f64();
    let mut other = UnGraph::<(), ()>::new_undirected();
    let nodes: Vec<_> = (0..graph.len()).map(|_| other.add_node(())).collect();
    for node in 0..graph.len() as u32 {
        for &later in graph.later(node) {
            other.add_edge(nodes[node as usize], nodes[later as usize], ());
        }
    }
    let begun = Instant::now();
    let theirs = petgraph_cliques(&other).len();
    let petgraph = begun.elapsed().as_secs_f64();
    assert_eq!(ours, theirs);
    println!(
        "{name:12} {:9} {} nodes, {} edges, {ours} cliques: {:.1} ms, petgraph {:.1} ms, {:.0}×",
        label(setting),
        graph.len(),
        graph.edge_count(),
        spent * 1e3,
        petgraph * 1e3,
        petgraph / spent
    );
}
