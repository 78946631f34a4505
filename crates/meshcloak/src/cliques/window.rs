//! Adjacency of up to 256 nodes of a crowd, and cliques that a greedy search finds in it.
//!
//! ```text
//! nodes   u32 × n        ascending; bit i of every set is node i
//! rows    [u64; 4] × n   row i: nodes adjacent to node i
//! ```
//!
//! Where hundreds of users are within reach of each other, a clique several times as large as every k
//! is found by taking one node after the other. The search for a largest clique would spend nearly
//! all of its steps on the proof that there is no larger one. Reference: the tests of this module.

use super::adjacency::Adjacency;
use super::bitset::BitSet;
use crate::constraint_graph::ConstraintGraph;

/// Set of nodes of a window.
pub(crate) type WindowSet = [u64; 4];

/// Largest number of nodes of a window.
pub(crate) const MAX_WINDOW: usize = WindowSet::CAPACITY;

/// Candidates that are compared before one is taken.
pub(crate) const COMPARED: usize = 4;

/// Nodes of one part of a crowd after the other, with reused buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    adjacency: Adjacency,
    nodes: Vec<u32>,
    rows: Vec<WindowSet>,
}

impl Window {
    /// Loads the edges among `nodes`, at most [`MAX_WINDOW`] and ascending.
    pub(crate) fn load(&mut self, graph: &ConstraintGraph, nodes: impl Iterator<Item = u32>) {
        self.nodes.clear();
        self.nodes.extend(nodes);
        self.adjacency.begin(graph.len());
        self.adjacency.connect(graph, &self.nodes, &mut self.rows);
    }

    /// Returns the nodes.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Returns the nodes that satisfy a predicate.
    pub(crate) fn select(&self, predicate: impl Fn(u32) -> bool) -> WindowSet {
        let mut selected = WindowSet::empty(self.nodes.len());
        for (index, &node) in self.nodes.iter().enumerate() {
            selected.insert_if(predicate(node), index);
        }
        selected
    }

    /// Returns such a clique that contains the node with an index.
    pub(crate) fn clique_with(
        &self,
        index: usize,
        open: WindowSet,
        preferred: &WindowSet,
        max: u32,
    ) -> WindowSet {
        let mut clique = self.clique(open.common(&self.rows[index]), preferred, max - 1);
        clique.insert(index);
        clique
    }

    /// Returns a clique of nodes of `open`, as far as possible of `preferred` ones. It has `max` nodes,
    /// or no node of `open` is adjacent to all of it.
    pub(crate) fn clique(&self, mut open: WindowSet, preferred: &WindowSet, max: u32) -> WindowSet {
        let mut clique = WindowSet::empty(self.nodes.len());
        for _ in 0..max {
            let first = open.common(preferred);
            let choice = if first.is_empty() { &open } else { &first };
            let degree = |index: &usize| open.count_common(&self.rows[*index]);
            let Some(next) = choice.iter().take(COMPARED).max_by_key(degree) else { break };
            clique.insert(next);
            open = open.common(&self.rows[next]);
        }
        clique
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    #[test]
    fn cliques_are_cliques_of_open_nodes_and_end_at_the_limit_or_are_maximal() {
        let (mut limited, mut maximal) = (0, 0);
        let mut window = Window::default();
        for seed in 0..200_u32 {
            let count = 20 + seed;
            let share = seed % 9 + 2;
            let mixed = |a: u32, b: u32| (a * 31 + b * 17 + a * b * 7 + seed * 13) % 11 < share;
            let graph = ConstraintGraph::from_fn(count, mixed).reoriented();
            let step = 1 + seed as usize % 3;
            window.load(&graph, (0..count).step_by(step));
            let open = window.select(|node| node % 5 != seed % 5);
            let preferred = window.select(|node| node % 2 == 0);
            let max = [3, 200][seed as usize % 2];
            let clique = window.clique(open, &preferred, max);
            let members: Vec<u32> = clique.iter().map(|index| window.nodes()[index]).collect();
            assert!(naive::is_clique(&graph, &members), "seed {seed}: {members:?}");
            assert!(clique.without(&open).is_empty(), "seed {seed}");
            let fits = |&node: &u32| {
                node % 5 != seed % 5
                    && !members.contains(&node)
                    && naive::is_clique(&graph, &[&members[..], &[node]].concat())
            };
            let addable = window.nodes().iter().filter(|node| fits(node)).count();
            if members.len() == max as usize {
                limited += 1;
            } else {
                assert_eq!(addable, 0, "seed {seed}");
                maximal += 1;
            }
            let seed_node = members.first().is_none_or(|node| node % 2 == 0);
            let has_preferred = !open.common(&preferred).is_empty();
            assert!(seed_node || members.iter().any(|node| node % 2 == 0) || !has_preferred);
        }
        assert!(limited > 50 && maximal > 50, "{limited}, {maximal}");
    }
}
