//! When a root is in a crowd: a clique as large as needed is then used instead of the largest.
//!
//! A root is in a *crowd* if it has [`CrowdRule::min_later`] later neighbours and a greedy search finds
//! a clique of [`CrowdRule::enough`] nodes among them. The rule depends on the section:
//!
//! | section | later neighbours | clique |
//! |---|---|---|
//! | dense: [`DENSE_EDGES`] edges that count or more for each unit of k | 40 | 32 |
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

/// Edges for each unit of k from which on a section is dense.
pub(crate) const DENSE_EDGES: u64 = 5;

/// Share of pairs of neighbours that count for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountingShare {
    pub(crate) counting: u64,
    pub(crate) pairs: u64,
}

impl CountingShare {
    /// All neighbours count.
    pub(crate) const ALL: CountingShare = CountingShare { counting: 1, pairs: 1 };
}

impl CrowdRule {
    pub(super) const DENSE: CrowdRule = CrowdRule { min_later: 40, enough: 32 };
    pub(super) const LOCAL: CrowdRule = CrowdRule { min_later: 129, enough: 96 };

    /// Returns the rule of a section; `k` is by node. `share` is called if the section is dense
    /// unless some neighbours do not count.
    pub(crate) fn of(
        graph: Subgraph<'_>,
        k: impl Iterator<Item = u32>,
        share: impl FnOnce() -> CountingShare,
    ) -> CrowdRule {
        // A single large k does not make a crowd sparse.
        let total = k.map(|k| u64::from(k.min(CrowdRule::LOCAL.enough))).sum::<u64>();
        let (edges, needed) = (graph.edge_count() as u64, DENSE_EDGES * total.max(1));
        if edges < needed {
            return CrowdRule::LOCAL;
        }
        let CountingShare { counting, pairs } = share();
        let is_dense =
            u128::from(edges) * u128::from(counting) >= u128::from(needed) * u128::from(pairs);
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
