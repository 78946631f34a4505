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
    distances: Distances,
    departures: Departures,
    /// Set and waiting index of each served query, sorted.
    served: Vec<(u32, u32)>,
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
        let Inspected { waiting, history, accounts, now } = state;
        let Guard { distances, departures, served, rejected } = self;
        departures.begin(waiting);
        served.clear();
        served.extend(published.served().iter().map(|served| (served.set, served.index)));
        served.sort_unstable();
        let by_id = index_by_id(waiting);
        rejected.clear();
        let mut rest = &served[..];
        for number in 0..published.set_count() as u32 {
            let (served, later) = rest.split_at(rest.partition_point(|entry| entry.0 <= number));
            rest = later;
            let set = published.set(number);
            let members = set.members.iter().enumerate().filter_map(|(position, &id)| {
                // Members and served queries usually have the same order: no search is needed.
                let query = served.get(position).and_then(|entry| waiting.get(entry.1 as usize));
                query.filter(|query| query.id == id).or_else(|| find(waiting, &by_id, id))
            });
            let members = members.collect();
            let map = promise.atlas.map();
            let proposal =
                Proposal { map, promise, waiting, history, accounts, now, set, members, served };
            let violation = proposal.violation(distances).or_else(|| {
                let is_checked = promise.guarantee.has_one_query_per_user();
                if is_checked { departures.add(&proposal.members) } else { None }
            });
            rejected.extend(violation.map(|violation| Rejection { set: number, violation }));
        }
        if !rejected.is_empty() {
            published.reject(rejected);
        }
        rejected
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

fn find<'a>(waiting: &'a [Query], by_id: &[u32], id: QueryId) -> Option<&'a Query> {
    let index = match by_id.is_empty() {
        true => waiting.binary_search_by_key(&id, |query| query.id).ok()?,
        false => {
            let id_of = |index: &u32| waiting[*index as usize].id;
            by_id[by_id.binary_search_by_key(&id, id_of).ok()?] as usize
        }
    };
    Some(&waiting[index])
}

#[cfg(test)]
mod faulty;
#[cfg(test)]
mod presence_tests;
#[cfg(test)]
mod tests;
