//! Search for the smallest rectangle of cells that meets the requirements.
//!
//! Rectangles around a cell are tried by ascending area, all shapes and positions of one area before
//! the next: the first that suffices is a smallest one. A summed-area table counts the users of a
//! rectangle in four additions. Users in one cell have the same smallest rectangle for the same k.

use super::DecidingCells;
use super::grid::{Cell, CellRectangle, RequirementGrid, UserGrid};
use rustc_hash::FxHashMap;

/// Searches of one batch.
pub(super) struct RectangleSearch<'a> {
    grid: &'a RequirementGrid,
    users: &'a UserGrid,
    deciding: DecidingCells,
    /// Largest area in cells of the exhaustive search; beyond it rectangles grow by one row or column.
    pub(super) max_area: usize,
    /// Results by cell and k.
    found: FxHashMap<(Cell, u32), Option<CellRectangle>>,
}

/// Default of [`RectangleSearch::max_area`].
const MAX_AREA: usize = 256;

impl<'a> RectangleSearch<'a> {
    pub(super) fn new(
        grid: &'a RequirementGrid,
        users: &'a UserGrid,
        deciding: DecidingCells,
    ) -> RectangleSearch<'a> {
        RectangleSearch { grid, users, deciding, max_area: MAX_AREA, found: FxHashMap::default() }
    }

    /// Returns the smallest rectangle around a cell for a user's k; of several the one with the
    /// fewest users, then the first by shape and position. `None` if the map has too few users.
    pub(super) fn find(&mut self, cell: Cell, k: u32) -> Option<CellRectangle> {
        if let Some(known) = self.found.get(&(cell, k)) {
            return *known;
        }
        let found = self.search(cell, k);
        self.found.insert((cell, k), found);
        found
    }

    /// Whether a rectangle around a cell holds enough users.
    pub(super) fn suffices(&self, cell: Cell, k: u32, rectangle: CellRectangle) -> bool {
        let factor = match self.deciding {
            DecidingCells::Own => self.grid.factor_of(cell),
            DecidingCells::Covered => self.grid.max_factor(rectangle),
        };
        self.users.count(rectangle) >= k.saturating_mul(factor)
    }

    fn search(&self, cell: Cell, k: u32) -> Option<CellRectangle> {
        let (columns, rows) = (self.grid.cells.columns, self.grid.cells.rows);
        for area in 1..=self.max_area.min(columns * rows) {
            let mut best: Option<(u32, CellRectangle)> = None;
            for height in (1..=rows.min(area)).filter(|height| area.is_multiple_of(*height)) {
                for rectangle in self.positions(cell, area / height, height) {
                    if self.suffices(cell, k, rectangle) {
                        let users = self.users.count(rectangle);
                        if best.is_none_or(|(fewest, _)| users < fewest) {
                            best = Some((users, rectangle));
                        }
                    }
                }
            }
            if let Some((_, rectangle)) = best {
                return Some(rectangle);
            }
        }
        self.grow(cell, k)
    }

    /// Rectangles of that size around a cell, by row and column.
    fn positions(
        &self,
        cell: Cell,
        width: usize,
        height: usize,
    ) -> impl Iterator<Item = CellRectangle> + use<> {
        let starts = |at: usize, size: usize, count: usize| {
            let last = at.min(count.wrapping_sub(size));
            (at + 1).saturating_sub(size)..if size <= count { last + 1 } else { 0 }
        };
        let columns = starts(cell.column, width, self.grid.cells.columns);
        starts(cell.row, height, self.grid.cells.rows).flat_map(move |row| {
            columns.clone().map(move |column| CellRectangle {
                min: Cell { column, row },
                max: Cell { column: column + width - 1, row: row + height - 1 },
            })
        })
    }

    /// Adds the row or column with the most users until the rectangle suffices.
    fn grow(&self, cell: Cell, k: u32) -> Option<CellRectangle> {
        let mut rectangle = CellRectangle { min: cell, max: cell };
        while !self.suffices(cell, k, rectangle) {
            let CellRectangle { min, max } = rectangle;
            let mut grown = Vec::new();
            if min.column > 0 {
                let min = Cell { column: min.column - 1, ..min };
                grown.push(CellRectangle { min, max });
            }
            if max.column + 1 < self.grid.cells.columns {
                let max = Cell { column: max.column + 1, ..max };
                grown.push(CellRectangle { min, max });
            }
            if min.row > 0 {
                grown.push(CellRectangle { min: Cell { row: min.row - 1, ..min }, max });
            }
            if max.row + 1 < self.grid.cells.rows {
                grown.push(CellRectangle { min, max: Cell { row: max.row + 1, ..max } });
            }
            rectangle = grown.into_iter().max_by_key(|&grown| self.users.count(grown))?;
        }
        Some(rectangle)
    }
}
