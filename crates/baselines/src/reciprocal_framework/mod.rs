//! Reciprocal framework (Ghinita, Zhao, Papadias, Kalnis 2010): spatial K-anonymity with any spatial
//! index of the users. The users of an index node are divided into buckets of K to 2K − 1; all users
//! of a bucket publish its bounding rectangle.
//!
//! Reciprocal for one K: every user finds the same buckets. Each query uses the buckets of its own
//! K, so with mixed K the members of a bucket may publish others.

mod bucket_split;
mod division;
mod index;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use bucket_split::BucketSplit;
use division::divide;
use index::{IndexKind, UserIndex};
use meshcloak::distance::Atlas;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::{Point, Rectangle, Time};
use std::sync::Arc;

/// Settings of the reciprocal framework.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReciprocalSettings {
    index: IndexKind,
    split: BucketSplit,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "reciprocal-framework",
    parameters: &[
        Parameter::word("index", "spatial index of the users", &["r-tree", "quadtree"]),
        Parameter::word("split", "rule that fills buckets", &["perimeter", "hilbert"]),
    ],
    threat_model: ThreatModel::RECIPROCAL,
    build: |atlas, arguments| {
        let index = match arguments.text("index") {
            "quadtree" => IndexKind::Quadtree,
            _ => IndexKind::RTree,
        };
        let split = match arguments.text("split") {
            "hilbert" => BucketSplit::Hilbert,
            _ => BucketSplit::Perimeter,
        };
        let settings = ReciprocalSettings { index, split };
        Ok(Box::new(ReciprocalFramework::new(Arc::clone(atlas), settings)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct ReciprocalFramework {
    atlas: Arc<Atlas>,
    settings: ReciprocalSettings,
    users: DistinctUsers,
    published: Published,
}

impl ReciprocalFramework {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>, settings: ReciprocalSettings) -> ReciprocalFramework {
        ReciprocalFramework {
            atlas,
            settings,
            users: DistinctUsers::default(),
            published: Published::default(),
        }
    }
}

impl Scheme for ReciprocalFramework {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "Reciprocal framework",
            summary: "Buckets of users of an index node.",
            setting: "free space",
            cliques: "buckets of k to 2k − 1 in a node of an index",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Tight,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let indices = self.users.select(waiting);
        let point = |&index: &u32| self.atlas.map().point(waiting[index as usize].position);
        let points: Vec<Point> = indices.iter().map(point).collect();
        let index = UserIndex::new(self.settings.index, self.atlas.map(), &points);
        observer.stage(Stage::Cliques);
        let mut distinct_k: Vec<u32> =
            indices.iter().map(|&index| waiting[index as usize].k).collect();
        distinct_k.sort_unstable();
        distinct_k.dedup();
        self.published.clear();
        let mut set_of = vec![None; waiting.len()];
        for k in distinct_k {
            let mut buckets = Vec::new();
            for group in divide(&index, &points, k as usize) {
                buckets.extend(self.settings.split.buckets(&index, &points, group, k as usize));
            }
            for bucket in buckets {
                let member = |&user: &u32| indices[user as usize];
                let asks = |index: &u32| waiting[*index as usize].k == k;
                if !bucket.iter().map(member).any(|index| asks(&index)) {
                    continue;
                }
                let around = Rectangle::around(bucket.iter().map(|&user| points[user as usize]));
                let region = Region::Rectangle(around.expect("a bucket has members"));
                let ids = bucket.iter().map(|user| waiting[member(user) as usize].id);
                let set = self.published.add(ids, &region);
                for index in bucket.iter().map(member).filter(asks) {
                    set_of[index as usize] = Some(set);
                }
            }
        }
        observer.stage(Stage::Mesh);
        for (index, set) in set_of.into_iter().enumerate() {
            set.into_iter().for_each(|set| self.published.serve(index as u32, set));
        }
        let (nodes, cliques) = (points.len(), self.published.set_count());
        self.published.stats = Stats { nodes, cliques, ..Stats::default() };
        &mut self.published
    }
}
