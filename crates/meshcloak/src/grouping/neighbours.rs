//! Symmetric adjacency of the graph, pruned to the nodes that can be published, and the counting
//! relation.
//!
//! ```text
//! starts             0        s1           s2         row of node n: nodes[starts[n]..][..degree[n]]
//! nodes             | row 0   | row 1      | …        neighbours, ascending
//! counts            | bool per entry of nodes         the neighbour counts for the owner of the row
//! reverse_counts    | bool per entry of nodes         the owner of the row counts for the neighbour
//! counting          | row 0 | row 1 | …               only the neighbours that count, compacted
//! surplus            u32 per node                     neighbours that count, minus k; PRUNED if pruned
//! ```
//!
//! Invariant: before [`Neighbours::compact`] rows are complete and `surplus` marks pruned nodes.
//! After it, rows hold only nodes that are not pruned. `counts`, `reverse_counts` and `counting` are
//! empty if all nodes count.
//!
//! Pruning is a worklist over `surplus` (linear in the edges) instead of repeated passes over all
//! rows. The reverse flags make the update of a neighbour one load instead of a binary search.

use super::CountingRule;
use super::kept_edges::KeptEdges;
use super::roles::Role;
use super::rule_share::{RuleInput, RuleShare};
use crate::constraint_graph::Subgraph;
use rayon::prelude::*;
use std::ops::Range;

/// Neighbours of each node, and which of them count for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    edges: KeptEdges,
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    pub(super) counts: Vec<bool>,
    /// Whether a node counts for itself, else it is pruned; empty if all nodes count.
    counts_itself: Vec<bool>,
    reverse_counts: Vec<bool>,
    pub(super) counting_starts: Vec<u32>,
    pub(super) counting: Vec<u32>,
    pub(super) degree: Vec<u32>,
    pub(super) surplus: Vec<u32>,
    /// Worklist of pruned nodes.
    pub(super) pruned: Vec<u32>,
    /// Next position to write in each row.
    cursors: Vec<u32>,
    /// Whether pruned nodes were removed from a row.
    pub(super) is_compact: Vec<bool>,
}

/// Value of `surplus` for a pruned node.
pub(super) const PRUNED: u32 = 1 << 31;

impl Neighbours {
    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.degree.len()
    }

    /// Returns the number of neighbours of each node.
    pub(super) fn degrees(&self) -> &[u32] {
        &self.degree
    }

    /// Returns the neighbours of a node.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let start = self.starts[node as usize] as usize;
        &self.nodes[start..start + self.degree[node as usize] as usize]
    }

    /// Returns whether all nodes count for all neighbours.
    pub(super) fn all_count(&self) -> bool {
        self.counts_itself.is_empty()
    }

    /// Returns the neighbours that count for a node. Valid after [`Neighbours::compact`].
    pub(super) fn counting_neighbours(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.counting[self.counting_starts[node] as usize..self.counting_starts[node + 1] as usize]
    }

    /// Returns for each neighbour whether it counts for a node; `None` if all nodes count.
    pub(super) fn counting_flags(&self, node: u32) -> Option<&[bool]> {
        (!self.all_count()).then(|| &self.counts[self.row(node)])
    }

    /// Returns whether a neighbour, or the node itself, counts for a node that is not pruned.
    /// Logarithmic in the degree.
    pub(super) fn counts(&self, node: u32, other: u32) -> bool {
        match self.counting_flags(node) {
            None => true,
            Some(_) if node == other => true,
            Some(row) => self.of(node).binary_search(&other).is_ok_and(|index| row[index]),
        }
    }

    /// Loads the edges of a graph, in both directions, and prunes the nodes with fewer than k − 1
    /// neighbours, to a fixpoint, and before the present nodes without a neighbour that asks. All
    /// nodes count. Rows are complete until [`Neighbours::compact`] but for the nodes that
    /// [`KeptEdges`] leaves out.
    pub(super) fn load(&mut self, graph: Subgraph<'_>, k: &[u32], roles: &[Role]) {
        self.edges.load(graph, k, roles);
        self.fill_rows();
        self.counts.clear();
        self.counts_itself.clear();
        self.reverse_counts.clear();
        self.pruned.clear();
        self.surplus.clear();
        self.surplus.resize(self.len(), 0);
        for node in 0..self.len() as u32 {
            let is_kept = self.edges.is_kept(node);
            self.set_surplus(node, if is_kept { self.degree[node as usize] + 1 } else { 0 }, k);
        }
        self.propagate();
    }

    /// Fills the rows with the kept edges.
    fn fill_rows(&mut self) {
        let Neighbours { edges, starts, nodes, degree, cursors, .. } = self;
        degree.clone_from(&edges.degree);
        starts.clear();
        starts.push(0);
        cursors.clear();
        // Earlier neighbours arrive in ascending order. They are stored at the end of each row and
        // then merged with the later ones.
        let mut end = 0;
        for (node, degree) in degree.iter().enumerate() {
            cursors.push(end + edges.later(node).len() as u32);
            end += degree;
            starts.push(end);
        }
        nodes.resize(end as usize, 0);
        for node in 0..degree.len() {
            for &later in edges.later(node) {
                let cursor = &mut cursors[later as usize];
                nodes[*cursor as usize] = node as u32;
                *cursor += 1;
            }
        }
        for node in 0..degree.len() {
            let row = starts[node] as usize..starts[node + 1] as usize;
            merge(edges.later(node), &mut nodes[row]);
        }
    }

    /// Evaluates the counting rules for every node that is not pruned, in parallel. Each rule gets
    /// about the same number of edges.
    pub(super) fn apply_rules(&mut self, rules: &mut [CountingRule<'_>]) {
        let (len, share_count) = (self.len(), rules.len());
        self.counts.resize(self.nodes.len(), true);
        self.counts_itself.resize(len, false);
        let Neighbours { starts, nodes, surplus, counts, counts_itself, .. } = self;
        let input = RuleInput { starts, nodes, surplus };
        let (mut counts_rest, mut itself_rest) = (&mut counts[..], &mut counts_itself[..]);
        let mut shares = Vec::with_capacity(share_count);
        let mut first = 0;
        for (number, rule) in (1..).zip(rules) {
            let end = (nodes.len() * number / share_count) as u32;
            let next = starts.partition_point(|&start| start < end).clamp(first, len);
            let next = if number == share_count { len } else { next };
            let edges = (starts[next] - starts[first]) as usize;
            let (counts, counts_itself);
            (counts, counts_rest) = counts_rest.split_at_mut(edges);
            (counts_itself, itself_rest) = itself_rest.split_at_mut(next - first);
            shares.push(RuleShare { rule, nodes: first..next, counts, counts_itself });
            first = next;
        }
        if let [_] = shares[..] {
            shares.into_iter().for_each(|share| input.evaluate(share));
        } else {
            shares.into_par_iter().for_each(|share| input.evaluate(share));
        }
    }

    /// Prunes the nodes for which fewer than k nodes count, or which do not count for themselves, to a
    /// fixpoint.
    pub(super) fn prune_by_count(&mut self, k: &[u32]) {
        self.fill_reverse_counts();
        for node in 0..self.len() as u32 {
            if self.surplus[node as usize] & PRUNED == 0 {
                let row = &self.counts[self.row(node)];
                let counting = row.iter().map(|&counts| u32::from(counts)).sum::<u32>();
                let is_possible = self.counts_itself[node as usize];
                self.set_surplus(node, if is_possible { counting + 1 } else { 0 }, k);
            }
        }
        self.propagate();
    }

    /// Transposes `counts`. Rows are complete and ascending, so the entries of each transposed row
    /// arrive in order.
    fn fill_reverse_counts(&mut self) {
        let Neighbours { starts, nodes, counts, reverse_counts, cursors, .. } = self;
        cursors.clear();
        cursors.extend_from_slice(&starts[..starts.len() - 1]);
        reverse_counts.resize(nodes.len(), false);
        for (&other, &counts) in nodes.iter().zip(&*counts) {
            let cursor = &mut cursors[other as usize];
            reverse_counts[*cursor as usize] = counts;
            *cursor += 1;
        }
    }

    /// Sets the surplus of a node, or prunes it.
    fn set_surplus(&mut self, node: u32, have: u32, k: &[u32]) {
        match have.checked_sub(k[node as usize]) {
            Some(surplus) => self.surplus[node as usize] = surplus,
            None => self.prune(node),
        }
    }

    fn prune(&mut self, node: u32) {
        self.surplus[node as usize] = PRUNED;
        self.pruned.push(node);
    }

    /// Prunes the nodes that fall below their k because of pruned neighbours.
    fn propagate(&mut self) {
        let mut next = 0;
        while let Some(&node) = self.pruned.get(next) {
            next += 1;
            for index in self.row(node) {
                let other = self.nodes[index];
                let counted = self.reverse_counts.get(index).is_none_or(|counts| *counts);
                if self.surplus[other as usize] & PRUNED != 0 || !counted {
                    continue;
                }
                match self.surplus[other as usize].checked_sub(1) {
                    Some(surplus) => self.surplus[other as usize] = surplus,
                    None => self.prune(other),
                }
            }
        }
    }

    /// Returns the number of entries of all rows, gaps between them included.
    pub(super) fn entry_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the entries of the row of a node.
    pub(super) fn row(&self, node: u32) -> Range<usize> {
        let start = self.starts[node as usize] as usize;
        start..start + self.degree[node as usize] as usize
    }
}

/// Merges `later` with the elements at `row[later.len()..]`, both ascending, into `row`.
fn merge(later: &[u32], row: &mut [u32]) {
    let (mut next, mut earlier) = (0, later.len());
    while let Some(&node) = later.get(next) {
        let is_earlier = row.get(earlier).is_some_and(|&earlier| earlier < node);
        row[next + earlier - later.len()] = if is_earlier { row[earlier] } else { node };
        earlier += usize::from(is_earlier);
        next += usize::from(!is_earlier);
    }
}
