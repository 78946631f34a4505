//! What is done when there are more maximal cliques than can be kept: a largest clique is looked
//! for around those who have just come, by the core's branch and bound with its budget.

use meshcloak::cliques::{CliqueAssignment, LargestCliqueSearch};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::query::Query;

/// So many people are looked at, at most.
const MOST_PEOPLE: usize = 1 << 12;

/// So many steps the search from one of them may take.
const BUDGET: u32 = 200;

/// The search, with the room it needs.
#[derive(Debug, Default)]
pub(super) struct Crush {
    graph: GraphBuilder,
    cliques: LargestCliqueSearch,
    /// The places of those who are looked at.
    places: Vec<u32>,
    people: Vec<Query>,
}

/// What was found.
pub(super) struct Found<'a> {
    pub(super) edges: usize,
    pub(super) largest: &'a CliqueAssignment,
    /// For each node its place in the waiting list.
    pub(super) place_of: Vec<u32>,
}

impl Crush {
    /// The largest cliques among the last `arrived` of `waiting` and their neighbours. Whoever is
    /// too many is left out, those who have waited longest first.
    pub(super) fn search(&mut self, atlas: &Atlas, waiting: &[Query], arrived: usize) -> Found<'_> {
        let near = |query: &Query| {
            let covers = |a: &Query, b: &Query| {
                let distance = atlas.distance(a.position, b.position);
                distance.is_some_and(|d| d <= a.distance_constraint)
            };
            let new = waiting[waiting.len() - arrived..].iter().take(MOST_PEOPLE);
            new.into_iter().any(|other| covers(other, query) && covers(query, other))
        };
        self.places.clear();
        for (place, query) in waiting.iter().enumerate().rev() {
            if self.places.len() == MOST_PEOPLE {
                break;
            }
            if place + arrived >= waiting.len() || near(query) {
                self.places.push(place as u32);
            }
        }
        self.places.reverse();
        self.people.clear();
        self.people.extend(self.places.iter().map(|&place| waiting[place as usize].clone()));
        self.graph.build(atlas, Coverage::Own, &self.people);
        let largest = self.cliques.find(self.graph.graph(), BUDGET);
        let place = |&node: &u32| self.places[node as usize];
        let place_of = self.graph.nodes().iter().map(place).collect();
        Found { edges: self.graph.graph().edge_count(), largest, place_of }
    }
}
