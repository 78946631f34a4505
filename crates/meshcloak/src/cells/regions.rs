//! Regions made of cells: those of the members, and more where a region would have too few.

use super::{CellId, Cells};
use crate::map::{StreetId, StreetSet};
use std::sync::Arc;

/// Builds one region after the other without allocating anew.
#[derive(Clone, Debug)]
pub struct CellRegions {
    cells: Arc<Cells>,
    least: usize,
    chosen: Vec<CellId>,
    /// By cell, while a region is completed.
    inside: Vec<bool>,
    streets: StreetSet,
}

impl CellRegions {
    /// Regions of these cells, each of at least so many, as far as there are as many.
    pub fn new(cells: Arc<Cells>, least: u32) -> CellRegions {
        let mut streets = StreetSet::default();
        streets.reserve(cells.cell_of.len());
        let least = (least as usize).min(cells.count());
        let inside = vec![false; cells.count()];
        CellRegions { cells, least, chosen: Vec::new(), inside, streets }
    }

    /// Appends the streets of the cells of members who are on these streets: each once, ascending.
    ///
    /// What is added to reach the least number depends on the members' cells alone: ring by ring
    /// their neighbours, in each ring by number; where there are none left, the first cells of
    /// the map.
    pub fn region(&mut self, members: impl Iterator<Item = StreetId>, streets: &mut Vec<StreetId>) {
        self.chosen.clear();
        self.chosen.extend(members.map(|street| self.cells.of(street)));
        self.chosen.sort_unstable();
        self.chosen.dedup();
        if self.chosen.len() < self.least {
            self.complete();
        }
        for cell in &self.chosen {
            for &street in self.cells.streets(*cell) {
                self.streets.insert(street);
            }
        }
        self.streets.drain_into(streets);
    }

    fn complete(&mut self) {
        let CellRegions { cells, least, chosen, inside, .. } = self;
        chosen.iter().for_each(|cell| inside[cell.index()] = true);
        let mut ring = 0..chosen.len();
        while !ring.is_empty() && chosen.len() < *least {
            let start = chosen.len();
            for place in ring {
                for &next in cells.neighbours(chosen[place]) {
                    if !std::mem::replace(&mut inside[next.index()], true) {
                        chosen.push(next);
                    }
                }
            }
            chosen[start..].sort_unstable();
            ring = start..chosen.len();
        }
        let elsewhere = cells.iter().filter(|cell| !inside[cell.index()]);
        chosen.extend(elsewhere.take(least.saturating_sub(chosen.len())));
        chosen.iter().for_each(|cell| inside[cell.index()] = false);
        chosen.truncate(*least);
    }
}
