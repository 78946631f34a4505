//! Counting relation of one group as bit rows.
//!
//! ```text
//! members   by number at formation    node, k
//!   counting B                        bit j: the member with number j counts for this one
//! ```
//!
//! `B` is `[u64; 1]` if the group had at most 64 members when it was formed, otherwise `Vec<u64>`.

use super::groups::Groups;
use super::local_search::Problem;
use super::matching::Matching;
use super::roles::{RoleSets, RoleWords};
use crate::cliques::bitset::BitSet;

/// Rows of one group after the other, with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupRows<B> {
    members: Vec<GroupMember<B>>,
    roles: Option<RoleSets<B>>,
}

#[derive(Clone, Debug, Default)]
struct GroupMember<B> {
    node: u32,
    k: u32,
    counting: B,
}

impl<B: BitSet + Default> GroupRows<B> {
    /// Loads the members of a group and returns the set of their numbers.
    pub(super) fn load(&mut self, problem: Problem<'_>, groups: &Groups, group: u32) -> B {
        let number_of = |node: u32| groups.in_group[node as usize].number as usize;
        let fits_word = groups.fits_word(group);
        let bound = if fits_word { 64 } else { groups.formed_len[group as usize] as usize };
        self.members.resize_with(bound.max(self.members.len()), GroupMember::default);
        let mut present = B::empty(bound);
        for &node in &groups.members[group as usize] {
            let mut counting = B::empty(bound);
            if fits_word {
                counting.words_mut()[0] = groups.in_group[node as usize].counting;
            } else {
                let others = groups.counting_members(problem.graph, group, node);
                others.for_each(|other| counting.insert(number_of(other)));
            }
            present.insert(number_of(node));
            self.members[number_of(node)] =
                GroupMember { node, k: problem.demands.k(node), counting };
        }
        let members = groups.members[group as usize].iter().map(|&node| (number_of(node), node));
        self.roles = RoleSets::of(problem.demands.roles, bound, members);
        present
    }

    /// Returns the node with a number.
    pub(super) fn node(&self, number: usize) -> u32 {
        self.members[number].node
    }
}

impl<B: BitSet> Matching for GroupRows<B> {
    #[inline]
    fn row(&self, number: usize) -> &[u64] {
        self.members[number].counting.words()
    }

    #[inline]
    fn k(&self, number: usize) -> u32 {
        self.members[number].k
    }

    #[inline]
    fn roles(&self) -> Option<RoleWords<'_>> {
        self.roles.as_ref().map(RoleSets::words)
    }
}
