//! Hilbert Cloak in street order (Mouratidis & Yiu 2010): users in the order of a fixed walk
//! through the streets are divided into buckets of K; the region is the streets of the members.

use crate::buckets::Buckets;
use crate::distinct_users::DistinctUsers;
use crate::street_walk::StreetWalk;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State,
};
use meshcloak::units::Time;
use std::sync::Arc;

/// The scheme and its buffers.
#[derive(Debug)]
pub struct HilbertStreets {
    atlas: Arc<Atlas>,
    walk: StreetWalk,
    users: DistinctUsers,
    /// Position along the walk and waiting index.
    keys: Vec<(u64, u32)>,
    buckets: Buckets,
    published: Published,
}

impl HilbertStreets {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>) -> HilbertStreets {
        HilbertStreets {
            walk: StreetWalk::new(atlas.map()),
            atlas,
            users: DistinctUsers::default(),
            keys: Vec::new(),
            buckets: Buckets::default(),
            published: Published::default(),
        }
    }
}

impl Scheme for HilbertStreets {
    fn name(&self) -> &'static str {
        "hilbert-streets"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Hilbert on streets",
            summary: "Neighbours along a tour of the streets.",
            setting: "map",
            cliques: "buckets of k along a walk through the streets",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let HilbertStreets { atlas, walk, users, keys, buckets, published } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let key = |index: u32| walk.key(atlas.map(), waiting[index as usize].position);
        keys.clear();
        keys.extend(users.select(waiting).iter().map(|&index| (key(index), index)));
        keys.sort_unstable();
        observer.stage(Stage::Cliques);
        buckets.arrange(waiting.len(), keys.iter().map(|&(_, index)| index));
        observer.stage(Stage::Mesh);
        buckets.publish(waiting, published, |published, indices| {
            let members = indices.iter().map(|&index| waiting[index as usize].id);
            published.add_mesh(members, |streets| {
                let start = streets.len();
                streets
                    .extend(indices.iter().map(|&index| waiting[index as usize].position.street));
                streets[start..].sort_unstable();
                let mut kept = start;
                for next in start..streets.len() {
                    if kept == start || streets[kept - 1] != streets[next] {
                        streets[kept] = streets[next];
                        kept += 1;
                    }
                }
                streets.truncate(kept);
            })
        });
        published
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::tests::bucket_of;
    use crate::testing::Scene;
    use meshcloak::map::StreetId;
    use meshcloak::region::Region;
    use std::collections::BTreeSet;

    #[test]
    fn every_query_publishes_the_streets_of_its_bucket() {
        let mut served = 0;
        for scene in Scene::many() {
            let map = &scene.town.map;
            let mut scheme = HilbertStreets::new(Arc::clone(&scene.atlas));
            let walk = StreetWalk::new(map);
            served += scene.assert_publishes(&mut scheme, |users, query| {
                let mut order = users.to_vec();
                order.sort_by_key(|query| walk.key(map, query.position));
                let bucket = bucket_of(&order, query)?;
                let streets: BTreeSet<StreetId> =
                    bucket.iter().map(|query| query.position.street).collect();
                let members = bucket.iter().map(|query| query.id).collect();
                Some((members, Region::Mesh(streets.into_iter().collect())))
            });
        }
        assert!(served > 5_000, "{served}");
    }
}
