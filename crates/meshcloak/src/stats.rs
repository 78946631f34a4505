//! Sizes and counts of a batch.

use crate::violation::Rejections;

/// Sizes and counts of one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes of the constraint graph.
    pub nodes: usize,
    /// Edges of the constraint graph.
    pub edges: usize,
    /// Cliques that were kept or listed.
    pub cliques: usize,
    /// Steps of all clique searches.
    pub steps: u64,
    /// Steps of all searches for reachable positions, under `history`.
    pub reach_steps: u64,
    /// Whether a search spent its budget, or edges exceeded the memory limit.
    pub truncated: bool,
    /// Sets that the guard rejected, by violation.
    pub rejected: Rejections,
    /// Sets that [`Settings::hold`](crate::mesh_cloak::Settings::hold) deferred.
    pub held: usize,
    /// Sets that were not published because no member has a question.
    pub idle: usize,
}
