//! Which pieces of street pass through which square of the map: the index behind snapping.
//!
//! Flat arrays: cells in rows from the south-west corner, each a run of segment numbers. Segment
//! `n` is the piece between shape points `n` and `n + 1`, so segments are in street order.

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
    /// Where the run of each cell begins in `segments`; one more than there are cells.
    pub starts: Vec<u32>,
    /// Segment numbers, ascending within a cell.
    pub segments: Vec<u32>,
}

/// A cell narrower than this finds too little; metres.
const NARROWEST: f64 = 10.0;

/// About how many cells a segment passes through on average, at most. Far above any real map, and
/// what keeps a map of nothing but streets from end to end within memory.
const CELLS_PER_SEGMENT: f64 = 16.0;

impl Grid {
    /// The grid of the polylines `points[starts[s]..starts[s + 1]]`.
    pub(super) fn new(points: &[Point], shape_starts: &[u32]) -> Grid {
        let bounds = Rectangle::around(points.iter().copied())
            .unwrap_or(Rectangle { min: Point::default(), max: Point::default() });
        let segments =
            || shape_starts.windows(2).flat_map(|run| run[0]..run[1].saturating_sub(1).max(run[0]));
        let ends = |segment: u32| (points[segment as usize], points[segment as usize + 1]);
        let extents = segments().map(ends).map(|(a, b)| (b.x - a.x).abs() + (b.y - a.y).abs());
        let total: f64 = extents.sum();
        let narrowest = total / (points.len() as f64 * CELLS_PER_SEGMENT);
        let mut grid = Grid::empty(bounds, points.len(), narrowest);
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

    /// A grid with about one cell per point, so that it stays small however large the map.
    fn empty(bounds: Rectangle, points: usize, narrowest: f64) -> Grid {
        let area = bounds.width().max(1.0) * bounds.height().max(1.0);
        let widest = bounds.width().max(bounds.height());
        let cells = points.max(1) as f64;
        let side = (area / cells).sqrt().max(widest / cells).max(narrowest).max(NARROWEST);
        let count = |extent: f64| (extent / side).floor() as u32 + 1;
        let (columns, rows) = (count(bounds.width()), count(bounds.height()));
        let starts = vec![0; columns as usize * rows as usize + 1];
        Grid { corner: bounds.min, side, columns, rows, starts, segments: Vec::new() }
    }

    /// The column and row that hold a point; points outside belong to the nearest border cell.
    pub(super) fn cell_of(&self, point: Point) -> (u32, u32) {
        (self.column(point.x), self.row(point.y))
    }

    /// The segments that pass through a cell.
    pub(super) fn segments_in(&self, column: u32, row: u32) -> &[u32] {
        let cell = row as usize * self.columns as usize + column as usize;
        &self.segments[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// How far a cell is from a point, squared; a hair less, so that rounding cannot matter.
    pub(super) fn distance_squared(&self, point: Point, column: u32, row: u32) -> f64 {
        let gap = |at: f64, corner: f64, number: u32| {
            let low = corner + f64::from(number) * self.side;
            let outside = (low - at).max(at - low - self.side);
            (outside - self.side * 1e-6).max(0.0)
        };
        let (dx, dy) = (gap(point.x, self.corner.x, column), gap(point.y, self.corner.y, row));
        dx * dx + dy * dy
    }

    /// The rectangle that the cells cover.
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

    /// Calls `visit` with every cell that the segment from `a` to `b` passes through: row by
    /// row, the columns between where it enters the row and where it leaves it. A margin far
    /// below any distance that matters absorbs the rounding of that intersection.
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
