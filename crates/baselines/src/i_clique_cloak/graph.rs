//! Graph of the waiting queries, and its maximal cliques while they are few enough.

use super::HORIZON;
use super::boundary::BoundedQuery;
use crate::clique_list::{CliqueList, Increment};
use crate::query_grid::QueryGrid;
use crate::waiting_table::WaitingTable;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::units::Time;

/// Graph of the waiting queries.
#[derive(Debug)]
pub(super) struct Graph {
    waiting_table: WaitingTable,
    /// By number of the waiting table.
    queries: Vec<BoundedQuery>,
    /// By number: whether the query is a node. Published queries are in the table but not in the graph.
    present: Vec<bool>,
    grid: QueryGrid,
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
    pub(super) fn new(atlas: &Atlas) -> Graph {
        Graph {
            waiting_table: WaitingTable::default(),
            queries: Vec::new(),
            present: Vec::new(),
            grid: QueryGrid::new(atlas.map().bounds()),
            edges: 0,
            cliques: CliqueList::default(),
            has_cliques: false,
            neighbours: Vec::new(),
        }
    }

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
        self.grid.clear();
        (self.edges, self.has_cliques) = (0, false);
    }

    /// Removes departed queries, and waiting ones whose user has a newer published rectangle; returns
    /// the latter, to be inserted again.
    fn remove_departed(&mut self, state: &State, now: Time) -> Vec<Query> {
        let mut users: Vec<UserId> = Vec::new();
        for id in &state.departed {
            users.extend(self.remove(*id).map(|query| query.user));
        }
        let may_differ =
            |query: &Query| query.asked_at + HORIZON < now || users.contains(&query.user);
        let differs = |number: u32| !self.queries[number as usize].is_up_to_date(&state.history);
        let all = self.waiting_table.all().filter(|(_, query)| may_differ(query));
        let outdated: Vec<QueryId> =
            all.filter(|(number, _)| differs(*number)).map(|(_, query)| query.id).collect();
        outdated.into_iter().filter_map(|id| self.remove(id)).collect()
    }

    fn remove(&mut self, id: QueryId) -> Option<Query> {
        let (number, query) = self.waiting_table.remove(id)?;
        self.withdraw(number);
        Some(query)
    }

    /// Removes a node from the graph if it is present.
    pub(super) fn withdraw(&mut self, number: u32) {
        if std::mem::replace(&mut self.present[number as usize], false) {
            let query = self.queries[number as usize];
            self.grid.remove(number, query.point);
            self.edges -= self.find_neighbours(&query).len();
            if self.has_cliques {
                self.cliques.remove_node(number);
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
        self.grid.insert(number, bounded.point);
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

    /// Returns the neighbours, ascending. Searches the grid cells of the movement boundary, or all
    /// queries if those are fewer.
    pub(super) fn find_neighbours(&mut self, query: &BoundedQuery) -> &[u32] {
        let Graph { queries, present, grid, neighbours, .. } = self;
        neighbours.clear();
        let mut test = |number: u32| {
            if present[number as usize] && queries[number as usize].is_adjacent(query) {
                neighbours.push(number);
            }
        };
        match query.movement_boundary().map(|boundary| boundary.bounds()) {
            Some(boundary) if grid.cells_within(boundary) < queries.len() => {
                grid.within(boundary, test);
            }
            _ => (0..queries.len() as u32).for_each(&mut test),
        }
        neighbours.sort_unstable();
        neighbours
    }
}
