//! All maximal cliques of a constraint graph; answer: their number.

use crate::table::Table;
use bench::{WorkloadConfiguration, maps};
use meshcloak::constraint_graph::{ConstraintGraph, Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::grouping::{Demands, Grouping};
use meshcloak::mesh_cloak::Settings;
use meshcloak::query::Query;
use meshcloak::units::Length;
use petgraph::algo::maximal_cliques as petgraph_cliques;
use petgraph::graph::UnGraph;

const AGENTS: u32 = 100_000;

pub fn measure(table: &mut Table) {
    let configurations =
        [WorkloadConfiguration::new("p1", 3, 5), WorkloadConfiguration::new("p2", 3, 5)];
    for (named, configuration) in maps().into_iter().zip(configurations) {
        let atlas = Atlas::new(named.read(), Length::metres(2_000.0));
        let graph = graph_of(&atlas, configuration);
        let place = format!("{} {}", named.name, configuration.label());
        let task = format!("maximal cliques, {place}");
        println!("{task}: {} nodes, {} edges", graph.len(), graph.edge_count());
        let nodes = 0..graph.len() as u32;
        let edges =
            nodes.flat_map(|node| graph.later(node).iter().map(move |&later| [node, later]));
        let all = std::iter::once([graph.len() as u32, 0]).chain(edges);
        table.write(&format!("{task}.u32"), all.flatten().map(u32::to_le_bytes));
        table.measure(&task, || count(&graph) as f64);
        let copy = to_petgraph(&graph);
        table.measure_peer(&task, "petgraph", || petgraph_cliques(&copy).len() as f64);
    }
}

/// Builds the graph of the queries of seconds 50 and 51.
fn graph_of(atlas: &Atlas, configuration: WorkloadConfiguration) -> ConstraintGraph {
    let recording = configuration.record(atlas.map(), AGENTS, 1);
    let waiting: Vec<Query> = recording.iter().skip(50).take(2).flatten().cloned().collect();
    GraphBuilder::default().build(atlas, Coverage::Own, &waiting).clone()
}

/// Counts the maximal cliques; a survey leaves out those of one node.
fn count(graph: &ConstraintGraph) -> usize {
    let mut grouping = Grouping::default();
    let demands = Demands { k: &vec![2; graph.len()], worth: &[], roles: &[] };
    grouping.survey(graph, demands, &mut [], Settings::default().budget);
    let mut is_joined = vec![false; graph.len()];
    for node in 0..graph.len() as u32 {
        for &later in graph.later(node) {
            is_joined[node as usize] = true;
            is_joined[later as usize] = true;
        }
    }
    grouping.clique_count() + is_joined.iter().filter(|&&is_joined| !is_joined).count()
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
