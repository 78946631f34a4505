//! Interval Cloak (Gruteser & Grunwald 2003): descend a quadtree while the quadrant around the
//! user still holds k people; the last that does is published. Not reciprocal.
//!
//! Found from below: the smallest quadrant around her with k people is where the descent ends.
//! It ends at the smallest cells, for k people may stand on one spot.

use crate::areas::{Area, Areas};
use crate::quadrants::Quadrants;
use crate::square::DEPTH;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, Scheme, State};
use meshcloak::units::Time;
use std::sync::Arc;

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct IntervalCloak {
    atlas: Arc<Atlas>,
    areas: Areas,
}

impl IntervalCloak {
    /// The scheme on a map.
    pub fn new(atlas: Arc<Atlas>) -> IntervalCloak {
        IntervalCloak { areas: Areas::of(atlas.map()), atlas }
    }
}

/// The smallest quadrant around the one of a rank with k people.
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
            setting: "free space",
            cliques: "smallest quadrant with k people",
            constraint: "none",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        self.areas.publish(self.atlas.map(), &state.waiting, choose, watch)
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
    fn a_descent_by_halves_ends_in_the_same_quadrant() {
        let mut served = 0;
        for scene in Scene::many() {
            let map = &scene.town.map;
            let square = Square::around(map);
            let mut scheme = IntervalCloak::new(Arc::clone(&scene.atlas));
            served += scene.expect(&mut scheme, |people, query| {
                let cell_of = |query: &Query, level: u32| {
                    let (column, row) = square.cell(map.point(query.position));
                    (column >> (DEPTH - level), row >> (DEPTH - level))
                };
                // As printed: while k remain, remember the quadrant and look at the quarter.
                let (mut level, mut remaining) = (0, people.to_vec());
                let mut previous = None;
                while remaining.len() >= query.k as usize {
                    previous = Some((level, remaining.iter().map(|person| person.id).collect()));
                    level += 1;
                    if level > DEPTH {
                        break;
                    }
                    remaining.retain(|person| cell_of(person, level) == cell_of(query, level));
                }
                let (level, members) = previous?;
                let rectangle = square.rectangle(level, cell_of(query, level));
                Some((members, Region::Rectangle(rectangle)))
            });
        }
        assert!(served > 5_000, "{served}");
    }
}
