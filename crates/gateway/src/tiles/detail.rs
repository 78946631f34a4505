//! Level of detail: which streets a tile shows at which zoom, so that no tile is too heavy to
//! draw smoothly, whatever the map.

use meshcloak::map::{Rank, StreetMap};
use meshcloak::units::Rectangle;

/// A tile shows about so many streets at most.
const STREETS: f64 = 9_000.0;

/// From this zoom on points of interest are shown, and what streets are called.
pub const CLOSE: u8 = 14;

/// Tiles exist up to this zoom; a browser enlarges them beyond it.
pub const CLOSEST: u8 = 16;

/// The least important rank that is shown, zoom by zoom.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    least: Vec<usize>,
}

impl Detail {
    /// The detail of a map that fills this part of the square of the world.
    pub fn new(map: &StreetMap, world: Rectangle) -> Detail {
        let mut up_to = [0_usize; Rank::ALL.len()];
        map.streets().for_each(|street| up_to[map.rank(street).number()] += 1);
        let first = up_to.iter().position(|&count| count > 0).unwrap_or(0);
        for rank in 1..up_to.len() {
            up_to[rank] += up_to[rank - 1];
        }
        let least = (0..=CLOSEST).map(|zoom| {
            let side = side_of(zoom);
            let tiles = (world.width() / side).max(1.0) * (world.height() / side).max(1.0);
            let fits = |&rank: &usize| up_to[rank] as f64 <= STREETS * tiles;
            (first..up_to.len()).take_while(fits).last().unwrap_or(first)
        });
        Detail { least: least.collect() }
    }

    /// Whether streets of a rank are shown at a zoom.
    pub fn shows(&self, zoom: u8, rank: Rank) -> bool {
        let least = self.least.get(usize::from(zoom)).copied();
        rank.number() <= least.unwrap_or(Rank::ALL.len())
    }

    /// By how many steps of a tile a street may be drawn beside its place: half a pixel, and
    /// nothing anybody could see where tiles are enlarged.
    pub fn tolerance(zoom: u8) -> f64 {
        if zoom < CLOSEST { 4.0 } else { 0.5 }
    }
}

/// The side of a tile in the square of the world.
pub fn side_of(zoom: u8) -> f64 {
    1.0 / f64::from(1_u32 << zoom.min(30))
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::{Options, read_map};
    use meshcloak::units::Point;

    #[test]
    fn the_nearer_the_more_and_close_up_everything() {
        let city = read_map(&"city:20000:3".parse().unwrap(), &Options::default(), &()).unwrap();
        let world = Rectangle { min: Point::new(0.5, 0.5), max: Point::new(0.5004, 0.5004) };
        let detail = Detail::new(&city.map, world);
        assert!(detail.least.is_sorted(), "{detail:?}");
        assert!(detail.shows(4, Rank::Motorway) && !detail.shows(4, Rank::Residential));
        assert!(Rank::ALL.into_iter().all(|rank| detail.shows(CLOSEST, rank)));
    }

    #[test]
    fn a_map_of_one_rank_is_shown_from_afar_too() {
        let map = meshcloak::town::town("A 0,0  B 300,0 | A-B").map;
        let world = Rectangle { min: Point::new(0.5, 0.5), max: Point::new(0.5, 0.5) };
        assert!(Detail::new(&map, world).shows(0, Rank::Residential));
    }
}
