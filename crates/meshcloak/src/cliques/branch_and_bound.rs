//! Largest cliques below one root by branch and bound, on bit sets of the root's later neighbours.
//!
//! ```text
//! candidates  u32 × n   later neighbours of the root; bit i of every set is candidate i
//! adjacency   B × n     row i: candidates adjacent to candidate i
//! thresholds  u32 × n   a clique must be larger than this to be of use to candidate i
//! ```
//!
//! Invariant: every node of `open` is adjacent to all of `clique`. A branch is cut if no clique of
//! `clique ∪ open` can exceed the threshold of any of its nodes:
//!
//! - size: `|clique| + |open|` is at most the smallest threshold;
//! - degree: a clique with candidate i has at most `|clique| + 1 + degree` nodes, with the degree of i
//!   in `open`;
//! - colouring, after [`EASY_STEPS`] steps: a clique of more nodes than there are colours contains a
//!   node outside the colour classes. Without it the cocktail-party graph spends every budget.
//!
//! Nodes that are adjacent to all of `open` are moved to the clique at once.
//! Reference: `naive::maximal_cliques`.

use super::assignment::CliqueAssignment;
use super::bitset::BitSet;

/// Search below one root.
pub(super) struct BranchAndBound<'a, B> {
    pub(super) candidates: &'a [u32],
    pub(super) root: u32,
    pub(super) adjacency: &'a [B],
    pub(super) thresholds: &'a mut [u32],
    pub(super) root_threshold: u32,
    pub(super) assignment: &'a mut CliqueAssignment,
    pub(super) min_sizes: &'a [u16],
    pub(super) steps: u32,
    pub(super) budget: u32,
}

/// `open` after the nodes adjacent to all of it were moved to the clique.
struct Rest {
    /// Node with the largest degree in `open`.
    pivot: usize,
    /// Whether the degree bound permits a clique above a threshold.
    may_improve: bool,
}

/// Number of bit-set words that one step of the budget pays for.
const WORDS_PER_STEP: u32 = 256;

/// Number of steps after which the colouring bound is computed as well.
pub(super) const EASY_STEPS: u32 = 24;

impl<B: BitSet> BranchAndBound<'_, B> {
    /// Finds the cliques that extend `clique` by nodes of `open`. `size` includes the root.
    pub(super) fn extend(&mut self, mut clique: B, mut size: u32, mut open: B) {
        let count = open.count();
        // A step on wide sets is charged in proportion to its cost.
        let words = self.candidates.len().div_ceil(64) as u32;
        self.steps += 1 + count * words / WORDS_PER_STEP;
        if count == 0 || self.steps > self.budget {
            self.record(&clique, size);
            return;
        }
        let threshold = self.min_threshold(&clique, &open);
        if size + count <= threshold {
            return;
        }
        let rest = self.take_universal(&mut clique, &mut size, &mut open, threshold);
        let Some(Rest { pivot, may_improve }) = rest else {
            self.record(&clique, size); // `open` was a clique
            return;
        };
        if !may_improve {
            return;
        }
        // A maximal clique contains the pivot or a node that is not adjacent to it.
        let mut branches = open.without(&self.adjacency[pivot]);
        if self.steps > EASY_STEPS {
            let uncoloured = self.uncoloured(&open, threshold.saturating_sub(size));
            if uncoloured.count() < branches.count() {
                branches = uncoloured;
            }
        }
        if branches.has(pivot) {
            branches.remove(pivot);
            self.branch(pivot, &clique, size, &mut open);
        }
        for next in branches.iter() {
            if self.steps > self.budget {
                return;
            }
            self.branch(next, &clique, size, &mut open);
        }
    }

    /// Moves the nodes that are adjacent to all others of `open` to the clique, since every largest
    /// clique contains them. Removes the nodes whose degree permits no clique above `threshold`.
    /// Returns `None` if `open` is then empty.
    fn take_universal(
        &self,
        clique: &mut B,
        size: &mut u32,
        open: &mut B,
        threshold: u32,
    ) -> Option<Rest> {
        let (mut pivot, mut fewest_missed, mut may_improve) = (None, u32::MAX, false);
        let all = open.clone();
        let bound = *size + all.count() + 1;
        for index in all.iter() {
            let missed = all.count_without(&self.adjacency[index]);
            if missed == 1 {
                clique.insert(index); // a row does not contain its own node
                open.remove(index);
                *size += 1;
                continue;
            }
            if bound - missed <= threshold {
                open.remove(index);
                continue;
            }
            may_improve |= self.thresholds[index] < bound - missed;
            if missed < fewest_missed {
                (pivot, fewest_missed) = (Some(index), missed);
            }
        }
        let is_below = |threshold: u32| threshold < bound.saturating_sub(fewest_missed);
        may_improve |= is_below(self.root_threshold)
            || clique.iter().any(|index| is_below(self.thresholds[index]));
        pivot.map(|pivot| Rest { pivot, may_improve })
    }

    /// Searches the cliques that contain `next`, then removes it from `open`.
    fn branch(&mut self, next: usize, clique: &B, size: u32, open: &mut B) {
        let mut larger = clique.clone();
        larger.insert(next);
        self.extend(larger, size + 1, open.common(&self.adjacency[next]));
        open.remove(next);
    }

    /// Returns the smallest threshold of the root and these nodes.
    fn min_threshold(&self, clique: &B, open: &B) -> u32 {
        let indices = open.iter().chain(clique.iter());
        indices.map(|index| self.thresholds[index]).fold(self.root_threshold, u32::min)
    }

    /// Returns the nodes of `open` without a colour after a greedy colouring with `colours`
    /// colours. A colour class is an independent set, so a clique of more than `colours` nodes
    /// contains an uncoloured one.
    fn uncoloured(&self, open: &B, colours: u32) -> B {
        let mut rest = open.clone();
        for _ in 0..colours {
            let mut class_candidates = rest.clone();
            while let Some(index) = class_candidates.first() {
                class_candidates.remove(index);
                rest.remove(index);
                class_candidates = class_candidates.without(&self.adjacency[index]);
            }
        }
        rest
    }

    /// Raises the thresholds and passes the clique to the assignment.
    fn record(&mut self, clique: &B, size: u32) {
        for index in clique.iter() {
            self.thresholds[index] = self.thresholds[index].max(size);
        }
        self.root_threshold = self.root_threshold.max(size);
        let nodes = clique.iter().map(|index| self.candidates[index]);
        self.assignment.record(std::iter::once(self.root).chain(nodes), self.min_sizes);
    }
}
