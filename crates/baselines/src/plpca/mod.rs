//! PLPCA (Ying & Makrakis 2014): clusters of road segments with at least k users and l segments, grown
//! by density. All users of a cluster publish its segments.
//!
//! A cluster starts with the densest free segment (users per metre) and adds the densest adjacent
//! free segment until it has l segments and as many users as the largest k inside. What is enclosed
//! before it is complete joins an adjacent cluster.

mod clusters;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use crate::segment_region::SegmentPlan;
use crate::segment_users::SegmentUsers;
use crate::stars::Stars;
use clusters::ClusterBuilder;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "plpca",
    parameters: &[Parameter::whole(
        "segments",
        "l, smallest number of segments",
        "3",
        (1, 1_000_000),
    )],
    threat_model: ThreatModel { k: crate::registry::KRule::Personal, ..ThreatModel::RECIPROCAL },
    build: |atlas, arguments| Ok(Box::new(Plpca::new(atlas, arguments.whole("segments") as usize))),
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct Plpca {
    /// l: minimum number of segments of a cluster.
    segments: usize,
    stars: Stars,
    lengths: Vec<u64>,
    users: DistinctUsers,
    segment_users: SegmentUsers,
    clusters: ClusterBuilder,
    published: Published,
}

impl Plpca {
    /// Creates the scheme for a map; a cluster has at least `segments` segments.
    pub fn new(atlas: &Atlas, segments: usize) -> Plpca {
        let stars = Stars::new(atlas.map());
        Plpca {
            segments,
            lengths: stars.lengths(atlas.map()),
            stars,
            users: DistinctUsers::default(),
            segment_users: SegmentUsers::default(),
            clusters: ClusterBuilder::default(),
            published: Published::default(),
        }
    }
}

impl Scheme for Plpca {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "PLPCA",
            summary: "Clusters of street segments by density.",
            setting: "map",
            cliques: "clusters of segments with k users",
            constraint: "l segments",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let Plpca { segments, stars, lengths, users, segment_users, clusters, published } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        segment_users.fill(stars, waiting, users.select(waiting));
        observer.stage(Stage::Cliques);
        let plan = SegmentPlan { stars, lengths, users: segment_users, waiting };
        let found = clusters.build(plan, *segments);
        observer.stage(Stage::Mesh);
        published.clear();
        let mut served: Vec<(u32, u32)> = Vec::new();
        for cluster in found.iter().filter(|cluster| cluster.segments.len() >= *segments) {
            let inside = cluster.segments.iter().flat_map(|&segment| segment_users.on(segment));
            let mut members: Vec<u32> = inside.copied().collect();
            retain_satisfied(&mut members, |index| waiting[index as usize].k);
            if members.is_empty() {
                continue;
            }
            let ids = members.iter().map(|&index| waiting[index as usize].id);
            let set = published.add_mesh(ids, |mesh| stars.append_streets(&cluster.segments, mesh));
            served.extend(members.iter().map(|&index| (index, set)));
        }
        served.sort_unstable();
        served.into_iter().for_each(|(index, set)| published.serve(index, set));
        let (nodes, cliques) = (segment_users.all().len(), published.set_count());
        published.stats = Stats { nodes, cliques, ..Stats::default() };
        published
    }
}

/// Removes members whose k exceeds the number of members, to a fixpoint.
pub(crate) fn retain_satisfied(members: &mut Vec<u32>, k: impl Fn(u32) -> u32) {
    loop {
        let size = members.len();
        members.retain(|&member| k(member) as usize <= size);
        if members.len() == size {
            return;
        }
    }
}
