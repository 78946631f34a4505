//! Interval Cloak (Gruteser & Grunwald 2003): descends a quadtree while the quadrant around the
//! user holds k users and publishes the last one that does. Not reciprocal.
//!
//! Implemented bottom up: the descent ends at the smallest quadrant around the user with k users, or
//! at the smallest cells if k users share a point.

use crate::quadrant_areas::{Area, AreaPublisher};
use crate::quadrants::Quadrants;
use crate::square::DEPTH;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, Scheme, State};
use meshcloak::units::Time;
use std::sync::Arc;

/// The scheme and its buffers.
#[derive(Debug)]
pub struct IntervalCloak {
    atlas: Arc<Atlas>,
    areas: AreaPublisher,
}

impl IntervalCloak {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>) -> IntervalCloak {
        IntervalCloak { areas: AreaPublisher::new(atlas.map()), atlas }
    }
}

/// Smallest quadrant with k users around the user of that rank.
fn choose(quadrants: &Quadrants, rank: usize, k: usize) -> Option<Area> {
    let mut quadrant = quadrants.around(rank, DEPTH);
    while quadrants.within(quadrant, rank).len() < k {
        quadrant = quadrant.parent()?;
    }
    Some(Area::one(quadrant))
}

impl Scheme for IntervalCloak {
    fn name(&self) -> &'static str {
        "interval-cloak"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Interval Cloak",
            summary: "A quadrant with at least k users.",
            setting: "free space",
            cliques: "smallest quadrant with k users",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        self.areas.publish(self.atlas.map(), &state.waiting, choose, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::Square;
    use crate::testing::Scene;
    use meshcloak::query::Query;
    use meshcloak::region::Region;

    #[test]
    fn a_top_down_descent_ends_in_the_same_quadrant() {
        let mut served = 0;
        for scene in Scene::many() {
            let map = &scene.town.map;
            let square = Square::around(map);
            let mut scheme = IntervalCloak::new(Arc::clone(&scene.atlas));
            served += scene.assert_publishes(&mut scheme, |users, query| {
                let cell_of = |query: &Query, level: u32| {
                    square.cell(map.point(query.position)).ancestor(DEPTH - level)
                };
                // As published: while k users remain, store the quadrant and descend.
                let (mut level, mut remaining) = (0, users.to_vec());
                let mut previous = None;
                while remaining.len() >= query.k as usize {
                    previous = Some((level, remaining.iter().map(|user| user.id).collect()));
                    level += 1;
                    if level > DEPTH {
                        break;
                    }
                    remaining.retain(|user| cell_of(user, level) == cell_of(query, level));
                }
                let (level, members) = previous?;
                let rectangle = square.rectangle(level, cell_of(query, level));
                Some((members, Region::Rectangle(rectangle)))
            });
        }
        assert!(served > 5_000, "{served}");
    }
}
