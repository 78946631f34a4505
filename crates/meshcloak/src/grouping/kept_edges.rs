//! Edges between nodes that are not pruned by degree alone, before symmetric rows are built.
//!
//! ```text
//! is_kept  one per node   the node has at least k − 1 neighbours that were kept in the round before
//! ends     one per node   end of its later neighbours in `later`
//! later    compacted      later neighbours of kept nodes that are kept themselves, ascending
//! degree   one per node   number of its edges in `later`, at both ends
//! ```
//!
//! Half of the nodes of a batch have fewer neighbours than they need, and most of their edges are gone
//! after [`ROUNDS`] passes over the lists of the graph, each of which reads one flag per edge.
//! Symmetric rows, which need a scatter and a merge, are then built of the remaining edges only. What
//! later rounds would prune is left to the worklist of [`super::neighbours`].

use super::roles::Role;
use crate::constraint_graph::Subgraph;

/// Later neighbours of the nodes that may be published.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptEdges {
    is_kept: Vec<bool>,
    /// Whether a node or a neighbour of it asks; empty if all nodes ask.
    has_asking: Vec<bool>,
    pub(super) degree: Vec<u32>,
    ends: Vec<u32>,
    later: Vec<u32>,
}

/// Passes over the edges.
const ROUNDS: usize = 2;

impl KeptEdges {
    /// Loads the edges of a graph without the nodes that have fewer than k − 1 neighbours, and without
    /// the present nodes that have no neighbour that asks.
    pub(super) fn load(&mut self, graph: Subgraph<'_>, k: &[u32], roles: &[Role]) {
        self.count_degrees(graph);
        self.find_asking(graph, roles);
        self.is_kept.clear();
        self.is_kept.resize(graph.len(), true);
        self.mark(k);
        for (is_kept, has_asking) in self.is_kept.iter_mut().zip(&self.has_asking) {
            *is_kept &= has_asking;
        }
        self.filter_graph(graph);
        for _ in 1..ROUNDS {
            self.mark(k);
            self.filter_again();
        }
    }

    /// Returns whether a node may be published.
    pub(super) fn is_kept(&self, node: u32) -> bool {
        self.is_kept[node as usize]
    }

    /// Returns the later neighbours of a node.
    pub(super) fn later(&self, node: usize) -> &[u32] {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.later[start as usize..self.ends[node] as usize]
    }

    fn count_degrees(&mut self, graph: Subgraph<'_>) {
        self.degree.clear();
        if let Some(degrees) = graph.degrees() {
            self.degree.extend_from_slice(degrees);
            return;
        }
        self.degree.resize(graph.len(), 0);
        for node in 0..graph.len() as u32 {
            let later = graph.later_in_whole(node);
            self.degree[node as usize] += later.len() as u32;
            for &later in later {
                self.degree[(later - graph.first()) as usize] += 1;
            }
        }
    }

    fn find_asking(&mut self, graph: Subgraph<'_>, roles: &[Role]) {
        self.has_asking.clear();
        self.has_asking.extend(roles.iter().map(|role| role.asks()));
        if roles.is_empty() {
            return;
        }
        for node in 0..graph.len() {
            let asks = roles[node].asks();
            for &later in graph.later_in_whole(node as u32) {
                let later = (later - graph.first()) as usize;
                self.has_asking[later] |= asks;
                self.has_asking[node] |= roles[later].asks();
            }
        }
    }

    /// Removes the flag of each node with too few neighbours.
    fn mark(&mut self, k: &[u32]) {
        for ((is_kept, degree), &k) in self.is_kept.iter_mut().zip(&self.degree).zip(k) {
            *is_kept &= degree + 1 >= k;
        }
    }

    /// Fills `later` with the edges of kept nodes.
    fn filter_graph(&mut self, graph: Subgraph<'_>) {
        let KeptEdges { is_kept, degree, ends, later, .. } = self;
        degree.fill(0);
        ends.clear();
        later.resize(graph.edge_count() + 1, 0);
        let mut filter = Filter { is_kept, degree, end: 0 };
        for node in 0..graph.len() {
            if filter.is_kept[node] {
                let start = filter.end;
                for &other in graph.later_in_whole(node as u32) {
                    filter.push(later, other - graph.first());
                }
                filter.degree[node] += (filter.end - start) as u32;
            }
            ends.push(filter.end as u32);
        }
    }

    /// Compacts `later` to the edges of kept nodes.
    fn filter_again(&mut self) {
        let KeptEdges { is_kept, degree, ends, later, .. } = self;
        degree.fill(0);
        let mut filter = Filter { is_kept, degree, end: 0 };
        let mut next = 0;
        for (node, end) in ends.iter_mut().enumerate() {
            let range = next..*end as usize;
            next = range.end;
            if filter.is_kept[node] {
                let start = filter.end;
                for index in range {
                    let other = later[index];
                    filter.push(later, other);
                }
                filter.degree[node] += (filter.end - start) as u32;
            }
            *end = filter.end as u32;
        }
    }
}

/// Output of a pass.
struct Filter<'a> {
    is_kept: &'a [bool],
    degree: &'a mut [u32],
    end: usize,
}

impl Filter<'_> {
    /// Branchless compaction: every edge is stored, the length advances only for kept ones.
    #[inline(always)]
    fn push(&mut self, later: &mut [u32], other: u32) {
        let is_kept = self.is_kept[other as usize];
        later[self.end] = other;
        self.end += usize::from(is_kept);
        self.degree[other as usize] += u32::from(is_kept);
    }
}
