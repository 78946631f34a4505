//! What a turn costs, for the view in which processing takes time.
//!
//! Measured costs differ from run to run; what was recorded can be replayed, and gives the same
//! result again. In the unlimited view nothing costs anything.

use std::time::Duration;

/// Where the cost of a turn comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Costs {
    /// Nothing takes time.
    Free,
    /// As long as it took; kept in nanoseconds, turn by turn.
    Measured(Vec<u64>),
    /// As in an earlier run of the same cell: what it recorded, and how many turns have been
    /// replayed.
    Recorded(Vec<u64>, usize),
    /// By a formula.
    Modelled(Model),
}

/// A cost that depends on nothing but the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Nanoseconds of every turn.
    pub per_turn: u64,
    /// Nanoseconds of everyone who waits in it.
    pub per_waiting: u64,
}

impl Costs {
    /// Whether as many turns were replayed as were recorded; if not, it was another run.
    pub fn fit(&self) -> bool {
        !matches!(self, Costs::Recorded(record, replayed) if record.len() != *replayed)
    }

    /// The cost in nanoseconds of a turn that took `spent` and in which so many waited. Turns
    /// beyond the last recorded one are free.
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
