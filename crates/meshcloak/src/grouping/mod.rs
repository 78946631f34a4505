//! Disjoint cliques in which every k is met: the guarantees `reciprocal` and `history` (SPEC §6).

mod bins;
mod expand;
mod finder;
mod found;
mod groups;
mod levels;
mod near_past;
mod neighbours;
pub(crate) mod past;
mod pools;
mod ranking;
mod room;
mod search;
mod searcher;
mod word_pools;

use crate::constraint_graph::ConstraintGraph;
use bins::Bins;
use neighbours::Neighbours;
use search::{Scene, Search, Wishes};

/// Finds groups, one batch after the other, without allocating anew.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    neighbours: Neighbours,
    bins: Bins,
    search: Search,
}

/// The worth of somebody who will never be served later.
pub const FULL_WORTH: u32 = 1 << 16;

/// Is given a node, its neighbours and a flag for each, which is set; clears those of neighbours that
/// do not count for the node, and says whether the node counts for itself.
pub type WhoCounts<'a> = Box<dyn FnMut(u32, &[u32], &mut [bool]) -> bool + Send + 'a>;

impl Grouping {
    /// Groups the nodes of a graph. `k` and `worth` are by node; a group's members are worth more
    /// together than whom they keep from being served. Each k is met by members that count, as
    /// any of `past` says, which may be asked at the same time; if there is none, all do. The search for the cliques of one node may take `budget` steps.
    pub fn find(
        &mut self,
        graph: &ConstraintGraph,
        (k, worth): (&[u32], &[u32]),
        past: &mut [WhoCounts<'_>],
        budget: u32,
    ) {
        self.survey(graph, k, past, budget);
        let Grouping { neighbours, bins, search } = self;
        search.run(Scene { graph: neighbours, bins, wishes: Wishes { k, worth } });
    }

    /// Finds out who could be in a group at all: whom some clique has enough members for that
    /// count, if everyone else stays away. Groups are left as they were.
    pub fn survey(
        &mut self,
        graph: &ConstraintGraph,
        k: &[u32],
        past: &mut [WhoCounts<'_>],
        budget: u32,
    ) {
        self.neighbours.mirror(graph);
        self.neighbours.peel(k);
        if !past.is_empty() {
            self.neighbours.remember(past);
            self.neighbours.peel_counting(k);
        }
        self.neighbours.tidy();
        self.bins.find(&self.neighbours, k, budget);
    }

    /// Whether a node could be in a group, as the last survey found.
    pub fn could_be_grouped(&self, node: u32) -> bool {
        !self.bins.of(node).is_empty()
    }

    /// The groups, each by descending k; some may be empty.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        let groups = &self.search.groups;
        groups.members[..groups.used].iter().map(Vec::as_slice)
    }

    /// The group of a node.
    pub fn group_of(&self, node: u32) -> Option<u32> {
        Some(self.search.groups.group_of[node as usize]).filter(|&group| group != search::FREE)
    }

    /// The members of a group.
    pub fn group(&self, group: u32) -> &[u32] {
        &self.search.groups.members[group as usize]
    }

    /// Whether somebody of a group has a neighbour who has no group: one who might find one later
    /// with her help.
    pub fn is_wanted(&self, group: u32) -> bool {
        let mut around = self.group(group).iter().flat_map(|&member| self.neighbours.of(member));
        around.any(|&other| self.group_of(other).is_none())
    }

    /// How many maximal cliques were looked at.
    pub fn clique_count(&self) -> usize {
        self.bins.len()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.bins.steps() + self.search.steps
    }

    /// Whether a budget was spent.
    pub fn truncated(&self) -> bool {
        self.bins.truncated() || self.search.truncated
    }
}

#[cfg(test)]
mod tests;
