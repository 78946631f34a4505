//! Anonymous query processing in road networks (Mouratidis & Yiu 2010): whole edges instead of points.
//! The edges of the network have a fixed order that keeps neighbours together, as the leaves of a
//! spatial index do. Consecutive edges form lists with at least K users; all users on the edges of a
//! list publish it.
//!
//! An edge is in one list for each K, so all users on it publish the same: reciprocal for one K. Each
//! query uses the lists of its own K, so with mixed K users of a list may publish others.

mod edge_order;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use crate::runs::Runs;
use edge_order::{EdgeOrder, EdgeOrderKind};
use meshcloak::distance::Atlas;
use meshcloak::query::Query;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use std::ops::Range;

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "road-network-k",
    parameters: &[
        Parameter::word(
            "order",
            "order of the edges",
            &["hilbert", "depth-first", "breadth-first"],
        ),
        Parameter::word("edges", "published edges of a list", &["occupied", "all"]),
    ],
    threat_model: ThreatModel::RECIPROCAL,
    build: |atlas, arguments| {
        let order = match arguments.text("order") {
            "depth-first" => EdgeOrderKind::DepthFirst,
            "breadth-first" => EdgeOrderKind::BreadthFirst,
            _ => EdgeOrderKind::Hilbert,
        };
        let publishes_all = arguments.text("edges") == "all";
        Ok(Box::new(RoadNetworkK::new(atlas, order, publishes_all)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct RoadNetworkK {
    order: EdgeOrder,
    /// Whether a region holds all edges of a list, not only those with users.
    publishes_all: bool,
    users: DistinctUsers,
    /// Waiting indices of the users on each edge, by rank of the edge.
    on_edge: Runs<u32>,
    published: Published,
}

impl RoadNetworkK {
    fn new(atlas: &Atlas, order: EdgeOrderKind, publishes_all: bool) -> RoadNetworkK {
        RoadNetworkK {
            order: EdgeOrder::new(atlas.map(), order),
            publishes_all,
            users: DistinctUsers::default(),
            on_edge: Runs::default(),
            published: Published::default(),
        }
    }

    /// Ranks of the edges with users, ascending.
    fn occupied(&self) -> Vec<u32> {
        let ranks = 0..self.order.len() as u32;
        ranks.filter(|&rank| !self.on_edge.get(rank).is_empty()).collect()
    }

    /// Publishes a list for the queries on it with that k.
    fn publish(&mut self, waiting: &[Query], k: u32, list: &[u32], served: &mut Vec<(u32, u32)>) {
        let RoadNetworkK { order, publishes_all, on_edge, published, .. } = self;
        let users = || list.iter().flat_map(|&rank| on_edge.get(rank)).copied();
        let asks = |index: &u32| waiting[*index as usize].k == k;
        if !users().any(|index| asks(&index)) {
            return;
        }
        let set = published.add_mesh(users().map(|index| waiting[index as usize].id), |mesh| {
            let start = mesh.len();
            if *publishes_all {
                mesh.extend((list[0]..=list[list.len() - 1]).map(|rank| order.street(rank)));
            } else {
                mesh.extend(list.iter().map(|&rank| order.street(rank)));
            }
            mesh[start..].sort_unstable();
        });
        served.extend(users().filter(asks).map(|index| (index, set)));
    }
}

/// Cuts a list of edges, given by their numbers of users, into runs of at least `k` users as soon as
/// they are full; the rest joins the last run. No run if there are fewer than `k` users.
fn runs(counts: &[usize], k: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let (mut start, mut users) = (0, 0);
    for (index, count) in counts.iter().enumerate() {
        users += count;
        if users >= k {
            runs.push(start..index + 1);
            (start, users) = (index + 1, 0);
        }
    }
    if let Some(last) = runs.last_mut() {
        last.end = counts.len();
    }
    runs
}

impl Scheme for RoadNetworkK {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "Road-network K",
            summary: "Lists of whole streets in a fixed order.",
            setting: "map",
            cliques: "lists of streets with k users",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let indices = self.users.select(waiting);
        let rank = |&index: &u32| {
            (self.order.rank(waiting[index as usize].position.street) as usize, index)
        };
        self.on_edge.fill(self.order.len(), indices.iter().map(rank));
        let mut distinct_k: Vec<u32> =
            indices.iter().map(|&index| waiting[index as usize].k).collect();
        distinct_k.sort_unstable();
        distinct_k.dedup();
        observer.stage(Stage::Cliques);
        let occupied = self.occupied();
        let counts: Vec<usize> =
            occupied.iter().map(|&rank| self.on_edge.get(rank).len()).collect();
        self.published.clear();
        let mut served: Vec<(u32, u32)> = Vec::new();
        for k in distinct_k {
            for run in runs(&counts, k as usize) {
                self.publish(waiting, k, &occupied[run], &mut served);
            }
        }
        observer.stage(Stage::Mesh);
        served.sort_unstable();
        served.into_iter().for_each(|(index, set)| self.published.serve(index, set));
        let (nodes, cliques) = (self.on_edge.items().len(), self.published.set_count());
        self.published.stats = Stats { nodes, cliques, ..Stats::default() };
        &mut self.published
    }
}
