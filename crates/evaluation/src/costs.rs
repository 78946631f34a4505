//! Processing time of turns in the real-time view.
//!
//! Measured costs differ between runs; replaying a record reproduces the result. In the unlimited
//! view turns take no time.

use std::time::Duration;

/// Source of the processing time of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Costs {
    /// Turns take no time.
    Free,
    /// Measured time; the record holds nanoseconds per turn.
    Measured(Vec<u64>),
    /// Record of an earlier run of the same cell, and the number of replayed turns.
    Recorded(Vec<u64>, usize),
    /// Computed time.
    Modelled(CostModel),
}

/// Processing time as a linear function of the waiting queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostModel {
    /// Nanoseconds per turn.
    pub per_turn: u64,
    /// Nanoseconds per waiting query.
    pub per_waiting: u64,
}

impl Costs {
    /// Returns whether a record was replayed to its end; otherwise it belongs to another run.
    pub fn is_complete(&self) -> bool {
        !matches!(self, Costs::Recorded(record, replayed) if record.len() != *replayed)
    }

    /// Returns the cost in nanoseconds of a turn that took `spent` with `waiting` queries. Turns
    /// beyond the end of a record are free.
    pub(crate) fn of(&mut self, spent: Duration, waiting: usize) -> u64 {
        let measured = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
        match self {
            Costs::Free => 0,
            Costs::Measured(record) => {
                record.push(measured);
                measured
            }
            Costs::Recorded(record, replayed) => {
                let cost = record.get(*replayed).copied().unwrap_or(0);
                *replayed += 1;
                cost
            }
            Costs::Modelled(model) => {
                model.per_turn.saturating_add(model.per_waiting.saturating_mul(waiting as u64))
            }
        }
    }
}
