//! Candidate positions of a point for map matching: the nearest position on each street within a
//! radius. Reference: `naive::candidates`.

use super::{Snapped, StreetId, StreetMap};
use crate::units::Point;

/// A street segment within the radius.
struct Near {
    street: StreetId,
    squared: f64,
    segment: u32,
}

impl StreetMap {
    /// Returns the nearest position on every street within `radius` metres of `point`, by distance,
    /// ties in street order. Empty if the point is not finite.
    pub fn candidates(&self, point: Point, radius: f64) -> Vec<Snapped> {
        let mut near = self.segments_near(point, radius);
        near.sort_unstable_by(|a, b| {
            let by_street = a.street.cmp(&b.street);
            by_street.then(a.squared.total_cmp(&b.squared)).then(a.segment.cmp(&b.segment))
        });
        near.dedup_by_key(|found| found.street);
        near.sort_by(|a, b| a.squared.total_cmp(&b.squared));
        near.iter().filter_map(|found| self.on_segment(point, found.segment)).collect()
    }

    fn segments_near(&self, point: Point, radius: f64) -> Vec<Near> {
        let grid = &self.tables.grid;
        let squared_radius = radius * radius;
        let outside = grid.bounds().nearest(point).distance_squared(point);
        let is_point = point.x.is_finite() && point.y.is_finite();
        if !(is_point && radius >= 0.0 && outside <= squared_radius) {
            return Vec::new();
        }
        // Slightly wider than the radius, so that rounding cannot miss a cell.
        let reach = radius + grid.side * 1e-6;
        let (west, south) = grid.cell_of(Point::new(point.x - reach, point.y - reach));
        let (east, north) = grid.cell_of(Point::new(point.x + reach, point.y + reach));
        let starts = &self.tables.shape_starts;
        let mut near = Vec::new();
        for row in south..=north {
            for &segment in (west..=east).flat_map(|column| grid.segments_in(column, row)) {
                let points = &self.tables.shape_points;
                let (a, b) = (points[segment as usize], points[segment as usize + 1]);
                let nearest = a.towards(b, point.nearest_fraction(a, b));
                let squared = nearest.distance_squared(point);
                if squared <= squared_radius {
                    let after = starts.partition_point(|&start| start <= segment);
                    near.push(Near { street: StreetId(after as u32 - 1), squared, segment });
                }
            }
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::{Town, town};
    use rand::RngExt as _;

    #[test]
    fn every_street_within_the_radius_is_found_once_by_distance() {
        //  C ─────── D    15 m above; A ─ B has a bend, so two of its segments are near
        let map = town("A 0,0  B 100,0  C 0,15  D 100,15  E 0,90 | C-D A-B(50,-1) C-E").map;
        let streets = |radius| -> Vec<u32> {
            let found = map.candidates(Point::new(50.0, 5.0), radius);
            found.iter().map(|candidate| candidate.position.street.0).collect()
        };
        assert_eq!(streets(20.0), [1, 0]);
        assert_eq!(streets(6.5), [1]);
        assert_eq!(streets(5.0), Vec::<u32>::new());
        assert_eq!(streets(1e9), [1, 0, 2]);
        assert_eq!(streets(f64::NAN), Vec::<u32>::new());
        assert!(map.candidates(Point::new(f64::NAN, 0.0), 1e9).is_empty());
        assert!(map.candidates(Point::new(0.0, f64::INFINITY), f64::INFINITY).is_empty());
    }

    #[test]
    fn candidates_agree_with_the_reference_and_begin_with_the_snapped_position() {
        let mut found = 0;
        for seed in 0..600 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            for radius in [0.0, 30.0, 100.0, 400.0, 3_000.0] {
                let mut coordinate = || random.random_range(-900.0..900.0);
                let point = Point::new(coordinate(), coordinate());
                let fast = town.map.candidates(point, radius);
                found += fast.len();
                let slow = naive::candidates(&town.map, point, radius);
                assert_eq!(fast, slow, "seed {seed} {point:?} {radius}\n{town}");
                let snapped = town.map.snap(point, Some(radius));
                assert_eq!(fast.first().copied(), snapped, "seed {seed} {point:?}\n{town}");
            }
        }
        assert!(found > 1_000, "only {found} candidates");
    }
}
