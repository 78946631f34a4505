//! Fallback for graphs with too many maximal cliques: the core's branch and bound finds a largest
//! clique around the new arrivals within a budget.

use meshcloak::cliques::{CliqueAssignment, LargestCliqueSearch};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::query::Query;

/// Maximum number of searched queries.
const MAX_QUERIES: usize = 1 << 12;

/// Maximum number of steps per query.
const BUDGET: u32 = 200;

/// The search and its buffers.
#[derive(Debug, Default)]
pub(super) struct DenseSearch {
    graph: GraphBuilder,
    cliques: LargestCliqueSearch,
    /// Waiting indices of the searched queries.
    indices: Vec<u32>,
    queries: Vec<Query>,
}

/// Result of a search.
pub(super) struct DenseResult<'a> {
    pub(super) edges: usize,
    pub(super) largest: &'a CliqueAssignment,
    /// Waiting index of each node.
    pub(super) waiting_indices: Vec<u32>,
}

impl DenseSearch {
    /// Finds the largest cliques among the last `arrived` of `waiting` and their neighbours. Beyond
    /// [`MAX_QUERIES`] the oldest are left out.
    pub(super) fn search(
        &mut self,
        atlas: &Atlas,
        waiting: &[Query],
        arrived: usize,
    ) -> DenseResult<'_> {
        let is_near = |query: &Query| {
            let covers = |a: &Query, b: &Query| {
                let distance = atlas.distance(a.position, b.position);
                distance.is_some_and(|d| d <= a.distance_constraint)
            };
            let new = waiting[waiting.len() - arrived..].iter().take(MAX_QUERIES);
            new.into_iter().any(|other| covers(other, query) && covers(query, other))
        };
        self.indices.clear();
        for (index, query) in waiting.iter().enumerate().rev() {
            if self.indices.len() == MAX_QUERIES {
                break;
            }
            if index + arrived >= waiting.len() || is_near(query) {
                self.indices.push(index as u32);
            }
        }
        self.indices.reverse();
        self.queries.clear();
        self.queries.extend(self.indices.iter().map(|&index| waiting[index as usize].clone()));
        self.graph.build(atlas, Coverage::Own, &self.queries);
        let largest = self.cliques.find(self.graph.graph(), BUDGET);
        let index = |&node: &u32| self.indices[node as usize];
        let waiting_indices = self.graph.waiting_indices().iter().map(index).collect();
        DenseResult { edges: self.graph.graph().edge_count(), largest, waiting_indices }
    }
}
