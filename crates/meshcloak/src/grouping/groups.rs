//! Disjoint groups of the local search, and, where the counting relation is restricted, which group
//! members count for each member.
//!
//! ```text
//! by node    group_of   u32          FREE, or index of the group
//!            in_group   Membership   number at formation, bit row of counting members
//! by group   members    Vec<u32>     present members, descending k
//!            formed_len u32          size at formation
//! ```
//!
//! Members keep their number for the lifetime of the group, so bit rows stay valid when members
//! leave. The rows of a new group are computed once; without them each removal would look up every
//! pair in the rows of the graph.

use super::group_rows::GroupRows;
use super::local_search::Problem;
use super::matching::Matching as _;
use super::neighbours::Neighbours;
use crate::cliques::bitset::BitSet;

/// Value of `group_of` for a node without a group.
pub(super) const FREE: u32 = u32::MAX;

/// Disjoint groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) group_of: Vec<u32>,
    /// Members by descending k. Entries from `used` on are spare buffers.
    pub(super) members: Vec<Vec<u32>>,
    pub(super) used: usize,
    /// Unused if all nodes count.
    pub(super) in_group: Vec<Membership>,
    pub(super) formed_len: Vec<u32>,
}

/// Rows of the group that is shrunk.
#[derive(Clone, Debug, Default)]
pub(super) struct ShrunkRows {
    one_word: GroupRows<[u64; 1]>,
    many_words: GroupRows<Vec<u64>>,
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
        self.in_group.resize(nodes, Membership::default());
        self.formed_len.clear();
        self.used = 0;
    }

    pub(super) fn size(&self, group: u32) -> u32 {
        self.members[group as usize].len() as u32
    }

    /// Returns whether bit rows of one word hold a group.
    pub(super) fn fits_word(&self, group: u32) -> bool {
        self.formed_len[group as usize] <= 64
    }

    /// Opens an empty group.
    pub(super) fn open(&mut self) -> u32 {
        if self.used == self.members.len() {
            self.members.push(Vec::new());
        }
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
        let others = graph.counting_neighbours(node).iter().copied();
        others.filter(move |&other| self.group_of[other as usize] == group).chain([node])
    }

    /// Removes the members that joined another group, then prunes the group to a fixpoint. Pruned
    /// nodes become free and are appended to `dropped`.
    pub(super) fn shrink(
        &mut self,
        group: u32,
        problem: Problem<'_>,
        rows: &mut ShrunkRows,
        dropped: &mut Vec<u32>,
    ) {
        let Groups { members, group_of, .. } = self;
        members[group as usize].retain(|&node| group_of[node as usize] == group);
        if problem.graph.all_count() {
            self.prune_by_size(group, problem, dropped);
        } else if self.fits_word(group) {
            self.prune(group, problem, &mut rows.one_word, dropped);
        } else {
            self.prune(group, problem, &mut rows.many_words, dropped);
        }
    }

    /// Prunes the members whose k exceeds the number of members, and all if none asks; members are by
    /// descending k.
    fn prune_by_size(&mut self, group: u32, problem: Problem<'_>, dropped: &mut Vec<u32>) {
        let members = &mut self.members[group as usize];
        let size = members.len();
        let is_short =
            |(index, &node): (usize, &u32)| problem.demands.k(node) as usize > size - index;
        let mut short = members.iter().enumerate().take_while(|&entry| is_short(entry)).count();
        if !problem.demands.has_asking(&members[short..]) {
            short = size;
        }
        for node in members.drain(..short) {
            self.group_of[node as usize] = FREE;
            dropped.push(node);
        }
    }

    /// Prunes the members whose k is not met by members of their component.
    fn prune<B: BitSet + Default>(
        &mut self,
        group: u32,
        problem: Problem<'_>,
        rows: &mut GroupRows<B>,
        dropped: &mut Vec<u32>,
    ) {
        let mut kept = rows.load(problem, self, group);
        rows.prune(&mut kept);
        let Groups { members, group_of, in_group, .. } = self;
        members[group as usize].retain(|&node| {
            let is_kept = kept.has(in_group[node as usize].number as usize);
            if !is_kept {
                group_of[node as usize] = FREE;
                dropped.push(node);
            }
            is_kept
        });
    }

    /// Computes the bit rows of a new group.
    pub(super) fn fill_rows(&mut self, group: u32, graph: &Neighbours) {
        if graph.all_count() {
            return;
        }
        let members = std::mem::take(&mut self.members[group as usize]);
        for (number, &node) in (0..).zip(&members) {
            self.in_group[node as usize].number = number;
        }
        for &node in &members {
            let others = self.counting_members(graph, group, node);
            let bit = |other: u32| 1_u64 << (self.in_group[other as usize].number % 64);
            self.in_group[node as usize].counting = others.fold(0, |row, other| row | bit(other));
        }
        self.formed_len[group as usize] = members.len() as u32;
        self.members[group as usize] = members;
    }
}
