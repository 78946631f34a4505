//! The distance matrix M(dc_max): street distances between terminals up to a bound (Algorithm 1).
//!
//! A sparse matrix whose rows are computed when they are needed; rows are sorted by terminal,
//! distances have 16 bits.

use super::pool::Pool;
use super::search::{Arcs, Search};
use crate::map::{StreetMap, TerminalId};
use crate::units::Length;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// Shortest distances between terminals that are at most `dc_max` apart.
#[derive(Clone, Debug)]
pub struct DistanceMatrix {
    pub(super) dc_max: Length,
    pub(super) arcs: Arc<Arcs>,
    rows: Box<[OnceLock<Box<MatrixRow>>]>,
    pub(super) scratch: Pool<MatrixScratch>,
}

/// The terminals within `dc_max` of one, ascending, and their distances.
#[derive(Clone, Debug)]
struct MatrixRow {
    terminals: Box<[TerminalId]>,
    distances: Box<[u16]>,
}

/// Scratch buffers of a search.
#[derive(Debug, Default)]
pub(super) struct MatrixScratch {
    pub(super) search: Search,
    entries: Vec<(TerminalId, u16)>,
}

/// Upper limit of `dc_max`: 2,047 m, so that a distance fits 16 bits and one value is left for
/// "unreachable".
pub const MAX_DC_MAX: Length = Length::from_units(2_047 * 32);

impl DistanceMatrix {
    /// Returns the matrix of a map. Rows are computed on demand, or all by [`DistanceMatrix::fill`].
    ///
    /// # Panics
    /// If `dc_max` is above [`MAX_DC_MAX`].
    pub fn new(map: &StreetMap, dc_max: Length) -> DistanceMatrix {
        DistanceMatrix::on(Arc::new(Arcs::forward(map)), dc_max)
    }

    /// Returns the matrix of a graph.
    pub(super) fn on(arcs: Arc<Arcs>, dc_max: Length) -> DistanceMatrix {
        assert!(dc_max <= MAX_DC_MAX, "dc_max is {dc_max}, above {MAX_DC_MAX}");
        let rows = (0..arcs.terminal_count()).map(|_| OnceLock::new()).collect();
        DistanceMatrix { dc_max, arcs, rows, scratch: Pool::default() }
    }

    /// Computes all rows (Algorithm 1), on all threads.
    pub fn fill(&self) {
        let row = |scratch: &mut MatrixScratch, terminal: u32| {
            self.rows[terminal as usize].get_or_init(|| self.search(scratch, TerminalId(terminal)));
        };
        let terminals = 0..self.rows.len() as u32;
        terminals.into_par_iter().with_min_len(CHUNK).for_each_init(MatrixScratch::default, row);
    }

    /// Largest distance that the matrix holds.
    pub fn dc_max(&self) -> Length {
        self.dc_max
    }

    /// Number of pairs of terminals within `dc_max`; computes all rows.
    pub fn pair_count(&self) -> usize {
        self.fill();
        self.rows.iter().filter_map(OnceLock::get).map(|row| row.terminals.len()).sum()
    }

    /// Size in bytes of the rows that are computed.
    pub fn bytes(&self) -> usize {
        let rows = self.rows.iter().filter_map(OnceLock::get).map(|row| {
            size_of::<MatrixRow>()
                + size_of_val(&row.terminals[..])
                + size_of_val(&row.distances[..])
        });
        size_of_val(&self.rows[..]) + rows.sum::<usize>()
    }

    /// Size in bytes of all rows if that many pairs of terminals are within `dc_max`.
    pub(super) fn full_bytes(&self, pairs: usize) -> usize {
        let row = size_of_val(&self.rows[..]) + self.rows.len() * size_of::<MatrixRow>();
        row + pairs * (size_of::<TerminalId>() + size_of::<u16>())
    }

    /// Returns the distance from `u` to `w`; `None` beyond `dc_max`. O(log n) in the length of the row
    /// if it is computed.
    pub fn get(&self, u: TerminalId, w: TerminalId) -> Option<Length> {
        let row = self.computed(u);
        let index = row.terminals.binary_search(&w).ok()?;
        Some(Length::from_units(row.distances[index].into()))
    }

    /// Returns every terminal within `dc_max` of `u` and its distance, ascending by terminal.
    pub fn row(&self, u: TerminalId) -> impl Iterator<Item = (TerminalId, Length)> {
        self.units(u).map(|(terminal, units)| (terminal, Length::from_units(units.into())))
    }

    /// As [`DistanceMatrix::row`], distances in 1/32 m.
    pub(super) fn units(&self, u: TerminalId) -> impl Iterator<Item = (TerminalId, u16)> {
        let MatrixRow { terminals, distances } = self.computed(u);
        terminals.iter().copied().zip(distances.iter().copied())
    }

    #[inline]
    fn computed(&self, u: TerminalId) -> &MatrixRow {
        let row = &self.rows[u.index()];
        row.get_or_init(|| self.scratch.with(|scratch| self.search(scratch, u)))
    }

    #[cold]
    fn search(&self, scratch: &mut MatrixScratch, u: TerminalId) -> Box<MatrixRow> {
        let MatrixScratch { search, entries } = scratch;
        entries.clear();
        search.start(&self.arcs, Some(u));
        while search.frontier().is_some() {
            let found = search.step(&self.arcs, self.dc_max.units());
            entries.extend(found.map(|(reached, distance)| (reached, distance as u16)));
        }
        entries.sort_unstable_by_key(|&(reached, _)| reached);
        Box::new(MatrixRow {
            terminals: entries.iter().map(|entry| entry.0).collect(),
            distances: entries.iter().map(|entry| entry.1).collect(),
        })
    }
}

/// Least number of terminals per parallel task.
const CHUNK: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;

    #[test]
    fn the_matrix_holds_exactly_the_distances_up_to_dc_max() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let dc_max = Length::metres((seed % 40) as f64 * 50.0);
            let matrix = DistanceMatrix::new(&town.map, dc_max);
            let table = naive::terminal_distances(&town.map);
            for u in town.map.terminals() {
                for w in town.map.terminals() {
                    let expected = table[u.index()][w.index()].filter(|&length| length <= dc_max);
                    assert_eq!(matrix.get(u, w), expected, "seed {seed} {u:?} {w:?}\n{town}");
                }
                assert!(matrix.row(u).is_sorted_by_key(|(terminal, _)| terminal));
            }
        }
    }
}
