//! The grid of places: its public requirements and the users of a batch, as summed-area tables.

use super::L2p2Settings;
use crate::runs::Runs;
use meshcloak::map::StreetMap;
use meshcloak::mix::mix64;
use meshcloak::units::{Point, Rectangle};

/// Column and row of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) row: usize,
}

/// A rectangle of cells, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CellRectangle {
    pub(super) min: Cell,
    pub(super) max: Cell,
}

/// Largest number of cells along one side.
const MAX_CELLS: f64 = 512.0;

/// Margin in metres: a point on a street may lie outside its shape by a rounding error.
const MARGIN: f64 = 1.0;

/// Number of cells in each rectangle that begins at the corner of the grid.
#[derive(Clone, Debug, Default)]
struct SummedAreaTable {
    columns: usize,
    sums: Vec<u32>,
}

impl SummedAreaTable {
    fn fill(&mut self, columns: usize, rows: usize, value: impl Fn(Cell) -> u32) {
        self.columns = columns + 1;
        self.sums.clear();
        self.sums.resize((columns + 1) * (rows + 1), 0);
        for row in 0..rows {
            let mut sum = 0;
            for column in 0..columns {
                sum += value(Cell { column, row });
                let above = self.sums[row * self.columns + column + 1];
                self.sums[(row + 1) * self.columns + column + 1] = above + sum;
            }
        }
    }

    fn sum(&self, rectangle: CellRectangle) -> u32 {
        let CellRectangle { min, max } = rectangle;
        let at = |column: usize, row: usize| self.sums[row * self.columns + column];
        at(max.column + 1, max.row + 1) + at(min.column, min.row)
            - at(min.column, max.row + 1)
            - at(max.column + 1, min.row)
    }
}

/// Requirements of all cells.
#[derive(Clone, Debug)]
pub(super) struct RequirementGrid {
    corner: Point,
    side: f64,
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) factor: u32,
    /// Sensitive cells, by number.
    sensitive: Vec<bool>,
    sensitive_counts: SummedAreaTable,
}

impl RequirementGrid {
    /// Draws the sensitive cells of a map.
    pub(super) fn new(map: &StreetMap, settings: &L2p2Settings) -> RequirementGrid {
        let bounds = map.bounds();
        let corner = Point::new(bounds.min.x - MARGIN, bounds.min.y - MARGIN);
        let (width, height) = (bounds.width() + 2.0 * MARGIN, bounds.height() + 2.0 * MARGIN);
        let side = settings.cell.max(width.max(height) / MAX_CELLS);
        let (columns, rows) = ((width / side) as usize + 1, (height / side) as usize + 1);
        let threshold = settings.share * 2.0_f64.powi(53);
        let draw = |number: u64| (mix64(mix64(settings.seed) ^ number) >> 11) as f64;
        let sensitive: Vec<bool> =
            (0..(columns * rows) as u64).map(|number| draw(number) < threshold).collect();
        let mut sensitive_counts = SummedAreaTable::default();
        sensitive_counts
            .fill(columns, rows, |cell| u32::from(sensitive[cell.row * columns + cell.column]));
        let factor = settings.factor;
        RequirementGrid { corner, side, columns, rows, factor, sensitive, sensitive_counts }
    }

    /// Cell of a point.
    pub(super) fn cell(&self, point: Point) -> Cell {
        let index = |at: f64, corner: f64, count: usize| {
            let mut cell = (((at - corner) / self.side) as usize).min(count - 1);
            // Decided by the computed borders, so that a cell's rectangle holds its points.
            while cell > 0 && at < border(corner, self.side, cell) {
                cell -= 1;
            }
            cell
        };
        Cell {
            column: index(point.x, self.corner.x, self.columns),
            row: index(point.y, self.corner.y, self.rows),
        }
    }

    /// Number of a cell.
    pub(super) fn number(&self, cell: Cell) -> usize {
        cell.row * self.columns + cell.column
    }

    /// Factor by which a cell raises k.
    pub(super) fn factor_of(&self, cell: Cell) -> u32 {
        if self.sensitive[self.number(cell)] { self.factor } else { 1 }
    }

    /// Largest factor of the cells of a rectangle.
    pub(super) fn max_factor(&self, rectangle: CellRectangle) -> u32 {
        if self.sensitive_counts.sum(rectangle) > 0 { self.factor } else { 1 }
    }

    /// Rectangle of cells in metres.
    pub(super) fn rectangle(&self, cells: CellRectangle) -> Rectangle {
        let point = |column: usize, row: usize| {
            let x = border(self.corner.x, self.side, column);
            Point::new(x, border(self.corner.y, self.side, row))
        };
        let CellRectangle { min, max } = cells;
        Rectangle { min: point(min.column, min.row), max: point(max.column + 1, max.row + 1) }
    }
}

/// Lower border of a column or row.
fn border(corner: f64, side: f64, cell: usize) -> f64 {
    corner + side * cell as f64
}

/// Users of a batch by cell.
#[derive(Clone, Debug, Default)]
pub(super) struct UserGrid {
    /// Waiting indices by number of the cell.
    by_cell: Runs<u32>,
    counts: SummedAreaTable,
}

impl UserGrid {
    /// Replaces the users by those of a batch, given with their cells.
    pub(super) fn fill(
        &mut self,
        grid: &RequirementGrid,
        users: impl Iterator<Item = (Cell, u32)> + Clone,
    ) {
        let numbered = users.map(|(cell, index)| (grid.number(cell), index));
        self.by_cell.fill(grid.columns * grid.rows, numbered);
        let by_cell = &self.by_cell;
        self.counts.fill(grid.columns, grid.rows, |cell| {
            by_cell.get(grid.number(cell) as u32).len() as u32
        });
    }

    /// Number of users in a rectangle.
    pub(super) fn count(&self, rectangle: CellRectangle) -> u32 {
        self.counts.sum(rectangle)
    }

    /// Waiting indices of the users in a rectangle.
    pub(super) fn inside(&self, grid: &RequirementGrid, rectangle: CellRectangle) -> Vec<u32> {
        let CellRectangle { min, max } = rectangle;
        let rows = min.row..=max.row;
        let cells =
            rows.flat_map(|row| (min.column..=max.column).map(move |column| Cell { column, row }));
        let users = cells.flat_map(|cell| self.by_cell.get(grid.number(cell) as u32));
        users.copied().collect()
    }
}
