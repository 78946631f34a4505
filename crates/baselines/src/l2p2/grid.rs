//! The grid of places: its public requirements and the users of a batch, as summed-area tables.

use crate::runs::Runs;
use meshcloak::map::StreetMap;
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

/// Square cells over a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellGrid {
    corner: Point,
    side: f64,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// Requirements of all cells.
#[derive(Clone, Debug)]
pub(super) struct RequirementGrid {
    pub(super) cells: CellGrid,
    /// Factor of each cell, by number.
    factors: Vec<u32>,
    /// Factors above 1, descending, each with its cells.
    raised: Vec<(u32, SummedAreaTable)>,
}

impl RequirementGrid {
    /// Builds the tables of the factors, which are given by number of the cell.
    pub(super) fn new(cells: CellGrid, factors: Vec<u32>) -> RequirementGrid {
        let mut values: Vec<u32> = factors.iter().copied().filter(|&factor| factor > 1).collect();
        values.sort_unstable_by(|a, b| b.cmp(a));
        values.dedup();
        let table = |&value: &u32| {
            let mut table = SummedAreaTable::default();
            let has = |cell: Cell| u32::from(factors[cells.number(cell)] == value);
            table.fill(cells.columns, cells.rows, has);
            (value, table)
        };
        RequirementGrid { raised: values.iter().map(table).collect(), cells, factors }
    }

    /// Factor by which a cell raises k.
    pub(super) fn factor_of(&self, cell: Cell) -> u32 {
        self.factors[self.cells.number(cell)]
    }

    /// Largest factor of the cells of a rectangle.
    pub(super) fn max_factor(&self, rectangle: CellRectangle) -> u32 {
        let found = self.raised.iter().find(|(_, cells)| cells.sum(rectangle) > 0);
        found.map_or(1, |(factor, _)| *factor)
    }
}

impl CellGrid {
    /// Covers a map with cells of that side in metres; larger ones if they were too many.
    pub(super) fn new(map: &StreetMap, side: f64) -> CellGrid {
        let bounds = map.bounds();
        let corner = Point::new(bounds.min.x - MARGIN, bounds.min.y - MARGIN);
        let (width, height) = (bounds.width() + 2.0 * MARGIN, bounds.height() + 2.0 * MARGIN);
        let side = side.max(width.max(height) / MAX_CELLS);
        let (columns, rows) = ((width / side) as usize + 1, (height / side) as usize + 1);
        CellGrid { corner, side, columns, rows }
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

    /// Cells of which a rectangle in metres holds more than the border.
    pub(super) fn covered(&self, rectangle: Rectangle) -> CellRectangle {
        let min = self.cell(rectangle.min);
        let Cell { mut column, mut row } = self.cell(rectangle.max);
        column -= usize::from(column > min.column && self.left(column) >= rectangle.max.x);
        row -= usize::from(row > min.row && self.bottom(row) >= rectangle.max.y);
        CellRectangle { min, max: Cell { column, row } }
    }

    fn left(&self, column: usize) -> f64 {
        border(self.corner.x, self.side, column)
    }

    fn bottom(&self, row: usize) -> f64 {
        border(self.corner.y, self.side, row)
    }

    /// Rectangle of cells in metres.
    pub(super) fn rectangle(&self, cells: CellRectangle) -> Rectangle {
        let point = |column: usize, row: usize| Point::new(self.left(column), self.bottom(row));
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
        grid: &CellGrid,
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
    pub(super) fn inside(&self, grid: &CellGrid, rectangle: CellRectangle) -> Vec<u32> {
        let CellRectangle { min, max } = rectangle;
        let rows = min.row..=max.row;
        let cells =
            rows.flat_map(|row| (min.column..=max.column).map(move |column| Cell { column, row }));
        let users = cells.flat_map(|cell| self.by_cell.get(grid.number(cell) as u32));
        users.copied().collect()
    }
}
