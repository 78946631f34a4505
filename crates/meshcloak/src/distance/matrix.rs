//! The distance matrix M(dc_max): street distances between terminals up to a bound (Algorithm 1).
//!
//! A sparse matrix whose rows are computed when they are needed, or all in advance; rows are sorted by
//! terminal, distances have 16 bits.
//!
//! ```text
//! on demand     a list of terminals and one of distances per row
//! in advance    starts     0    3    7 …          row u: starts[u] .. starts[u + 1]
//!               terminals  … all rows, one after the other …
//!               distances
//! ```

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
    /// All rows, if they were computed in advance.
    all: OnceLock<AllRows>,
    /// Rows that were computed on demand.
    rows: Box<[OnceLock<Box<OwnedRow>>]>,
    pub(super) scratch: Pool<MatrixScratch>,
}

/// The terminals within `dc_max` of one, ascending, and their distances.
#[derive(Clone, Copy, Debug)]
struct MatrixRow<'a> {
    terminals: &'a [TerminalId],
    distances: &'a [u16],
}

/// A row in memory of its own.
#[derive(Clone, Debug)]
struct OwnedRow {
    terminals: Box<[TerminalId]>,
    distances: Box<[u16]>,
}

/// Consecutive rows.
#[derive(Clone, Debug)]
struct AllRows {
    /// Start of each row, and the end of the last.
    starts: Vec<usize>,
    terminals: Vec<TerminalId>,
    distances: Vec<u16>,
}

/// Scratch buffers of a search.
#[derive(Debug, Default)]
pub(super) struct MatrixScratch {
    pub(super) search: Search,
    /// Terminal in the upper bits, distance in the lower 16.
    entries: Vec<u64>,
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
        DistanceMatrix { dc_max, arcs, all: OnceLock::new(), rows, scratch: Pool::default() }
    }

    /// Computes all rows (Algorithm 1), on all threads.
    pub fn fill(&self) {
        self.all_rows();
    }

    fn all_rows(&self) -> &AllRows {
        self.all.get_or_init(|| {
            let terminals: Vec<TerminalId> = (0..self.rows.len() as u32).map(TerminalId).collect();
            let chunks = terminals.par_chunks(CHUNK);
            let search = |chunk| self.scratch.with(|scratch| self.search_all(scratch, chunk));
            AllRows::concatenate(&chunks.map(search).collect::<Vec<_>>())
        })
    }

    /// Largest distance that the matrix holds.
    pub fn dc_max(&self) -> Length {
        self.dc_max
    }

    /// Number of pairs of terminals within `dc_max`; computes all rows.
    pub fn pair_count(&self) -> usize {
        self.all_rows().terminals.len()
    }

    /// Size in bytes of the rows that are computed.
    pub fn bytes(&self) -> usize {
        let rows = self.rows.iter().filter_map(OnceLock::get).map(|row| {
            size_of::<OwnedRow>()
                + size_of_val(&row.terminals[..])
                + size_of_val(&row.distances[..])
        });
        let all = self.all.get().map_or(0, AllRows::bytes);
        size_of_val(&self.rows[..]) + all + rows.sum::<usize>()
    }

    /// Size in bytes of all rows if that many pairs of terminals are within `dc_max`.
    pub(super) fn full_bytes(&self, pairs: usize) -> usize {
        let row = size_of_val(&self.rows[..]) + self.rows.len() * size_of::<OwnedRow>();
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
    fn computed(&self, u: TerminalId) -> MatrixRow<'_> {
        if let Some(all) = self.all.get() {
            return all.row(u);
        }
        let row = self.rows[u.index()]
            .get_or_init(|| self.scratch.with(|scratch| self.search_one(scratch, u)));
        MatrixRow { terminals: &row.terminals, distances: &row.distances }
    }

    #[cold]
    fn search_one(&self, scratch: &mut MatrixScratch, u: TerminalId) -> Box<OwnedRow> {
        scratch.entries.clear();
        self.search(scratch, u);
        Box::new(OwnedRow {
            terminals: scratch.entries.iter().map(terminal_of).collect(),
            distances: scratch.entries.iter().map(distance_of).collect(),
        })
    }

    fn search_all(&self, scratch: &mut MatrixScratch, chunk: &[TerminalId]) -> AllRows {
        scratch.entries.clear();
        let mut starts = Vec::with_capacity(chunk.len());
        for &terminal in chunk {
            starts.push(scratch.entries.len());
            self.search(scratch, terminal);
        }
        let terminals = scratch.entries.iter().map(terminal_of).collect();
        AllRows { starts, terminals, distances: scratch.entries.iter().map(distance_of).collect() }
    }

    /// Appends the row of a terminal to the entries.
    fn search(&self, scratch: &mut MatrixScratch, u: TerminalId) {
        let MatrixScratch { search, entries } = scratch;
        let start = entries.len();
        search.start(&self.arcs, Some(u));
        while search.frontier().is_some() {
            let found = search.step(&self.arcs, self.dc_max.units());
            entries.extend(found.map(|(to, distance)| u64::from(to.0) << 16 | u64::from(distance)));
        }
        entries[start..].sort_unstable();
    }
}

/// Terminal of a packed entry.
fn terminal_of(entry: &u64) -> TerminalId {
    TerminalId((entry >> 16) as u32)
}

/// Distance of a packed entry, 1/32 m.
fn distance_of(entry: &u64) -> u16 {
    *entry as u16
}

impl AllRows {
    fn concatenate(chunks: &[AllRows]) -> AllRows {
        let (mut starts, mut end) = (Vec::new(), 0);
        for chunk in chunks {
            starts.extend(chunk.starts.iter().map(|start| end + start));
            end += chunk.terminals.len();
        }
        starts.push(end);
        let (mut terminals, mut distances) = (Vec::with_capacity(end), Vec::with_capacity(end));
        for chunk in chunks {
            terminals.extend_from_slice(&chunk.terminals);
            distances.extend_from_slice(&chunk.distances);
        }
        AllRows { starts, terminals, distances }
    }

    #[inline]
    fn row(&self, u: TerminalId) -> MatrixRow<'_> {
        let row = self.starts[u.index()]..self.starts[u.index() + 1];
        MatrixRow { terminals: &self.terminals[row.clone()], distances: &self.distances[row] }
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.starts[..])
            + size_of_val(&self.terminals[..])
            + size_of_val(&self.distances[..])
    }
}

/// Terminals per parallel task.
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
            let table = naive::terminal_distances(&town.map);
            let (on_demand, filled) =
                (DistanceMatrix::new(&town.map, dc_max), DistanceMatrix::new(&town.map, dc_max));
            filled.fill();
            let mut pairs = 0;
            for u in town.map.terminals() {
                for w in town.map.terminals() {
                    let expected = table[u.index()][w.index()].filter(|&length| length <= dc_max);
                    pairs += usize::from(expected.is_some());
                    for matrix in [&on_demand, &filled] {
                        assert_eq!(matrix.get(u, w), expected, "seed {seed} {u:?} {w:?}\n{town}");
                    }
                }
                assert!(filled.row(u).is_sorted_by_key(|(terminal, _)| terminal));
                assert!(on_demand.row(u).eq(filled.row(u)), "seed {seed} {u:?}\n{town}");
            }
            assert_eq!([on_demand.pair_count(), filled.pair_count()], [pairs; 2], "seed {seed}");
        }
    }
}
