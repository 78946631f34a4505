//! The guard: checks every proposed set against the scheme's promise before it is published.
//!
//! ```text
//! scheme.cloak(state) ──▶ proposed sets ──▶ Guard::inspect ──▶ published sets
//!                                                └──▶ rejected: removed, counted by violation;
//!                                                     their queries go on waiting
//! ```
//!
//! The engine ([`crate::engine::turn()`]) calls the guard, so no scheme can bypass it. The guard shares
//! no code with the search for sets: not the grouping, the constraint graph, the mesh, nor their
//! distances (`distances.rs` has its own search). A set is checked in this order, and the first
//! failed check is its [`Violation`]:
//!
//! | check | violation |
//! |---|---|
//! | all members wait, the set serves all of them and no other query | `NotOneRegion` |
//! | members are distinct users | `DuplicateUser` |
//! | a member has a question | `NoQuestion` |
//! | the set has at least `k` members that count for each query it serves | `TooSmall` |
//! | the region contains every member | `OutsideRegion` |
//! | region `cell`: members lie in one cell, and the region is that cell | `NotOneCell` |
//! | members are pairwise within the distance constraint | `NotClique` |
//! | `history`: each member can be at `k` places of the set, if places are assigned one to one | `History` |
//! | `across_accounts`: the same without the members of any one other account | `Accounts` |
//! | no user of a member is in another set of the batch | `UserInTwoSets` |
//! | no later query of a member's user has left before | `Overtaken` |
//!
//! The last two hold for every guarantee but `paper`. Which presence reports count towards `k` is part
//! of the promise ([`PresenceRule`]). Outside the guard a found set is withheld in two cases:
//! [`Settings::hold`] defers it, or no member has a question ([`crate::engine::turn()`], for schemes
//! without a promise, too).
//!
//! Sets that pass are disjoint: [`Published::serve`] accepts a query once, and a set serves exactly
//! its members.
//!
//! [`Settings::hold`]: crate::mesh_cloak::Settings::hold

mod departures;
mod distances;
mod far_search;
mod hiding;
mod path;
mod proposal;
mod row_cache;

use crate::accounts::Accounts;
use crate::cells::Cells;
use crate::constraint_graph::Coverage;
use crate::distance::Atlas;
use crate::guarantee::{Guarantee, HistoryClock};
use crate::history::History;
use crate::presence::PresenceRule;
use crate::published::Published;
pub use crate::published::Rejection;
use crate::query::{Query, QueryId};
use crate::units::Time;
pub use crate::violation::{Rejections, Violation};
use departures::Departures;
use distances::Distances;
use proposal::Proposal;
use rayon::prelude::*;
pub use row_cache::MAX_CACHE_BYTES;
use std::fmt;
use std::sync::Arc;

/// What a scheme promises for every set it proposes.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Properties of the sets.
    pub guarantee: Guarantee,
    /// What the adversary of `history` knows of time.
    pub history_clock: HistoryClock,
    /// Rule for pairs within the distance constraint.
    pub coverage: Coverage,
    /// Whether every `k` is met without the members of any one other account.
    pub across_accounts: bool,
    /// How presence reports count towards `k`.
    pub presence: PresenceRule,
    /// The cells of region `cell`: all members lie in one of them, and the region is that cell.
    pub cells: Option<Arc<Cells>>,
    /// The map; its distances are not used.
    pub atlas: Arc<Atlas>,
}

impl Promise {
    /// Whether the past of a user is the last query that left, not the last accepted one.
    pub(crate) fn depends_on_what_left(&self) -> bool {
        self.guarantee == Guarantee::History && self.history_clock == HistoryClock::Published
    }
}

/// Checks proposed sets. Caches distances from one batch to the next.
#[derive(Default)]
pub struct Guard {
    /// One per thread.
    workers: Vec<Distances>,
    departures: Departures,
    /// Set and waiting index of each served query, sorted.
    served: Vec<(u32, u32)>,
    /// End of each set in `served`.
    ends: Vec<u32>,
    /// First violation of each set.
    violations: Vec<Option<Violation>>,
    rejected: Vec<Rejection>,
}

/// A clone starts with an empty cache of distances.
impl Clone for Guard {
    fn clone(&self) -> Guard {
        Guard { departures: self.departures.clone(), ..Guard::default() }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard(…)")
    }
}

/// What the guard reads of the engine's state.
#[derive(Clone, Copy, Debug)]
pub struct Inspected<'a> {
    /// The waiting queries.
    pub waiting: &'a [Query],
    /// Previous positions of their users.
    pub history: &'a History,
    /// Their accounts.
    pub accounts: &'a Accounts,
    /// Time of the batch.
    pub now: Time,
}

impl Guard {
    /// Removes from `published` every set that breaks the promise, and returns these sets.
    ///
    /// Their queries stay unserved; [`Stats::rejected`](crate::published::Stats::rejected) counts
    /// them by violation.
    pub fn inspect(
        &mut self,
        promise: &Promise,
        state: Inspected<'_>,
        published: &mut Published,
    ) -> &[Rejection] {
        self.departures.begin(state.waiting);
        self.sort_served(published);
        self.check_sets(promise, state, published);
        self.rejected.clear();
        for number in 0..published.set_count() {
            let mut violation = self.violations[number];
            if violation.is_none() && promise.guarantee.has_one_query_per_user() {
                // A set without a violation serves exactly its members.
                let served = served_by(&self.served, &self.ends, number).iter();
                let members = served.map(|entry| &state.waiting[entry.1 as usize]);
                violation = self.departures.add(members);
            }
            let rejection = |violation| Rejection { set: number as u32, violation };
            self.rejected.extend(violation.map(rejection));
        }
        if !self.rejected.is_empty() {
            published.reject(&self.rejected);
        }
        &self.rejected
    }

    /// Fills `served` and `ends`: a counting sort of what [`Published::served`] holds by ascending
    /// index. What an unknown set serves is the end of `served`.
    fn sort_served(&mut self, published: &Published) {
        let Guard { served, ends, .. } = self;
        let (all, sets) = (published.served(), published.set_count());
        let number = |set: u32| (set as usize).min(sets);
        ends.clear();
        ends.resize(sets + 1, 0);
        all.iter().for_each(|entry| ends[number(entry.set)] += 1);
        let mut start = 0;
        for end in ends.iter_mut() {
            start += std::mem::replace(end, start);
        }
        served.resize(all.len(), (0, 0));
        for entry in all {
            let end = &mut ends[number(entry.set)];
            served[*end as usize] = (entry.set, entry.index);
            *end += 1;
        }
    }

    /// Fills `violations` with what each set violates by itself, on all threads.
    fn check_sets(&mut self, promise: &Promise, state: Inspected<'_>, published: &Published) {
        let threads = rayon::current_num_threads();
        if self.workers.len() != threads {
            self.workers.resize_with(threads, Distances::default);
            self.workers.iter_mut().for_each(|distances| distances.share_memory(threads));
        }
        self.violations.clear();
        self.violations.resize(published.set_count(), None);
        let by_id = index_by_id(state.waiting);
        let (served, ends) = (&self.served[..], &self.ends[..]);
        let inspection = Inspection { promise, state, published, by_id, served, ends };
        let share = published.set_count().div_ceil(threads).max(MIN_SHARE);
        if share >= published.set_count() {
            return inspection.check(0, &mut self.violations, &mut self.workers[0]);
        }
        let shares = self.violations.par_chunks_mut(share).zip(&mut self.workers).enumerate();
        shares.for_each(|(number, (violations, distances))| {
            inspection.check(number * share, violations, distances);
        });
    }
}

/// Smallest number of sets for which a second thread is used.
const MIN_SHARE: usize = 64;

/// Returns the entries of `served` that belong to a set.
fn served_by<'a>(served: &'a [(u32, u32)], ends: &[u32], set: usize) -> &'a [(u32, u32)] {
    let start = if set == 0 { 0 } else { ends[set - 1] };
    &served[start as usize..ends[set] as usize]
}

/// Proposed sets that are checked each by itself.
struct Inspection<'a> {
    promise: &'a Promise,
    state: Inspected<'a>,
    published: &'a Published,
    by_id: Vec<u32>,
    served: &'a [(u32, u32)],
    ends: &'a [u32],
}

impl Inspection<'_> {
    /// Sets the first violation of each set from `first` on.
    fn check(&self, first: usize, violations: &mut [Option<Violation>], distances: &mut Distances) {
        let &Inspection { promise, state, published, ref by_id, .. } = self;
        let (waiting, map) = (state.waiting, promise.atlas.map());
        let (mut members, mut indices): (Vec<&Query>, Vec<u32>) = Default::default();
        for (number, violation) in (first..).zip(violations) {
            let served = served_by(self.served, self.ends, number);
            let set = published.set(number as u32);
            members.clear();
            indices.clear();
            indices.extend(set.members.iter().enumerate().filter_map(|(position, &id)| {
                // Members and served queries usually have the same order: no search is needed.
                let index = served.get(position).map(|entry| entry.1);
                let is_member = |query: &Query| query.id == id;
                let index = index.filter(|&i| waiting.get(i as usize).is_some_and(is_member));
                index.or_else(|| find(waiting, by_id, id))
            }));
            members.extend(indices.iter().map(|&index| &waiting[index as usize]));
            let (members, indices) = (&members[..], &indices[..]);
            let proposal = Proposal { map, promise, state, set, members, indices, served };
            *violation = proposal.violation(distances);
        }
    }
}

/// Returns the waiting indices in order of query id; empty if the list has that order itself.
fn index_by_id(waiting: &[Query]) -> Vec<u32> {
    if waiting.is_sorted_by_key(|query| query.id) {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..waiting.len() as u32).collect();
    order.sort_unstable_by_key(|&index| waiting[index as usize].id);
    order
}

/// Returns the waiting index of a query.
fn find(waiting: &[Query], by_id: &[u32], id: QueryId) -> Option<u32> {
    if by_id.is_empty() {
        return waiting.binary_search_by_key(&id, |query| query.id).ok().map(|index| index as u32);
    }
    let id_of = |index: &u32| waiting[*index as usize].id;
    by_id.binary_search_by_key(&id, id_of).ok().map(|index| by_id[index])
}

#[cfg(test)]
mod faulty;
#[cfg(test)]
mod presence_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod thread_tests;
