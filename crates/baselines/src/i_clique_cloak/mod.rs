//! ICliqueCloak (Pan, Xu and Meng 2012): free space, one query at a time, against attackers who
//! know how fast people are. Two queries are adjacent if each lies where the other can be by the
//! rectangle last shown of her; all maximal cliques are kept up to date edge by edge.
//!
//! A set is published under its bounding rectangle if every k is met, the rectangle is within
//! everyone's movement boundary, and everyone can have come into it from all of what was last
//! shown of her.

mod boundary;
mod graph;
mod local;

use boundary::Person;
use graph::Graph;
use local::{drop_misfits, search};
use meshcloak::distance::Atlas;
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::{Rectangle, Time};
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// How long the rectangle last shown of somebody is remembered.
const MEMORY: Duration = Duration::from_secs(600);

/// ICliqueCloak, with the graph and the cliques it maintains.
#[derive(Debug)]
pub struct ICliqueCloak {
    atlas: Arc<Atlas>,
    graph: Graph,
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
            graph: Graph::new(&atlas),
            shown_now: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// The largest part of a clique that may be published. Two queries of one person are not
    /// published in one turn: the second is to keep to what the first showed.
    fn largest_part(&self, clique: &[u32]) -> Option<Candidate> {
        let person = |&member: &u32| self.graph.person(member);
        let mut members: Vec<u32> = clique.to_vec();
        members.retain(|member| !self.shown_now.contains(&person(member).user));
        let rectangle = drop_misfits(&mut members, person)?;
        let mut ids: Vec<QueryId> = members.iter().map(|member| person(member).id).collect();
        ids.sort_unstable();
        Some(Candidate { members, ids, rectangle })
    }

    /// Publishes the best set of all cliques again and again, until there is none. Cliques that
    /// are not fresh had none when they were, and can only have become smaller.
    fn publish_all(&mut self, served: &mut Vec<(QueryId, u32)>) {
        loop {
            let fresh = self.graph.cliques.fresh().to_vec();
            let clique = |&clique: &u32| self.largest_part(self.graph.cliques.members(clique));
            let Some(best) = fresh.iter().filter_map(clique).max_by(Candidate::compare) else {
                return;
            };
            self.publish(&best, served);
        }
    }

    /// Publishes the largest set around a new query, where cliques are too many to be kept.
    fn publish_around(&mut self, newest: u32, served: &mut Vec<(QueryId, u32)>) {
        let newcomer = self.graph.person(newest);
        let mut around = self.graph.look_around(&newcomer).to_vec();
        around.sort_unstable_by_key(|&number| self.graph.person(number).id);
        around.push(newest);
        around.retain(|&number| !self.shown_now.contains(&self.graph.person(number).user));
        if around.last() != Some(&newest) {
            return;
        }
        let people: Vec<Person> = around.iter().map(|&number| self.graph.person(number)).collect();
        let found = search(&people);
        self.published.stats.steps += u64::from(found.steps);
        self.published.stats.truncated |= found.truncated;
        let clique: Vec<u32> = found.members.iter().map(|&place| around[place]).collect();
        if let Some(best) = self.largest_part(&clique) {
            self.publish(&best, served);
        }
    }

    fn publish(&mut self, set: &Candidate, served: &mut Vec<(QueryId, u32)>) {
        let region = Region::Rectangle(set.rectangle);
        let number = self.published.add(set.ids.iter().copied(), &region);
        served.extend(set.ids.iter().map(|&id| (id, number)));
        for &member in &set.members {
            self.shown_now.push(self.graph.person(member).user);
            self.graph.withdraw(member);
        }
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
            pace: Pace::Sequential,
            regions: RegionDependence::Tight,
        }
    }

    fn history_horizon(&self) -> Option<Duration> {
        Some(MEMORY)
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        self.published.clear();
        self.shown_now.clear();
        watch.stage(Stage::Graph);
        self.graph.follow(&self.atlas, state, now);
        watch.stage(Stage::Cliques);
        self.published.stats =
            Stats { nodes: waiting.len(), edges: self.graph.edges, ..Stats::default() };
        let mut served = Vec::new();
        if self.graph.kept {
            self.published.stats.cliques = self.graph.cliques.len();
            self.published.stats.steps = self.graph.cliques.size() as u64;
            self.publish_all(&mut served);
        } else {
            for query in &waiting[waiting.len() - state.arrived..] {
                let newest = self.graph.number(query.id);
                newest.into_iter().for_each(|newest| self.publish_around(newest, &mut served));
            }
        }
        let place = |(id, set): (QueryId, u32)| (crate::roster::place_of(waiting, id), set);
        let mut served: Vec<(u32, u32)> = served.into_iter().map(place).collect();
        served.sort_unstable();
        served.into_iter().for_each(|(place, set)| self.published.serve(place, set));
        &mut self.published
    }
}
