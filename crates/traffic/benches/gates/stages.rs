//! The stages, each as a function that is never inlined: callgrind counts from where it is entered
//! to where it is left.

use meshcloak::cliques::{LargestCliques, maximal_cliques};
use meshcloak::constraint_graph::{ConstraintGraph, Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, DistanceMatrix, Reach};
use meshcloak::engine::{Batch, turn};
use meshcloak::map::StreetMap;
use meshcloak::mesh::{MeshBuilder, MeshKey};
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme, State};
use meshcloak::units::Length;
use std::hint::black_box;

/// The functions of this file in the order in which the workload calls them, and what their
/// instructions are divided by.
pub const ALL: [(&str, &str); 8] = [
    ("matrix", "pair"),
    ("rows", "entry"),
    ("graph", "query"),
    ("graph_by_terminals", "query"),
    ("largest_cliques", "query"),
    ("all_cliques", "query"),
    ("meshes", "query"),
    ("turns", "query"),
];

/// Algorithm 1.
#[inline(never)]
pub fn matrix(map: &StreetMap, dc_max: Length) -> DistanceMatrix {
    DistanceMatrix::new(map, dc_max)
}

/// The rows of streets within reach.
#[inline(never)]
pub fn rows(map: &StreetMap, matrix: &DistanceMatrix) -> Reach {
    Reach::new(map, matrix)
}

/// Algorithm 2.
#[inline(never)]
pub fn graph(atlas: &Atlas, crowds: &[Vec<Query>]) {
    all_graphs(atlas, crowds);
}

/// Algorithm 2 where rows of streets would be too large.
#[inline(never)]
pub fn graph_by_terminals(atlas: &Atlas, crowds: &[Vec<Query>]) {
    // Tells this function from the one above, or the linker may make one of them.
    black_box(1);
    all_graphs(atlas, crowds);
}

fn all_graphs(atlas: &Atlas, crowds: &[Vec<Query>]) {
    let mut builder = GraphBuilder::default();
    for crowd in crowds {
        black_box(builder.build(atlas, Coverage::Own, crowd));
    }
}

/// A largest clique for every query.
#[inline(never)]
pub fn largest_cliques(graphs: &[ConstraintGraph], budget: u32) {
    let mut cliques = LargestCliques::default();
    for graph in graphs {
        black_box(cliques.find(graph, budget));
    }
}

/// All maximal cliques.
#[inline(never)]
pub fn all_cliques(graphs: &[ConstraintGraph]) {
    for graph in graphs {
        maximal_cliques(graph, |clique| {
            black_box(clique);
        });
    }
}

/// Algorithm 3.
#[inline(never)]
pub fn meshes(mut builder: MeshBuilder, sets: &[Vec<MeshKey>]) {
    let mut streets = Vec::new();
    for set in sets {
        streets.clear();
        builder.cloaking_mesh(set.iter().copied(), &mut streets);
        black_box(&streets);
    }
}

/// Algorithm 4, all of it.
#[inline(never)]
pub fn turns(scheme: &mut dyn Scheme, tape: Vec<Batch>) {
    all_turns(scheme, tape);
}

/// The same, not counted.
pub fn all_turns(scheme: &mut dyn Scheme, tape: Vec<Batch>) {
    let mut state = State::default();
    for batch in tape {
        black_box(turn(scheme, &mut state, batch, &mut ()));
    }
}
