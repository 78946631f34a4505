//! ICliqueCloak (Pan, Xu and Meng 2012): free space, sequential, against adversaries that know the
//! speed of users. Two queries are adjacent if each lies within the other's movement boundary; all
//! maximal cliques are maintained edge by edge.
//!
//! A set is published under its bounding rectangle if every k is met, the rectangle is within the
//! movement boundary of each member, and each member can have reached it from every point of its
//! last published rectangle.

mod boundary;
mod graph;
mod local_search;

use crate::waiting_table::waiting_index;
use boundary::BoundedQuery;
use graph::Graph;
use local_search::{prune, search};
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

/// How long the last published rectangle of a user is stored.
const HORIZON: Duration = Duration::from_secs(600);

/// The scheme and the graph it maintains.
#[derive(Debug)]
pub struct ICliqueCloak {
    atlas: Arc<Atlas>,
    graph: Graph,
    /// Users published in this turn.
    published_users: Vec<UserId>,
    published: Published,
}

/// A publishable set.
struct PublishableSet {
    members: Vec<u32>,
    ids: Vec<QueryId>,
    rectangle: Rectangle,
}

impl PublishableSet {
    /// Orders by size, then smaller rectangle, then lower ids; the greatest is published first.
    fn compare(&self, other: &PublishableSet) -> Ordering {
        let area = |rectangle: &Rectangle| rectangle.width() * rectangle.height();
        let size = self.members.len().cmp(&other.members.len());
        size.then_with(|| area(&other.rectangle).total_cmp(&area(&self.rectangle)))
            .then_with(|| other.ids.cmp(&self.ids))
    }
}

impl ICliqueCloak {
    /// Creates the scheme for a map; it uses only the coordinates of positions.
    pub fn new(atlas: Arc<Atlas>) -> ICliqueCloak {
        ICliqueCloak {
            graph: Graph::new(&atlas),
            published_users: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Returns the largest publishable subset of a clique. A user is published at most once per turn,
    /// since the second query must respect the rectangle of the first.
    fn largest_part(&self, clique: &[u32]) -> Option<PublishableSet> {
        let query = |&member: &u32| self.graph.query(member);
        let mut members: Vec<u32> = clique.to_vec();
        members.retain(|member| !self.published_users.contains(&query(member).user));
        let rectangle = prune(&mut members, query)?;
        let mut ids: Vec<QueryId> = members.iter().map(|member| query(member).id).collect();
        ids.sort_unstable();
        Some(PublishableSet { members, ids, rectangle })
    }

    /// Publishes the best set of all cliques until there is none. Only fresh cliques are searched:
    /// older ones had no publishable set and can only have shrunk.
    fn publish_all(&mut self, served: &mut Vec<(QueryId, u32)>) {
        loop {
            let fresh = self.graph.cliques.fresh().to_vec();
            let clique = |&clique: &u32| self.largest_part(self.graph.cliques.members(clique));
            let Some(best) = fresh.iter().filter_map(clique).max_by(PublishableSet::compare) else {
                return;
            };
            self.publish(&best, served);
        }
    }

    /// Publishes the largest set around a new query if cliques are not maintained.
    fn publish_around(&mut self, newest: u32, served: &mut Vec<(QueryId, u32)>) {
        let query = self.graph.query(newest);
        let mut around = self.graph.find_neighbours(&query).to_vec();
        around.sort_unstable_by_key(|&number| self.graph.query(number).id);
        around.push(newest);
        around.retain(|&number| !self.published_users.contains(&self.graph.query(number).user));
        if around.last() != Some(&newest) {
            return;
        }
        let queries: Vec<BoundedQuery> =
            around.iter().map(|&number| self.graph.query(number)).collect();
        let found = search(&queries);
        self.published.stats.steps += u64::from(found.steps);
        self.published.stats.truncated |= found.truncated;
        let clique: Vec<u32> = found.members.iter().map(|&index| around[index]).collect();
        if let Some(best) = self.largest_part(&clique) {
            self.publish(&best, served);
        }
    }

    fn publish(&mut self, set: &PublishableSet, served: &mut Vec<(QueryId, u32)>) {
        let region = Region::Rectangle(set.rectangle);
        let number = self.published.add(set.ids.iter().copied(), &region);
        served.extend(set.ids.iter().map(|&id| (id, number)));
        for &member in &set.members {
            self.published_users.push(self.graph.query(member).user);
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
            label: "ICliqueCloak",
            summary: "CliqueCloak with movement boundaries.",
            setting: "free space",
            cliques: "edge-based incremental",
            constraint: "v × Δt in the plane",
            pace: Pace::Sequential,
            regions: RegionDependence::Tight,
        }
    }

    fn history_horizon(&self) -> Option<Duration> {
        Some(HORIZON)
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        self.published.clear();
        self.published_users.clear();
        observer.stage(Stage::Graph);
        self.graph.update(&self.atlas, state, now);
        observer.stage(Stage::Cliques);
        self.published.stats =
            Stats { nodes: waiting.len(), edges: self.graph.edges, ..Stats::default() };
        let mut served = Vec::new();
        if self.graph.has_cliques {
            self.published.stats.cliques = self.graph.cliques.len();
            self.published.stats.steps = self.graph.cliques.size() as u64;
            self.publish_all(&mut served);
        } else {
            for query in &waiting[waiting.len() - state.arrived..] {
                let newest = self.graph.number(query.id);
                newest.into_iter().for_each(|newest| self.publish_around(newest, &mut served));
            }
        }
        let index = |(id, set): (QueryId, u32)| (waiting_index(waiting, id), set);
        let mut served: Vec<(u32, u32)> = served.into_iter().map(index).collect();
        served.sort_unstable();
        served.into_iter().for_each(|(index, set)| self.published.serve(index, set));
        &mut self.published
    }
}
