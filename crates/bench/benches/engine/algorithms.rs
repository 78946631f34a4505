//! The distance matrix (Algorithm 1), and all maximal cliques compared with petgraph.

use crate::filter::{configurations, maps};
use crate::pipelines::{AGENTS, DC_MAX};
use bench::{WorkloadConfiguration, in_pool};
use meshcloak::constraint_graph::{ConstraintGraph, Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, DistanceMatrix};
use meshcloak::grouping::Grouping;
use meshcloak::mesh_cloak::Settings;
use meshcloak::query::Query;
use meshcloak::units::Length;
use petgraph::algo::maximal_cliques as petgraph_cliques;
use petgraph::graph::UnGraph;
use std::time::Instant;

/// Time to build the distance matrix for two values of `dc_max`, best of five.
pub fn matrix() {
    println!("\nDistance matrix, one thread");
    for named in maps() {
        let map = named.read();
        for metres in [1_000.0, 2_000.0] {
            let (mut best, mut pairs) = (f64::MAX, 0);
            for _ in 0..5 {
                let start = Instant::now();
                pairs =
                    in_pool(1, || DistanceMatrix::new(&map, Length::metres(metres)).pair_count());
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("{:12} M({metres} m): {:8.1} ms, {pairs} pairs", named.name, best * 1e3);
        }
    }
}

/// Time to list all maximal cliques of one constraint graph per configuration.
pub fn cliques() {
    println!("\nAll maximal cliques, one thread");
    for named in maps() {
        let atlas = Atlas::new(named.read(), Length::metres(DC_MAX));
        atlas.fill();
        for configuration in configurations() {
            compare(named.name, &atlas, configuration);
        }
    }
}

/// Compares both implementations on the queries of seconds 50 and 51.
fn compare(name: &str, atlas: &Atlas, configuration: WorkloadConfiguration) {
    let recording = configuration.record(atlas.map(), AGENTS, 1);
    let waiting: Vec<Query> = recording.iter().skip(50).take(2).flatten().cloned().collect();
    let mut builder = GraphBuilder::default();
    let graph = builder.build(atlas, Coverage::Own, &waiting).clone();
    let start = Instant::now();
    let mut grouping = Grouping::default();
    grouping.survey(&graph, &vec![2; graph.len()], &mut [], Settings::default().budget);
    let our_time = start.elapsed().as_secs_f64();
    let other = to_petgraph(&graph);
    let start = Instant::now();
    let theirs = petgraph_cliques(&other).len();
    let petgraph_time = start.elapsed().as_secs_f64();
    // A survey leaves out cliques of one node.
    let singles = other.node_indices().filter(|&node| other.neighbors(node).next().is_none());
    let ours = grouping.clique_count() + singles.count();
    assert_eq!(ours, theirs);
    println!(
        "{name:12} {:9} {} nodes, {} edges, {ours} cliques: {:.1} ms, petgraph {:.1} ms, {:.0}×",
        configuration.label(),
        graph.len(),
        graph.edge_count(),
        our_time * 1e3,
        petgraph_time * 1e3,
        petgraph_time / our_time
    );
}

fn to_petgraph(graph: &ConstraintGraph) -> UnGraph<(), ()> {
    let mut copy = UnGraph::<(), ()>::new_undirected();
    let nodes: Vec<_> = (0..graph.len()).map(|_| copy.add_node(())).collect();
    for node in 0..graph.len() as u32 {
        for &later in graph.later(node) {
            copy.add_edge(nodes[node as usize], nodes[later as usize], ());
        }
    }
    copy
}
