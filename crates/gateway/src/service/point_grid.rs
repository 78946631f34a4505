//! Grid index of points in flat arrays: points near a segment, nearest points.
//!
//! ```text
//! points  sorted by cell; cells in rows from the south-west corner
//! starts  starts[cell]..starts[cell + 1] is the range of the cell in `points`
//! ```

#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "cells are clamped to the grid; starts has one more entry"
)]

use super::nearest_set::NearestSet;
use super::polylines::Segment;
use meshcloak::units::{Point, Rectangle};

/// Points by square cell, with about one cell per point, so that memory is linear in the number of
/// points for every extent.
#[derive(Clone, Debug)]
pub(crate) struct PointGrid {
    corner: Point,
    side: f64,
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    points: Vec<(Point, u32)>,
}

/// A set of cells of a grid.
#[derive(Clone, Debug)]
pub(crate) struct CellSet(Vec<bool>);

/// Smallest side of a cell, in metres.
const MIN_CELL_SIDE: f64 = 25.0;

impl PointGrid {
    /// Builds the grid of points and their numbers. Points must be finite.
    pub(crate) fn new(points: &[(Point, u32)]) -> PointGrid {
        let bounds = Rectangle::around(points.iter().map(|point| point.0))
            .unwrap_or(Rectangle { min: Point::default(), max: Point::default() });
        let (width, height) = (bounds.width(), bounds.height());
        let count = points.len().max(1) as f64;
        let area = width.max(1.0) * height.max(1.0);
        let side = (area / count).sqrt().max(width.max(height) / count).max(MIN_CELL_SIDE);
        let cells = |extent: f64| (extent / side) as usize + 1;
        let (columns, rows) = (cells(width), cells(height));
        let (starts, points) = (vec![0; columns * rows + 1], points.to_vec());
        let mut grid = PointGrid { corner: bounds.min, side, columns, rows, starts, points };
        grid.sort_by_cell();
        grid
    }

    fn sort_by_cell(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.sort_by_key(|&(point, number)| (self.cell_of(point), number));
        for &(point, _) in &points {
            let cell = self.cell_of(point);
            self.starts[cell + 1] += 1;
        }
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        self.points = points;
    }

    fn column(&self, x: f64) -> usize {
        (((x - self.corner.x) / self.side) as usize).min(self.columns - 1)
    }

    fn row(&self, y: f64) -> usize {
        (((y - self.corner.y) / self.side) as usize).min(self.rows - 1)
    }

    fn cell_of(&self, point: Point) -> usize {
        self.row(point.y) * self.columns + self.column(point.x)
    }

    fn in_cell(&self, cell: usize) -> &[(Point, u32)] {
        &self.points[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns the numbers of all points, in unspecified order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.points.iter().map(|&(_, number)| number)
    }

    /// Returns the empty set of cells.
    pub(crate) fn no_cells(&self) -> CellSet {
        CellSet(vec![false; self.columns * self.rows])
    }

    /// Adds a superset of the cells that can hold a point within `metres` of the segment.
    pub(crate) fn add_cells_near(&self, cells: &mut CellSet, segment: Segment, metres: f64) {
        let Segment { start: a, end: b } = segment;
        let (low, high) =
            (Point::new(a.x.min(b.x), a.y.min(b.y)), Point::new(a.x.max(b.x), a.y.max(b.y)));
        // Half a diagonal of a cell, rounded up.
        let reach = metres + self.side * 0.7072;
        for row in self.row(low.y - metres)..=self.row(high.y + metres) {
            for column in self.column(low.x - metres)..=self.column(high.x + metres) {
                let is_added = &mut cells.0[row * self.columns + column];
                // No point is outside the grid, so clamping to border cells loses none.
                *is_added = *is_added || {
                    let middle = |corner: f64, number| corner + (number as f64 + 0.5) * self.side;
                    let centre =
                        Point::new(middle(self.corner.x, column), middle(self.corner.y, row));
                    segment.nearest_to(centre).distance_squared(centre) <= reach * reach
                };
            }
        }
    }

    /// Returns the numbers of the points in a set of cells.
    pub(crate) fn in_cells<'a>(&'a self, cells: &'a CellSet) -> impl Iterator<Item = u32> + 'a {
        let added = cells.0.iter().enumerate().filter(|(_, is_added)| **is_added);
        added.flat_map(|(cell, _)| self.in_cell(cell)).map(|&(_, number)| number)
    }

    /// Offers the points nearest to `point` for which `wanted` holds to `nearest`: searches rings of
    /// cells until no nearer point can be outside.
    pub(crate) fn nearest(
        &self,
        point: Point,
        wanted: impl Fn(u32) -> bool,
        nearest: &mut NearestSet<f64>,
    ) {
        let mut search = |cell| {
            for &(at, number) in self.in_cell(cell) {
                if wanted(number) {
                    nearest.offer(number, at.distance(point));
                }
            }
            nearest.bound()
        };
        let mut bound: Option<f64> = None;
        let (column, row) = (self.column(point.x), self.row(point.y));
        for ring in 0..self.columns.max(self.rows) {
            // All points nearer than this are in the rings before, even if `point` is off the grid.
            let searched = (ring as f64 - 1.0) * self.side;
            if bound.is_some_and(|bound| bound < searched) {
                return;
            }
            let west = column.checked_sub(ring);
            let east = Some(column + ring).filter(|&east| east < self.columns);
            for here in row.saturating_sub(ring)..=(row + ring).min(self.rows - 1) {
                let columns = west.unwrap_or(0)..=east.unwrap_or(self.columns - 1);
                if here.abs_diff(row) == ring {
                    columns.for_each(|column| bound = search(here * self.columns + column));
                } else {
                    let both = west.into_iter().chain(east.filter(|_| ring > 0));
                    both.for_each(|column| bound = search(here * self.columns + column));
                }
            }
        }
    }

    /// Calls `visit` with the number and distance of every point within `metres`.
    pub(crate) fn within(&self, point: Point, metres: f64, mut visit: impl FnMut(u32, f64)) {
        // Tolerance for rounding.
        let reach = metres + metres * 1e-9 + 1e-6;
        for row in self.row(point.y - reach)..=self.row(point.y + reach) {
            for column in self.column(point.x - reach)..=self.column(point.x + reach) {
                for &(at, number) in self.in_cell(row * self.columns + column) {
                    let distance = at.distance(point);
                    if distance <= metres {
                        visit(number, distance);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    fn points(seed: u64) -> Vec<(Point, u32)> {
        let mut random = Town::generator(seed);
        let wide = if seed.is_multiple_of(3) { 30_000.0 } else { 900.0 };
        let count = random.random_range(0..=seed as u32 * 2);
        let mut place = || (random.random_range(-wide..wide) / 50.0_f64).round() * 50.0;
        (0..count).map(|number| (Point::new(place(), place()), number)).collect()
    }

    #[test]
    fn points_near_a_segment_are_in_the_added_cells() {
        for seed in 0..200 {
            let points = points(seed);
            let grid = PointGrid::new(&points);
            let mut random = Town::generator(seed);
            let mut place =
                || Point::new(random.random_range(-1e3..1e3), random.random_range(-1e3..1e3));
            let (a, b) = (place(), place());
            for metres in [0.0, 30.0, 200.0, 2_000.0] {
                let mut cells = grid.no_cells();
                grid.add_cells_near(&mut cells, Segment { start: a, end: b }, metres);
                let found: Vec<u32> = grid.in_cells(&cells).collect();
                for &(point, number) in &points {
                    let gap = a.towards(b, point.nearest_fraction(a, b)).distance(point);
                    assert!(gap > metres || found.contains(&number), "seed {seed} {gap} {metres}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_points_agree_with_a_linear_search() {
        for seed in 0..300 {
            let points = points(seed);
            let grid = PointGrid::new(&points);
            let mut random = Town::generator(seed);
            for count in [1, 3, 10] {
                let wide = if seed.is_multiple_of(2) { 50_000.0 } else { 800.0 };
                let here =
                    Point::new(random.random_range(-wide..wide), random.random_range(-wide..wide));
                let (mut fast, mut slow) = (NearestSet::new(count), NearestSet::new(count));
                grid.nearest(here, |_| true, &mut fast);
                points.iter().for_each(|&(point, number)| slow.offer(number, point.distance(here)));
                assert_eq!(fast.into_vec(), slow.into_vec(), "seed {seed}");
                let (mut fast, mut slow) = (NearestSet::new(count), NearestSet::new(count));
                let odd = |number: u32| number % 2 == 1;
                grid.nearest(here, odd, &mut fast);
                let odd_points = points.iter().filter(|point| odd(point.1));
                odd_points.for_each(|&(point, number)| slow.offer(number, point.distance(here)));
                assert_eq!(fast.into_vec(), slow.into_vec(), "seed {seed}");
            }
        }
    }

    #[test]
    fn points_within_a_radius_agree_with_a_linear_search() {
        let mut found = 0;
        for seed in 0..300 {
            let points = points(seed);
            let grid = PointGrid::new(&points);
            let mut random = Town::generator(seed);
            for metres in [0.0, 50.0, 400.0, 2_000.0] {
                // Points are multiples of 50, so some distances equal the radius exactly.
                let mut place = || (random.random_range(-1e3..1e3) / 50.0_f64).round() * 50.0;
                let here = Point::new(place(), place());
                let mut near = Vec::new();
                grid.within(here, metres, |number, distance| near.push((number, distance)));
                near.sort_by_key(|near| near.0);
                let all = points.iter().map(|&(point, number)| (number, point.distance(here)));
                let expected: Vec<_> = all.filter(|(_, distance)| *distance <= metres).collect();
                found += near.len();
                assert_eq!(near, expected, "seed {seed} {metres}");
            }
        }
        assert!(found > 1_000, "{found}");
    }
}
