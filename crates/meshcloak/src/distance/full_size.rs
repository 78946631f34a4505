//! Memory of the distances of a map when every row has been read.
//!
//! Rows are computed on demand, so the memory of a running process does not tell how far it can grow.
//! A sample of rows is searched and counted, and not stored:
//!
//! ```text
//! sum ≤ N · (mean + 4 · s / √n · √(1 − n / N))      n of N rows, s their standard deviation
//! ```
//!
//! The sum is exact if every row is counted, which holds up to [`SAMPLES`] rows. Beyond it, four
//! standard errors make an excess unlikely. Reference: an atlas whose rows were all read.

use super::matrix::DistanceMatrix;
use super::near_block::HEAD_BYTES;
use super::reach::{Reach, Tail};
use super::search::Search;
use super::street_row::{Crossing, ReachedStreet, RowEnd};
use super::{Atlas, Rows};
use crate::map::{StreetId, TerminalId};
use rayon::prelude::*;

/// Largest number of rows that are counted.
const SAMPLES: usize = 1_024;

impl Atlas {
    /// Returns a bound of the size in bytes of matrix and rows once every row has been read, in the
    /// order that takes most memory. Exact on maps with at most 1,024 streets and terminals, otherwise
    /// estimated from as many rows, plus four standard errors. The overhead of the allocator is not
    /// included. Takes up to a second and stores nothing.
    pub fn full_bytes(&self) -> usize {
        let pairs = self.matrix.estimate_pairs(SAMPLES);
        let rows = match &self.rows {
            Rows::Streets(reach) => reach.full_bytes(SAMPLES),
            Rows::Terminals(rows) => rows.full_bytes(pairs),
        };
        rows + self.matrix.full_bytes(pairs)
    }
}

impl Reach {
    /// Size of every near part, of every tail up to a third of `dc_max`, and of every whole tail.
    fn full_bytes(&self, samples: usize) -> usize {
        let back = if self.is_two_way() { 0 } else { size_of::<Crossing>() };
        let entry = size_of::<ReachedStreet>() + back;
        let dc_max = self.source.dc_max.units();
        let is_middle = |reached: &ReachedStreet| u32::from(reached.nearest) <= dc_max / 3;
        let tail = |entries: usize| match entries.saturating_sub(self.near_len) {
            0 => 0,
            entries => size_of::<Tail>() + entries * entry,
        };
        let bytes = bound_sum(self.source.map.street_count(), samples, |street| {
            self.source.scratch.with(|row| {
                row.search(&self.source, StreetId(street as u32), RowEnd::Distance(dc_max));
                let (all, middle) = (row.entries.len(), row.entries.partition_point(is_middle));
                HEAD_BYTES + all.min(self.near_len) * entry + tail(middle) + tail(all)
            })
        });
        self.slot_bytes() + bytes
    }
}

impl DistanceMatrix {
    /// Bounds the number of pairs of terminals within `dc_max` from that many rows.
    fn estimate_pairs(&self, samples: usize) -> usize {
        bound_sum(self.arcs.terminal_count(), samples, |terminal| {
            self.scratch.with(|scratch| {
                scratch.search.start(&self.arcs, Some(TerminalId(terminal as u32)));
                count_within(&mut scratch.search, self)
            })
        })
    }
}

/// Counts the terminals that a search reaches within `dc_max`.
fn count_within(search: &mut Search, matrix: &DistanceMatrix) -> usize {
    let mut count = 0;
    while search.frontier().is_some() {
        count += usize::from(search.step(&matrix.arcs, matrix.dc_max.units()).is_some());
    }
    count
}

/// Bounds the sum of `value` over `0..len` from `samples` evenly spaced values.
fn bound_sum(len: usize, samples: usize, value: impl Fn(usize) -> usize + Sync) -> usize {
    let samples = samples.min(len);
    if samples == 0 {
        return 0;
    }
    let values: Vec<f64> =
        (0..samples).into_par_iter().map(|n| value(n * len / samples) as f64).collect();
    let (n, len) = (samples as f64, len as f64);
    let mean = values.iter().sum::<f64>() / n;
    let variance =
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let error = (variance / n * (1.0 - n / len)).sqrt();
    (len * (mean + 4.0 * error)).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::RowLimits;
    use crate::town::Town;
    use crate::units::Length;

    /// Reads all rows in the order that takes most memory, and returns the size of all.
    fn read_all(atlas: &Atlas) -> usize {
        let read = |terminal| atlas.matrix().row(terminal).count();
        assert!(atlas.map().terminals().map(read).max().is_some());
        let rows = match atlas.rows() {
            Rows::Streets(reach) => {
                for part in [3, 1] {
                    let max = Length::from_units(atlas.dc_max().units() / part);
                    let read = |street| reach.within(street, max).count();
                    assert!(atlas.map().streets().map(read).max().is_some());
                }
                reach.bytes()
            }
            Rows::Terminals(rows) => {
                rows.fill();
                rows.bytes()
            }
        };
        rows + atlas.matrix().bytes()
    }

    #[test]
    fn the_size_of_small_maps_is_exact() {
        let (mut by_street, mut by_terminal) = (0, 0);
        for seed in 0..200 {
            let town = Town::random(seed);
            let max_bytes = if seed % 3 == 0 { 0 } else { usize::MAX };
            let near_len = (seed % 7) as usize;
            let dc_max = Length::metres((seed % 40) as f64 * 50.0);
            let limits = RowLimits { max_bytes, near_len };
            let atlas = Atlas::with_limits(town.map.clone(), dc_max, limits);
            let bound = atlas.full_bytes();
            assert_eq!(read_all(&atlas), bound, "seed {seed}\n{town}");
            *if max_bytes == 0 { &mut by_terminal } else { &mut by_street } += bound;
        }
        assert!(by_street > 10_000 && by_terminal > 10_000, "{by_street} {by_terminal}");
    }

    #[test]
    fn a_sample_bounds_the_size_from_above_and_not_by_far() {
        for seed in 380..400 {
            let town = Town::random(seed);
            let limits = RowLimits { max_bytes: usize::MAX, near_len: 5 };
            let atlas = Atlas::with_limits(town.map.clone(), Length::metres(400.0), limits);
            let Rows::Streets(reach) = atlas.rows() else { unreachable!() };
            let exact = [reach.full_bytes(usize::MAX), atlas.matrix().estimate_pairs(usize::MAX)];
            let sampled = [reach.full_bytes(20), atlas.matrix().estimate_pairs(20)];
            for (exact, sampled) in exact.into_iter().zip(sampled) {
                assert!(exact <= sampled && sampled <= 3 * exact, "seed {seed}: {exact} {sampled}");
            }
        }
    }
}
