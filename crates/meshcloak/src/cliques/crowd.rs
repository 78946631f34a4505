//! When a root is in a crowd: a clique as large as needed is then used instead of the largest.
//!
//! A root is in a *crowd* if it has [`CrowdRule::min_later`] later neighbours and a greedy search finds
//! a clique of [`CrowdRule::enough`] nodes among them. The rule depends on the section:
//!
//! | section | later neighbours | clique |
//! |---|---|---|
//! | dense: [`DENSE_EDGES`] edges or more for each unit of k | 40 | 32 |
//! | any other | 129 | 96 |
//!
//! Measured on Oldenburg: with 100,000 users no section is dense and no root of the others is in a
//! crowd, with 300,000 users under P2 nearly all batches are dense (docs/BENCHMARKS.md, "Scaling").

use crate::constraint_graph::Subgraph;

/// What makes a root part of a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CrowdRule {
    /// Smallest number of later neighbours.
    pub(crate) min_later: usize,
    /// Members of a clique from which on a larger one is not searched for.
    pub(crate) enough: u32,
}

/// Edges for each unit of k in a dense section, if all members count for each other.
pub(crate) const DENSE_EDGES: u64 = 5;

/// The same if the past limits which members count: more neighbours are needed for a k.
pub(crate) const DENSE_EDGES_OF_HISTORY: u64 = 10;

impl CrowdRule {
    pub(super) const DENSE: CrowdRule = CrowdRule { min_later: 40, enough: 32 };
    pub(super) const LOCAL: CrowdRule = CrowdRule { min_later: 129, enough: 96 };

    /// Returns the rule of a section. `dense_edges` is the number of edges for each unit of k from
    /// which on it is dense; `k` is by node.
    pub(crate) fn of(
        graph: Subgraph<'_>,
        k: impl Iterator<Item = u32>,
        dense_edges: u64,
    ) -> CrowdRule {
        // A single large k does not make a crowd sparse.
        let total = k.map(|k| u64::from(k.min(CrowdRule::LOCAL.enough))).sum::<u64>();
        let is_dense = graph.edge_count() as u64 >= dense_edges * total.max(1);
        if is_dense { CrowdRule::DENSE } else { CrowdRule::LOCAL }
    }

    /// Returns whether this is the rule of a dense section.
    pub(crate) fn is_dense(self) -> bool {
        self == CrowdRule::DENSE
    }

    /// Returns the largest k of the nodes of a crowd: a clique is large enough for several of them.
    pub(crate) fn max_k(self) -> u32 {
        self.enough / 3
    }
}
