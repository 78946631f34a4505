//! Groups of crowds, formed before candidate cliques are searched for (docs/SPEC.md §6, "Crowds").
//!
//! ```text
//! later neighbours of a root ─► window of free nodes ─► greedy clique ─► group, while it is large
//! ConstraintGraph without grouped nodes ─► candidate cliques, local search
//! ```
//!
//! A root is in a *crowd* ([`CrowdRule`]) if it has many free later neighbours, and a greedy search
//! finds a clique among them that is several times as large as every k. The groups of a crowd are such
//! cliques, of at most [`MAX_GROUP`] members. The number of maximal cliques of a crowd is exponential,
//! and local search among them would gain nothing, since nearly everyone is served.
//!
//! Roots are visited in order and windows hold nodes of one section, so the groups are a function of
//! the section. Where no root is in a crowd, nothing changes.

use super::CountingRule;
use super::local_search::{Demands, WordRows};
use super::matching::Matching as _;
use super::roles::RoleSets;
use crate::cliques::bitset::BitSet as _;
use crate::cliques::crowd::{CountingShare, CrowdRule};
use crate::cliques::window::{MAX_WINDOW, Window, WindowSet};
use crate::constraint_graph::{ConstraintGraph, Subgraph};

/// Largest group that is formed of a crowd.
const MAX_GROUP: u32 = 48;

/// Largest group after other nodes have joined it: its relation is one word per member.
pub(super) const MAX_JOINED: usize = 64;

/// Every that many nodes are sampled for the share of neighbours that count.
const SAMPLING: usize = 16;

/// Steps of a clique search in a dense section.
const DENSE_STEPS: u32 = 200;

/// Section in which crowds are searched for.
#[derive(Clone, Copy)]
struct CrowdSection<'a> {
    graph: Subgraph<'a>,
    demands: Demands<'a>,
    rule: CrowdRule,
}

/// Finds the groups of one graph after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowds {
    window: Window,
    /// Whether the section is dense.
    is_dense: bool,
    /// Whether a node has a group; empty if no node was in a crowd.
    is_grouped: Vec<bool>,
    /// Members of all groups, and the end of each.
    members: Vec<u32>,
    ends: Vec<u32>,
    /// Free later neighbours of the present root.
    free: Vec<u32>,
    /// Members of the present clique.
    clique: Vec<u32>,
}

impl Crowds {
    /// Removes all groups.
    pub(super) fn clear(&mut self) {
        self.is_dense = false;
        self.is_grouped.clear();
        self.members.clear();
        self.ends.clear();
    }

    /// Returns the steps of each clique search among the nodes without a group: few in a dense
    /// section, since a search that is not over soon is in a crowd as well.
    pub(super) fn limit(&self, budget: u32) -> u32 {
        if self.is_dense { budget.min(DENSE_STEPS) } else { budget }
    }

    /// Returns whether there is no group.
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Iterates over the groups.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start as usize..end as usize])
    }

    /// Adds the groups of all crowds. `rules` is as in [`super::Grouping::find`].
    pub(super) fn find(
        &mut self,
        graph: Subgraph<'_>,
        demands: Demands<'_>,
        rules: &mut [CountingRule<'_>],
    ) {
        let k = demands.k.iter().copied();
        let rule = CrowdRule::of(graph, k, || counting_share(graph, rules));
        self.is_dense = rule.is_dense();
        let section = CrowdSection { graph, demands, rule };
        for root in 0..graph.len() as u32 {
            let is_wide = graph.later_in_whole(root).len() >= rule.min_later;
            if is_wide && self.is_root(section, root) {
                self.window.load(graph.whole(), self.free.iter().copied());
                self.group_window(section, rules, root);
            }
        }
    }

    /// Returns the graph without the nodes that have a group: these have no neighbours.
    pub(super) fn rest(&self, graph: Subgraph<'_>) -> ConstraintGraph {
        let is_free = |node: u32| !self.is_grouped(node);
        ConstraintGraph::from_lists(graph.len() as u32, |node| {
            let row = if is_free(node) { graph.later_in_whole(node) } else { &[] };
            row.iter().map(move |later| later - graph.first()).filter(move |&later| is_free(later))
        })
    }

    fn is_grouped(&self, node: u32) -> bool {
        self.is_grouped.get(node as usize).is_some_and(|is_grouped| *is_grouped)
    }

    /// Fills `free`; returns whether the root may be in a crowd.
    fn is_root(&mut self, section: CrowdSection<'_>, root: u32) -> bool {
        let CrowdSection { graph, demands, rule } = section;
        if self.is_grouped(root) || !demands.asks(root) || demands.k(root) > rule.max_k() {
            return false;
        }
        let mut free = std::mem::take(&mut self.free);
        free.clear();
        let first = graph.first();
        let later = graph.later_in_whole(root);
        free.extend(later.iter().filter(|&&node| !self.is_grouped(node - first)));
        let is_demanding = |&node: &u32| demands.k(node - first) > rule.max_k();
        let is_root = free.len() >= rule.min_later && !free.iter().any(is_demanding);
        if free.len() > MAX_WINDOW {
            // Nodes are in street order: those with the closest numbers are the nearest.
            let here = free.partition_point(|&node| node < first + root);
            let start = here.saturating_sub(MAX_WINDOW / 2).min(free.len() - MAX_WINDOW);
            free.copy_within(start..start + MAX_WINDOW, 0);
            free.truncate(MAX_WINDOW);
        }
        self.free = free;
        is_root
    }

    /// Forms groups of the nodes of the window. The first one contains the root.
    fn group_window(
        &mut self,
        section: CrowdSection<'_>,
        rules: &mut [CountingRule<'_>],
        root: u32,
    ) {
        let CrowdSection { graph, demands, rule } = section;
        let first = graph.first();
        let asking = self.window.select(|node| demands.asks(node - first));
        let mut open = WindowSet::full(self.free.len());
        let mut found = self.window.clique(open, &asking, rule.enough.max(MAX_GROUP) - 1);
        let (mut with_root, mut min_size) = (Some(root), rule.enough);
        while found.count() + with_root.iter().count() as u32 >= min_size {
            self.clique.clear();
            self.clique.extend(with_root);
            for index in found.iter().take(MAX_GROUP as usize - self.clique.len()) {
                self.clique.push(self.window.nodes()[index] - first);
                open.remove(index);
            }
            self.add_group(graph.len(), demands, rules);
            found = self.window.clique(open, &asking, MAX_GROUP);
            (with_root, min_size) = (None, rule.enough / 2);
        }
    }

    /// Makes the members of the present clique whose k is met a group.
    fn add_group(&mut self, nodes: usize, demands: Demands<'_>, rules: &mut [CountingRule<'_>]) {
        let start = self.members.len();
        self.members.extend(satisfied(&self.clique, demands, rules));
        let group = &self.members[start..];
        if !group.is_empty() {
            self.is_grouped.resize(nodes, false);
            group.iter().for_each(|&node| self.is_grouped[node as usize] = true);
            self.ends.push(self.members.len() as u32);
        }
    }
}

/// Returns the share of neighbours that count, of a sample of nodes.
fn counting_share(graph: Subgraph<'_>, rules: &mut [CountingRule<'_>]) -> CountingShare {
    let Some(rule) = rules.first_mut() else { return CountingShare::ALL };
    let mut share = CountingShare { counting: 0, pairs: 0 };
    let (mut later, mut counts) = (Vec::new(), Vec::new());
    for node in (0..graph.len() as u32).step_by(SAMPLING) {
        later.clear();
        later.extend(graph.later_in_whole(node).iter().map(|other| other - graph.first()));
        counts.clear();
        counts.resize(later.len(), true);
        let counts_itself = rule(node, &later, &mut counts);
        let counting = counts.iter().filter(|&&counts| counts && counts_itself).count();
        share.counting += counting as u64;
        share.pairs += later.len() as u64;
    }
    share
}

/// Returns the largest subset of a clique of at most [`MAX_JOINED`] nodes in which every k is met.
pub(super) fn satisfied(
    clique: &[u32],
    demands: Demands<'_>,
    rules: &mut [CountingRule<'_>],
) -> impl Iterator<Item = u32> {
    let mut kept = <[u64; 1]>::full(clique.len());
    let mut flags = vec![true; clique.len()];
    let row = |(index, &node): (usize, &u32)| {
        flags.fill(true);
        let counts_itself = rules.first_mut().is_none_or(|rule| rule(node, clique, &mut flags));
        flags[index] = true;
        if !counts_itself {
            kept.remove(index);
        }
        flags.iter().enumerate().fold(0, |row, (bit, &counts)| row | u64::from(counts) << bit)
    };
    let relation = WordRows {
        rows: clique.iter().enumerate().map(row).collect(),
        k: clique.iter().map(|&node| demands.k(node)).collect(),
        roles: RoleSets::of(demands.roles, clique.len(), clique.iter().copied().enumerate()),
    };
    relation.prune(&mut kept);
    clique.iter().enumerate().filter(move |(index, _)| kept.has(*index)).map(|(_, &node)| node)
}

#[cfg(test)]
#[path = "crowd_tests.rs"]
mod tests;
