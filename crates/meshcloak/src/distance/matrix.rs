//! The distance matrix M(dc_max): street distances between terminals, up to a bound (Algorithm 1).
//!
//! Rows are flat and sorted by terminal. Distances up to `dc_max` fit 16 bits.

use super::search::{Arcs, Search};
use crate::map::{StreetMap, TerminalId};
use crate::units::Length;
use rayon::prelude::*;

/// Shortest distances between terminals, as far as they are at most `dc_max`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceMatrix {
    dc_max: Length,
    starts: Vec<u32>,
    terminals: Vec<TerminalId>,
    distances: Vec<u16>,
}

/// The largest `dc_max`: 2,047 m, so that a distance fits 16 bits and leaves room for "beyond".
pub const LARGEST_DC_MAX: Length = Length::from_units(2_047 * 32);

impl DistanceMatrix {
    /// Algorithm 1.
    ///
    /// # Panics
    /// If `dc_max` is above [`LARGEST_DC_MAX`].
    pub fn new(map: &StreetMap, dc_max: Length) -> DistanceMatrix {
        assert!(dc_max <= LARGEST_DC_MAX, "dc_max is {dc_max}, above {LARGEST_DC_MAX}");
        let ways = Arcs::forward(map);
        let terminals: Vec<TerminalId> = map.terminals().collect();
        let rows: Vec<Rows> =
            terminals.par_chunks(256).map(|chunk| Rows::search(&ways, chunk, dc_max)).collect();
        Rows::join(rows, dc_max)
    }

    /// The bound up to which distances are known.
    pub fn dc_max(&self) -> Length {
        self.dc_max
    }

    /// How many pairs of terminals are within the bound.
    pub fn pair_count(&self) -> usize {
        self.terminals.len()
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.starts[..])
            + size_of_val(&self.terminals[..])
            + size_of_val(&self.distances[..])
    }

    /// The distance from `u` to `w`; `None` beyond `dc_max`.
    pub fn get(&self, u: TerminalId, w: TerminalId) -> Option<Length> {
        let run = self.run(u);
        let place = self.terminals[run.clone()].binary_search(&w).ok()?;
        Some(Length::from_units(u32::from(self.distances[run.start + place])))
    }

    /// Every terminal within the bound of `u` and its distance, in order of terminals.
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

/// The rows of some terminals.
struct Rows {
    sizes: Vec<u32>,
    entries: Vec<(TerminalId, u16)>,
}

impl Rows {
    fn search(ways: &Arcs, from: &[TerminalId], dc_max: Length) -> Rows {
        let mut search = Search::new(ways.terminal_count());
        let mut rows = Rows { sizes: Vec::with_capacity(from.len()), entries: Vec::new() };
        for &terminal in from {
            let start = rows.entries.len();
            search.run(ways, [(terminal, Length::ZERO)], dc_max, |reached, length| {
                rows.entries.push((reached, length.units() as u16));
            });
            rows.entries[start..].sort_unstable_by_key(|&(reached, _)| reached);
            rows.sizes.push((rows.entries.len() - start) as u32);
        }
        rows
    }

    fn join(rows: Vec<Rows>, dc_max: Length) -> DistanceMatrix {
        let pairs = rows.iter().map(|rows| rows.entries.len()).sum();
        let mut matrix = DistanceMatrix {
            dc_max,
            starts: vec![0],
            terminals: Vec::with_capacity(pairs),
            distances: Vec::with_capacity(pairs),
        };
        let mut end = 0;
        for Rows { sizes, entries } in rows {
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
    fn the_matrix_holds_every_distance_up_to_its_bound_and_no_other() {
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
