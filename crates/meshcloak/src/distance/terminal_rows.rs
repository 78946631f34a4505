//! For every terminal, the terminals within `dc_max`, nearest first.
//!
//! Replaces the rows of streets ([`super::Reach`]) on maps where those do not fit into memory.
//! Several times smaller, because a pair of streets is up to four pairs of ends. Slower, because
//! the row of a street is gathered from rows of terminals on every use.

use super::matrix::DistanceMatrix;
use crate::map::{StreetMap, TerminalId};

/// The rows of all terminals; distances in 1/32 m.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalRows {
    /// Start of each row, and the end of the last.
    starts: Vec<u32>,
    rows: Vec<(TerminalId, u16)>,
    /// Whether every street is two-way, so that distances are symmetric.
    pub(crate) two_way: bool,
}

impl TerminalRows {
    /// Sorts the rows of a matrix by distance.
    pub fn new(map: &StreetMap, matrix: &DistanceMatrix) -> TerminalRows {
        let two_way = !map.streets().any(|street| map.street(street).one_way);
        let mut table = TerminalRows { starts: vec![0], rows: Vec::new(), two_way };
        table.rows.reserve_exact(matrix.pair_count());
        for terminal in map.terminals() {
            let start = table.rows.len();
            table.rows.extend(matrix.row(terminal).map(|(to, length)| (to, length.units() as u16)));
            table.rows[start..].sort_unstable_by_key(|&(to, length)| (length, to));
            table.starts.push(table.rows.len() as u32);
        }
        table
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.rows[..])
    }

    /// Returns the terminals within reach of `terminal`, itself included, and their distances.
    pub(crate) fn row(&self, terminal: TerminalId) -> &[(TerminalId, u16)] {
        let index = terminal.index();
        &self.rows[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}
