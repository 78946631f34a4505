//! A largest clique for every node, by branch and bound (Algorithm 4, line 13).
//!
//! A clique is found at its first node (the *root*), among the root's later neighbours. A branch is
//! cut when it cannot improve the clique of any of its nodes. Each root has a budget of steps; a
//! search that spends it keeps the best cliques found so far.
//!
//! Partitions of the graph are searched independently and merged in order, so the result does not
//! depend on the number of threads.

use super::assignment::CliqueAssignment;
use super::partition::{LargestTask, PartitionSearch, threshold_of};
use super::root_budget::RootBudget;
use crate::constraint_graph::ConstraintGraph;
use rayon::prelude::*;

/// Finds the largest cliques of one graph after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub struct LargestCliqueSearch {
    partitions: Vec<PartitionSearch>,
    assignment: CliqueAssignment,
    thresholds: Vec<u8>,
    /// Minimum size 1 for every node.
    no_minimum: Vec<u16>,
}

impl LargestCliqueSearch {
    /// Finds a largest clique for every node of `graph`. Each root has a budget of `budget` steps.
    pub fn find(&mut self, graph: &ConstraintGraph, budget: u32) -> &CliqueAssignment {
        let mut no_minimum = std::mem::take(&mut self.no_minimum);
        no_minimum.resize(graph.len(), 1);
        self.find_with_minimum(graph, &no_minimum, budget);
        self.no_minimum = no_minimum;
        &self.assignment
    }

    /// Finds a largest clique for every node that is in a clique of at least its minimum size.
    /// Other nodes get no clique, which saves their searches. `min_sizes` is by node.
    pub fn find_with_minimum<'a>(
        &mut self,
        graph: &ConstraintGraph,
        min_sizes: &[u16],
        budget: impl Into<RootBudget<'a>>,
    ) -> &CliqueAssignment {
        let budget = budget.into();
        self.thresholds.clear();
        self.thresholds.extend(min_sizes.iter().map(|&min_size| threshold_of(min_size)));
        let task = LargestTask { graph, min_sizes, thresholds: &self.thresholds, budget };
        self.assignment.clear();
        self.assignment.begin(graph.len());
        if rayon::current_num_threads() == 1 {
            // With one thread all partitions reuse one scratch buffer, which stays in the cache.
            self.partitions.resize_with(1, PartitionSearch::default);
            let [partition] = &mut self.partitions[..] else { return &self.assignment };
            for number in 0..graph.partition_count() {
                partition.search(task, graph.partition(number));
                self.assignment.merge(&mut partition.assignment);
            }
        } else {
            self.partitions.resize_with(graph.partition_count(), PartitionSearch::default);
            let partitions = self.partitions.par_iter_mut().enumerate();
            partitions
                .for_each(|(number, partition)| partition.search(task, graph.partition(number)));
            for partition in &mut self.partitions {
                self.assignment.merge(&mut partition.assignment);
            }
        }
        &self.assignment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    fn compare(graph: &ConstraintGraph, what: &str) {
        let mut finder = LargestCliqueSearch::default();
        let largest = finder.find(graph, 20_000).clone();
        assert_eq!(largest.truncated, 0, "{what}");
        let cliques = naive::maximal_cliques(graph);
        for node in 0..graph.len() as u32 {
            let sizes = cliques.iter().filter(|c| c.contains(&node)).map(Vec::len);
            let expected = sizes.max().unwrap();
            let members = largest.members(largest.clique_of(node));
            assert_eq!(largest.size(node) as usize, expected, "{what}, node {node}");
            assert_eq!(members.len(), expected, "{what}, node {node}");
            assert!(members.contains(&node) && naive::is_clique(graph, members), "{what}");
        }
    }

    #[test]
    fn every_node_gets_a_clique_of_the_largest_size() {
        for seed in 0..600 {
            compare(&ConstraintGraph::random(seed), &format!("seed {seed}"));
        }
    }

    #[test]
    fn nodes_that_reach_their_minimum_get_a_largest_clique() {
        let (mut reached, mut missed) = (0, 0);
        for seed in 0..300 {
            let graph = ConstraintGraph::random(seed);
            let unrestricted = LargestCliqueSearch::default().find(&graph, 20_000).clone();
            let min_sizes: Vec<u16> =
                (0..graph.len() as u64).map(|node| (node * 7 + seed) as u16 % 7).collect();
            let mut finder = LargestCliqueSearch::default();
            let largest = finder.find_with_minimum(&graph, &min_sizes, 20_000);
            for (node, &min_size) in (0..).zip(&min_sizes) {
                if unrestricted.size(node) >= u32::from(min_size) {
                    let members = largest.members(largest.clique_of(node));
                    assert_eq!(largest.size(node), unrestricted.size(node), "seed {seed}, {node}");
                    assert_eq!(
                        members.len() as u32,
                        unrestricted.size(node),
                        "seed {seed}, {node}"
                    );
                    assert!(members.contains(&node) && naive::is_clique(&graph, members));
                    reached += 1;
                } else {
                    assert_eq!(largest.size(node), 0, "seed {seed}, {node}");
                    missed += 1;
                }
            }
        }
        assert!(reached > 300 && missed > 300, "{reached}, {missed}");
    }

    #[test]
    fn the_colouring_bound_solves_hard_graphs_within_the_budget() {
        // Cocktail-party graph: 2^(n/2) maximal cliques of n/2 nodes.
        for node_count in [6, 20, 60, 200_u32] {
            let opposite = |a: u32, b: u32| b - a == node_count / 2;
            let graph = ConstraintGraph::from_fn(node_count, |a, b| !opposite(a, b));
            let mut finder = LargestCliqueSearch::default();
            let largest = finder.find(&graph, 20_000);
            assert_eq!(largest.truncated, 0, "{node_count}");
            assert!(
                (0..node_count).all(|node| largest.size(node) == node_count / 2),
                "{node_count}"
            );
        }
        // Moon–Moser graph: independent sets of three nodes, all other pairs adjacent.
        let graph = ConstraintGraph::from_fn(90, |a, b| a / 3 != b / 3);
        let mut finder = LargestCliqueSearch::default();
        assert!((0..90).all(|node| finder.find(&graph, 20_000).size(node) == 30));
    }

    #[test]
    fn a_spent_budget_yields_cliques_and_is_reported() {
        let graph = ConstraintGraph::random(599);
        let mut finder = LargestCliqueSearch::default();
        let largest = finder.find(&graph, 1).clone();
        assert!(largest.truncated > 0);
        for node in 0..graph.len() as u32 {
            let members = largest.members(largest.clique_of(node));
            assert!(members.contains(&node) && naive::is_clique(&graph, members));
        }
    }
}
