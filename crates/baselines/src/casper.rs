//! Casper (Mokbel, Chow, Aref 2006): a pyramid of grids and the profile (k, A_min). From the
//! user's cell of the lowest grid upwards: the cell if it holds k users and is large enough, else
//! its union with the horizontal or vertical neighbour in the same parent, else the same for the
//! parent.

use crate::quadrant_areas::{Area, AreaPublisher};
use crate::quadrants::{Quadrant, Quadrants};
use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use crate::square::DEPTH;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, Scheme, State};
use meshcloak::units::Time;
use std::sync::Arc;

/// Settings of Casper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CasperSettings {
    /// Halvings of the square around the map that give the lowest grid; at most 16.
    pub levels: u32,
    /// A_min: minimum published area in square metres; above the area of the map no query is served.
    pub min_area: f64,
}

/// Nine levels (cells of 50 m on 25 km), no minimum area, since queries carry none.
impl Default for CasperSettings {
    fn default() -> CasperSettings {
        CasperSettings { levels: 9, min_area: 0.0 }
    }
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "casper",
    parameters: &[
        Parameter::whole("levels", "halvings of the map for the lowest grid", "9", (1, 16)),
        Parameter::min_area(),
    ],
    threat_model: ThreatModel::IN_REGION,
    build: |atlas, arguments| {
        let levels = arguments.whole("levels") as u32;
        let settings = CasperSettings { levels, min_area: arguments.number("min-area") };
        Ok(Box::new(Casper::new(Arc::clone(atlas), settings)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct Casper {
    atlas: Arc<Atlas>,
    settings: CasperSettings,
    areas: AreaPublisher,
}

impl Casper {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>, settings: CasperSettings) -> Casper {
        let settings = CasperSettings { levels: settings.levels.min(DEPTH), ..settings };
        Casper { areas: AreaPublisher::new(atlas.map()), atlas, settings }
    }
}

impl CasperSettings {
    /// The authors' bottom-up algorithm for the user of that rank.
    fn choose(&self, quadrants: &Quadrants, rank: usize, k: usize) -> Option<Area> {
        let mut cell = quadrants.around(rank, self.levels);
        loop {
            let area = quadrants.area(cell.level());
            let count = |quadrant: Quadrant| quadrants.within(quadrant, rank).len();
            let own = count(cell);
            if own >= k && area >= self.min_area {
                return Some(Area::one(cell));
            }
            let parent = cell.parent()?;
            if 2.0 * area >= self.min_area {
                let horizontal = own + count(cell.horizontal_sibling());
                let vertical = own + count(cell.vertical_sibling());
                if horizontal >= k && (vertical < k || horizontal <= vertical) {
                    return Some(Area::both(cell, cell.horizontal_sibling()));
                }
                if vertical >= k {
                    return Some(Area::both(cell, cell.vertical_sibling()));
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
            label: "Casper",
            summary: "A cell of a grid pyramid.",
            setting: "free space",
            cliques: "smallest cell or pair of cells with k users",
            constraint: "smallest area",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let choose = |quadrants: &Quadrants, rank, k| self.settings.choose(quadrants, rank, k);
        self.areas.publish(self.atlas.map(), &state.waiting, choose, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::{Square, SquareCell};
    use crate::testing::Scene;
    use meshcloak::query::{Query, QueryId};
    use meshcloak::region::Region;
    use meshcloak::units::{Point, Rectangle};

    /// An area of the hierarchy.
    struct HierarchyArea {
        level: u32,
        cells: Vec<SquareCell>,
        is_vertical_pair: bool,
    }

    /// All areas of the hierarchy around a cell of the lowest grid: cells, and pairs of cells with
    /// one parent.
    fn hierarchy(levels: u32, lowest: SquareCell) -> Vec<HierarchyArea> {
        let around = |level: u32| {
            let cell = lowest.ancestor(levels - level);
            let area = |cells, is_vertical_pair| HierarchyArea { level, cells, is_vertical_pair };
            let mut areas = vec![area(vec![cell], false)];
            if level > 0 {
                areas.push(area(vec![cell, SquareCell { column: cell.column ^ 1, ..cell }], false));
                areas.push(area(vec![cell, SquareCell { row: cell.row ^ 1, ..cell }], true));
            }
            areas
        };
        (0..=levels).flat_map(around).collect()
    }

    /// Reference: the smallest sufficient area of the hierarchy; ties by fewer users, then
    /// horizontal pairs first.
    fn smallest(
        scene: &Scene,
        settings: CasperSettings,
        users: &[&Query],
        query: &Query,
    ) -> Option<(Vec<QueryId>, Region<'static>)> {
        let map = &scene.town.map;
        let square = Square::around(map);
        let cell = |query: &Query, level: u32| {
            square.cell(map.point(query.position)).ancestor(DEPTH - level)
        };
        let inside = |area: &HierarchyArea| -> Vec<QueryId> {
            let inside = users.iter().filter(|user| area.cells.contains(&cell(user, area.level)));
            inside.map(|user| user.id).collect()
        };
        let mut areas = hierarchy(settings.levels, cell(query, settings.levels));
        areas.retain(|area| {
            let size = square.area(area.level) * area.cells.len() as f64;
            size >= settings.min_area && inside(area).len() >= query.k as usize
        });
        let order = |area: &HierarchyArea| {
            let halvings = 2 * area.level - (area.cells.len() as u32 - 1);
            (std::cmp::Reverse(halvings), inside(area).len(), area.is_vertical_pair)
        };
        let area = areas.into_iter().min_by_key(order)?;
        let corners = area.cells.iter().map(|&cell| square.rectangle(area.level, cell));
        let corners: Vec<Point> = corners.flat_map(|cell| [cell.min, cell.max]).collect();
        Some((inside(&area), Region::Rectangle(Rectangle::around(corners)?)))
    }

    #[test]
    fn every_query_publishes_the_smallest_area_of_the_hierarchy() {
        let mut served = 0;
        for scene in Scene::many() {
            let whole = Square::around(&scene.town.map).area(0);
            let part = [0.0, 1e-4, 0.1, 0.3, 0.6, 1.5][scene.seed as usize % 6];
            let levels = [9, 1, 4, 16, 0, 30, 6][scene.seed as usize % 7];
            let settings = CasperSettings { levels, min_area: whole * part };
            let mut scheme = Casper::new(Arc::clone(&scene.atlas), settings);
            let settings = CasperSettings { levels: levels.min(DEPTH), ..settings };
            served += scene.assert_publishes(&mut scheme, |users, query| {
                smallest(&scene, settings, users, query)
            });
        }
        assert!(served > 4_000, "{served}");
    }
}
