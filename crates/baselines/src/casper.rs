//! Casper (Mokbel, Chow, Aref 2006): a pyramid of grids and the profile (k, A_min). From the
//! user's cell of the lowest grid upwards: the cell if it holds k people and is large enough, else
//! its union with the neighbour beside or above in the same parent, else the same for the parent.

use crate::areas::{Area, Areas};
use crate::quadrants::{Quadrant, Quadrants};
use crate::square::DEPTH;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Description, Pace, Published, Scheme, State, Watch};
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

/// Nine levels as in the authors' experiments; no smallest area, for a query names none.
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
    /// Algorithm 1 of the paper, bottom up, for the one of a rank.
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
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Watch) -> &Published {
        let choose = |quadrants: &Quadrants, rank, k| self.settings.choose(quadrants, rank, k);
        self.areas.publish(self.atlas.map(), &state.waiting, choose, watch)
    }
}
