//! The distance matrix M(dc_max): street distances between terminals up to a bound (Algorithm 1).
//!
//! A sparse matrix in compressed sparse row form; rows are sorted by terminal, distances have 16 bits.

use super::search::{Arcs, Search};
use crate::map::{StreetMap, TerminalId};
use crate::units::Length;
use rayon::prelude::*;

/// Shortest distances between terminals that are at most `dc_max` apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceMatrix {
    dc_max: Length,
    /// Start of each row, and the end of the last.
    starts: Vec<u32>,
    terminals: Vec<TerminalId>,
    distances: Vec<u16>,
}

/// Upper limit of `dc_max`: 2,047 m, so that a distance fits 16 bits and one value is left for
/// "unreachable".
pub const MAX_DC_MAX: Length = Length::from_units(2_047 * 32);

impl DistanceMatrix {
    /// Computes the matrix (Algorithm 1), in parallel over chunks of terminals.
    ///
    /// # Panics
    /// If `dc_max` is above [`MAX_DC_MAX`].
    pub fn new(map: &StreetMap, dc_max: Length) -> DistanceMatrix {
        assert!(dc_max <= MAX_DC_MAX, "dc_max is {dc_max}, above {MAX_DC_MAX}");
        let arcs = Arcs::forward(map);
        let terminals: Vec<TerminalId> = map.terminals().collect();
        let chunks = terminals
            .par_chunks(CHUNK)
            .map(|chunk| MatrixRows::search(&arcs, chunk, dc_max))
            .collect();
        MatrixRows::concatenate(chunks, dc_max)
    }

    /// Largest distance that the matrix holds.
    pub fn dc_max(&self) -> Length {
        self.dc_max
    }

    /// Number of pairs of terminals within `dc_max`.
    pub fn pair_count(&self) -> usize {
        self.terminals.len()
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.starts[..])
            + size_of_val(&self.terminals[..])
            + size_of_val(&self.distances[..])
    }

    /// Returns the distance from `u` to `w`; `None` beyond `dc_max`. O(log n) in the length of the row.
    pub fn get(&self, u: TerminalId, w: TerminalId) -> Option<Length> {
        let run = self.run(u);
        let index = self.terminals[run.clone()].binary_search(&w).ok()?;
        Some(Length::from_units(u32::from(self.distances[run.start + index])))
    }

    /// Returns every terminal within `dc_max` of `u` and its distance, ascending by terminal.
    pub fn row(&self, u: TerminalId) -> impl Iterator<Item = (TerminalId, Length)> {
        let run = self.run(u);
        let distances = self.distances[run.clone()].iter();
        let lengths = distances.map(|&units| Length::from_units(u32::from(units)));
        self.terminals[run].iter().copied().zip(lengths)
    }

    fn run(&self, u: TerminalId) -> std::ops::Range<usize> {
        self.starts[u.index()] as usize..self.starts[u.index() + 1] as usize
    }
}

/// Terminals per parallel task.
const CHUNK: usize = 256;

/// The rows of consecutive terminals.
struct MatrixRows {
    sizes: Vec<u32>,
    entries: Vec<(TerminalId, u16)>,
}

impl MatrixRows {
    fn search(arcs: &Arcs, from: &[TerminalId], dc_max: Length) -> MatrixRows {
        let mut search = Search::new(arcs.terminal_count());
        let mut rows = MatrixRows { sizes: Vec::with_capacity(from.len()), entries: Vec::new() };
        for &terminal in from {
            let start = rows.entries.len();
            search.run(arcs, [(terminal, Length::ZERO)], dc_max, |reached, length| {
                rows.entries.push((reached, length.units() as u16));
            });
            rows.entries[start..].sort_unstable_by_key(|&(reached, _)| reached);
            rows.sizes.push((rows.entries.len() - start) as u32);
        }
        rows
    }

    fn concatenate(chunks: Vec<MatrixRows>, dc_max: Length) -> DistanceMatrix {
        let pairs = chunks.iter().map(|chunk| chunk.entries.len()).sum();
        let mut matrix = DistanceMatrix {
            dc_max,
            starts: vec![0],
            terminals: Vec::with_capacity(pairs),
            distances: Vec::with_capacity(pairs),
        };
        let mut end = 0;
        for MatrixRows { sizes, entries } in chunks {
            for size in sizes {
                end += size;
                matrix.starts.push(end);
            }
            matrix.terminals.extend(entries.iter().map(|entry| entry.0));
            matrix.distances.extend(entries.iter().map(|entry| entry.1));
        }
        matrix
    }
}

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
