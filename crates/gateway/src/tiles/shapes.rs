//! The shapes of streets by number, so that a region is drawn by naming its streets: they come in
//! blocks, which a page asks for when it needs one of their streets, and keeps.

use super::Tiles;
use meshcloak::map::StreetId;
use serde::Serialize;

/// So many streets are in a block.
pub const BLOCK: usize = 256;

/// A block of streets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// The number of its first street.
    pub first: usize,
    /// How important each street is, 1 the most.
    pub ranks: Vec<usize>,
    /// Longitude and latitude of each point of each street in millionths of a degree: of the first
    /// point as they are, of the others as steps from the one before.
    pub shapes: Vec<Vec<i64>>,
}

impl Tiles {
    /// A block of streets; `None` if there is none of that number.
    pub fn block(&self, number: usize) -> Option<Block> {
        let first = number.checked_mul(BLOCK)?;
        let map = self.map();
        let streets: Vec<StreetId> = map.streets().skip(first).take(BLOCK).collect();
        if streets.is_empty() {
            return None;
        }
        Some(Block {
            first,
            ranks: streets.iter().map(|&street| map.rank(street).number()).collect(),
            shapes: streets.iter().map(|&street| self.steps(street)).collect(),
        })
    }

    fn steps(&self, street: StreetId) -> Vec<i64> {
        let mut last = (0, 0);
        let points = self.map().shape(street).iter();
        points
            .flat_map(|&point| {
                let place = self.frame().lon_lat(point);
                let at = [place.lon, place.lat].map(|degrees| (degrees * 1e6).round() as i64);
                let step = [at[0] - last.0, at[1] - last.1];
                last = (at[0], at[1]);
                step
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::{Options, read_map};
    use meshcloak::distance::Atlas;
    use meshcloak::units::{Length, LonLat};
    use std::sync::Arc;

    #[test]
    fn every_street_is_in_one_block_where_it_is() {
        let city = read_map(&"city:600:5".parse().unwrap(), &Options::default(), &()).unwrap();
        let tiles = Tiles::new(Arc::new(Atlas::new(city.map, Length::metres(1.0))));
        let count = tiles.map().street_count();
        let blocks: Vec<Block> =
            (0..count.div_ceil(BLOCK)).map(|n| tiles.block(n).unwrap()).collect();
        assert_eq!(tiles.block(blocks.len()), None);
        assert_eq!(tiles.block(usize::MAX), None);
        let shapes: Vec<&Vec<i64>> = blocks.iter().flat_map(|block| &block.shapes).collect();
        assert_eq!(shapes.len(), count);
        for (street, steps) in tiles.map().streets().zip(shapes) {
            let (mut lon, mut lat) = (0, 0);
            let shape = tiles.map().shape(street);
            assert_eq!(steps.len(), 2 * shape.len());
            for (step, point) in steps.chunks(2).zip(shape) {
                (lon, lat) = (lon + step[0], lat + step[1]);
                let place = LonLat { lon: lon as f64 / 1e6, lat: lat as f64 / 1e6 };
                assert!(tiles.frame().point(place).distance(*point) < 0.2);
            }
        }
    }
}
