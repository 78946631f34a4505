//! Largest-clique searches of one partition of the graph, one root after the other.
//!
//! Roots with the most candidates come first: a large clique raises the thresholds of its nodes,
//! and most of the smaller searches around it are then skipped.
//!
//! Each search uses the narrowest set that holds its candidates. Measured instructions of the
//! largest-clique stage without a variant, on the city of the gates with 10,000 users:
//!
//! ```text
//! candidates   set          without it     P1-3-5   P2-10-10
//! 0 … 16       u16          [u64; 1]       +43 %    +6 %
//! 17 … 64      [u64; 1]     (general case)
//! 65 … 128     [u64; 2]     Vec<u64>       +1 %     +24 %
//! 129 …        Vec<u64>     (any size)
//! ```

use super::adjacency::Adjacency;
use super::assignment::CliqueAssignment;
use super::bitset::BitSet;
use super::branch_and_bound::BranchAndBound;
use super::cover::CrowdCover;
use super::crowd::CrowdRule;
use super::narrow_search::{MAX_CANDIDATES, NarrowSearch, NarrowThresholds};
use super::root_budget::RootBudget;
use crate::constraint_graph::ConstraintGraph;
use std::ops::Range;

/// Input that all searches of a graph share.
#[derive(Clone, Copy)]
pub(super) struct LargestTask<'a> {
    pub(super) graph: &'a ConstraintGraph,
    /// Smallest size of a useful clique, by node.
    pub(super) min_sizes: &'a [u16],
    /// [`threshold_of`] the minimum size, by node.
    pub(super) thresholds: &'a [u8],
    pub(super) budget: RootBudget<'a>,
}

/// Returns the size that a clique must exceed to reach a minimum size, saturated to 255.
pub(super) fn threshold_of(min_size: u16) -> u8 {
    u8::try_from(min_size.saturating_sub(1)).unwrap_or(u8::MAX)
}

/// Searches the roots of one partition after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct PartitionSearch {
    adjacency: Adjacency,
    one_word: Scratch<[u64; 1]>,
    two_words: Scratch<[u64; 2]>,
    many_words: Scratch<Vec<u64>>,
    cover: CrowdCover,
    pub(super) assignment: CliqueAssignment,
    roots: Vec<u32>,
}

/// Buffers of the searches with sets of type `B`.
#[derive(Clone, Debug, Default)]
struct Scratch<B> {
    rows: Vec<B>,
    thresholds: Vec<u32>,
}

/// Smallest number of candidates that is too large for the narrow search.
const MIN_WIDE: usize = MAX_CANDIDATES + 1;

/// Roots with more candidates than this are not sorted among each other.
const MAX_SORTED: usize = 255;

impl PartitionSearch {
    /// Sorts the roots by descending number of candidates, then by number (counting sort).
    fn sort_roots(&mut self, graph: &ConstraintGraph, roots: Range<u32>) {
        let bucket = |count: usize| MAX_SORTED - count.min(MAX_SORTED);
        let mut offsets = [0_u32; MAX_SORTED + 1];
        for count in graph.later_counts(roots.clone()) {
            offsets[bucket(count)] += 1;
        }
        let mut start = 0;
        for offset in &mut offsets {
            start += std::mem::replace(offset, start);
        }
        self.roots.resize(roots.len(), 0);
        for (root, count) in roots.clone().zip(graph.later_counts(roots)) {
            let offset = &mut offsets[bucket(count)];
            self.roots[*offset as usize] = root;
            *offset += 1;
        }
    }

    /// Searches all roots of the partition.
    pub(super) fn search(&mut self, task: LargestTask<'_>, roots: Range<u32>) {
        let graph = task.graph;
        self.assignment.begin(graph.len());
        self.assignment.set_thresholds(task.thresholds);
        self.adjacency.begin(graph.len());
        self.sort_roots(graph, roots);
        for &root in &self.roots {
            let candidates = graph.later(root);
            let search = RootSearch { task, root, candidates };
            let (adjacency, assignment) = (&mut self.adjacency, &mut self.assignment);
            match candidates.len() {
                ..=MAX_CANDIDATES => search.run_narrow(adjacency, assignment),
                size if !search.may_improve(assignment, size as u32 + 1) => {}
                size if search.is_crowded(size, &mut self.cover, assignment) => {
                    assignment.truncated += 1;
                }
                MIN_WIDE..=64 => search.run(adjacency, &mut self.one_word, assignment),
                65..=128 => search.run(adjacency, &mut self.two_words, assignment),
                _ => search.run(adjacency, &mut self.many_words, assignment),
            }
        }
    }
}

/// Search for the cliques whose first node is `root`.
struct RootSearch<'a> {
    task: LargestTask<'a>,
    root: u32,
    candidates: &'a [u32],
}

impl RootSearch<'_> {
    /// Returns whether a clique of `size` exceeds the threshold of one of these nodes.
    fn may_improve(&self, assignment: &CliqueAssignment, size: u32) -> bool {
        let improves = |&node: &u32| self.threshold(assignment, node) < size;
        improves(&self.root) || self.candidates.iter().any(improves)
    }

    /// Returns whether the root is in a crowd; its `size` candidates then have cliques.
    fn is_crowded(
        &self,
        size: usize,
        cover: &mut CrowdCover,
        assignment: &mut CliqueAssignment,
    ) -> bool {
        if size < CrowdRule::DENSE.min_later {
            return false;
        }
        let rule = self.task.budget.crowd_rule(self.root).filter(|rule| size >= rule.min_later);
        rule.is_some_and(|rule| cover.cover(self.task, rule, self.root, assignment))
    }

    /// Returns the size that a clique must exceed to be of use to a node.
    #[inline]
    fn threshold(&self, assignment: &CliqueAssignment, node: u32) -> u32 {
        if assignment.is_settled(node) {
            return u32::MAX;
        }
        let below_minimum = u32::from(self.task.min_sizes[node as usize]).saturating_sub(1);
        assignment.size(node).max(below_minimum)
    }

    fn run<B: BitSet>(
        &self,
        adjacency: &mut Adjacency,
        scratch: &mut Scratch<B>,
        assignment: &mut CliqueAssignment,
    ) {
        adjacency.connect(self.task.graph, self.candidates, &mut scratch.rows);
        scratch.thresholds.clear();
        let thresholds = self.candidates.iter().map(|&node| self.threshold(assignment, node));
        scratch.thresholds.extend(thresholds);
        let count = self.candidates.len();
        let mut search = BranchAndBound {
            candidates: self.candidates,
            root: self.root,
            adjacency: &scratch.rows,
            thresholds: &mut scratch.thresholds,
            root_threshold: self.threshold(assignment, self.root),
            min_sizes: self.task.min_sizes,
            assignment,
            steps: 0,
            budget: self.task.budget.of(self.root),
        };
        search.extend(B::empty(count), 1, B::full(count));
        let steps = search.steps;
        self.count_steps(steps, assignment);
    }

    /// Searches at most [`MAX_CANDIDATES`] candidates.
    fn run_narrow(&self, adjacency: &mut Adjacency, assignment: &mut CliqueAssignment) {
        let (root, candidates) = (self.root, self.candidates);
        let Some(thresholds) = NarrowThresholds::load(assignment, root, candidates) else {
            return;
        };
        match candidates {
            [] => assignment.record(std::iter::once(root), self.task.min_sizes),
            &[other] => assignment.record([root, other].into_iter(), self.task.min_sizes),
            _ => {
                let rows = adjacency.connect_narrow(self.task.graph, candidates);
                let budget = self.task.budget.of(root);
                let mut search = NarrowSearch {
                    root,
                    candidates,
                    rows,
                    thresholds,
                    assignment,
                    steps: 0,
                    budget,
                };
                search.search();
                let steps = search.steps;
                self.count_steps(steps, assignment);
            }
        }
    }

    fn count_steps(&self, steps: u32, assignment: &mut CliqueAssignment) {
        assignment.steps += u64::from(steps);
        assignment.max_steps = assignment.max_steps.max(steps);
        assignment.truncated += u32::from(steps > self.task.budget.of(self.root));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Graph in which node 0 is adjacent to all others, and some of these to each other.
    fn star_with_edges(others: u32, seed: u32) -> ConstraintGraph {
        let share = seed % 10 + 1;
        let mixed = |a: u32, b: u32| (a * 31 + b * 17 + a * b * 7 + seed * 13) % 11 < share;
        ConstraintGraph::from_fn(others + 1, |a, b| a == 0 || mixed(a, b)).reoriented()
    }

    #[test]
    fn the_narrow_search_takes_the_same_steps_as_branch_and_bound() {
        let (adjacency, one) = (&mut Adjacency::default(), &mut Scratch::<[u64; 1]>::default());
        let (mut max_steps, mut truncated) = (0, 0);
        for (others, seed, budget) in (2..=MAX_CANDIDATES as u32).flat_map(|others| {
            (0..200).map(move |seed| (others, seed, [20_000, 20_000, 6, 1][seed as usize % 4]))
        }) {
            let graph = &star_with_edges(others, seed);
            let min_sizes: Vec<u16> =
                (0..=others).map(|node| ((node * 5 + seed / 3) % (seed % 7 + 1)) as u16).collect();
            let thresholds: Vec<u8> = min_sizes.iter().map(|&size| threshold_of(size)).collect();
            let task = LargestTask {
                graph,
                min_sizes: &min_sizes,
                thresholds: &thresholds,
                budget: RootBudget::from(budget),
            };
            let search = RootSearch { task, root: 0, candidates: graph.later(0) };
            let mut expected = CliqueAssignment::default();
            expected.begin(graph.len());
            expected.set_thresholds(&thresholds);
            let mut narrow = expected.clone();
            adjacency.begin(graph.len());
            if search.may_improve(&expected, others + 1) {
                search.run(adjacency, one, &mut expected);
            }
            search.run_narrow(adjacency, &mut narrow);
            assert_eq!(narrow, expected, "{others} candidates, seed {seed}");
            max_steps = max_steps.max(narrow.max_steps);
            truncated += narrow.truncated;
        }
        assert!(max_steps > 30 && truncated > 100, "{max_steps}, {truncated}");
    }
}
