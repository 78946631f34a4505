//! Distance along streets (§IV-A), computed once per street so that `d(A, B)` is a look-up.

mod full_size;
mod matrix;
mod near_block;
mod pool;
mod probe;
mod reach;
mod reached;
mod row_gatherer;
mod row_source;
mod search;
mod stepwise;
mod street_row;
mod terminal_rows;

pub use matrix::{DistanceMatrix, MAX_DC_MAX};
pub(crate) use near_block::{NearRow, RowPart};
pub use probe::{BATCH_REACH_STEPS, PathProbe, REACH_STEPS, probe_path};
pub use reach::Reach;
pub(crate) use reached::{ReachTask, ReachedTerminals};
pub(crate) use row_gatherer::RowGatherer;
pub use search::{Arcs, Search};
pub(crate) use street_row::UNREACHABLE;
pub use street_row::{Crossing, ReachedStreet};
pub use terminal_rows::TerminalRows;

use crate::map::{Position, StreetMap};
use crate::units::Length;
use row_source::RowSource;
use std::sync::Arc;

/// A map with its distance matrix and its rows of reachable streets, both computed on demand.
///
/// Threads share what one of them computed. No result depends on what is computed already.
#[derive(Clone, Debug)]
pub struct Atlas {
    map: Arc<StreetMap>,
    matrix: DistanceMatrix,
    rows: Rows,
}

/// Reachable streets or terminals of each street or terminal, nearest first.
#[derive(Clone, Debug)]
pub enum Rows {
    /// Rows of streets: faster.
    Streets(Reach),
    /// Rows of terminals: smaller.
    Terminals(TerminalRows),
}

/// Limits of the rows of an [`Atlas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLimits {
    /// Rows of streets above this size, as estimated from a sample, are replaced by rows of terminals;
    /// default 1 GiB.
    pub max_bytes: usize,
    /// Entries of a row that are stored in its near part, at most [`RowLimits::MAX_NEAR_LEN`];
    /// default 47.
    pub near_len: usize,
}

impl RowLimits {
    /// Upper limit of `near_len`: the ranks of the near part and of the street itself are the bits
    /// of a 64-bit word.
    pub const MAX_NEAR_LEN: usize = 63;
}

impl Default for RowLimits {
    fn default() -> RowLimits {
        RowLimits { max_bytes: 1 << 30, near_len: 47 }
    }
}

impl Atlas {
    /// Prepares a map for distances up to `dc_max`, with default limits.
    ///
    /// # Panics
    /// If `dc_max` is above [`MAX_DC_MAX`].
    pub fn new(map: StreetMap, dc_max: Length) -> Atlas {
        Atlas::with_limits(map, dc_max, RowLimits::default())
    }

    /// Prepares a map, with rows of streets if those take less than `max_bytes`.
    ///
    /// # Panics
    /// If `dc_max` is above [`MAX_DC_MAX`].
    pub fn with_max_bytes(map: StreetMap, dc_max: Length, max_bytes: usize) -> Atlas {
        Atlas::with_limits(map, dc_max, RowLimits { max_bytes, ..RowLimits::default() })
    }

    /// Prepares a map for distances up to `dc_max`.
    ///
    /// # Panics
    /// If `dc_max` is above [`MAX_DC_MAX`] or `near_len` above [`RowLimits::MAX_NEAR_LEN`].
    pub fn with_limits(map: StreetMap, dc_max: Length, limits: RowLimits) -> Atlas {
        let RowLimits { max_bytes, near_len } = limits;
        assert!(near_len <= RowLimits::MAX_NEAR_LEN, "near_len is {near_len}, above 63");
        let map = Arc::new(map);
        let source = Arc::new(RowSource::new(Arc::clone(&map), dc_max));
        let matrix = DistanceMatrix::on(Arc::clone(&source.forward), dc_max);
        let rows = if max_bytes > 0 && source.estimate_entries() * Reach::ENTRY_BYTES < max_bytes {
            Rows::Streets(Reach::new(source, near_len))
        } else {
            Rows::Terminals(TerminalRows::new(source))
        };
        Atlas { map, matrix, rows }
    }

    /// Computes all rows in advance, on all threads. Answers stay the same; the first batches need
    /// less time, and the map more memory.
    pub fn fill(&self) {
        match &self.rows {
            Rows::Streets(reach) => reach.fill(),
            Rows::Terminals(rows) => rows.fill(),
        }
    }

    /// The map.
    pub fn map(&self) -> &StreetMap {
        &self.map
    }

    /// The distances between terminals.
    pub fn matrix(&self) -> &DistanceMatrix {
        &self.matrix
    }

    /// The rows of reachable streets.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Largest distance that is known.
    pub fn dc_max(&self) -> Length {
        self.matrix.dc_max()
    }

    /// Returns the shortest distance from `a` to `b` along streets; `None` beyond `dc_max`.
    ///
    /// §IV-A lists four cases, by which of the two streets is one-way. They are one case: leave
    /// the street of `a` by any exit, cross the map, enter the street of `b` by any entrance; or go
    /// straight along a common street.
    pub fn distance(&self, a: Position, b: Position) -> Option<Length> {
        let around = self.map.exits(a).flat_map(|(u, leave)| {
            let crossed = move |w| self.matrix.get(u, w);
            self.map.entrances(b).filter_map(move |(w, arrive)| Some(leave + crossed(w)? + arrive))
        });
        let shortest = around.chain(self.map.along(a, b)).min();
        shortest.filter(|&length| length <= self.dc_max())
    }
}

#[cfg(test)]
mod tests;
