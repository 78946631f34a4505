//! A quadtree of points, for range searches (§IV-A, §IV-B): which points lie in a square.

use crate::units::{Point, Rectangle};

/// Points in a tree of squares, each cut into four while it holds too many.
#[derive(Debug)]
pub(super) struct QuadTree {
    points: Vec<Point>,
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    bounds: Rectangle,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Points(Vec<u32>),
    /// The first of four nodes in a row.
    Quarters(usize),
}

const MOST_POINTS: usize = 8;
const DEEPEST: u32 = 24;

impl QuadTree {
    pub(super) fn new(points: Vec<Point>) -> QuadTree {
        let nothing = Rectangle { min: Point::default(), max: Point::default() };
        let bounds = Rectangle::around(points.iter().copied()).unwrap_or(nothing);
        let all = (0..points.len() as u32).collect();
        let mut tree = QuadTree { points, nodes: Vec::new() };
        tree.nodes.push(Node { bounds, content: Content::Points(all) });
        tree.cut(0, 0);
        tree
    }

    fn cut(&mut self, node: usize, depth: u32) {
        let Content::Points(points) = &mut self.nodes[node].content else { return };
        if points.len() <= MOST_POINTS || depth == DEEPEST {
            return;
        }
        let points = std::mem::take(points);
        let bounds = self.nodes[node].bounds;
        let middle = bounds.centre();
        let mut quarters: [Vec<u32>; 4] = Default::default();
        for point in points {
            let Point { x, y } = self.points[point as usize];
            quarters[usize::from(x > middle.x) + 2 * usize::from(y > middle.y)].push(point);
        }
        let first = self.nodes.len();
        self.nodes[node].content = Content::Quarters(first);
        for (number, points) in quarters.into_iter().enumerate() {
            let part = |low: f64, middle: f64, high: f64, upper: bool| {
                if upper { (middle, high) } else { (low, middle) }
            };
            let (x0, x1) = part(bounds.min.x, middle.x, bounds.max.x, number % 2 == 1);
            let (y0, y1) = part(bounds.min.y, middle.y, bounds.max.y, number / 2 == 1);
            let bounds = Rectangle { min: Point::new(x0, y0), max: Point::new(x1, y1) };
            self.nodes.push(Node { bounds, content: Content::Points(points) });
        }
        for quarter in first..first + 4 {
            self.cut(quarter, depth + 1);
        }
    }

    /// Calls `visit` with every point in the square of half side `reach` around `centre`.
    pub(super) fn within(&self, centre: Point, reach: f64, visit: &mut dyn FnMut(u32)) {
        self.search(0, centre, reach, visit);
    }

    fn search(&self, node: usize, centre: Point, reach: f64, visit: &mut dyn FnMut(u32)) {
        let Node { bounds, content } = &self.nodes[node];
        let inside = |point: Point| {
            (point.x - centre.x).abs() <= reach && (point.y - centre.y).abs() <= reach
        };
        if !inside(bounds.nearest(centre)) {
            return;
        }
        match content {
            Content::Points(points) => {
                points.iter().filter(|&&p| inside(self.points[p as usize])).for_each(|&p| visit(p));
            }
            Content::Quarters(first) => {
                (*first..first + 4).for_each(|quarter| self.search(quarter, centre, reach, visit));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn a_square_holds_the_points_that_a_look_at_all_of_them_finds() {
        for seed in 0..100 {
            let mut random = Town::generator(seed);
            let mut coordinate = || f64::from(random.random_range(-20..20_i32)) * 10.0;
            let points: Vec<Point> =
                (0..seed * 3).map(|_| Point::new(coordinate(), coordinate())).collect();
            let tree = QuadTree::new(points.clone());
            let centre = Point::new(coordinate(), coordinate());
            for reach in [0.0, 10.0, 75.0, 1e4] {
                let mut found = Vec::new();
                tree.within(centre, reach, &mut |point| found.push(point));
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
