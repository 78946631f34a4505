//! For every terminal, the terminals within `dc_max`, nearest first, computed when they are needed.
//!
//! Replaces the rows of streets ([`super::Reach`]) on maps where those do not fit into memory.
//! Several times smaller, because a pair of streets is up to four pairs of ends. Slower, because
//! the row of a street is gathered from rows of terminals on every use.

use super::pool::Pool;
use super::row_source::RowSource;
use super::search::Search;
use crate::map::TerminalId;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// A terminal and its distance, 1/32 m.
type ReachedTerminal = (TerminalId, u16);

/// The rows of all terminals.
#[derive(Clone, Debug)]
pub struct TerminalRows {
    source: Arc<RowSource>,
    rows: Box<[OnceLock<Box<[ReachedTerminal]>>]>,
    scratch: Pool<(Search, Vec<ReachedTerminal>)>,
}

impl TerminalRows {
    /// Returns rows that are computed on demand.
    pub(super) fn new(source: Arc<RowSource>) -> TerminalRows {
        let rows = (0..source.map.terminal_count()).map(|_| OnceLock::new()).collect();
        TerminalRows { source, rows, scratch: Pool::default() }
    }

    /// Computes all rows, on all threads.
    pub fn fill(&self) {
        let terminals = 0..self.rows.len() as u32;
        terminals.into_par_iter().for_each(|terminal| {
            self.row(TerminalId(terminal));
        });
    }

    /// Size in bytes of what is computed.
    pub fn bytes(&self) -> usize {
        let rows = self.rows.iter().filter_map(OnceLock::get);
        size_of_val(&self.rows[..]) + rows.map(|row| size_of_val(&row[..])).sum::<usize>()
    }

    /// Size in bytes of all rows of maps with that many pairs of terminals within `dc_max`.
    pub(super) fn full_bytes(&self, pairs: usize) -> usize {
        size_of_val(&self.rows[..]) + pairs * size_of::<ReachedTerminal>()
    }

    /// Whether every street is two-way, so that distances are symmetric.
    pub(crate) fn is_two_way(&self) -> bool {
        self.source.is_two_way()
    }

    /// Returns the terminals within reach of `terminal`, itself included, and their distances.
    #[inline]
    pub(crate) fn row(&self, terminal: TerminalId) -> &[ReachedTerminal] {
        self.rows[terminal.index()].get_or_init(|| self.search(terminal))
    }

    /// A search visits terminals by ascending (distance, terminal), which is the order of a row.
    #[cold]
    fn search(&self, terminal: TerminalId) -> Box<[ReachedTerminal]> {
        let RowSource { forward, dc_max, .. } = &*self.source;
        self.scratch.with(|(search, row)| {
            row.clear();
            search.start(forward, Some(terminal));
            while search.frontier().is_some() {
                let found = search.step(forward, dc_max.units());
                row.extend(found.map(|(reached, distance)| (reached, distance as u16)));
            }
            row[..].into()
        })
    }
}
