//! Regions made of cells: the members' cells, completed to a minimum number.

use super::{CellId, Cells};
use crate::map::{StreetId, StreetSet};
use std::sync::Arc;

/// Builds regions of cells with reused buffers.
#[derive(Clone, Debug)]
pub struct CellRegions {
    cells: Arc<Cells>,
    min_cells: usize,
    chosen: Vec<CellId>,
    /// Whether each cell is chosen; all `false` outside `complete`.
    inside: Vec<bool>,
    streets: StreetSet,
}

impl CellRegions {
    /// Creates a builder of regions of at least `min_cells` cells, or all cells if there are fewer.
    pub fn new(cells: Arc<Cells>, min_cells: u32) -> CellRegions {
        let mut streets = StreetSet::default();
        streets.reserve(cells.cell_of.len());
        let min_cells = (min_cells as usize).min(cells.count());
        let inside = vec![false; cells.count()];
        CellRegions { cells, min_cells, chosen: Vec::new(), inside, streets }
    }

    /// Returns the cells.
    pub fn cells(&self) -> &Arc<Cells> {
        &self.cells
    }

    /// Appends the streets of the members' cells to `streets`: each once, ascending. `members` holds
    /// the street of each member.
    ///
    /// Cells added to reach the minimum depend on the members' cells alone: neighbours ring by ring,
    /// ascending in each ring, then the first cells of the map.
    pub fn region(&mut self, members: impl Iterator<Item = StreetId>, streets: &mut Vec<StreetId>) {
        self.chosen.clear();
        self.chosen.extend(members.map(|street| self.cells.of(street)));
        self.chosen.sort_unstable();
        self.chosen.dedup();
        if self.chosen.len() < self.min_cells {
            self.complete();
        }
        if let [cell] = self.chosen[..] {
            streets.extend_from_slice(self.cells.streets(cell));
            return;
        }
        for cell in &self.chosen {
            for &street in self.cells.streets(*cell) {
                self.streets.insert(street);
            }
        }
        self.streets.drain_into(streets);
    }

    fn complete(&mut self) {
        let CellRegions { cells, min_cells, chosen, inside, .. } = self;
        chosen.iter().for_each(|cell| inside[cell.index()] = true);
        let mut ring = 0..chosen.len();
        while !ring.is_empty() && chosen.len() < *min_cells {
            let start = chosen.len();
            for index in ring {
                for &next in cells.neighbours(chosen[index]) {
                    if !std::mem::replace(&mut inside[next.index()], true) {
                        chosen.push(next);
                    }
                }
            }
            chosen[start..].sort_unstable();
            ring = start..chosen.len();
        }
        let others = cells.iter().filter(|cell| !inside[cell.index()]);
        chosen.extend(others.take(min_cells.saturating_sub(chosen.len())));
        chosen.iter().for_each(|cell| inside[cell.index()] = false);
        chosen.truncate(*min_cells);
    }
}
