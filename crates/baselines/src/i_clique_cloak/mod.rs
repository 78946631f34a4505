//! ICliqueCloak (Pan, Xu and Meng 2012): free space, sequential, against adversaries that know the
//! speed of users. Two queries are adjacent if each lies within the other's movement boundary; all
//! maximal cliques are maintained edge by edge.
//!
//! The rectangle of a set is enlarged until each member can have reached it from every point of its
//! last published rectangle, and until it has the minimum area. The set is published if every k is
//! met and the rectangle is within the movement boundary of each member.

mod boundary;
mod cloaked_rectangle;
mod graph;
mod local_search;
mod side_intervals;
#[cfg(test)]
mod testing;

use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use crate::waiting_table::waiting_index;
use boundary::BoundedQuery;
use cloaked_rectangle::prune;
use graph::Graph;
use local_search::search;
use meshcloak::distance::Atlas;
use meshcloak::history::{Horizon, Publication};
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

/// Settings of ICliqueCloak.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ICliqueCloakSettings {
    /// A_min: minimum published area in square metres; 0 sets none.
    pub min_area: f64,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "i-clique-cloak",
    parameters: &[Parameter::min_area()],
    threat_model: ThreatModel::MOVEMENT,
    build: |atlas, arguments| {
        let settings = ICliqueCloakSettings { min_area: arguments.number("min-area") };
        Ok(Box::new(ICliqueCloak::new(Arc::clone(atlas), settings)))
    },
};

/// The scheme and the graph it maintains.
#[derive(Debug)]
pub struct ICliqueCloak {
    atlas: Arc<Atlas>,
    settings: ICliqueCloakSettings,
    graph: Graph,
    /// Time of this turn.
    now: Time,
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
    pub fn new(atlas: Arc<Atlas>, settings: ICliqueCloakSettings) -> ICliqueCloak {
        ICliqueCloak {
            settings,
            now: Time::default(),
            graph: Graph::default(),
            published_users: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Returns the publishable part of a clique. A user is published at most once per turn,
    /// since the second query must respect the rectangle of the first.
    fn publishable_part(&self, clique: &[u32]) -> Option<PublishableSet> {
        let query = |member: u32| self.graph.query(member);
        let mut members: Vec<u32> = clique.to_vec();
        members.retain(|&member| !self.published_users.contains(&query(member).user));
        // Numbers depend on earlier turns, and the rectangle on the order of its members.
        members.sort_unstable_by_key(|&member| query(member).id);
        let rectangle = prune(&mut members, query, self.settings.min_area)?;
        let ids: Vec<QueryId> = members.iter().map(|&member| query(member).id).collect();
        Some(PublishableSet { members, ids, rectangle })
    }

    /// Publishes the best set of all cliques until there is none. Only fresh cliques are searched:
    /// the others had no publishable part and have not changed.
    fn publish_all(&mut self, served: &mut Vec<(QueryId, u32)>) {
        loop {
            let fresh = self.graph.cliques.fresh().to_vec();
            let clique = |&clique: &u32| self.publishable_part(self.graph.cliques.members(clique));
            let Some(best) = fresh.iter().filter_map(clique).max_by(PublishableSet::compare) else {
                return;
            };
            self.publish(&best, served);
        }
    }

    /// Publishes the largest set around a new query if cliques are not maintained.
    fn publish_around(&mut self, newest: u32, served: &mut Vec<(QueryId, u32)>) {
        let query = *self.graph.query(newest);
        let mut around = self.graph.find_neighbours(&query).to_vec();
        around.sort_unstable_by_key(|&number| self.graph.query(number).id);
        around.push(newest);
        around.retain(|&number| !self.published_users.contains(&self.graph.query(number).user));
        if around.last() != Some(&newest) {
            return;
        }
        let queries: Vec<BoundedQuery> =
            around.iter().map(|&number| *self.graph.query(number)).collect();
        let found = search(&queries, self.settings.min_area);
        self.published.stats.steps += u64::from(found.steps);
        self.published.stats.truncated |= found.truncated;
        let clique: Vec<u32> = found.members.iter().map(|&index| around[index]).collect();
        if let Some(best) = self.publishable_part(&clique) {
            self.publish(&best, served);
        }
    }

    fn publish(&mut self, set: &PublishableSet, served: &mut Vec<(QueryId, u32)>) {
        let region = Arc::new(Region::Rectangle(set.rectangle));
        let number = self.published.add(set.ids.iter().copied(), &region);
        served.extend(set.ids.iter().map(|&id| (id, number)));
        for &member in &set.members {
            let BoundedQuery { id, user, asked_at, .. } = *self.graph.query(member);
            let (region, users) = (Arc::clone(&region), Arc::from([]));
            let publication = Publication { asked_at, at: self.now, region, users };
            self.published.remember(id, Arc::new(publication));
            self.published_users.push(user);
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

    fn history_horizon(&self) -> Option<Horizon> {
        Some(HORIZON.into())
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        self.published.clear();
        self.published_users.clear();
        self.now = now;
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
