//! The checks of one proposed set.

use super::distances::Distances;
use super::hiding::Arrows;
use super::{Inspected, Promise};
use crate::accounts::{AccountId, is_met_without_any};
use crate::cells::Cells;
use crate::constraint_graph::Coverage;
use crate::guarantee::Guarantee;
use crate::map::StreetMap;
use crate::published::AnonymitySet;
use crate::query::Query;
use crate::region::Region;
use crate::units::Length;
use crate::violation::Violation;
use std::collections::BTreeSet;

/// A proposed set with what its checks need.
pub(super) struct Proposal<'a> {
    pub map: &'a StreetMap,
    pub promise: &'a Promise,
    pub state: Inspected<'a>,
    pub set: AnonymitySet<'a>,
    /// The members that are waiting.
    pub members: &'a [&'a Query],
    /// Their waiting indices.
    pub indices: &'a [u32],
    /// Set and waiting index of each query that the set serves.
    pub served: &'a [(u32, u32)],
}

/// Members whose users are compared pair by pair; those of larger sets are sorted.
const MAX_COMPARED: usize = 12;

impl Proposal<'_> {
    /// Returns the first violation.
    pub(super) fn violation(&self, distances: &mut Distances) -> Option<Violation> {
        if !self.is_one_region() {
            return Some(Violation::NotOneRegion);
        }
        if self.has_duplicate_user() {
            return Some(Violation::DuplicateUser);
        }
        if !self.members.iter().any(|query| query.asks) {
            return Some(Violation::NoQuestion);
        }
        if !self.served().all(|query| self.is_large_enough_for(query)) {
            return Some(Violation::TooSmall);
        }
        let is_inside = |query: &&Query| self.set.region.contains(self.map, query.position);
        if !self.members.iter().all(is_inside) {
            return Some(Violation::OutsideRegion);
        }
        if self.promise.cells.as_ref().is_some_and(|cells| !self.is_one_cell(cells)) {
            return Some(Violation::NotOneCell);
        }
        let bound = self.members.iter().map(|query| query.distance_constraint).max();
        let positions = self.members.iter().map(|query| query.position);
        distances.set_members(self.map, positions, bound.unwrap_or(Length::ZERO));
        if !(0..self.members.len()).all(|a| self.reaches_all(a, distances)) {
            return Some(Violation::NotClique);
        }
        let history = self.promise.guarantee == Guarantee::History;
        let arrows = history.then(|| Arrows::of(self, distances));
        if arrows.as_ref().is_some_and(|arrows| !arrows.hide_all(self, |_| true)) {
            return Some(Violation::History);
        }
        if self.promise.across_accounts && !self.is_independent(arrows.as_ref()) {
            return Some(Violation::Accounts);
        }
        None
    }

    /// Returns the queries that the set serves.
    fn served(&self) -> impl Iterator<Item = &Query> {
        self.served.iter().filter_map(|entry| self.state.waiting.get(entry.1 as usize))
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

    /// Whether enough members count towards the `k` of a member.
    fn is_large_enough_for(&self, a: &Query) -> bool {
        let mut counting = self.members.iter().filter(|b| self.counts(a, b));
        a.k == 0 || counting.nth(a.k as usize - 1).is_some()
    }

    /// Whether a member counts towards the `k` of another, or of itself, as far as presence decides.
    pub(super) fn counts(&self, a: &Query, b: &Query) -> bool {
        let rule = &self.promise.presence;
        let is_recent = |limit| b.asked_at + limit >= self.state.now;
        b.asks || rule.counts && !(a.asks && rule.max_age.is_some_and(|limit| !is_recent(limit)))
    }

    fn has_duplicate_user(&self) -> bool {
        if self.members.len() <= MAX_COMPARED {
            let rest = |number: usize| &self.members[number + 1..];
            let mut all = self.members.iter().enumerate();
            return all.any(|(number, a)| rest(number).iter().any(|b| a.user == b.user));
        }
        let mut users: Vec<_> = self.members.iter().map(|query| query.user).collect();
        users.sort_unstable();
        users.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Whether all members lie in one cell and the region is that cell.
    fn is_one_cell(&self, cells: &Cells) -> bool {
        let Region::Mesh(region) = &self.set.region else { return false };
        let Some(first) = self.members.first() else { return false };
        let cell = cells.of(first.position.street);
        self.members.iter().all(|query| cells.of(query.position.street) == cell)
            && region.iter().all(|&street| cells.of(street) == cell)
            && region.is_sorted_by(|a, b| a < b)
            && region.len() == cells.streets(cell).len()
    }

    /// Whether a member reaches every other, which `distances` holds, within the distance constraint.
    fn reaches_all(&self, number: usize, distances: &mut Distances) -> bool {
        let a = self.members[number];
        self.members.iter().enumerate().all(|(other, b)| {
            let limit = match self.promise.coverage {
                Coverage::Own => a.distance_constraint,
                Coverage::Both => a.distance_constraint.min(b.distance_constraint),
            };
            a.id == b.id || distances.is_within(self.map, number, other, limit)
        })
    }

    /// Whether the members meet every `k` without those of any one other account; `arrows` limit, as
    /// far as they are known, which members count.
    fn is_independent(&self, arrows: Option<&Arrows>) -> bool {
        let account = |query: &Query| self.state.accounts.of(query.id);
        let accounts: BTreeSet<AccountId> =
            self.members.iter().map(|query| account(query)).collect();
        let is_met = |a: &&Query| {
            let counted = self.members.iter().filter(|b| self.counts(a, b));
            is_met_without_any(a.k, account(a), counted.map(|query| account(query)))
        };
        self.members.iter().all(is_met)
            && arrows.is_none_or(|arrows| {
                let without = |removed| arrows.hide_all(self, |query| account(query) != removed);
                accounts.into_iter().all(without)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Atlas;
    use crate::guarantee::HistoryClock;
    use crate::guard::{Guard, Inspected};
    use crate::mesh_cloak::{MeshCloak, Settings};
    use crate::presence::PresenceRule;
    use crate::scheme::{Scheme as _, State};
    use crate::town::Town;
    use crate::units::Time;
    use std::sync::Arc;

    /// A random town with one query of each user.
    struct RandomTown {
        town: Town,
        atlas: Arc<Atlas>,
        queries: Vec<Query>,
    }

    impl RandomTown {
        fn new(seed: u64) -> RandomTown {
            let town = Town::random(seed * 3);
            let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(2_000.0)));
            let mut queries = town.random_queries(&mut Town::generator(seed), 40);
            let replaced = crate::naive::replaced(&queries);
            queries.retain(|query| !replaced.contains(&query.id));
            RandomTown { town, atlas, queries }
        }
    }

    fn inspected(state: &State) -> Inspected<'_> {
        let State { waiting, history, accounts, .. } = state;
        Inspected { waiting, history, accounts, now: Time::default() }
    }

    /// Runs MeshCloak on random towns with three accounts and the guard with `across_accounts`. Returns
    /// the number of served queries and of rejected sets.
    fn run_across_accounts(guarantee: Guarantee, is_rule_applied: bool) -> (usize, usize) {
        let (mut served, mut rejected) = (0, 0);
        for seed in 0..120 {
            let RandomTown { atlas, queries, .. } = RandomTown::new(seed);
            let mut state = State::with_waiting(queries);
            for query in &state.waiting {
                state.accounts.set(query.id, AccountId(query.user.0 as u32 % 3));
            }
            let across_accounts = is_rule_applied;
            let settings = Settings { guarantee, across_accounts, ..Settings::default() };
            let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
            let mut published = scheme.cloak(&state, Time::default(), &mut ()).clone();
            let coverage = Coverage::Own;
            let promise = Promise {
                guarantee,
                history_clock: HistoryClock::Asked,
                coverage,
                across_accounts: true,
                presence: PresenceRule::default(),
                cells: None,
                atlas,
            };
            let mut guard = Guard::default();
            let violations = guard.inspect(&promise, inspected(&state), &mut published);
            assert!(violations.iter().all(|rejection| rejection.violation == Violation::Accounts));
            rejected += violations.len();
            served += published.served().len();
        }
        (served, rejected)
    }

    #[test]
    fn sets_that_depend_on_one_other_account_are_rejected_and_not_proposed() {
        for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
            let (served, rejected) = run_across_accounts(guarantee, true);
            assert!(
                served > 200 && rejected == 0,
                "{guarantee:?}: {served} served, {rejected} rejected"
            );
            let (fewer, rejected) = run_across_accounts(guarantee, false);
            assert!(rejected > 50, "{guarantee:?}: {rejected} rejected without the rule");
            assert!(fewer < served, "the rule enlarges and shrinks sets instead of losing them");
        }
    }

    #[test]
    fn the_guard_rejects_nothing_that_meshcloak_proposes() {
        let mut served = 0;
        for seed in 0..120 {
            let RandomTown { town, atlas, queries } = RandomTown::new(seed);
            for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
                for coverage in [Coverage::Own, Coverage::Both] {
                    let settings = Settings { guarantee, coverage, ..Settings::default() };
                    let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
                    let state = State::with_waiting(queries.clone());
                    let mut published = scheme.cloak(&state, Time::default(), &mut ()).clone();
                    let promise = Promise {
                        guarantee,
                        history_clock: HistoryClock::Asked,
                        coverage,
                        across_accounts: false,
                        presence: PresenceRule::default(),
                        cells: None,
                        atlas: Arc::clone(&atlas),
                    };
                    let rejected = Guard::default()
                        .inspect(&promise, inspected(&state), &mut published)
                        .to_vec();
                    assert_eq!(rejected, [], "seed {seed} {guarantee:?}\n{town}");
                    served += published.served().len();
                }
            }
        }
        assert!(served > 2_000, "only {served} were served");
    }
}
