//! Disjoint groups of the local search, and, where the counting relation is restricted, which group
//! members count for each member.
//!
//! ```text
//! by node    group_of   u32          FREE, or index of the group
//!            have       u32          group members that count for the node
//!            in_group   Membership   number at formation, bit row of counting members
//! by group   members    Vec<u32>     present members, descending k
//!            formed_len u32          size at formation
//!            present    u64          bit j: the member with number j has not left; 0 if formed_len > 64
//! ```
//!
//! Members keep their number for the lifetime of the group, so bit rows stay valid when members
//! leave. The rows of a new group are computed once; without them each removal would look up every
//! pair in the rows of the graph.

use super::local_search::Problem;
use super::neighbours::Neighbours;

/// Value of `group_of` for a node without a group.
pub(super) const FREE: u32 = u32::MAX;

/// Disjoint groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) group_of: Vec<u32>,
    /// Members by descending k. Entries from `used` on are spare buffers.
    pub(super) members: Vec<Vec<u32>>,
    pub(super) used: usize,
    /// Number of members of its group that count for each node. Unused if all nodes count.
    pub(super) have: Vec<u32>,
    /// Unused if all nodes count.
    pub(super) in_group: Vec<Membership>,
    pub(super) formed_len: Vec<u32>,
    pub(super) present: Vec<u64>,
}

/// Position of a node in its group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Membership {
    /// Index of the node among the members at formation.
    pub(super) number: u32,
    /// Bit row of the members that count for the node. Valid if the group fits a word.
    pub(super) counting: u64,
}

impl Groups {
    pub(super) fn begin(&mut self, nodes: usize) {
        self.group_of.clear();
        self.group_of.resize(nodes, FREE);
        self.members.iter_mut().for_each(Vec::clear);
        self.have.clear();
        self.have.resize(nodes, 0);
        self.in_group.resize(nodes, Membership::default());
        self.formed_len.clear();
        self.present.clear();
        self.used = 0;
    }

    pub(super) fn size(&self, group: u32) -> u32 {
        self.members[group as usize].len() as u32
    }

    /// Returns whether bit rows of one word hold a non-empty group.
    pub(super) fn fits_word(&self, group: u32) -> bool {
        self.present[group as usize] != 0
    }

    /// Opens an empty group.
    pub(super) fn open(&mut self) -> u32 {
        if self.used == self.members.len() {
            self.members.push(Vec::new());
        }
        self.present.push(0);
        self.formed_len.push(0);
        self.used += 1;
        self.used as u32 - 1
    }

    /// Iterates over the members of `group` that count for one of them.
    pub(super) fn counting_members(
        &self,
        graph: &Neighbours,
        group: u32,
        node: u32,
    ) -> impl Iterator<Item = u32> {
        let itself = Some(node).filter(|&node| graph.counts_itself(node));
        let others = graph.counting_neighbours(node).iter().copied();
        others.filter(move |&other| self.group_of[other as usize] == group).chain(itself)
    }

    /// Removes the members that joined another group, then prunes the group to a fixpoint. Pruned
    /// nodes become free and are appended to `dropped`.
    pub(super) fn shrink(&mut self, group: u32, problem: Problem<'_>, dropped: &mut Vec<u32>) {
        let is_restricted = !problem.graph.all_count();
        let mut members = std::mem::take(&mut self.members[group as usize]);
        let departed = members.iter().filter(|&&node| self.group_of[node as usize] != group);
        let departed: Vec<u32> = departed.copied().collect();
        members.retain(|&node| self.group_of[node as usize] == group);
        self.members[group as usize] = members;
        if is_restricted {
            departed.into_iter().for_each(|node| self.discount(group, node, problem.graph));
        }
        loop {
            let members = &self.members[group as usize];
            let size = members.len() as u32;
            let is_short = |node: u32| match is_restricted {
                true => self.have[node as usize] < problem.demands.k(node),
                false => size < problem.demands.k(node),
            };
            let Some(index) = members.iter().position(|&node| is_short(node)) else { break };
            let node = self.members[group as usize].remove(index);
            if is_restricted {
                self.discount(group, node, problem.graph);
            }
            self.group_of[node as usize] = FREE;
            dropped.push(node);
        }
    }

    /// Updates the counts of the remaining members after `departed` left the group.
    fn discount(&mut self, group: u32, departed: u32, graph: &Neighbours) {
        let Groups { members, have, in_group, present, .. } = self;
        let number = in_group[departed as usize].number;
        let present = &mut present[group as usize];
        let fits_word = *present != 0;
        *present &= !(1_u64 << (number % 64));
        for &node in &members[group as usize] {
            let counted = match fits_word {
                true => in_group[node as usize].counting >> number & 1 == 1,
                false => graph.counts(node, departed),
            };
            have[node as usize] -= u32::from(counted);
        }
    }

    /// Computes the counts and bit rows of a new group.
    pub(super) fn count_members(&mut self, group: u32, graph: &Neighbours) {
        if graph.all_count() {
            return;
        }
        let members = std::mem::take(&mut self.members[group as usize]);
        for (number, &node) in (0..).zip(&members) {
            self.in_group[node as usize].number = number;
        }
        for &node in &members {
            let (mut have, mut counting) = (0, 0);
            for other in self.counting_members(graph, group, node) {
                have += 1;
                counting |= 1_u64 << (self.in_group[other as usize].number % 64);
            }
            self.have[node as usize] = have;
            self.in_group[node as usize].counting = counting;
        }
        let fits_word = (1..=64).contains(&members.len());
        self.present[group as usize] = if fits_word { u64::MAX >> (64 - members.len()) } else { 0 };
        self.formed_len[group as usize] = members.len() as u32;
        self.members[group as usize] = members;
    }
}
