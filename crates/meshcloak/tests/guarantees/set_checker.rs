//! Checks the sets of each turn with naive algorithms.

use meshcloak::cells::Cells;
use meshcloak::constraint_graph::ConstraintGraph;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{RegionRule, Settings};
use meshcloak::naive;
use meshcloak::presence::PresenceRule;
use meshcloak::printed::maximal_cliques;
use meshcloak::query::{Query, UserId};
use meshcloak::town::Town;
use meshcloak::units::{Length, Time};
use std::collections::BTreeMap;

/// Checks the result of each turn.
pub struct SetChecker<'a> {
    town: &'a Town,
    table: Vec<Vec<Option<Length>>>,
    settings: Settings,
    workload: &'a [Query],
    /// Previous accepted time and position of the user of each query.
    accepted: BTreeMap<u64, (Time, Position)>,
    /// Time and position of the last query of each user that left.
    left: BTreeMap<UserId, (Time, Position)>,
    /// Time of the turn.
    now: Time,
    /// Served queries of users with a past.
    pub with_previous: usize,
    /// Served presence reports.
    pub present: usize,
}

impl<'a> SetChecker<'a> {
    pub fn new(town: &'a Town, settings: Settings, workload: &'a [Query]) -> SetChecker<'a> {
        let table = naive::terminal_distances(&town.map);
        let mut accepted = BTreeMap::new();
        for (number, query) in workload.iter().enumerate() {
            let earlier =
                workload[..number].iter().rev().find(|earlier| earlier.user == query.user);
            if let Some(earlier) = earlier {
                accepted.insert(query.id.0, (earlier.asked_at, earlier.position));
            }
        }
        let (left, now) = (BTreeMap::new(), Time::default());
        let (with_previous, present) = (0, 0);
        SetChecker { town, table, settings, workload, accepted, left, now, with_previous, present }
    }

    fn previous(&self, query: &Query) -> Option<(Time, Position)> {
        match self.settings.history_clock {
            HistoryClock::Asked => self.accepted.get(&query.id.0).copied(),
            HistoryClock::Published => self.left.get(&query.user).copied(),
        }
    }

    fn counts(&self, a: &Query, b: &Query) -> bool {
        let Some((at, position)) = self.previous(a) else { return true };
        let until = match self.settings.history_clock {
            HistoryClock::Asked => a.asked_at,
            HistoryClock::Published => self.now,
        };
        let max_travel = a.speed.expect("every query has a speed") * (until - at);
        let length = naive::distance(&self.town.map, &self.table, position, b.position);
        self.settings.guarantee != Guarantee::History || length.is_some_and(|d| d <= max_travel)
    }

    fn edges(&self, queries: &[Query]) -> Vec<(u32, u32)> {
        let (map, Settings { coverage, region, .. }) = (&self.town.map, self.settings);
        let RegionRule::Cell(length) = region else {
            return naive::edges(map, &self.table, coverage, queries);
        };
        naive::edges_in_cells(map, &self.table, coverage, &Cells::new(map, length), queries)
    }

    /// Whether `b` counts towards the k of `a` by presence (docs/SPEC.md §6).
    fn is_counted(&self, a: &Query, b: &Query) -> bool {
        let PresenceRule { counts, max_age } = self.settings.presence;
        let age = self.now - b.asked_at;
        match (a.asks, b.asks) {
            (_, true) => true,
            (false, false) => counts,
            (true, false) => counts && max_age.is_none_or(|max_age| age <= max_age),
        }
    }

    /// Returns the members of a set whose k is met; none without a member that asks.
    fn satisfied<'q>(&self, set: &[&'q Query]) -> Vec<&'q Query> {
        let nodes: Vec<u32> = (0..set.len() as u32).collect();
        let counts = |a: u32, b: u32| self.counts(set[a as usize], set[b as usize]);
        let places = naive::hiding_places(&nodes, &counts);
        let is_met = |a: &u32| {
            let query = set[*a as usize];
            let is_counted = |b: &&u32| self.is_counted(query, set[**b as usize]);
            let counted = places[*a as usize].iter().filter(is_counted).count();
            counts(*a, *a) && counted >= query.k as usize
        };
        if !set.iter().any(|query| query.asks) {
            return Vec::new();
        }
        nodes.iter().filter(|a| is_met(a)).map(|&a| set[a as usize]).collect()
    }

    /// Whether `group`, which may be empty, and some queries of `free` form a larger valid set.
    fn could_be_added(&self, group: &[&Query], free: &[&Query]) -> bool {
        let queries: Vec<Query> = group.iter().chain(free).map(|q| (*q).clone()).collect();
        let edges = self.edges(&queries);
        let adjacent = |a: u32, b: u32| edges.binary_search(&(a.min(b), a.max(b))).is_ok();
        let near: Vec<u32> = (group.len() as u32..queries.len() as u32)
            .filter(|&b| (0..group.len() as u32).all(|a| adjacent(a, b)))
            .collect();
        let graph = ConstraintGraph::from_fn(near.len() as u32, |a, b| {
            adjacent(near[a as usize], near[b as usize])
        });
        let mut possible = false;
        maximal_cliques(&graph, |clique| {
            let more = clique.iter().map(|&index| near[index as usize]);
            let all = (0..group.len() as u32).chain(more);
            let mut set: Vec<&Query> = all.map(|index| &queries[index as usize]).collect();
            // Prunes to a fixpoint: the rest is the largest valid set within the clique.
            loop {
                let size = set.len();
                set = self.satisfied(&set);
                if set.len() == size {
                    break;
                }
            }
            possible |= set.len() > group.len();
        });
        possible
    }

    /// Checks the sets of a turn, each with its members and the queries that it serves.
    pub fn check(
        &mut self,
        now: Time,
        sets: &[(Vec<u64>, Vec<u64>)],
        waiting: &[Query],
        what: &str,
    ) {
        self.now = now;
        let edges = self.edges(self.workload);
        let adjacent =
            |a: u64, b: u64| edges.binary_search(&(a.min(b) as u32, a.max(b) as u32)).is_ok();
        let mut seen: Vec<u64> = Vec::new();
        let free: Vec<&Query> = waiting.iter().collect();
        for (members, served) in sets {
            assert_eq!(members, served, "{what}: a member does not publish the set");
            assert!(members.iter().all(|id| !seen.contains(id)), "{what}: sets overlap");
            seen.extend(members);
            let pairs = members.iter().flat_map(|a| members.iter().map(move |b| (*a, *b)));
            assert!(
                pairs.filter(|(a, b)| a != b).all(|(a, b)| adjacent(a, b)),
                "{what}: no clique"
            );
            let set: Vec<&Query> = members.iter().map(|&id| &self.workload[id as usize]).collect();
            assert_eq!(self.satisfied(&set).len(), set.len(), "{what}: a k is not met");
            self.present += set.iter().filter(|query| !query.asks).count();
            self.with_previous += set.iter().filter(|q| self.previous(q).is_some()).count();
            assert!(!self.could_be_added(&set, &free), "{what}: a query could be added");
        }
        assert!(!self.could_be_added(&[], &free), "{what}: a set could still be published");
        for id in sets.iter().flat_map(|(members, _)| members) {
            let Query { user, asked_at, position, .. } = self.workload[*id as usize];
            self.left.insert(user, (asked_at, position));
        }
    }
}
