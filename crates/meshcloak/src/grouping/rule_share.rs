//! Evaluation of the counting rules: each thread evaluates one rule for a range of nodes.

use super::CountingRule;
use super::neighbours::PRUNED;
use std::ops::Range;

/// Input of the counting rules.
#[derive(Clone, Copy)]
pub(super) struct RuleInput<'a> {
    pub(super) starts: &'a [u32],
    pub(super) nodes: &'a [u32],
    pub(super) surplus: &'a [u32],
}

/// Nodes that one rule evaluates, and the flags that it writes.
pub(super) struct RuleShare<'a, 'b> {
    pub(super) rule: &'a mut CountingRule<'b>,
    pub(super) nodes: Range<usize>,
    pub(super) counts: &'a mut [bool],
    pub(super) counts_itself: &'a mut [bool],
}

impl RuleInput<'_> {
    /// Evaluates a rule for the nodes of its share that are not pruned.
    pub(super) fn evaluate(
        &self,
        RuleShare { rule, nodes, counts, counts_itself }: RuleShare<'_, '_>,
    ) {
        let base = self.starts[nodes.start] as usize;
        for (node, counts_itself) in nodes.zip(counts_itself) {
            let row = self.starts[node] as usize..self.starts[node + 1] as usize;
            let counts = &mut counts[row.start - base..row.end - base];
            let is_pruned = self.surplus[node] & PRUNED != 0;
            *counts_itself = !is_pruned && rule(node as u32, &self.nodes[row], counts);
        }
    }
}
