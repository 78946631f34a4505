//! Hilbert Cloak (Kalnis, Ghinita, Mouratidis, Papadias 2007): people in the order of the Hilbert
//! curve, cut into buckets of K; a bucket's smallest rectangle is published.

use crate::buckets::Buckets;
use crate::crowd::Crowd;
use crate::hilbert;
use crate::square::Square;
use meshcloak::distance::Atlas;
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Pace, Published, Scheme, Stage, State, Watch};
use meshcloak::units::{Point, Rectangle, Time};
use std::sync::Arc;

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct HilbertCloak {
    atlas: Arc<Atlas>,
    square: Square,
    crowd: Crowd,
    /// How far along the curve, and the place in the waiting list, in one number.
    keys: Vec<u64>,
    points: Vec<Point>,
    buckets: Buckets,
    published: Published,
}

impl HilbertCloak {
    /// The scheme on a map.
    pub fn new(atlas: Arc<Atlas>) -> HilbertCloak {
        HilbertCloak {
            square: Square::around(atlas.map()),
            atlas,
            crowd: Crowd::default(),
            keys: Vec::new(),
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
            setting: "free space",
            cliques: "buckets of k along the Hilbert curve",
            constraint: "none",
            pace: Pace::Batch,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Watch) -> &Published {
        let HilbertCloak { atlas, square, crowd, keys, points, buckets, published } = self;
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        points.clear();
        points.extend(waiting.iter().map(|query| atlas.map().point(query.position)));
        keys.clear();
        keys.extend(crowd.gather(waiting).iter().map(|&place| {
            let key = hilbert::key(square.cell(points[place as usize]));
            u64::from(key) << 32 | u64::from(place)
        }));
        keys.sort_unstable();
        watch.stage(Stage::Cliques);
        buckets.arrange(waiting.len(), keys.iter().map(|&key| key as u32));
        watch.stage(Stage::Mesh);
        buckets.publish(waiting, published, |published, places| {
            let inside = places.iter().map(|&place| points[place as usize]);
            let rectangle = Rectangle::around(inside).expect("a bucket has people");
            let members = places.iter().map(|&place| waiting[place as usize].id);
            published.add(members, &Region::Rectangle(rectangle))
        });
        published
    }
}
