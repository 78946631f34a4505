//! Clips, simplifies and rounds a polyline for one tile.

#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices are below the length of a line of at least two points"
)]

use super::encode::{EXTENT, TilePoint};
use meshcloak::units::Point;

/// Clipping margin in tile units, so that wide lines join across tile boundaries.
const MARGIN: f64 = 96.0;

/// Extent of a tile in Web Mercator coordinates.
#[derive(Clone, Copy, Debug)]
pub struct TileExtent {
    /// North-west corner, the smallest coordinates.
    pub corner: Point,
    /// Side length.
    pub side: f64,
}

impl TileExtent {
    /// Converts Web Mercator to tile units.
    pub fn to_tile_units(self, world: Point) -> Point {
        let scale = f64::from(EXTENT) / self.side;
        Point::new((world.x - self.corner.x) * scale, (world.y - self.corner.y) * scale)
    }

    /// Returns the point in tile units if it lies in this tile; each point lies in exactly one.
    pub fn locate(&self, world: Point) -> Option<TilePoint> {
        let Point { x, y } = self.to_tile_units(world);
        let within = |value: f64| (0.0..f64::from(EXTENT)).contains(&value);
        (within(x) && within(y)).then_some((x as i32, y as i32))
    }

    /// Clips a polyline to the tile and its margin, simplified within `tolerance` tile units. Parts
    /// that shrink to a point are omitted.
    pub fn clip(&self, shape: &[Point], tolerance: f64) -> Vec<Vec<TilePoint>> {
        let mut parts: Vec<Vec<Point>> = Vec::new();
        let mut open = false;
        for ends in shape.windows(2) {
            let (a, b) = (self.to_tile_units(ends[0]), self.to_tile_units(ends[1]));
            let Some((from, to)) = clip_segment(a, b) else {
                open = false;
                continue;
            };
            match parts.last_mut() {
                Some(part) if open && from == 0.0 => part.push(a.towards(b, to)),
                _ => parts.push(vec![a.towards(b, from), a.towards(b, to)]),
            }
            open = to == 1.0;
        }
        parts.iter().map(|part| round(&simplify(part, tolerance))).filter(|p| p.len() > 1).collect()
    }
}

/// Fractions of a segment at which it enters and leaves the tile with its margin (Liang–Barsky).
fn clip_segment(a: Point, b: Point) -> Option<(f64, f64)> {
    let (low, high) = (-MARGIN, f64::from(EXTENT) + MARGIN);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (start, change) in [(a.x, b.x - a.x), (a.y, b.y - a.y)] {
        if change == 0.0 {
            if start < low || start > high {
                return None;
            }
            continue;
        }
        let (one, other) = ((low - start) / change, (high - start) / change);
        from = from.max(one.min(other));
        to = to.min(one.max(other));
    }
    (from <= to).then_some((from, to))
}

/// Douglas–Peucker: no removed point is farther than `tolerance` from the result.
pub fn simplify(line: &[Point], tolerance: f64) -> Vec<Point> {
    if line.is_empty() {
        return Vec::new();
    }
    let mut keep = vec![false; line.len()];
    let mut open = vec![(0, line.len() - 1)];
    keep[0] = true;
    keep[line.len() - 1] = true;
    while let Some((first, last)) = open.pop() {
        let deviation = |&middle: &usize| {
            let fraction = line[middle].nearest_fraction(line[first], line[last]);
            line[first].towards(line[last], fraction).distance(line[middle])
        };
        let farthest = (first + 1..last).max_by(|a, b| deviation(a).total_cmp(&deviation(b)));
        if let Some(middle) = farthest.filter(|middle| deviation(middle) > tolerance) {
            keep[middle] = true;
            open.extend([(first, middle), (middle, last)]);
        }
    }
    line.iter().zip(keep).filter(|&(_, keep)| keep).map(|(&point, _)| point).collect()
}

/// Rounds to tile units and removes repeated points.
fn round(line: &[Point]) -> Vec<TilePoint> {
    let mut points: Vec<TilePoint> =
        line.iter().map(|point| (point.x.round() as i32, point.y.round() as i32)).collect();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: TileExtent = TileExtent { corner: Point::new(0.0, 0.0), side: 4096.0 };

    fn parts(shape: &[(f64, f64)], tolerance: f64) -> Vec<Vec<TilePoint>> {
        let shape: Vec<Point> = shape.iter().map(|&(x, y)| Point::new(x, y)).collect();
        UNIT.clip(&shape, tolerance)
    }

    #[test]
    fn a_street_that_leaves_and_reenters_becomes_two_lines() {
        let two = parts(&[(10.0, 10.0), (10.0, -500.0), (50.0, -500.0), (50.0, 10.0)], 0.0);
        assert_eq!(two, [vec![(10, 10), (10, -96)], vec![(50, -96), (50, 10)]]);
    }

    #[test]
    fn streets_outside_or_shrunk_to_a_point_are_omitted() {
        assert!(parts(&[(-200.0, 0.0), (-200.0, 50.0)], 0.0).is_empty());
        assert!(parts(&[(7.0, 7.0), (7.2, 7.1)], 0.0).is_empty());
        assert_eq!(parts(&[(-5000.0, 8.0), (9000.0, 8.0)], 0.0), [vec![(-96, 8), (4192, 8)]]);
    }

    #[test]
    fn small_bends_are_removed_and_large_ones_kept() {
        let line = [(0.0, 0.0), (100.0, 3.0), (200.0, 0.0), (300.0, 40.0), (400.0, 0.0)];
        assert_eq!(parts(&line, 5.0), [vec![(0, 0), (200, 0), (300, 40), (400, 0)]]);
    }

    #[test]
    fn a_point_on_a_boundary_belongs_to_one_tile() {
        let east = TileExtent { corner: Point::new(4096.0, 0.0), side: 4096.0 };
        let edge = Point::new(4096.0, 5.0);
        assert_eq!((UNIT.locate(edge), east.locate(edge)), (None, Some((0, 5))));
    }
}
