//! Quadtree of points for range queries by square (§IV-A, §IV-B).
//!
//! The points of each node are contiguous in one flat array, so a range query reads memory in order.
//! An index of that array is called a slot.

use crate::units::{Point, Rectangle};
use std::ops::Range;

/// Tree of rectangles, each split into four while it contains more than [`MAX_POINTS`] points.
#[derive(Debug, Default)]
pub(super) struct QuadTree {
    /// Number of the point in each slot.
    items: Vec<u32>,
    /// Points by slot.
    points: Vec<Point>,
    nodes: Vec<Node>,
    scratch: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Rectangle,
    start: u32,
    end: u32,
    /// First of four consecutive child nodes; `None` for a leaf.
    quarters: Option<u32>,
}

const MAX_POINTS: usize = 8;
const MAX_DEPTH: u32 = 24;

impl QuadTree {
    /// Replaces the points.
    pub(super) fn fill(&mut self, points: &[Point]) {
        self.items.clear();
        self.items.extend(0..points.len() as u32);
        self.scratch.resize(points.len(), 0);
        self.nodes.clear();
        if let Some(bounds) = Rectangle::around(points.iter().copied()) {
            let end = points.len() as u32;
            self.nodes.push(Node { bounds, start: 0, end, quarters: None });
            self.split(0, 0, points);
        }
        self.points.clear();
        self.points.extend(self.items.iter().map(|&item| points[item as usize]));
    }

    /// Returns the number of the point in each slot.
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// Returns the points by slot.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    fn split(&mut self, node: usize, depth: u32, points: &[Point]) {
        let Node { bounds, start, end, .. } = self.nodes[node];
        let run = start as usize..end as usize;
        if run.len() <= MAX_POINTS || depth == MAX_DEPTH {
            return;
        }
        let first = self.nodes.len() as u32;
        self.nodes[node].quarters = Some(first);
        let middle = bounds.centre();
        let mut start = start;
        for (number, end) in self.sort_into_quarters(run, middle, points).into_iter().enumerate() {
            let bounds = quarter(bounds, middle, number);
            self.nodes.push(Node { bounds, start, end, quarters: None });
            start = end;
        }
        for quarter in first..first + 4 {
            self.split(quarter as usize, depth + 1, points);
        }
    }

    /// Sorts a run of items by quarter. Returns the end of each quarter.
    fn sort_into_quarters(
        &mut self,
        run: Range<usize>,
        middle: Point,
        points: &[Point],
    ) -> [u32; 4] {
        let quarter_of = |item: u32| {
            let Point { x, y } = points[item as usize];
            usize::from(x > middle.x) + 2 * usize::from(y > middle.y)
        };
        let mut sizes = [0; 4];
        for &item in &self.items[run.clone()] {
            sizes[quarter_of(item)] += 1;
        }
        let mut ends = [run.start as u32; 4];
        for number in 1..4 {
            ends[number] = ends[number - 1] + sizes[number - 1];
        }
        for &item in &self.items[run.clone()] {
            let end = &mut ends[quarter_of(item)];
            self.scratch[*end as usize] = item;
            *end += 1;
        }
        self.items[run.clone()].copy_from_slice(&self.scratch[run]);
        ends
    }

    /// Calls `visit` with the slot of every point in the square of half side `reach` around
    /// `centre`, ascending.
    pub(super) fn within(&self, centre: Point, reach: f64, mut visit: impl FnMut(u32)) {
        let square = Rectangle {
            min: Point::new(centre.x - reach, centre.y - reach),
            max: Point::new(centre.x + reach, centre.y + reach),
        };
        if !self.nodes.is_empty() {
            self.search(0, &square, &mut visit);
        }
    }

    fn search(&self, node: u32, square: &Rectangle, visit: &mut impl FnMut(u32)) {
        let Node { bounds, start, end, quarters } = &self.nodes[node as usize];
        let apart = bounds.min.x > square.max.x
            || bounds.max.x < square.min.x
            || bounds.min.y > square.max.y
            || bounds.max.y < square.min.y;
        if apart || start == end {
            return;
        }
        if contains(square, bounds.min) && contains(square, bounds.max) {
            (*start..*end).for_each(visit);
        } else if let Some(first) = quarters {
            (*first..first + 4).for_each(|quarter| self.search(quarter, square, visit));
        } else {
            let inside = |&slot: &u32| contains(square, self.points[slot as usize]);
            (*start..*end).filter(inside).for_each(visit);
        }
    }
}

fn contains(square: &Rectangle, point: Point) -> bool {
    square.min.x <= point.x
        && point.x <= square.max.x
        && square.min.y <= point.y
        && point.y <= square.max.y
}

/// Returns a quarter of a rectangle: 0 lower left, 1 lower right, 2 upper left, 3 upper right.
fn quarter(whole: Rectangle, middle: Point, number: usize) -> Rectangle {
    let (right, upper) = (number % 2 == 1, number / 2 == 1);
    let (x0, x1) = if right { (middle.x, whole.max.x) } else { (whole.min.x, middle.x) };
    let (y0, y1) = if upper { (middle.y, whole.max.y) } else { (whole.min.y, middle.y) };
    Rectangle { min: Point::new(x0, y0), max: Point::new(x1, y1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn a_range_query_equals_a_scan_of_all_points() {
        let mut tree = QuadTree::default();
        for seed in 0..100 {
            let mut random = Town::generator(seed);
            let mut coordinate = || f64::from(random.random_range(-20..20_i32)) * 10.0;
            let points: Vec<Point> =
                (0..seed * 3).map(|_| Point::new(coordinate(), coordinate())).collect();
            tree.fill(&points);
            let centre = Point::new(coordinate(), coordinate());
            for reach in [0.0, 10.0, 75.0, 1e4] {
                let mut slots = Vec::new();
                tree.within(centre, reach, |slot| slots.push(slot));
                assert!(slots.is_sorted_by(|a, b| a < b));
                let mut found: Vec<u32> =
                    slots.iter().map(|&slot| tree.items()[slot as usize]).collect();
                found.sort_unstable();
                let inside =
                    |p: &Point| (p.x - centre.x).abs() <= reach && (p.y - centre.y).abs() <= reach;
                let expected: Vec<u32> = (0..points.len() as u32)
                    .filter(|&point| inside(&points[point as usize]))
                    .collect();
                assert_eq!(found, expected, "seed {seed} reach {reach}");
            }
        }
    }
}
