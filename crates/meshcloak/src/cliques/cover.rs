//! Cliques of the roots in a crowd ([`CrowdRule`]), found greedily.
//!
//! The later neighbours of such a root are covered by cliques, and a node whose clique has at least
//! half of [`CrowdRule::enough`] nodes is *settled*: no search tries to enlarge its clique. The steps
//! of the root are linear in its neighbours, those of a search for the largest clique exponential
//! (docs/SPEC.md §6, "Crowds").
//!
//! The results of all other roots do not change, unless a neighbour is settled.
//! Reference: `naive_cover` in the tests.

use super::assignment::CliqueAssignment;
use super::bitset::BitSet as _;
use super::crowd::CrowdRule;
use super::partition::LargestTask;
use super::window::{MAX_WINDOW, Window, WindowSet};

/// Covers one root after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct CrowdCover {
    window: Window,
    chosen: Vec<u32>,
    /// Nodes of the present clique.
    clique: Vec<u32>,
}

impl CrowdCover {
    /// Covers the later neighbours of a root by cliques that contain the root. Returns `false` if
    /// the root is in no crowd.
    pub(super) fn cover(
        &mut self,
        task: LargestTask<'_>,
        rule: CrowdRule,
        root: u32,
        assignment: &mut CliqueAssignment,
    ) -> bool {
        let candidates = task.graph.later(root);
        let k = |node: u32| u32::from(task.min_sizes[node as usize]);
        let is_demanding = |&node: &u32| k(node) > rule.max_k() && !assignment.is_settled(node);
        if is_demanding(&root) || candidates.iter().any(is_demanding) {
            return false;
        }
        self.choose(root, candidates, assignment);
        self.window.load(task.graph, self.chosen.iter().copied());
        let all = WindowSet::full(self.chosen.len());
        let mut open = self.window.select(|node| !assignment.is_settled(node));
        let mut clique = self.window.clique(all, &open, rule.enough - 1);
        if clique.count() + 1 < rule.enough {
            return false;
        }
        loop {
            let nodes = clique.iter().map(|index| self.window.nodes()[index]);
            self.clique.clear();
            self.clique.extend(std::iter::once(root).chain(nodes));
            record(&self.clique, task, rule, assignment);
            open = open.without(&clique);
            let Some(seed) = open.first() else { return true };
            clique = self.window.clique_with(seed, all, &open, rule.enough - 1);
        }
    }

    /// Chooses at most [`MAX_WINDOW`] candidates: those that are not settled, from the root's own
    /// number on, then others.
    fn choose(&mut self, root: u32, candidates: &[u32], assignment: &CliqueAssignment) {
        self.chosen.clear();
        if candidates.len() <= MAX_WINDOW {
            self.chosen.extend_from_slice(candidates);
            return;
        }
        let (before, after) = candidates.split_at(candidates.partition_point(|&node| node < root));
        let all = || after.iter().chain(before).copied();
        let open = all().filter(|&node| !assignment.is_settled(node));
        self.chosen.extend(open.take(MAX_WINDOW));
        let settled = all().filter(|&node| assignment.is_settled(node));
        self.chosen.extend(settled.take(MAX_WINDOW - self.chosen.len()));
        self.chosen.sort_unstable();
    }
}

/// Assigns a clique to its nodes, and settles those for which it is large enough.
fn record(
    clique: &[u32],
    task: LargestTask<'_>,
    rule: CrowdRule,
    assignment: &mut CliqueAssignment,
) {
    assignment.record(clique.iter().copied(), task.min_sizes);
    if clique.len() as u32 >= rule.enough / 2 {
        clique.iter().for_each(|&node| assignment.settle(node));
    }
}

#[cfg(test)]
mod tests {
    use super::super::partition::threshold_of;
    use super::super::root_budget::RootBudget;
    use super::super::window::COMPARED;
    use super::*;
    use crate::constraint_graph::ConstraintGraph;
    use crate::town::Town;
    use rand::RngExt as _;

    /// Graph in which node 0 is adjacent to all others and these to the ones nearby.
    struct Case {
        graph: ConstraintGraph,
        k: Vec<u16>,
        settled: Vec<bool>,
    }

    impl Case {
        fn new(seed: u64) -> Case {
            let mut random = Town::generator(seed);
            let nodes = random.random_range(20..400);
            let reach = random.random_range(10..200);
            let is_near = |a: u32, b: u32| b - a <= reach && !(a * 5 + b).is_multiple_of(17);
            let graph = ConstraintGraph::from_fn(nodes, |a, b| a == 0 || is_near(a, b));
            let max_k = if seed.is_multiple_of(4) { 12 } else { 10 };
            let k = (0..nodes).map(|_| random.random_range(2..=max_k)).collect();
            let share = [0.0, 0.3, 0.8][seed as usize % 3];
            let settled = (0..nodes).map(|node| node > 0 && random.random_bool(share)).collect();
            Case { graph: graph.reoriented(), k, settled }
        }

        fn are_adjacent(&self, a: u32, b: u32) -> bool {
            self.graph.later(a).contains(&b) || self.graph.later(b).contains(&a)
        }

        fn greedy(&self, mut open: Vec<u32>, preferred: &[u32], max: usize) -> Vec<u32> {
            let mut clique = Vec::new();
            while clique.len() < max && !open.is_empty() {
                let first = open.iter().copied().filter(|node| preferred.contains(node));
                let first: Vec<u32> = first.collect();
                let choice = if first.is_empty() { &open } else { &first };
                let degree = |&&a: &&u32| open.iter().filter(|&&b| self.are_adjacent(a, b)).count();
                let next = *choice.iter().take(COMPARED).max_by_key(degree).expect("not empty");
                clique.push(next);
                open.retain(|&node| self.are_adjacent(node, next));
            }
            clique
        }

        /// Reference of [`CrowdCover::cover`] for root 0 in a dense section: the cliques.
        fn naive_cover(&self) -> Option<Vec<Vec<u32>>> {
            let is_settled = |node: &u32| self.settled[*node as usize];
            let all = self.graph.later(0);
            if [&[0], all].concat().iter().any(|n| self.k[*n as usize] > 10 && !is_settled(n)) {
                return None;
            }
            let open = all.iter().copied().filter(|node| !is_settled(node));
            let settled = all.iter().copied().filter(is_settled);
            let mut window: Vec<u32> = open.chain(settled).take(MAX_WINDOW).collect();
            window.sort_unstable();
            let mut open: Vec<u32> = window.iter().copied().filter(|n| !is_settled(n)).collect();
            let mut clique = self.greedy(window.clone(), &open, 31);
            let mut cliques = Vec::new();
            while !clique.is_empty() {
                open.retain(|node| !clique.contains(node));
                clique.push(0);
                clique.sort_unstable();
                cliques.push(std::mem::take(&mut clique));
                if let Some(&seed) = open.first() {
                    let near = window.iter().copied().filter(|&node| self.are_adjacent(node, seed));
                    clique = self.greedy(near.collect(), &open, 30);
                    clique.push(seed);
                }
            }
            cliques.first().filter(|first| first.len() >= 32)?;
            Some(cliques)
        }
    }

    #[test]
    fn covers_equal_the_reference_and_settle_the_nodes_of_large_cliques() {
        let (mut covered, mut refused, mut small, mut wide) = (0, 0, 0, 0);
        let mut cover = CrowdCover::default();
        for seed in 0..300 {
            let case = Case::new(seed);
            let (graph, min_sizes) = (&case.graph, &case.k[..]);
            let thresholds: Vec<u8> = min_sizes.iter().map(|&size| threshold_of(size)).collect();
            let budget = RootBudget::from(20_000);
            let task = LargestTask { graph, min_sizes, thresholds: &thresholds, budget };
            let mut assignment = CliqueAssignment::default();
            assignment.begin(graph.len());
            assignment.set_thresholds(&thresholds);
            let settled = (0..graph.len() as u32).filter(|&node| case.settled[node as usize]);
            settled.for_each(|node| assignment.settle(node));
            let is_covered = cover.cover(task, CrowdRule::DENSE, 0, &mut assignment);
            let Some(expected) = case.naive_cover() else {
                assert!(!is_covered, "seed {seed}");
                refused += 1;
                continue;
            };
            assert!(is_covered, "seed {seed}");
            covered += 1;
            wide += usize::from(graph.len() > MAX_WINDOW);
            for node in 0..graph.len() as u32 {
                let own = || expected.iter().filter(|clique| clique.contains(&node));
                let is_met = |size: &usize| *size >= usize::from(min_sizes[node as usize]);
                let largest = own().map(Vec::len).filter(is_met).max().unwrap_or(0);
                assert_eq!(assignment.size(node) as usize, largest, "seed {seed}, node {node}");
                let is_settled = case.settled[node as usize] || own().any(|own| own.len() >= 16);
                assert_eq!(assignment.is_settled(node), is_settled, "seed {seed}, node {node}");
                if largest > 0 {
                    let mut members = assignment.members(assignment.clique_of(node)).to_vec();
                    members.sort_unstable();
                    assert!(expected.contains(&members), "seed {seed}: {members:?}");
                    small += usize::from(largest < 16);
                }
            }
        }
        assert!(covered > 60 && refused > 60, "{covered} {refused}");
        assert!(small > 20 && wide > 20, "{small} {wide}");
    }
}
