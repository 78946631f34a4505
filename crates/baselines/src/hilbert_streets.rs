//! Hilbert Cloak in street order (Mouratidis & Yiu 2010): people in the order of a fixed walk
//! through the streets, cut into buckets of K; the streets on which a bucket's people are form its
//! region.

use crate::buckets::Buckets;
use crate::crowd::Crowd;
use crate::street_walk::StreetWalk;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State,
};
use meshcloak::units::Time;
use std::sync::Arc;

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct HilbertStreets {
    atlas: Arc<Atlas>,
    walk: StreetWalk,
    crowd: Crowd,
    /// How far along the walk, and the place in the waiting list.
    keys: Vec<(u64, u32)>,
    buckets: Buckets,
    published: Published,
}

impl HilbertStreets {
    /// The scheme on a map.
    pub fn new(atlas: Arc<Atlas>) -> HilbertStreets {
        HilbertStreets {
            walk: StreetWalk::through(atlas.map()),
            atlas,
            crowd: Crowd::default(),
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
            setting: "map",
            cliques: "buckets of k along a walk through the streets",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        let HilbertStreets { atlas, walk, crowd, keys, buckets, published } = self;
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        let key = |place: u32| walk.key(atlas.map(), waiting[place as usize].position);
        keys.clear();
        keys.extend(crowd.gather(waiting).iter().map(|&place| (key(place), place)));
        keys.sort_unstable();
        watch.stage(Stage::Cliques);
        buckets.arrange(waiting.len(), keys.iter().map(|&(_, place)| place));
        watch.stage(Stage::Mesh);
        buckets.publish(waiting, published, |published, places| {
            let members = places.iter().map(|&place| waiting[place as usize].id);
            published.add_mesh(members, |streets| {
                let start = streets.len();
                streets.extend(places.iter().map(|&place| waiting[place as usize].position.street));
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
    fn everyone_publishes_the_streets_of_her_bucket_along_the_walk() {
        let mut served = 0;
        for scene in Scene::many() {
            let map = &scene.town.map;
            let mut scheme = HilbertStreets::new(Arc::clone(&scene.atlas));
            let walk = StreetWalk::through(map);
            served += scene.expect(&mut scheme, |people, query| {
                let mut order = people.to_vec();
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
