//! Who waits, and who of them is adjacent to whom: the graph, and its maximal cliques as long as
//! they are few enough to be kept.

use super::MEMORY;
use super::boundary::Person;
use crate::clique_list::{CliqueList, Increment};
use crate::grid::Grid;
use crate::roster::Roster;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::units::Time;

/// The graph of those who wait.
#[derive(Debug)]
pub(super) struct Graph {
    roster: Roster,
    /// By number.
    people: Vec<Person>,
    /// By number: whether she is a node. Who was published is none, though still on the roster.
    present: Vec<bool>,
    grid: Grid,
    pub(super) edges: usize,
    pub(super) cliques: CliqueList,
    /// Whether the cliques are those of the graph.
    pub(super) kept: bool,
    neighbours: Vec<u32>,
}

/// With more edges than this the cliques are not kept: nearly everyone is adjacent to everyone.
const fn most_edges(queries: usize) -> usize {
    queries * 4 + (1 << 10)
}

/// Nor if all cliques together have more members than this.
const fn most_members(queries: usize) -> usize {
    queries * 64 + (1 << 14)
}

impl Graph {
    pub(super) fn new(atlas: &Atlas) -> Graph {
        Graph {
            roster: Roster::default(),
            people: Vec::new(),
            present: Vec::new(),
            grid: Grid::new(atlas.map().bounds()),
            edges: 0,
            cliques: CliqueList::default(),
            kept: false,
            neighbours: Vec::new(),
        }
    }

    pub(super) fn person(&self, number: u32) -> Person {
        self.people[number as usize]
    }

    pub(super) fn number(&self, id: QueryId) -> Option<u32> {
        self.roster.number(id)
    }

    /// Brings graph and cliques up to date. Whether cliques are kept depends on the graph alone:
    /// fewer queries have neither more edges nor more or larger maximal cliques, so whoever finds
    /// too many on the way would find too many at the end.
    pub(super) fn follow(&mut self, atlas: &Atlas, state: &State, now: Time) {
        let waiting = &state.waiting;
        let mut new = state.arrived;
        self.cliques.begin();
        let mut again = Vec::new();
        if self.roster.is_of_the_turn_before(state) {
            again = self.take_out(state, now);
        } else {
            self.clear();
            new = waiting.len();
        }
        for query in waiting[waiting.len() - new..].iter().chain(&again) {
            self.enter(Person::of(atlas, &state.history, query), query, waiting.len());
        }
        if !self.kept && self.edges <= most_edges(waiting.len()) {
            self.list_cliques(waiting.len());
        }
        self.roster.settle(state);
    }

    fn clear(&mut self) {
        self.roster.clear();
        self.people.clear();
        self.present.clear();
        self.grid.clear();
        (self.edges, self.kept) = (0, false);
    }

    /// Takes out who has left. Gives those who wait, but of whom something else was shown since:
    /// they were taken out as well.
    fn take_out(&mut self, state: &State, now: Time) -> Vec<Query> {
        let mut users: Vec<UserId> = Vec::new();
        for id in &state.departed {
            users.extend(self.leave(*id).map(|query| query.user));
        }
        let may_differ =
            |query: &Query| query.asked_at + MEMORY < now || users.contains(&query.user);
        let differs = |number: u32| !self.people[number as usize].is_up_to_date(&state.history);
        let all = self.roster.all().filter(|(_, query)| may_differ(query));
        let again: Vec<QueryId> =
            all.filter(|(number, _)| differs(*number)).map(|(_, query)| query.id).collect();
        again.into_iter().filter_map(|id| self.leave(id)).collect()
    }

    fn leave(&mut self, id: QueryId) -> Option<Query> {
        let (number, query) = self.roster.leave(id)?;
        self.withdraw(number);
        Some(query)
    }

    /// Takes somebody out of the graph, if she is in it.
    pub(super) fn withdraw(&mut self, number: u32) {
        if std::mem::replace(&mut self.present[number as usize], false) {
            let person = self.people[number as usize];
            self.grid.remove(number, person.point);
            self.edges -= self.look_around(&person).len();
            if self.kept {
                self.cliques.remove_node(number);
            }
        }
    }

    fn enter(&mut self, person: Person, query: &Query, waiting: usize) {
        let near = self.look_around(&person).len();
        let number = self.roster.enter(query);
        if number as usize == self.people.len() {
            self.people.push(person);
            self.present.push(true);
        } else {
            self.people[number as usize] = person;
            self.present[number as usize] = true;
        }
        self.grid.insert(number, person.point);
        self.edges += near;
        self.kept &= self.edges <= most_edges(waiting);
        if self.kept {
            self.cliques.add(number, &self.neighbours, Increment::Edge);
            self.kept = self.cliques.size() <= most_members(waiting);
        }
    }

    /// Lists the cliques anew; node by node, for the list is the same and it is faster.
    fn list_cliques(&mut self, waiting: usize) {
        self.cliques.clear();
        for number in 0..self.people.len() as u32 {
            if self.present[number as usize] {
                let person = self.people[number as usize];
                self.look_around(&person);
                self.neighbours.retain(|&other| other < number);
                self.cliques.add(number, &self.neighbours, Increment::Node);
                if self.cliques.size() > most_members(waiting) {
                    return;
                }
            }
        }
        self.kept = true;
    }

    /// Her neighbours, ascending: found in the cells of her movement boundary, or, where those are
    /// more than people, among all.
    pub(super) fn look_around(&mut self, person: &Person) -> &[u32] {
        let Graph { people, present, grid, neighbours, .. } = self;
        neighbours.clear();
        let mut meet = |number: u32| {
            if present[number as usize] && people[number as usize].is_adjacent(person) {
                neighbours.push(number);
            }
        };
        match person.movement_boundary() {
            Some(boundary) if grid.cells_within(boundary) < people.len() => {
                grid.within(boundary, meet);
            }
            _ => (0..people.len() as u32).for_each(&mut meet),
        }
        neighbours.sort_unstable();
        neighbours
    }
}
