//! Local search for disjoint groups of large total worth.
//!
//! A queue holds the candidate cliques. For each of them the best *offer* is computed: a new group
//! inside the clique whose free members are worth more than the members that other groups lose. It
//! may use free nodes, whole groups inside the clique (the union of two groups in one clique is a
//! group) and members of other groups. An accepted offer queues the cliques of all changed nodes.
//!
//! Invariant: every accepted offer increases the total worth, so the search terminates. When the
//! queue is empty, no set of free nodes can be published or added to a group (docs/SPEC.md §6,
//! "Maximal").

use super::candidates::CandidateCliques;
use super::groups::ShrunkRows;
pub(super) use super::groups::{FREE, Groups};
use super::matching::Matching;
use super::neighbours::Neighbours;
use super::pool_offers::PoolOffers;
use super::roles::{Role, RoleSets, RoleWords};
use super::threshold_offers::ThresholdOffers;
use crate::cliques::bitset::BitSet as _;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

/// k, worth and role of each node.
#[derive(Clone, Copy, Debug)]
pub struct Demands<'a> {
    /// k of each node.
    pub k: &'a [u32],
    /// Worth of publishing each node now, at most [`super::FULL_WORTH`].
    pub worth: &'a [u32],
    /// Role of each node; empty if all ask.
    pub roles: &'a [Role],
}

impl<'a> Demands<'a> {
    /// Returns the demands of consecutive nodes.
    pub(crate) fn of(self, nodes: &Range<usize>) -> Demands<'a> {
        let roles = if self.roles.is_empty() { &[] } else { &self.roles[nodes.clone()] };
        Demands { k: &self.k[nodes.clone()], worth: &self.worth[nodes.clone()], roles }
    }

    /// Returns whether a node asks.
    #[inline]
    pub(super) fn asks(&self, node: u32) -> bool {
        self.roles.get(node as usize).is_none_or(|role| role.asks())
    }

    /// Returns whether one of some nodes asks.
    #[inline]
    pub(super) fn has_asking(&self, nodes: &[u32]) -> bool {
        self.roles.is_empty() || nodes.iter().any(|&node| self.asks(node))
    }

    #[inline]
    pub(super) fn k(&self, node: u32) -> u32 {
        self.k[node as usize]
    }

    #[inline]
    pub(super) fn worth(&self, node: u32) -> i64 {
        i64::from(self.worth[node as usize])
    }
}

/// Input of a local search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub(super) graph: &'a Neighbours,
    pub(super) cliques: &'a CandidateCliques,
    pub(super) demands: Demands<'a>,
}

/// Searches one graph after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalSearch {
    pub(super) groups: Groups,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// Key of each clique; see [`queue_key`].
    order: Vec<u128>,
    threshold_offers: ThresholdOffers,
    pool_offers: PoolOffers,
    shrunk: Vec<u32>,
    shrunk_rows: ShrunkRows,
    dropped: Vec<u32>,
    /// Members of the offer to accept.
    members: Vec<u32>,
    pub(super) steps: u64,
    pub(super) truncated: bool,
}

/// Largest number of evaluated offers per clique, on average.
const MAX_VISITS: u64 = 64;

/// Largest group that [`LocalSearch::group_remaining`] forms.
const MAX_GREEDY_MEMBERS: usize = 64;

impl LocalSearch {
    /// Finds groups.
    pub(super) fn run(&mut self, problem: Problem<'_>) {
        self.begin(problem);
        self.accept_offers(problem);
        if self.truncated || problem.cliques.truncated() {
            self.group_remaining(problem);
        }
    }

    /// Adds a group of free nodes.
    pub(super) fn add_group(&mut self, members: &[u32], demands: Demands<'_>) {
        let groups = &mut self.groups;
        let group = groups.open();
        members.iter().for_each(|&node| groups.group_of[node as usize] = group);
        let own = &mut groups.members[group as usize];
        own.extend_from_slice(members);
        own.sort_unstable_by_key(|&node| (Reverse(demands.k(node)), node));
    }

    fn begin(&mut self, Problem { graph, cliques, demands }: Problem<'_>) {
        let nodes = graph.len();
        self.groups.begin(nodes);
        (self.steps, self.truncated) = (0, false);
        self.is_queued.clear();
        self.is_queued.resize(cliques.len(), true);
        // Descending mean worth: queries with a low probability of later service come first. Then
        // ascending presence reports: all that fit a set leave with it (docs/SPEC.md §6, "Maximal"),
        // so that of an asker's cliques the smallest leaves most of them to later askers.
        self.order.clear();
        self.order.extend((0..cliques.len() as u32).map(|clique| {
            let nodes = cliques.nodes(clique);
            let asking = nodes.iter().filter(|&&node| demands.asks(node));
            let (count, worth) = asking
                .fold((0, 0), |(count, worth), &node| (count + 1, worth + demands.worth(node)));
            queue_key(worth / count.max(1), nodes.len() - count as usize, clique)
        }));
        self.order.sort_unstable();
        self.queue.clear();
        self.queue.extend(self.order.iter().map(|&key| key as u32));
    }

    /// Accepts offers until the queue is empty or the limit of visits is reached.
    fn accept_offers(&mut self, problem: Problem<'_>) {
        let max_steps = MAX_VISITS * problem.cliques.len() as u64;
        while let Some(clique) = self.queue.pop_front() {
            self.is_queued[clique as usize] = false;
            self.steps += 1;
            if self.steps > max_steps {
                self.truncated = true;
                return;
            }
            if self.find_offer(problem, clique) {
                self.accept(problem);
            }
        }
    }

    /// Stores the best offer of a clique in `members`. Returns whether there is one.
    fn find_offer(&mut self, problem: Problem<'_>, clique: u32) -> bool {
        let offer = match problem.graph.all_count() {
            true => self.threshold_offers.best_offer(problem, clique, &self.groups),
            false => self.pool_offers.best_offer(problem, clique, &self.groups),
        };
        self.members.clear();
        self.members.extend_from_slice(offer.unwrap_or(&[]));
        offer.is_some()
    }

    /// Groups free nodes greedily if cliques are missing: each free node with its free neighbours.
    fn group_remaining(&mut self, problem: Problem<'_>) {
        for node in 0..problem.graph.len() as u32 {
            if self.groups.group_of[node as usize] != FREE
                || !problem.demands.asks(node)
                || !self.has_free_places(problem, node)
            {
                continue;
            }
            self.collect_free_clique(problem.graph, node);
            self.prune_members(problem);
            if !self.members.is_empty() {
                self.accept(problem);
            }
        }
        self.queue.clear();
    }

    /// Returns whether enough free nodes count for a node, which most nodes that are left lack.
    fn has_free_places(&self, Problem { graph, demands, .. }: Problem<'_>, node: u32) -> bool {
        let row = if graph.all_count() { graph.of(node) } else { graph.counting_neighbours(node) };
        let is_free = |other: &&u32| self.groups.group_of[**other as usize] == FREE;
        row.iter().filter(is_free).count() + 1 >= demands.k(node) as usize
    }

    /// Fills `members` with a clique of free nodes that contains `node`.
    fn collect_free_clique(&mut self, graph: &Neighbours, node: u32) {
        self.members.clear();
        self.members.push(node);
        for &other in graph.of(node) {
            let is_adjacent = |&member: &u32| graph.of(member).binary_search(&other).is_ok();
            let is_free = self.groups.group_of[other as usize] == FREE;
            if is_free && self.members.iter().all(is_adjacent) {
                self.members.push(other);
            }
            if self.members.len() == MAX_GREEDY_MEMBERS {
                break;
            }
        }
    }

    /// Prunes `members`, at most [`MAX_GREEDY_MEMBERS`], to the fixpoint in which every k is met.
    fn prune_members(&mut self, Problem { graph, demands, .. }: Problem<'_>) {
        let members = &self.members;
        let row = |&a: &u32| {
            let bits = members.iter().enumerate();
            bits.fold(0, |row, (bit, &b)| row | u64::from(graph.counts(a, b)) << bit)
        };
        let rows = members.iter().map(row).collect();
        let indices = members.iter().copied().enumerate();
        let relation = WordRows {
            rows,
            k: members.iter().map(|&a| demands.k(a)).collect(),
            roles: RoleSets::of(demands.roles, members.len(), indices),
        };
        let mut kept = <[u64; 1]>::full(members.len());
        relation.prune(&mut kept);
        let mut index = 0;
        self.members.retain(|_| {
            index += 1;
            kept.has(index - 1)
        });
    }

    /// Makes `members` a group. Other groups lose these nodes and the members whose k is then no
    /// longer met. Queues the cliques of all changed nodes.
    fn accept(&mut self, problem: Problem<'_>) {
        let Problem { cliques, demands, .. } = problem;
        let groups = &mut self.groups;
        let group = groups.open();
        self.shrunk.clear();
        for &node in &self.members {
            let old = std::mem::replace(&mut groups.group_of[node as usize], group);
            if old != FREE && !self.shrunk.contains(&old) {
                self.shrunk.push(old);
            }
        }
        for &old in &self.shrunk {
            groups.shrink(old, problem, &mut self.shrunk_rows, &mut self.dropped);
        }
        let members = &mut groups.members[group as usize];
        members.extend_from_slice(&self.members);
        members.sort_unstable_by_key(|&node| (Reverse(demands.k(node)), node));
        groups.fill_rows(group, problem.graph);
        let shrunk = self.shrunk.iter().flat_map(|&group| &groups.members[group as usize]);
        for &node in self.members.iter().chain(&self.dropped).chain(shrunk) {
            for &clique in cliques.containing(node) {
                if !std::mem::replace(&mut self.is_queued[clique as usize], true) {
                    self.queue.push_back(clique);
                }
            }
        }
        self.dropped.clear();
    }
}

/// Returns the sort key of a clique: descending mean worth, then ascending present members, then
/// number. One integer sorts without a branch per comparison.
fn queue_key(worth: i64, present: usize, clique: u32) -> u128 {
    let worth = u64::MAX - worth as u64;
    u128::from(worth) << 64 | (present as u128) << 32 | u128::from(clique)
}

/// Counting relation of at most 64 nodes.
pub(super) struct WordRows {
    pub(super) rows: Vec<u64>,
    pub(super) k: Vec<u32>,
    pub(super) roles: Option<RoleSets<[u64; 1]>>,
}

impl Matching for WordRows {
    fn row(&self, index: usize) -> &[u64] {
        std::slice::from_ref(&self.rows[index])
    }

    fn k(&self, index: usize) -> u32 {
        self.k[index]
    }

    fn roles(&self) -> Option<RoleWords<'_>> {
        self.roles.as_ref().map(RoleSets::words)
    }
}

#[cfg(test)]
#[path = "local_search_tests.rs"]
mod tests;
