//! Hilbert Cloak in street order (Mouratidis & Yiu 2010): users in the order of a fixed walk
//! through the streets are divided into buckets of K; the region is the streets of the members.

use crate::buckets::Buckets;
use crate::street_walk::StreetWalk;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
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
    buckets: Buckets,
    published: Published,
}

impl HilbertStreets {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>) -> HilbertStreets {
        HilbertStreets {
            walk: StreetWalk::new(atlas.map()),
            atlas,
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
        let HilbertStreets { atlas, walk, buckets, published } = self;
        let waiting = &state.waiting;
        let key = |index: u32| walk.key(atlas.map(), waiting[index as usize].position);
        buckets.arrange(waiting, observer, key);
        observer.stage(Stage::Mesh);
        buckets.publish(waiting, published, |published, indices| {
            let members = indices.iter().map(|&index| waiting[index as usize].id);
            published.add_mesh(members, |streets| {
                let street = |&index: &u32| waiting[index as usize].position.street;
                let mut own: Vec<StreetId> = indices.iter().map(street).collect();
                own.sort_unstable();
                own.dedup();
                streets.append(&mut own);
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
