//! Casper (Mokbel, Chow, Aref 2006): a pyramid of grids and the profile (k, A_min). From the
//! user's cell of the lowest grid upwards: the cell if it holds k people and is large enough, else
//! its union with the neighbour beside or above in the same parent, else the same for the parent.

use crate::areas::{Area, Areas};
use crate::quadrants::{Quadrant, Quadrants};
use crate::square::DEPTH;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, Scheme, State};
use meshcloak::units::Time;
use std::sync::Arc;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How often the square around the map is halved to give the lowest grid; at most 16.
    pub levels: u32,
    /// A_min: the smallest area that may be published, in square metres; beyond the area of the
    /// map nobody is served.
    pub smallest_area: f64,
}

/// Nine levels, cells of 50 m on 25 km; no smallest area, for a query names none.
impl Default for Settings {
    fn default() -> Settings {
        Settings { levels: 9, smallest_area: 0.0 }
    }
}

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct Casper {
    atlas: Arc<Atlas>,
    settings: Settings,
    areas: Areas,
}

impl Casper {
    /// The scheme on a map.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> Casper {
        let settings = Settings { levels: settings.levels.min(DEPTH), ..settings };
        Casper { areas: Areas::of(atlas.map()), atlas, settings }
    }
}

impl Settings {
    /// The authors' algorithm, bottom up, for the one of a rank.
    fn choose(&self, quadrants: &Quadrants, rank: usize, k: usize) -> Option<Area> {
        let mut cell = quadrants.around(rank, self.levels);
        loop {
            let area = quadrants.area(cell.level());
            let count = |quadrant: Quadrant| quadrants.within(quadrant, rank).len();
            let own = count(cell);
            if own >= k && area >= self.smallest_area {
                return Some(Area::one(cell));
            }
            let parent = cell.parent()?;
            if 2.0 * area >= self.smallest_area {
                let beside = own + count(cell.beside());
                let above = own + count(cell.above());
                if beside >= k && (above < k || beside <= above) {
                    return Some(Area::both(cell, cell.beside()));
                }
                if above >= k {
                    return Some(Area::both(cell, cell.above()));
                }
            }
            cell = parent;
        }
    }
}

impl Scheme for Casper {
    fn name(&self) -> &'static str {
        "casper"
    }

    fn describe(&self) -> Description {
        Description {
            setting: "free space",
            cliques: "smallest cell or pair of cells with k people",
            constraint: "smallest area",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        let choose = |quadrants: &Quadrants, rank, k| self.settings.choose(quadrants, rank, k);
        self.areas.publish(self.atlas.map(), &state.waiting, choose, watch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::Square;
    use crate::testing::Scene;
    use meshcloak::query::{Query, QueryId};
    use meshcloak::region::Region;
    use meshcloak::units::{Point, Rectangle};

    /// An area of the hierarchy: its level, cells, and whether a pair is one above the other.
    type Candidate = (u32, Vec<(u32, u32)>, bool);

    /// All areas of the hierarchy around a cell of the lowest grid: cells, and pairs of cells of
    /// one parent.
    fn hierarchy(levels: u32, (column, row): (u32, u32)) -> Vec<Candidate> {
        let around = |level: u32| {
            let (x, y) = (column >> (levels - level), row >> (levels - level));
            let mut areas = vec![(level, vec![(x, y)], false)];
            if level > 0 {
                areas.push((level, vec![(x, y), (x ^ 1, y)], false));
                areas.push((level, vec![(x, y), (x, y ^ 1)], true));
            }
            areas
        };
        (0..=levels).flat_map(around).collect()
    }

    /// Naively: of all areas of the hierarchy that do, the smallest; of two as small the one with
    /// fewer people, of two as full the one from left to right.
    fn smallest(
        scene: &Scene,
        settings: Settings,
        (people, query): (&[&Query], &Query),
    ) -> Option<(Vec<QueryId>, Region<'static>)> {
        let map = &scene.town.map;
        let square = Square::around(map);
        let cell = |query: &Query, level: u32| {
            let (column, row) = square.cell(map.point(query.position));
            (column >> (DEPTH - level), row >> (DEPTH - level))
        };
        let inside = |(level, cells, _): &Candidate| -> Vec<QueryId> {
            let inside = people.iter().filter(|person| cells.contains(&cell(person, *level)));
            inside.map(|person| person.id).collect()
        };
        let mut areas = hierarchy(settings.levels, cell(query, settings.levels));
        areas.retain(|area| {
            let size = square.area(area.0) * area.1.len() as f64;
            size >= settings.smallest_area && inside(area).len() >= query.k as usize
        });
        let order = |area: &Candidate| {
            let halvings = 2 * area.0 - (area.1.len() as u32 - 1);
            (std::cmp::Reverse(halvings), inside(area).len(), area.2)
        };
        let area = areas.into_iter().min_by_key(order)?;
        let corners = area.1.iter().map(|&cell| square.rectangle(area.0, cell));
        let corners: Vec<Point> = corners.flat_map(|cell| [cell.min, cell.max]).collect();
        Some((inside(&area), Region::Rectangle(Rectangle::around(corners)?)))
    }

    #[test]
    fn everyone_publishes_the_smallest_area_of_the_hierarchy() {
        let mut served = 0;
        for scene in Scene::many() {
            let whole = Square::around(&scene.town.map).area(0);
            let part = [0.0, 1e-4, 0.1, 0.3, 0.6, 1.5][scene.seed as usize % 6];
            let levels = [9, 1, 4, 16, 0, 30, 6][scene.seed as usize % 7];
            let settings = Settings { levels, smallest_area: whole * part };
            let mut scheme = Casper::new(Arc::clone(&scene.atlas), settings);
            let settings = Settings { levels: levels.min(DEPTH), ..settings };
            served += scene
                .expect(&mut scheme, |people, query| smallest(&scene, settings, (people, query)));
        }
        assert!(served > 4_000, "{served}");
    }
}
