//! Best offer of a candidate clique when the counting relation restricts which members count
//! (`history`). Reference: `reference_offer` in the tests of [`super::local_search`].
//!
//! An *offer* is a new group inside one candidate clique whose gain in worth is positive. It is the
//! fixpoint of pruning a *pool* of clique members: members for which too few pool members count in
//! their component ([`Matching`]) are removed until all remaining k are met. Three kinds of pool are
//! tried:
//!
//! 1. free members and the groups that lie inside the clique (`base`);
//! 2. in addition, members of other groups that those groups can spare;
//! 3. in addition, all members of one other group, at the cost of the members it then loses.
//!
//! ```text
//! CliqueView                 bit i = i-th member of the clique
//!   rows   n × words u64     row i: members that count for member i
//!   free   B                 members without a group
//!   base   B                 free members and groups inside the clique
//! TouchedGroup               a group with members in the clique
//!   held   B                 its members, as bits of the clique
//! GroupRows                  bit j = j-th member of the group when it was formed
//! ```
//!
//! Invariant: `free ⊆ base ⊆ pool`, and a pruned set contains only members whose k it meets.
//! `B` is `[u64; 1]` if the clique and every group that it touches have at most 64 members, which
//! is the normal case, and `Vec<u64>` otherwise. One word keeps all sets in registers and needs no
//! allocation: with `Vec<u64>` alone the grouping stage of `history` takes 133 % more instructions on
//! P1-3-5 and 211 % more on P2-10-10 (city of the gates, 10,000 users).

use super::group_rows::GroupRows;
use super::local_search::{FREE, Groups, Problem};
use super::matching::Matching;
use super::pool_groups::satisfiable_free;
use super::roles::{RoleSets, RoleWords};
use crate::cliques::bitset::BitSet;
use crate::stamps::Stamps;

/// Computes offers of one clique after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct PoolOffers {
    one_word: PoolSearch<[u64; 1]>,
    many_words: PoolSearch<Vec<u64>>,
    members: Vec<u32>,
}

impl PoolOffers {
    /// Returns the members of the offer with the largest gain; `None` without a gain.
    pub(super) fn best_offer(
        &mut self,
        problem: Problem<'_>,
        clique: u32,
        groups: &Groups,
    ) -> Option<&[u32]> {
        let nodes = problem.cliques.nodes(clique);
        // Most cliques have no free member. They are skipped before any other work.
        if nodes.iter().all(|&node| groups.group_of[node as usize] != FREE) {
            return None;
        }
        self.members.clear();
        if nodes.len() <= 64
            && let Some(offer) = self.one_word.best_offer(problem, clique, groups)
        {
            self.members.extend(offer.iter().map(|index| nodes[index]));
        } else {
            let offer = self.many_words.best_offer(problem, clique, groups);
            self.members.extend(offer.iter().flat_map(BitSet::iter).map(|index| nodes[index]));
        }
        (!self.members.is_empty()).then_some(&self.members)
    }

    /// Returns the same offer without the variant for one word.
    #[cfg(test)]
    pub(super) fn best_offer_of_many_words(
        &mut self,
        problem: Problem<'_>,
        clique: u32,
        groups: &Groups,
    ) -> Vec<u32> {
        let nodes = problem.cliques.nodes(clique);
        let offer = self.many_words.best_offer(problem, clique, groups);
        offer.iter().flat_map(BitSet::iter).map(|index| nodes[index]).collect()
    }
}

/// Buffers for sets of type `B`.
#[derive(Clone, Debug, Default)]
pub(super) struct PoolSearch<B> {
    pub(super) touched: Vec<TouchedGroup<B>>,
    /// Index of each group in `touched`.
    slots: Stamps<u32>,
    /// Buffer of [`CliqueView::k`].
    k: Vec<u32>,
    /// One touched group.
    pub(super) group: GroupRows<B>,
}

/// Group that has members in the clique.
#[derive(Clone, Debug)]
pub(super) struct TouchedGroup<B> {
    pub(super) group: u32,
    pub(super) held: B,
    /// All members of the group are in the clique.
    pub(super) is_inside: bool,
}

/// Candidate clique with the sets that all pools share.
pub(super) struct CliqueView<'a, B> {
    pub(super) problem: Problem<'a>,
    pub(super) nodes: &'a [u32],
    rows: &'a [u64],
    /// k of each member.
    pub(super) k: Vec<u32>,
    roles: Option<RoleSets<B>>,
    pub(super) free: B,
    base: B,
}

impl<B: BitSet> Matching for CliqueView<'_, B> {
    #[inline]
    fn row(&self, index: usize) -> &[u64] {
        let words = self.free.words().len();
        &self.rows[index * words..(index + 1) * words]
    }

    #[inline]
    fn k(&self, index: usize) -> u32 {
        self.k[index]
    }

    #[inline]
    fn roles(&self) -> Option<RoleWords<'_>> {
        self.roles.as_ref().map(RoleSets::words)
    }
}

impl<B: BitSet> CliqueView<'_, B> {
    /// Prunes a pool to the fixpoint in which every k is met.
    fn pruned(&self, mut pool: B) -> B {
        self.prune(&mut pool);
        pool
    }

    fn worth(&self, members: &B) -> i64 {
        members.iter().map(|index| self.problem.demands.worth(self.nodes[index])).sum()
    }
}

/// Offer found so far.
struct Offer<B> {
    gain: i64,
    members: B,
}

impl<B: BitSet + Default> PoolSearch<B> {
    /// Returns the best offer, empty if there is none; `None` if `B` cannot hold a touched group.
    fn best_offer(&mut self, problem: Problem<'_>, clique: u32, groups: &Groups) -> Option<B> {
        let nodes = problem.cliques.nodes(clique);
        let rows = problem.cliques.counting_rows(clique);
        let mut k = std::mem::take(&mut self.k);
        k.clear();
        k.extend(nodes.iter().map(|&node| problem.demands.k(node)));
        let (free, base) = (B::empty(nodes.len()), B::empty(nodes.len()));
        let members = nodes.iter().copied().enumerate();
        let roles = RoleSets::of(problem.demands.roles, nodes.len(), members);
        let mut view = CliqueView { problem, nodes, rows, k, roles, free, base };
        let fits = self.classify_members(&mut view, groups);
        let offer = fits.then(|| self.best_offer_in(&view, groups));
        self.k = view.k;
        offer
    }

    fn best_offer_in(&mut self, view: &CliqueView<'_, B>, groups: &Groups) -> B {
        let nodes = view.nodes;
        let mut best = Offer { gain: 0, members: B::empty(nodes.len()) };
        let mut found = B::empty(nodes.len());
        if !satisfiable_free(view, &view.base).is_empty() {
            found = view.pruned(view.base.clone());
        }
        let served = view.worth(&found.common(&view.free));
        let is_complete = view.free.without(&found).is_empty();
        if served > 0 {
            best = Offer { gain: served, members: self.without_unneeded_groups(view, found) };
        }
        // Present members alone are no reason to break up another group.
        let unserved = view.free.without(&best.members);
        if !is_complete
            && view.has_asking(&unserved)
            && self.touched.iter().any(|touched| !touched.is_inside)
        {
            self.take_from_other_groups(view, groups, &mut best);
        }
        best.members
    }

    /// Fills `free`, `base` and `touched`. Returns `false` if `B` cannot hold a touched group.
    fn classify_members(&mut self, view: &mut CliqueView<'_, B>, groups: &Groups) -> bool {
        self.touched.clear();
        self.slots.clear(groups.used);
        for (index, &node) in view.nodes.iter().enumerate() {
            let group = groups.group_of[node as usize];
            if group == FREE {
                view.free.insert(index);
                continue;
            }
            let (is_set, mut slot) = self.slots.peek(group as usize);
            if !is_set {
                slot = self.touched.len() as u32;
                self.slots.insert(group as usize, slot);
                let held = B::empty(view.nodes.len());
                self.touched.push(TouchedGroup { group, held, is_inside: false });
            }
            self.touched[slot as usize].held.insert(index);
        }
        view.base = view.free.clone();
        for touched in &mut self.touched {
            if B::CAPACITY <= 64 && !groups.fits_word(touched.group) {
                return false;
            }
            touched.is_inside = touched.held.count() == groups.size(touched.group);
            if touched.is_inside {
                view.base.insert_all(&touched.held);
            }
        }
        true
    }

    /// Removes the groups inside the clique that no served free member needs.
    fn without_unneeded_groups(&self, view: &CliqueView<'_, B>, mut found: B) -> B {
        for touched in self.touched.iter().filter(|touched| touched.is_inside) {
            if !found.common(&touched.held).is_empty() {
                found = without_if_unneeded(view, found, &touched.held);
            }
        }
        found
    }

    /// Tries pools with members of groups that lie only partly in the clique.
    fn take_from_other_groups(
        &mut self,
        view: &CliqueView<'_, B>,
        groups: &Groups,
        best: &mut Offer<B>,
    ) {
        let mut pool = view.base.clone();
        for slot in 0..self.touched.len() {
            if !self.touched[slot].is_inside {
                let spare = self.spare_members(view, groups, slot);
                pool.insert_all(&spare);
            }
        }
        self.try_pool(view, groups, &pool, best);
        for slot in 0..self.touched.len() {
            let TouchedGroup { held, is_inside, .. } = &self.touched[slot];
            if !is_inside && !held.without(&pool).is_empty() {
                let mut larger = pool.clone();
                larger.insert_all(held);
                self.try_pool(view, groups, &larger, best);
            }
        }
    }

    /// Replaces `best` if the offer of a pool has a larger gain.
    fn try_pool(
        &mut self,
        view: &CliqueView<'_, B>,
        groups: &Groups,
        pool: &B,
        best: &mut Offer<B>,
    ) {
        if view.worth(&satisfiable_free(view, pool)) <= best.gain {
            return;
        }
        let found = view.pruned(pool.clone());
        let served = view.worth(&found.common(&view.free));
        if served <= best.gain {
            return;
        }
        let mut found = self.without_unneeded_groups(view, found);
        let taken = found.without(&view.base);
        let mut single = B::empty(view.nodes.len());
        for index in taken.iter() {
            if found.has(index) {
                single.insert(index);
                found = without_if_unneeded(view, found, &single);
                single.remove(index);
            }
        }
        let gain = served - self.cost(view, groups, &found);
        if gain > best.gain {
            *best = Offer { gain, members: found };
        }
    }
}

/// Removes some members and prunes, if the same free members are still served.
fn without_if_unneeded<B: BitSet>(view: &CliqueView<'_, B>, found: B, members: &B) -> B {
    let trial = view.pruned(found.without(members));
    let is_unneeded = found.common(&view.free).without(&trial).is_empty();
    if is_unneeded { trial } else { found }
}
