//! For every node a largest clique that contains it, by branch and bound.
//!
//! A clique is looked for at its first node, among that node's later neighbours. A branch is left
//! as soon as it cannot give any of its nodes a larger clique than that node has already. Each
//! such search has a budget of steps; one that spends it keeps the best found so far.
//!
//! The nodes of each portion of the graph are searched one after the other, portions on their own;
//! so the answer does not depend on the number of threads.

use super::found::Largest;
use super::portion::{Portion, Task, bar_of};
use crate::constraint_graph::ConstraintGraph;
use rayon::prelude::*;

/// Finds largest cliques, one graph after the other, without allocating anew.
#[derive(Clone, Debug, Default)]
pub struct LargestCliques {
    portions: Vec<Portion>,
    largest: Largest,
    /// For each node one less than it wants, as far as eight bits can say.
    bars: Vec<u8>,
    /// One for every node: any clique will do.
    any: Vec<u16>,
}

impl LargestCliques {
    /// A largest clique for every node of `graph`; each search may take `budget` steps.
    pub fn find(&mut self, graph: &ConstraintGraph, budget: u32) -> &Largest {
        let mut any = std::mem::take(&mut self.any);
        any.resize(graph.len(), 1);
        self.find_enough(graph, &any, budget);
        self.any = any;
        &self.largest
    }

    /// A largest clique for every node that is in one of as many as it wants; what the others get
    /// may be smaller than the largest, or nothing. `wanted` says for each node how many.
    pub fn find_enough(
        &mut self,
        graph: &ConstraintGraph,
        wanted: &[u16],
        budget: u32,
    ) -> &Largest {
        self.bars.clear();
        self.bars.extend(wanted.iter().map(|&wanted| bar_of(wanted)));
        let task = Task { graph, wanted, bars: &self.bars, budget };
        self.largest.clear();
        self.largest.begin(graph.len());
        if rayon::current_num_threads() == 1 {
            // One room for all: what one portion needs is near what the one before it needed.
            self.portions.resize_with(1, Portion::default);
            let [portion] = &mut self.portions[..] else { return &self.largest };
            for number in 0..graph.partition_count() {
                portion.search(task, graph.partition(number));
                self.largest.absorb(&mut portion.largest);
            }
        } else {
            self.portions.resize_with(graph.partition_count(), Portion::default);
            let portions = self.portions.par_iter_mut().enumerate();
            portions.for_each(|(number, portion)| portion.search(task, graph.partition(number)));
            for portion in &mut self.portions {
                self.largest.absorb(&mut portion.largest);
            }
        }
        &self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    fn compare(graph: &ConstraintGraph, what: &str) {
        let mut finder = LargestCliques::default();
        let largest = finder.find(graph, 20_000).clone();
        assert_eq!(largest.truncated, 0, "{what}");
        let cliques = naive::maximal_cliques(graph);
        for node in 0..graph.len() as u32 {
            let sizes = cliques.iter().filter(|c| c.contains(&node)).map(Vec::len);
            let expected = sizes.max().unwrap();
            let members = largest.members(largest.chosen(node));
            assert_eq!(largest.size(node) as usize, expected, "{what}, node {node}");
            assert_eq!(members.len(), expected, "{what}, node {node}");
            assert!(members.contains(&node) && naive::is_clique(graph, members), "{what}");
        }
    }

    #[test]
    fn every_node_gets_a_clique_as_large_as_the_largest_of_all_maximal_ones() {
        for seed in 0..600 {
            compare(&ConstraintGraph::random(seed), &format!("seed {seed}"));
        }
    }

    #[test]
    fn whoever_can_have_enough_gets_a_largest_clique() {
        let (mut enough, mut too_few) = (0, 0);
        for seed in 0..300 {
            let graph = ConstraintGraph::random(seed);
            let everything = LargestCliques::default().find(&graph, 20_000).clone();
            let wanted: Vec<u16> =
                (0..graph.len() as u64).map(|node| (node * 7 + seed) as u16 % 7).collect();
            let mut finder = LargestCliques::default();
            let largest = finder.find_enough(&graph, &wanted, 20_000);
            for (node, &wanted) in (0..).zip(&wanted) {
                if everything.size(node) >= u32::from(wanted) {
                    let members = largest.members(largest.chosen(node));
                    assert_eq!(largest.size(node), everything.size(node), "seed {seed}, {node}");
                    assert_eq!(members.len() as u32, everything.size(node), "seed {seed}, {node}");
                    assert!(members.contains(&node) && naive::is_clique(&graph, members));
                    enough += 1;
                } else {
                    assert_eq!(largest.size(node), 0, "seed {seed}, {node}");
                    too_few += 1;
                }
            }
        }
        assert!(enough > 300 && too_few > 300, "{enough}, {too_few}");
    }

    #[test]
    fn hard_graphs_are_solved_where_colours_show_the_bound() {
        // Everyone adjacent to all but the one opposite: 2^(n/2) maximal cliques of n/2.
        for people in [6, 20, 60, 200_u32] {
            let opposite = |a: u32, b: u32| b - a == people / 2;
            let graph = ConstraintGraph::from_fn(people, |a, b| !opposite(a, b));
            let mut finder = LargestCliques::default();
            let largest = finder.find(&graph, 20_000);
            assert_eq!(largest.truncated, 0, "{people}");
            assert!((0..people).all(|node| largest.size(node) == people / 2), "{people}");
        }
        // Moon and Moser: groups of three strangers, everyone else adjacent.
        let graph = ConstraintGraph::from_fn(90, |a, b| a / 3 != b / 3);
        let mut finder = LargestCliques::default();
        assert!((0..90).all(|node| finder.find(&graph, 20_000).size(node) == 30));
    }

    #[test]
    fn a_spent_budget_leaves_cliques_and_says_so() {
        let graph = ConstraintGraph::random(599);
        let mut finder = LargestCliques::default();
        let largest = finder.find(&graph, 1).clone();
        assert!(largest.truncated > 0);
        for node in 0..graph.len() as u32 {
            let members = largest.members(largest.chosen(node));
            assert!(members.contains(&node) && naive::is_clique(&graph, members));
        }
    }
}
