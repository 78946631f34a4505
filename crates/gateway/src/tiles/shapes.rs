//! Street shapes by number, in blocks. A region is sent as street numbers; the page fetches and
//! caches the blocks of these streets.

use super::Tiles;
use meshcloak::map::StreetId;
use serde::Serialize;

/// Streets per block.
pub const BLOCK_LEN: usize = 256;

/// A block of consecutive streets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapeBlock {
    /// Number of the first street.
    pub first: usize,
    /// Rank of each street, 1 is the most important.
    pub ranks: Vec<usize>,
    /// Points of each street as lon, lat in millionths of a degree; the first point absolute, the
    /// others relative to the previous one.
    pub shapes: Vec<Vec<i64>>,
}

impl Tiles {
    /// Returns a block; `None` beyond the last one.
    pub fn block(&self, number: usize) -> Option<ShapeBlock> {
        let first = number.checked_mul(BLOCK_LEN)?;
        let map = self.map();
        let streets: Vec<StreetId> = map.streets().skip(first).take(BLOCK_LEN).collect();
        if streets.is_empty() {
            return None;
        }
        Some(ShapeBlock {
            first,
            ranks: streets.iter().map(|&street| map.rank(street).number()).collect(),
            shapes: streets.iter().map(|&street| self.delta_encoded(street)).collect(),
        })
    }

    fn delta_encoded(&self, street: StreetId) -> Vec<i64> {
        let mut last = (0_i64, 0_i64);
        let points = self.map().shape(street).iter();
        points
            .flat_map(|&point| {
                let lon_lat = self.frame().lon_lat(point);
                let at = [lon_lat.lon, lon_lat.lat].map(|degrees| (degrees * 1e6).round() as i64);
                let [lon, lat] = at;
                let step = [lon.saturating_sub(last.0), lat.saturating_sub(last.1)];
                last = (lon, lat);
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
    fn every_street_is_in_one_block_with_its_shape() {
        let city = read_map(&"city:600:5".parse().unwrap(), &Options::default(), &()).unwrap();
        let tiles = Tiles::new(Arc::new(Atlas::new(city.map, Length::metres(1.0))));
        let count = tiles.map().street_count();
        let blocks: Vec<ShapeBlock> =
            (0..count.div_ceil(BLOCK_LEN)).map(|n| tiles.block(n).unwrap()).collect();
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
