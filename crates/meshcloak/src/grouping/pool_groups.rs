//! What a group loses when a clique takes members from it; part of [`PoolSearch`].

use super::local_search::Groups;
use super::matching::Matching as _;
use super::pool_offers::{CliqueView, PoolSearch, TouchedGroup};
use crate::cliques::bitset::BitSet;

impl<B: BitSet + Default> PoolSearch<B> {
    /// Returns the clique members that a group can lose together without violating a k.
    pub(super) fn spare_members(
        &mut self,
        view: &CliqueView<'_, B>,
        groups: &Groups,
        slot: usize,
    ) -> B {
        let TouchedGroup { group, held, .. } = &self.touched[slot];
        let mut remaining = self.group.load(view.problem, groups, *group);
        let mut spare = B::empty(view.nodes.len());
        for index in held.iter() {
            let mut others = remaining.clone();
            others.remove(groups.in_group[view.nodes[index] as usize].number as usize);
            if self.group.is_satisfied(&others) {
                spare.insert(index);
                remaining = others;
            }
        }
        spare
    }

    /// Returns the worth of the members that other groups lose, in addition to those taken.
    pub(super) fn cost(&mut self, view: &CliqueView<'_, B>, groups: &Groups, found: &B) -> i64 {
        let mut cost = 0;
        for touched in self.touched.iter().filter(|touched| !touched.is_inside) {
            let taken = touched.held.common(found);
            if taken.is_empty() {
                continue;
            }
            let mut remaining = self.group.load(view.problem, groups, touched.group);
            for index in taken.iter() {
                remaining.remove(groups.in_group[view.nodes[index] as usize].number as usize);
            }
            let mut kept = remaining.clone();
            self.group.prune(&mut kept);
            let lost = remaining.without(&kept);
            let worth = |number| view.problem.demands.worth(self.group.node(number));
            cost += lost.iter().map(worth).sum::<i64>();
        }
        cost
    }
}

/// Returns the free members for which enough of the whole pool count: an upper bound on the free
/// members of the pruned pool. It is usually empty, which saves the pruning.
pub(super) fn satisfiable_free<B: BitSet>(view: &CliqueView<'_, B>, pool: &B) -> B {
    let mut satisfiable = view.free.clone();
    for index in view.free.iter() {
        if view.count(index, pool) < view.k[index] {
            satisfiable.remove(index);
        }
    }
    satisfiable
}
