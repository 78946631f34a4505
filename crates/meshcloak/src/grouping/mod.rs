//! Disjoint cliques in which every k is met: the guarantees `reciprocal` and `history`
//! (docs/SPEC.md §6).
//!
//! ```text
//! ConstraintGraph ─► Neighbours ─► CandidateCliques ─► LocalSearch ─► Groups
//!                    symmetric      maximal cliques     offers of      disjoint,
//!                    rows, pruned   (PivotSearch)       each clique    maximal
//! ```
//!
//! A node's k is met by the members of its group that *count* for it. Under `reciprocal` all members
//! count. Under `history` member `b` counts for member `a` if the user of `a` can have travelled from
//! its previous position to the position of `b`, and k is met within the strongly connected component
//! of this relation (`matching`). A group has a node that asks; present nodes may count for some
//! nodes only (`roles`).

mod across_accounts;
mod candidates;
mod clique_arena;
mod compaction;
mod crowd_joins;
mod crowds;
mod finder;
mod group_rows;
mod groups;
mod kept_edges;
mod local_graph;
mod local_search;
mod loss;
mod matching;
mod near_reach;
mod neighbours;
mod pivot_search;
mod pool_groups;
mod pool_offers;
pub(crate) mod reach_schedule;
mod reach_searcher;
pub(crate) mod reachability;
mod roles;
mod root_searcher;
mod rule_share;
mod search_order;
mod threshold_offers;

use crate::accounts::AccountId;
use crate::constraint_graph::Subgraph;
use candidates::CandidateCliques;
use crowds::Crowds;
pub use local_search::Demands;
use local_search::{FREE, LocalSearch, Problem};
use neighbours::Neighbours;
pub use roles::Role;
use root_searcher::SearchInput;

/// Finds the groups of one batch after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    crowds: Crowds,
    /// Whether nodes in crowds are treated like others.
    ignores_crowds: bool,
    neighbours: Neighbours,
    cliques: CandidateCliques,
    search: LocalSearch,
}

/// Worth of a query that has no chance of later service.
pub const FULL_WORTH: u32 = 1 << 16;

/// Rule that decides which neighbours count for a node.
///
/// It is called with a node, its neighbours and one flag per neighbour, initially `true`. It clears
/// the flags of the neighbours that do not count, and returns whether the node counts for itself. A
/// node that does not is in no group.
pub type CountingRule<'a> = Box<dyn FnMut(u32, &[u32], &mut [bool]) -> bool + Send + 'a>;

impl Grouping {
    /// Sets whether one thread is used, for many small graphs on all threads; else as many as the
    /// pool has. The groups do not depend on it.
    pub(crate) fn set_sequential(&mut self, is_sequential: bool) {
        self.cliques.set_sequential(is_sequential);
    }

    /// Sets whether nodes in crowds are treated like others, which takes longer.
    pub(crate) fn set_ignores_crowds(&mut self, ignores_crowds: bool) {
        self.ignores_crowds = ignores_crowds;
    }

    /// Finds disjoint groups of the nodes of a graph.
    ///
    /// `rules` holds one equivalent counting rule per thread; if it is empty, all nodes count. The
    /// clique search of each root has a budget of `budget` steps.
    pub fn find<'g>(
        &mut self,
        graph: impl Into<Subgraph<'g>>,
        demands: Demands<'_>,
        rules: &mut [CountingRule<'_>],
        budget: u32,
    ) {
        let graph = graph.into();
        self.crowds.clear();
        if !self.ignores_crowds {
            self.crowds.find(graph, demands, rules);
        }
        if self.crowds.is_empty() {
            self.find_cliques(graph, demands, rules, budget);
        } else {
            let rest = self.crowds.rest(graph);
            self.find_cliques((&rest).into(), demands, rules, self.crowds.limit(budget));
        }
        let Grouping { crowds, neighbours, cliques, search, .. } = self;
        search.run(Problem { graph: neighbours, cliques, demands });
        let first_group = search.groups.used as u32;
        crowds.groups().for_each(|members| search.add_group(members, demands));
        if !crowds.is_empty() {
            crowd_joins::join(&mut search.groups, first_group, graph, demands, rules);
        }
    }

    /// Shrinks the groups of the last call of [`Grouping::find`] until every k is also met without the
    /// members of any one other account. `accounts` holds the account of each node.
    pub fn require_across_accounts(&mut self, demands: Demands<'_>, accounts: &[AccountId]) {
        let Grouping { neighbours, search, .. } = self;
        across_accounts::apply(&mut search.groups, neighbours, demands, accounts);
    }

    /// Finds the candidate cliques without forming groups; the worth of nodes is not used. Every set
    /// that could be published lies in one of them. The groups of the last call of [`Grouping::find`]
    /// stay as they are.
    pub fn survey<'g>(
        &mut self,
        graph: impl Into<Subgraph<'g>>,
        demands: Demands<'_>,
        rules: &mut [CountingRule<'_>],
        budget: u32,
    ) {
        self.crowds.clear();
        self.find_cliques(graph.into(), demands, rules, budget);
    }

    fn find_cliques(
        &mut self,
        graph: Subgraph<'_>,
        demands: Demands<'_>,
        rules: &mut [CountingRule<'_>],
        budget: u32,
    ) {
        let Demands { k, roles, .. } = demands;
        self.neighbours.load(graph, k, roles);
        if !rules.is_empty() {
            self.neighbours.apply_rules(rules);
            self.neighbours.prune_by_count(k);
        }
        self.neighbours.compact();
        self.cliques.find(SearchInput { graph: &self.neighbours, k, roles, budget });
    }

    /// Returns whether a node is in a candidate clique of the last survey.
    pub fn could_be_grouped(&self, node: u32) -> bool {
        !self.cliques.containing(node).is_empty()
    }

    /// Iterates over the groups, each by descending k. Some may be empty.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        let groups = &self.search.groups;
        groups.members[..groups.used].iter().map(Vec::as_slice)
    }

    /// Returns the group of a node.
    pub fn group_of(&self, node: u32) -> Option<u32> {
        Some(self.search.groups.group_of[node as usize]).filter(|&group| group != FREE)
    }

    /// Returns the members of a group.
    pub fn group(&self, group: u32) -> &[u32] {
        &self.search.groups.members[group as usize]
    }

    /// Returns whether a member has a neighbour without a group. If the group is held, that
    /// neighbour may be published with it later.
    pub fn has_free_neighbour(&self, group: u32) -> bool {
        let mut all = self.group(group).iter().flat_map(|&member| self.neighbours.of(member));
        all.any(|&other| self.group_of(other).is_none())
    }

    /// Returns the number of candidate cliques.
    pub fn clique_count(&self) -> usize {
        self.cliques.len()
    }

    /// Returns the number of search steps.
    pub fn steps(&self) -> u64 {
        self.cliques.steps() + self.search.steps
    }

    /// Returns whether a budget was spent, or there was a crowd.
    pub fn truncated(&self) -> bool {
        self.cliques.truncated() || self.search.truncated || !self.crowds.is_empty()
    }
}

#[cfg(test)]
mod tests;
