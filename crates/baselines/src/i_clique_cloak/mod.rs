//! ICliqueCloak (Pan, Xu and Meng 2012): free space, one query at a time, against attackers who
//! know how fast people are. Two queries are adjacent if each lies where the other can be by the
//! rectangle last shown of her; all maximal cliques are kept up to date edge by edge.
//!
//! A set is published under its bounding rectangle if every k is met, the rectangle is within
//! everyone's movement boundary, and everyone can have come into it from all of what was last
//! shown of her.

mod boundary;

use crate::clique_list::{CliqueList, Increment};
use crate::grid::Grid;
use crate::roster::{Roster, place_of};
use boundary::Person;
use meshcloak::cliques::LargestCliques;
use meshcloak::constraint_graph::ConstraintGraph;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Pace, Published, Scheme, Stage, State, Stats, Watch};
use meshcloak::units::{Rectangle, Time};
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// How long the rectangle last shown of somebody is remembered.
const MEMORY: Duration = Duration::from_secs(600);

/// Where cliques are too many to be kept, so many neighbours of a new query are looked at.
const MOST_NEIGHBOURS: usize = 1 << 10;

/// And so many steps the search from one of them may take.
const BUDGET: u32 = 200;

/// How many members all cliques together may have: what the work of a turn is bounded by.
const fn most_members(queries: usize) -> usize {
    queries * 64 + (1 << 14)
}

/// ICliqueCloak, with the cliques it maintains.
#[derive(Debug)]
pub struct ICliqueCloak {
    atlas: Arc<Atlas>,
    roster: Roster,
    /// Those who wait, by number.
    people: Vec<Person>,
    grid: Grid,
    cliques: CliqueList,
    neighbours: Vec<u32>,
    /// Who has been published in this turn.
    shown_now: Vec<UserId>,
    published: Published,
}

/// A set that could be published.
struct Candidate {
    members: Vec<u32>,
    ids: Vec<QueryId>,
    rectangle: Rectangle,
}

impl Candidate {
    /// The better of two: more people, then a smaller rectangle, then lower ids.
    fn compare(&self, other: &Candidate) -> Ordering {
        let area = |rectangle: &Rectangle| rectangle.width() * rectangle.height();
        let size = self.members.len().cmp(&other.members.len());
        size.then_with(|| area(&other.rectangle).total_cmp(&area(&self.rectangle)))
            .then_with(|| other.ids.cmp(&self.ids))
    }
}

impl ICliqueCloak {
    /// ICliqueCloak on a map, of which it uses only where its positions are in the plane.
    pub fn new(atlas: Arc<Atlas>) -> ICliqueCloak {
        ICliqueCloak {
            roster: Roster::default(),
            people: Vec::new(),
            grid: Grid::new(atlas.map().bounds()),
            cliques: CliqueList::default(),
            neighbours: Vec::new(),
            shown_now: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Brings the cliques up to date; `false` if there are too many of them.
    fn follow(&mut self, state: &State, now: Time) -> bool {
        let waiting = &state.waiting;
        let mut new = state.arrived;
        self.cliques.begin();
        let mut again = Vec::new();
        if self.roster.is_of_the_turn_before(state) {
            again = self.take_out(state, now);
        } else {
            self.roster.clear();
            self.people.clear();
            self.grid.clear();
            self.cliques.clear();
            new = waiting.len();
        }
        for query in waiting[waiting.len() - new..].iter().chain(&again) {
            self.enter(state, query);
            // Fewer queries never have more maximal cliques, nor larger ones.
            if self.cliques.size() > most_members(waiting.len()) {
                self.roster.spoil();
                return false;
            }
        }
        self.roster.settle(state);
        true
    }

    /// Takes out who has left. Gives those who wait, but of whom something else was shown since:
    /// they were taken out as well.
    fn take_out(&mut self, state: &State, now: Time) -> Vec<Query> {
        let mut users: Vec<UserId> = Vec::new();
        for id in &state.left {
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

    /// Takes somebody out of the graph, if she is there.
    fn withdraw(&mut self, number: u32) {
        self.grid.remove(number, self.people[number as usize].point);
        self.cliques.remove_node(number);
    }

    fn enter(&mut self, state: &State, query: &Query) {
        let person = Person::of(&self.atlas, &state.history, query);
        self.look_around(&person);
        let number = self.roster.enter(query);
        if number as usize == self.people.len() {
            self.people.push(person);
        } else {
            self.people[number as usize] = person;
        }
        self.grid.insert(number, person.point);
        self.cliques.add(number, &self.neighbours, Increment::Edge);
    }

    /// Finds the neighbours of somebody: in the cells of her movement boundary, or, where those
    /// are more than people, among all.
    fn look_around(&mut self, person: &Person) {
        let ICliqueCloak { roster, people, grid, neighbours, .. } = self;
        neighbours.clear();
        let mut meet = |number: u32| {
            if people[number as usize].is_adjacent(person) {
                neighbours.push(number);
            }
        };
        match person.movement_boundary() {
            Some(boundary) if grid.cells_within(boundary) < roster.len() => {
                grid.within(boundary, meet);
            }
            _ => roster.all().for_each(|(number, _)| meet(number)),
        }
        neighbours.sort_unstable();
    }

    /// The largest part of a clique that may be published. Who has no place in the whole has none
    /// in a part, for a part is smaller and so is its rectangle: they are dropped until all fit.
    fn largest_part(&self, clique: &[u32]) -> Option<Candidate> {
        let mut members: Vec<u32> = clique.to_vec();
        members.retain(|&member| !self.shown_now.contains(&self.people[member as usize].user));
        loop {
            let size = members.len();
            let person = |&member: &u32| &self.people[member as usize];
            let rectangle = Rectangle::around(members.iter().map(|m| person(m).point))?;
            let fits = |member: &u32| {
                person(member).k as usize <= size && person(member).may_have_come_into(rectangle)
            };
            if members.iter().all(fits) {
                let mut ids: Vec<QueryId> = members.iter().map(|m| person(m).id).collect();
                ids.sort_unstable();
                return Some(Candidate { members, ids, rectangle });
            }
            let kept = members.iter().copied().filter(|member| fits(member)).collect();
            members = kept;
        }
    }

    /// Publishes the best set again and again, until there is none.
    fn publish_all(&mut self, waiting: &[Query]) -> Vec<(u32, u32)> {
        let mut served = Vec::new();
        loop {
            let fresh = self.cliques.fresh().to_vec();
            let parts =
                fresh.iter().filter_map(|&clique| self.largest_part(self.cliques.members(clique)));
            let Some(best) = parts.max_by(Candidate::compare) else { return served };
            self.publish(&best, waiting, &mut served);
            best.members.iter().for_each(|&member| self.withdraw(member));
        }
    }

    fn publish(&mut self, set: &Candidate, waiting: &[Query], served: &mut Vec<(u32, u32)>) {
        let region = Region::Rectangle(set.rectangle);
        let number = self.published.add(set.ids.iter().copied(), &region);
        served.extend(set.ids.iter().map(|&id| (place_of(waiting, id), number)));
        let users = set.members.iter().map(|&member| self.people[member as usize].user);
        self.shown_now.extend(users);
    }

    /// Publishes what is found around each of those who came, where cliques are too many.
    fn publish_in_a_crush(&mut self, state: &State) -> Vec<(u32, u32)> {
        let waiting = &state.waiting;
        self.people.clear();
        let person = |query| Person::of(&self.atlas, &state.history, query);
        self.people.extend(waiting.iter().map(person));
        let mut served: Vec<(u32, u32)> = Vec::new();
        let mut finder = LargestCliques::default();
        for newest in (waiting.len() - state.arrived) as u32..waiting.len() as u32 {
            let person = |number: u32| &self.people[number as usize];
            let free = |number: &u32| served.iter().all(|(place, _)| place != number);
            let others = (0..waiting.len() as u32).rev().filter(|&other| other != newest);
            let near = others.filter(|&other| person(other).is_adjacent(person(newest)));
            let mut around: Vec<u32> =
                near.filter(free).take(MOST_NEIGHBOURS).filter(|_| free(&newest)).collect();
            around.push(newest);
            let adjacent =
                |a: u32, b: u32| person(around[a as usize]).is_adjacent(person(around[b as usize]));
            let graph = ConstraintGraph::from_fn(around.len() as u32, adjacent);
            let largest = finder.find(&graph, BUDGET);
            self.published.stats.edges += graph.edge_count();
            self.published.stats.steps += largest.steps;
            let clique = largest.members(largest.chosen(around.len() as u32 - 1));
            let clique: Vec<u32> = clique.iter().map(|&at| around[at as usize]).collect();
            if let Some(set) = self.largest_part(&clique).filter(|_| free(&newest)) {
                self.publish(&set, waiting, &mut served);
            }
        }
        self.people.clear();
        served
    }
}

impl Scheme for ICliqueCloak {
    fn name(&self) -> &'static str {
        "i-clique-cloak"
    }

    fn describe(&self) -> Description {
        Description {
            setting: "free space",
            cliques: "edge-based incremental",
            constraint: "v × Δt in the plane",
            pace: Pace::OneByOne,
        }
    }

    fn memory(&self) -> Option<Duration> {
        Some(MEMORY)
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Watch) -> &Published {
        self.published.clear();
        self.shown_now.clear();
        watch.stage(Stage::Graph);
        let kept = self.follow(state, now);
        watch.stage(Stage::Cliques);
        self.published.stats = Stats { nodes: state.waiting.len(), ..Stats::default() };
        let mut served = if kept {
            let stats = &mut self.published.stats;
            stats.edges = self.cliques.edge_count();
            stats.cliques = self.cliques.len();
            stats.steps = self.cliques.size() as u64;
            self.publish_all(&state.waiting)
        } else {
            self.published.stats.truncated = true;
            self.publish_in_a_crush(state)
        };
        served.sort_unstable();
        served.into_iter().for_each(|(place, set)| self.published.serve(place, set));
        &self.published
    }
}
