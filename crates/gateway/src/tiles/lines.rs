//! A street's shape inside one tile: clipped to it with a margin, in steps of the tile, without
//! the bends nobody can see.

use super::encode::{EXTENT, Step};
use meshcloak::units::Point;

/// How many steps beyond its edge a tile still draws, so that wide lines meet across the edge.
const MARGIN: f64 = 96.0;

/// Where a tile lies in the square of the world.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Its corner with the smallest coordinates.
    pub corner: Point,
    /// Its side.
    pub side: f64,
}

impl Window {
    /// A place of the world, in steps from the corner.
    pub fn step(&self, world: Point) -> Point {
        let scale = f64::from(EXTENT) / self.side;
        Point::new((world.x - self.corner.x) * scale, (world.y - self.corner.y) * scale)
    }

    /// Whether a point is a place of this tile itself: every point is of exactly one tile.
    pub fn owns(&self, world: Point) -> Option<Step> {
        let Point { x, y } = self.step(world);
        let within = |value: f64| (0.0..f64::from(EXTENT)).contains(&value);
        (within(x) && within(y)).then_some((x as i32, y as i32))
    }

    /// The parts of a polyline that are inside, bends within `tolerance` steps straightened.
    /// Nothing is left of one that shrinks to a point.
    pub fn parts(&self, shape: &[Point], tolerance: f64) -> Vec<Vec<Step>> {
        let mut parts: Vec<Vec<Point>> = Vec::new();
        let mut open = false;
        for ends in shape.windows(2) {
            let (a, b) = (self.step(ends[0]), self.step(ends[1]));
            let Some((from, to)) = inside(a, b) else {
                open = false;
                continue;
            };
            match parts.last_mut() {
                Some(part) if open && from == 0.0 => part.push(a.towards(b, to)),
                _ => parts.push(vec![a.towards(b, from), a.towards(b, to)]),
            }
            open = to == 1.0;
        }
        parts
            .iter()
            .map(|part| rounded(&simplified(part, tolerance)))
            .filter(|p| p.len() > 1)
            .collect()
    }
}

/// Which fractions of a piece are within the tile and its margin (Liang–Barsky).
fn inside(a: Point, b: Point) -> Option<(f64, f64)> {
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

/// Douglas–Peucker: no dropped point is farther than `tolerance` from the line that is left.
pub fn simplified(line: &[Point], tolerance: f64) -> Vec<Point> {
    if line.is_empty() {
        return Vec::new();
    }
    let mut keep = vec![false; line.len()];
    let mut open = vec![(0, line.len() - 1)];
    keep[0] = true;
    keep[line.len() - 1] = true;
    while let Some((first, last)) = open.pop() {
        let away = |&middle: &usize| {
            let fraction = line[middle].nearest_fraction(line[first], line[last]);
            line[first].towards(line[last], fraction).distance(line[middle])
        };
        let farthest = (first + 1..last).max_by(|a, b| away(a).total_cmp(&away(b)));
        if let Some(middle) = farthest.filter(|middle| away(middle) > tolerance) {
            keep[middle] = true;
            open.extend([(first, middle), (middle, last)]);
        }
    }
    line.iter().zip(keep).filter(|&(_, keep)| keep).map(|(&point, _)| point).collect()
}

fn rounded(line: &[Point]) -> Vec<Step> {
    let mut steps: Vec<Step> =
        line.iter().map(|point| (point.x.round() as i32, point.y.round() as i32)).collect();
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Window = Window { corner: Point::new(0.0, 0.0), side: 4096.0 };

    fn parts(shape: &[(f64, f64)], tolerance: f64) -> Vec<Vec<Step>> {
        let shape: Vec<Point> = shape.iter().map(|&(x, y)| Point::new(x, y)).collect();
        UNIT.parts(&shape, tolerance)
    }

    #[test]
    fn a_street_that_leaves_and_comes_back_is_two_lines() {
        let two = parts(&[(10.0, 10.0), (10.0, -500.0), (50.0, -500.0), (50.0, 10.0)], 0.0);
        assert_eq!(two, [vec![(10, 10), (10, -96)], vec![(50, -96), (50, 10)]]);
    }

    #[test]
    fn what_is_outside_or_no_longer_than_a_point_is_not_drawn() {
        assert!(parts(&[(-200.0, 0.0), (-200.0, 50.0)], 0.0).is_empty());
        assert!(parts(&[(7.0, 7.0), (7.2, 7.1)], 0.0).is_empty());
        assert_eq!(parts(&[(-5000.0, 8.0), (9000.0, 8.0)], 0.0), [vec![(-96, 8), (4192, 8)]]);
    }

    #[test]
    fn small_bends_go_and_large_ones_stay() {
        let line = [(0.0, 0.0), (100.0, 3.0), (200.0, 0.0), (300.0, 40.0), (400.0, 0.0)];
        assert_eq!(parts(&line, 5.0), [vec![(0, 0), (200, 0), (300, 40), (400, 0)]]);
    }

    #[test]
    fn a_point_on_the_edge_belongs_to_one_tile() {
        let east = Window { corner: Point::new(4096.0, 0.0), side: 4096.0 };
        let edge = Point::new(4096.0, 5.0);
        assert_eq!((UNIT.owns(edge), east.owns(edge)), (None, Some((0, 5))));
    }
}
