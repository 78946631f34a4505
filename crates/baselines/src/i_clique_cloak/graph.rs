//! Graph of the waiting queries, and its maximal cliques while they are few enough.

use super::HORIZON;
use super::boundary::BoundedQuery;
use super::side_intervals::SideIntervals;
use crate::clique_list::{CliqueList, Increment};
use crate::waiting_table::WaitingTable;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::units::Time;
use std::collections::BTreeSet;

/// Graph of the waiting queries.
#[derive(Debug, Default)]
pub(super) struct Graph {
    waiting_table: WaitingTable,
    /// By number of the waiting table.
    queries: Vec<BoundedQuery>,
    /// By number: whether the query is a node. Published queries are in the table but not in the graph.
    present: Vec<bool>,
    sides: SideIntervals,
    /// Waiting queries by user.
    by_user: BTreeSet<(UserId, u32)>,
    /// No waiting query is older.
    oldest: Option<Time>,
    pub(super) edges: usize,
    pub(super) cliques: CliqueList,
    /// Whether `cliques` holds the maximal cliques of the graph.
    pub(super) has_cliques: bool,
    neighbours: Vec<u32>,
}

/// Maximum number of edges up to which cliques are maintained; beyond, the graph is nearly complete.
const fn max_edges(queries: usize) -> usize {
    queries * 4 + (1 << 10)
}

impl Graph {
    pub(super) fn query(&self, number: u32) -> &BoundedQuery {
        &self.queries[number as usize]
    }

    pub(super) fn number(&self, id: QueryId) -> Option<u32> {
        self.waiting_table.number(id)
    }

    /// Updates graph and cliques. Whether cliques are maintained depends on the final graph only: a
    /// subgraph has no more edges and no larger sum of clique sizes, so a limit exceeded during
    /// insertion is also exceeded at the end.
    pub(super) fn update(&mut self, atlas: &Atlas, state: &State, now: Time) {
        let waiting = &state.waiting;
        let mut new_count = state.arrived;
        self.cliques.begin();
        let mut reinserted = Vec::new();
        if self.waiting_table.is_from_previous_turn(state) {
            reinserted = self.remove_departed(state, now);
        } else {
            self.clear();
            new_count = waiting.len();
        }
        for query in waiting[waiting.len() - new_count..].iter().chain(&reinserted) {
            self.insert(BoundedQuery::new(atlas, &state.history, query), query, waiting.len());
        }
        if !self.has_cliques && self.edges <= max_edges(waiting.len()) {
            self.list_cliques(waiting.len());
        }
        self.waiting_table.mark_current(state);
    }

    fn clear(&mut self) {
        self.waiting_table.clear();
        self.queries.clear();
        self.present.clear();
        self.sides.clear();
        self.by_user.clear();
        self.oldest = None;
        (self.edges, self.has_cliques) = (0, false);
    }

    /// Removes departed queries, and waiting ones whose user has a newer published rectangle; returns
    /// the latter, to be inserted again.
    fn remove_departed(&mut self, state: &State, now: Time) -> Vec<Query> {
        let mut suspects = BTreeSet::new();
        for id in &state.departed {
            let user = self.remove(*id).map(|query| query.user);
            suspects.extend(user.into_iter().flat_map(|user| self.numbers_of(user)));
        }
        if self.oldest.is_some_and(|oldest| oldest + HORIZON < now) {
            // Rectangles of these users may be forgotten.
            let all = || self.waiting_table.all();
            let is_old = |query: &Query| query.asked_at + HORIZON < now;
            suspects.extend(all().filter(|(_, query)| is_old(query)).map(|(number, _)| number));
            self.oldest = all().map(|(_, query)| query.asked_at).min();
        }
        suspects.retain(|&number| !self.query(number).is_up_to_date(&state.history));
        let ids: Vec<QueryId> = suspects.iter().map(|&number| self.query(number).id).collect();
        ids.into_iter().filter_map(|id| self.remove(id)).collect()
    }

    /// Waiting queries of a user.
    fn numbers_of(&self, user: UserId) -> impl Iterator<Item = u32> {
        self.by_user.range((user, 0)..=(user, u32::MAX)).map(|&(_, number)| number)
    }

    fn remove(&mut self, id: QueryId) -> Option<Query> {
        let (number, query) = self.waiting_table.remove(id)?;
        self.by_user.remove(&(query.user, number));
        self.withdraw(number);
        Some(query)
    }

    /// Removes a node from the graph if it is present.
    pub(super) fn withdraw(&mut self, number: u32) {
        if std::mem::replace(&mut self.present[number as usize], false) {
            self.sides.remove(number);
            if self.has_cliques {
                self.cliques.remove_node(number);
                self.edges = self.cliques.edge_count();
            } else {
                let query = self.queries[number as usize];
                self.edges -= self.find_neighbours(&query).len();
            }
        }
    }

    fn insert(&mut self, bounded: BoundedQuery, query: &Query, waiting: usize) {
        let degree = self.find_neighbours(&bounded).len();
        let number = self.waiting_table.insert(query);
        if number as usize == self.queries.len() {
            self.queries.push(bounded);
            self.present.push(true);
        } else {
            self.queries[number as usize] = bounded;
            self.present[number as usize] = true;
        }
        self.sides.insert(number, &bounded);
        self.by_user.insert((query.user, number));
        self.oldest = self.oldest.into_iter().chain([query.asked_at]).min();
        self.edges += degree;
        self.has_cliques &= self.edges <= max_edges(waiting);
        if self.has_cliques {
            self.cliques.add(number, &self.neighbours, Increment::Edge);
            self.has_cliques = self.cliques.size() <= CliqueList::max_size(waiting);
        }
    }

    /// Rebuilds the cliques node by node, which is faster than edge by edge and gives the same list.
    fn list_cliques(&mut self, waiting: usize) {
        self.cliques.clear();
        for number in 0..self.queries.len() as u32 {
            if self.present[number as usize] {
                let query = self.queries[number as usize];
                self.find_neighbours(&query);
                self.neighbours.retain(|&other| other < number);
                self.cliques.add(number, &self.neighbours, Increment::Node);
                if self.cliques.size() > CliqueList::max_size(waiting) {
                    return;
                }
            }
        }
        self.has_cliques = true;
    }

    /// Returns the neighbours, ascending.
    pub(super) fn find_neighbours(&mut self, query: &BoundedQuery) -> &[u32] {
        let Graph { queries, sides, neighbours, .. } = self;
        neighbours.clear();
        let is_adjacent = |&number: &u32| queries[number as usize].is_adjacent(query);
        neighbours.extend(sides.meeting(query).filter(is_adjacent));
        neighbours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i_clique_cloak::testing::random_queries;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn neighbours_and_edges_are_those_of_all_pairs() {
        let (mut edges, mut withdrawn) = (0, 0);
        for seed in 0..200 {
            let mut random = Town::generator(seed);
            let town = Town::random(seed);
            let all = random_queries(seed, 2 + seed as usize % 40);
            let waiting = town.random_queries(&mut random, all.len());
            let mut graph = Graph { has_cliques: seed % 2 == 0, ..Graph::default() };
            for (bounded, query) in all.iter().zip(&waiting) {
                graph.insert(*bounded, query, all.len());
                if random.random_bool(0.3) {
                    graph.withdraw(random.random_range(0..graph.queries.len() as u32));
                    withdrawn += 1;
                }
            }
            let numbers = || (0..graph.queries.len()).filter(|&number| graph.present[number]);
            let (mut count, numbers) = (0, numbers().collect::<Vec<usize>>());
            for query in &all {
                let is_adjacent = |&&number: &&usize| graph.queries[number].is_adjacent(query);
                let expected: Vec<u32> =
                    numbers.iter().filter(is_adjacent).map(|&number| number as u32).collect();
                assert_eq!(graph.find_neighbours(query), expected, "seed {seed}");
            }
            for (index, &a) in numbers.iter().enumerate() {
                let later = numbers[index + 1..].iter();
                count +=
                    later.filter(|&&b| graph.queries[a].is_adjacent(&graph.queries[b])).count();
            }
            assert_eq!(graph.edges, count, "seed {seed}");
            edges += count;
        }
        assert!(edges > 1_000 && withdrawn > 500, "{edges} {withdrawn}");
    }
}
