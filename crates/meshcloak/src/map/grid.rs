//! Uniform grid over street segments: the spatial index for snapping.
//!
//! Compressed sparse rows: cells in row-major order from the south-west corner, each a run of
//! segment numbers. Segment `n` joins shape points `n` and `n + 1`, so segments are in street order.

use crate::units::{Point, Rectangle};

/// A grid of square cells over the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// South-west corner.
    pub corner: Point,
    /// Side of a cell in metres.
    pub side: f64,
    /// Cells from west to east.
    pub columns: u32,
    /// Cells from south to north.
    pub rows: u32,
    /// Start of each cell's run in `segments`; length is the number of cells + 1.
    pub starts: Vec<u32>,
    /// Segment numbers, ascending within a cell.
    pub segments: Vec<u32>,
}

/// Smallest side of a cell, in metres.
const MIN_SIDE: f64 = 10.0;

/// Approximate limit of the mean number of cells per segment. Far above any real map; it bounds the
/// memory for maps of very long streets.
const MAX_CELLS_PER_SEGMENT: f64 = 16.0;

impl Grid {
    /// Builds the grid of the polylines `points[starts[s]..starts[s + 1]]`.
    pub(super) fn new(points: &[Point], shape_starts: &[u32]) -> Grid {
        let bounds = Rectangle::around(points.iter().copied())
            .unwrap_or(Rectangle { min: Point::default(), max: Point::default() });
        let segments =
            || shape_starts.windows(2).flat_map(|run| run[0]..run[1].saturating_sub(1).max(run[0]));
        let ends = |segment: u32| (points[segment as usize], points[segment as usize + 1]);
        let extents = segments().map(ends).map(|(a, b)| (b.x - a.x).abs() + (b.y - a.y).abs());
        let total: f64 = extents.sum();
        let min_side = total / (points.len() as f64 * MAX_CELLS_PER_SEGMENT);
        let mut grid = Grid::empty(bounds, points.len(), min_side);
        for segment in segments() {
            let (a, b) = ends(segment);
            grid.cells_along(a, b, |starts, cell| starts[cell + 1] += 1);
        }
        for cell in 0..grid.starts.len() - 1 {
            grid.starts[cell + 1] += grid.starts[cell];
        }
        let mut next = grid.starts.clone();
        let mut filled = vec![0; grid.starts[grid.starts.len() - 1] as usize];
        for segment in segments() {
            let (a, b) = ends(segment);
            grid.cells_along(a, b, |_, cell| {
                filled[next[cell] as usize] = segment;
                next[cell] += 1;
            });
        }
        grid.segments = filled;
        grid
    }

    /// Returns an empty grid with about one cell per point.
    fn empty(bounds: Rectangle, points: usize, min_side: f64) -> Grid {
        let area = bounds.width().max(1.0) * bounds.height().max(1.0);
        let widest = bounds.width().max(bounds.height());
        let cells = points.max(1) as f64;
        let side = (area / cells).sqrt().max(widest / cells).max(min_side).max(MIN_SIDE);
        let count = |extent: f64| (extent / side).floor() as u32 + 1;
        let (columns, rows) = (count(bounds.width()), count(bounds.height()));
        let starts = vec![0; columns as usize * rows as usize + 1];
        Grid { corner: bounds.min, side, columns, rows, starts, segments: Vec::new() }
    }

    /// Returns column and row of a point; points outside belong to the nearest border cell.
    pub(super) fn cell_of(&self, point: Point) -> (u32, u32) {
        (self.column(point.x), self.row(point.y))
    }

    /// Returns the segments that pass through a cell.
    pub(super) fn segments_in(&self, column: u32, row: u32) -> &[u32] {
        let cell = row as usize * self.columns as usize + column as usize;
        &self.segments[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Returns a lower bound of the squared distance from a point to a cell, safe against rounding.
    pub(super) fn distance_squared(&self, point: Point, column: u32, row: u32) -> f64 {
        let gap = |at: f64, corner: f64, number: u32| {
            let low = corner + f64::from(number) * self.side;
            let outside = (low - at).max(at - low - self.side);
            (outside - self.side * 1e-6).max(0.0)
        };
        let (dx, dy) = (gap(point.x, self.corner.x, column), gap(point.y, self.corner.y, row));
        dx * dx + dy * dy
    }

    /// Returns the rectangle that the cells cover.
    pub(super) fn bounds(&self) -> Rectangle {
        let Point { x, y } = self.corner;
        let max = Point::new(
            x + f64::from(self.columns) * self.side,
            y + f64::from(self.rows) * self.side,
        );
        Rectangle { min: self.corner, max }
    }

    fn column(&self, x: f64) -> u32 {
        (((x - self.corner.x) / self.side) as u32).min(self.columns - 1)
    }

    fn row(&self, y: f64) -> u32 {
        (((y - self.corner.y) / self.side) as u32).min(self.rows - 1)
    }

    /// Calls `visit` for every cell that the segment `a`–`b` passes through: for each row, the
    /// columns between its entry and its exit. A margin of 1e-6 sides absorbs rounding errors.
    fn cells_along(&mut self, a: Point, b: Point, mut visit: impl FnMut(&mut [u32], usize)) {
        let margin = self.side * 1e-6;
        let (low, high) = if a.y <= b.y { (a, b) } else { (b, a) };
        let rise = high.y - low.y;
        let x_at = |y: f64| {
            if rise > 0.0 { low.towards(high, (y - low.y) / rise).x } else { low.x }
        };
        for row in self.row(low.y - margin)..=self.row(high.y + margin) {
            let south = self.corner.y + f64::from(row) * self.side - margin;
            let north = south + self.side + 2.0 * margin;
            let (enter, leave) = if rise > 0.0 { (x_at(south), x_at(north)) } else { (a.x, b.x) };
            let (west, east) = (enter.min(leave) - margin, enter.max(leave) + margin);
            for column in self.column(west)..=self.column(east) {
                visit(&mut self.starts, row as usize * self.columns as usize + column as usize);
            }
        }
    }
}
