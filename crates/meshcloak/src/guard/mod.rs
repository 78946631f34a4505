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
//! | the set has at least `k` members for each query it serves | `TooSmall` |
//! | the region contains every member | `OutsideRegion` |
//! | members are pairwise within the distance constraint | `NotClique` |
//! | `history`: `k` members are reachable from each member's previous position | `History` |
//! | `across_accounts`: the same without the members of any one other account | `Accounts` |
//! | no user of a member is in another set of the batch | `UserInTwoSets` |
//! | no later query of a member's user has left before | `Overtaken` |
//!
//! The last two hold for every guarantee but `paper`. Outside the guard a found set is withheld in
//! two cases: [`Settings::hold`] defers it, or no member has a question ([`crate::engine::turn()`]).
//!
//! Sets that pass are disjoint: [`Published::serve`] accepts a query once, and a set serves exactly
//! its members.
//!
//! [`Settings::hold`]: crate::mesh_cloak::Settings::hold

mod departures;
mod distances;
mod path;

use crate::accounts::{Accounts, is_met_without_any};
use crate::constraint_graph::Coverage;
use crate::distance::Atlas;
use crate::guarantee::{Guarantee, max_travel};
use crate::history::History;
use crate::map::{Position, StreetMap};
pub use crate::published::Rejection;
use crate::published::{AnonymitySet, Published};
use crate::query::{Query, QueryId};
use crate::units::Length;
pub use crate::violation::{Rejections, Violation};
use departures::Departures;
use distances::Distances;
use std::fmt;
use std::sync::Arc;

/// What a scheme promises for every set it proposes.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Properties of the sets.
    pub guarantee: Guarantee,
    /// Rule for pairs within the distance constraint.
    pub coverage: Coverage,
    /// Whether every `k` is met without the members of any one other account.
    pub across_accounts: bool,
    /// The map; its distances are not used.
    pub atlas: Arc<Atlas>,
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
}

/// A proposed set with what its checks need.
struct Proposal<'a> {
    map: &'a StreetMap,
    promise: &'a Promise,
    waiting: &'a [Query],
    history: &'a History,
    accounts: &'a Accounts,
    set: AnonymitySet<'a>,
    /// The members that are waiting.
    members: Vec<&'a Query>,
    /// Set and waiting index of each query that the set serves.
    served: &'a [(u32, u32)],
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
        let Inspected { waiting, history, accounts } = state;
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
                Proposal { map, promise, waiting, history, accounts, set, members, served };
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

impl Proposal<'_> {
    /// Returns the first violation.
    fn violation(&self, distances: &mut Distances) -> Option<Violation> {
        if !self.is_one_region() {
            return Some(Violation::NotOneRegion);
        }
        if self.has_duplicate_user() {
            return Some(Violation::DuplicateUser);
        }
        if self.served().any(|query| query.k as usize > self.members.len()) {
            return Some(Violation::TooSmall);
        }
        let is_inside = |query: &&Query| self.set.region.contains(self.map, query.position);
        if !self.members.iter().all(is_inside) {
            return Some(Violation::OutsideRegion);
        }
        if !self.members.iter().all(|a| self.reaches_all(a, distances)) {
            return Some(Violation::NotClique);
        }
        let history = self.promise.guarantee == Guarantee::History;
        if history && !self.members.iter().all(|a| self.hides(a, distances)) {
            return Some(Violation::History);
        }
        if self.promise.across_accounts && !self.members.iter().all(|a| self.is_independent(a)) {
            return Some(Violation::Accounts);
        }
        None
    }

    /// Returns the queries that the set serves.
    fn served(&self) -> impl Iterator<Item = &Query> {
        self.served.iter().filter_map(|entry| self.waiting.get(entry.1 as usize))
    }

    /// Whether all members wait and the set serves exactly them. Under `paper` it may serve fewer.
    fn is_one_region(&self) -> bool {
        let only_members = self.members.len() == self.set.members.len()
            && self.set.members.is_sorted_by(|a, b| a < b)
            && self.served().count() == self.served.len()
            && self.served().all(|query| self.set.members.binary_search(&query.id).is_ok());
        let all_members = self.served.len() == self.members.len();
        only_members && (all_members || self.promise.guarantee == Guarantee::Paper)
    }

    fn has_duplicate_user(&self) -> bool {
        let mut users: Vec<_> = self.members.iter().map(|query| query.user).collect();
        users.sort_unstable();
        users.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Whether `a` reaches every member within the distance constraint.
    fn reaches_all(&self, a: &Query, distances: &mut Distances) -> bool {
        distances.set_origin(self.map, a.position, a.distance_constraint);
        self.members.iter().all(|b| {
            let limit = match self.promise.coverage {
                Coverage::Own => a.distance_constraint,
                Coverage::Both => a.distance_constraint.min(b.distance_constraint),
            };
            a.id == b.id || distances.to(self.map, b.position).is_some_and(|d| d <= limit)
        })
    }

    /// Whether the members that count for `a` meet its `k`, by the rule of the promise.
    fn is_enough<'q>(&self, a: &Query, mut counted: impl Iterator<Item = &'q &'q Query>) -> bool {
        if self.promise.across_accounts {
            let accounts = counted.map(|b| self.accounts.of(b.id));
            return is_met_without_any(a.k, self.accounts.of(a.id), accounts);
        }
        counted.nth(a.k as usize - 1).is_some()
    }

    /// Whether the members meet the `k` of `a` without those of any one other account.
    fn is_independent(&self, a: &Query) -> bool {
        let accounts = self.members.iter().map(|b| self.accounts.of(b.id));
        is_met_without_any(a.k, self.accounts.of(a.id), accounts)
    }

    /// Whether at least `k` members are reachable from the previous position of `a` in time.
    fn hides(&self, a: &Query, distances: &mut Distances) -> bool {
        let Some(previous) = self.history.previous(a.id) else { return true };
        let max_travel = max_travel(a, previous);
        // After a long pause the whole map is reachable, but the members are usually near: the
        // bound starts at the distance constraint and doubles while too few members are found.
        // Each search has a limit of steps; what it does not reach does not count.
        let mut bound = a.distance_constraint.max(Length::UNIT);
        let mut is_path_tried = false;
        loop {
            if bound > self.promise.atlas.dc_max() && !is_path_tried {
                is_path_tried = true;
                if self.hides_by_path(a, previous.position, max_travel, distances) {
                    return true;
                }
            }
            distances.set_origin(self.map, previous.position, bound.min(max_travel));
            let reached =
                self.members.iter().filter(|b| distances.to(self.map, b.position).is_some());
            if self.is_enough(a, reached) {
                return true;
            }
            if bound >= max_travel {
                return false;
            }
            bound += bound;
        }
    }
}

impl Proposal<'_> {
    /// Whether some path from the previous position to `a`, continued to the members, shows that
    /// at least `k` of them are within `max_travel`.
    fn hides_by_path(
        &self,
        a: &Query,
        previous: Position,
        max_travel: Length,
        distances: &mut Distances,
    ) -> bool {
        let Some(travelled) = path::path_length(self.map, previous, a.position, max_travel) else {
            return false;
        };
        distances.set_origin(self.map, a.position, a.distance_constraint);
        let is_reached = |b: &&&Query| {
            let rest = distances.to(self.map, b.position);
            rest.is_some_and(|rest| travelled + rest <= max_travel)
        };
        self.members.iter().filter(is_reached).count() >= a.k as usize
    }
}

#[cfg(test)]
mod tests;
