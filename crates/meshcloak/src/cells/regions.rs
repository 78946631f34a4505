//! Regions made of cells: the members' cells.

use super::{CellId, Cells};
use crate::map::{StreetId, StreetSet};
use std::sync::Arc;

/// Builds regions of cells with reused buffers.
#[derive(Clone, Debug)]
pub struct CellRegions {
    cells: Arc<Cells>,
    chosen: Vec<CellId>,
    streets: StreetSet,
}

impl CellRegions {
    /// Creates a builder.
    pub fn new(cells: Arc<Cells>) -> CellRegions {
        let mut streets = StreetSet::default();
        streets.reserve(cells.cell_of.len());
        CellRegions { cells, chosen: Vec::new(), streets }
    }

    /// Returns the cells.
    pub fn cells(&self) -> &Arc<Cells> {
        &self.cells
    }

    /// Appends the streets of the members' cells to `streets`: each once, ascending. `members` holds
    /// the street of each member.
    pub fn region(&mut self, members: impl Iterator<Item = StreetId>, streets: &mut Vec<StreetId>) {
        self.chosen.clear();
        self.chosen.extend(members.map(|street| self.cells.of(street)));
        self.chosen.sort_unstable();
        self.chosen.dedup();
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
}
