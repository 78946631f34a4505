//! What a group loses when a clique takes members from it; part of [`PoolSearch`].

use super::local_search::{Groups, Problem};
use super::pool_offers::{CliqueView, PoolSearch};
use crate::cliques::bitset::BitSet;

/// Member of a group that the clique touches.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupMember<B> {
    node: u32,
    k: u32,
    /// Number of group members that count for this one.
    have: u32,
    counting: B,
}

impl<B: BitSet + Default> PoolSearch<B> {
    /// Loads the members of a group into `self.group` and returns the set of their numbers.
    fn load_group(&mut self, problem: Problem<'_>, groups: &Groups, group: u32) -> B {
        let members = &groups.members[group as usize];
        let number_of = |node: u32| groups.in_group[node as usize].number as usize;
        let fits_word = groups.fits_word(group);
        let bound = if fits_word { 64 } else { groups.formed_len[group as usize] as usize };
        self.group.resize_with(bound.max(self.group.len()), GroupMember::default);
        let mut present = B::empty(bound);
        present.words_mut()[0] = groups.present[group as usize];
        for &node in members {
            let mut counting = B::empty(bound);
            if fits_word {
                counting.words_mut()[0] = groups.in_group[node as usize].counting;
            } else {
                present.insert(number_of(node));
                let others = groups.counting_members(problem.graph, group, node);
                others.for_each(|other| counting.insert(number_of(other)));
            }
            let (k, have) = (problem.demands.k(node), groups.have[node as usize]);
            self.group[number_of(node)] = GroupMember { node, k, have, counting };
        }
        present
    }

    /// Returns the clique members that a group can lose together without violating a k.
    pub(super) fn spare_members(
        &mut self,
        view: &CliqueView<'_, B>,
        groups: &Groups,
        slot: usize,
    ) -> B {
        let mut remaining = self.load_group(view.problem, groups, self.touched[slot].group);
        let mut spare = B::empty(view.nodes.len());
        for index in self.touched[slot].held.iter() {
            let number = groups.in_group[view.nodes[index] as usize].number as usize;
            let mut others = remaining.clone();
            others.remove(number);
            let needs = |other: usize| {
                let member = &self.group[other];
                member.have == member.k && member.counting.has(number)
            };
            if !others.iter().any(needs) {
                spare.insert(index);
                for other in others.iter() {
                    let member = &mut self.group[other];
                    member.have -= u32::from(member.counting.has(number));
                }
                remaining = others;
            }
        }
        spare
    }

    /// Returns the worth of the members that other groups lose, in addition to those taken.
    pub(super) fn cost(&mut self, view: &CliqueView<'_, B>, groups: &Groups, found: &B) -> i64 {
        let mut cost = 0;
        for slot in 0..self.touched.len() {
            let touched = &self.touched[slot];
            let taken = touched.held.common(found);
            if touched.is_inside || taken.is_empty() {
                continue;
            }
            let mut remaining = self.load_group(view.problem, groups, touched.group);
            for index in taken.iter() {
                remaining.remove(groups.in_group[view.nodes[index] as usize].number as usize);
            }
            loop {
                let before = remaining.clone();
                for other in before.iter() {
                    let GroupMember { node, k, counting, .. } = &self.group[other];
                    if counting.count_common(&remaining) < *k {
                        remaining.remove(other);
                        cost += view.problem.demands.worth(*node);
                    }
                }
                if remaining.words() == before.words() {
                    break;
                }
            }
        }
        cost
    }
}
