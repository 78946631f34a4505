//! Hilbert Cloak (Kalnis, Ghinita, Mouratidis, Papadias 2007): users in the order of the Hilbert
//! curve are divided into buckets of K; the bounding rectangle of a bucket is published.

use crate::buckets::Buckets;
use crate::hilbert;
use crate::square::Square;
use meshcloak::distance::Atlas;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State,
};
use meshcloak::units::{Point, Rectangle, Time};
use std::sync::Arc;

/// The scheme and its buffers.
#[derive(Debug)]
pub struct HilbertCloak {
    atlas: Arc<Atlas>,
    square: Square,
    points: Vec<Point>,
    buckets: Buckets,
    published: Published,
}

impl HilbertCloak {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>) -> HilbertCloak {
        HilbertCloak {
            square: Square::around(atlas.map()),
            atlas,
            points: Vec::new(),
            buckets: Buckets::default(),
            published: Published::default(),
        }
    }
}

impl Scheme for HilbertCloak {
    fn name(&self) -> &'static str {
        "hilbert-cloak"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Hilbert Cloak",
            summary: "Neighbours along a space-filling curve.",
            setting: "free space",
            cliques: "buckets of k along the Hilbert curve",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Tight,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let HilbertCloak { atlas, square, points, buckets, published } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        points.clear();
        points.extend(waiting.iter().map(|query| atlas.map().point(query.position)));
        let key = |index: u32| hilbert::key(square.cell(points[index as usize])).into();
        buckets.arrange(waiting, observer, key);
        observer.stage(Stage::Mesh);
        buckets.publish(waiting, published, |published, indices| {
            let inside = indices.iter().map(|&index| points[index as usize]);
            let rectangle = Rectangle::around(inside).expect("a bucket has members");
            let members = indices.iter().map(|&index| waiting[index as usize].id);
            published.add(members, &Region::Rectangle(rectangle))
        });
        published
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::tests::bucket_of;
    use crate::testing::Scene;

    #[test]
    fn every_query_publishes_the_bounding_rectangle_of_its_bucket() {
        let mut served = 0;
        for scene in Scene::many() {
            let map = &scene.town.map;
            let mut scheme = HilbertCloak::new(Arc::clone(&scene.atlas));
            let square = Square::around(map);
            served += scene.assert_publishes(&mut scheme, |users, query| {
                let mut order = users.to_vec();
                order.sort_by_key(|query| hilbert::key(square.cell(map.point(query.position))));
                let bucket = bucket_of(&order, query)?;
                let points = bucket.iter().map(|query| map.point(query.position));
                let region = Region::Rectangle(Rectangle::around(points)?);
                Some((bucket.iter().map(|query| query.id).collect(), region))
            });
        }
        assert!(served > 5_000, "{served}");
    }

    #[test]
    fn all_members_with_the_same_k_publish_the_same_set() {
        let mut shared = 0;
        for mut scene in Scene::many() {
            scene.state.waiting.iter_mut().for_each(|query| query.k = 3);
            let cloaked = scene.cloaked(&mut HilbertCloak::new(Arc::clone(&scene.atlas)));
            for (members, _) in cloaked.iter().flatten() {
                for member in members {
                    let other = cloaked[member.0 as usize].as_ref().map(|(members, _)| members);
                    assert_eq!(other, Some(members), "seed {}\n{}", scene.seed, scene.town);
                    shared += 1;
                }
            }
        }
        assert!(shared > 5_000, "{shared}");
    }
}
