//! Passes of an evaluation.

use crate::experiment::TimeModel;

/// Which runs an evaluation executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pass {
    /// First the answers, then the times.
    #[default]
    Both,
    /// Runs that do not depend on the clock.
    Answers,
    /// Runs that depend on the clock, one at a time; they want a quiet machine.
    Times,
}

impl Pass {
    /// Whether runs of a view belong to the pass.
    pub fn includes(self, view: TimeModel) -> bool {
        match self {
            Pass::Both => true,
            Pass::Answers => !view.needs_quiet_machine(),
            Pass::Times => view.needs_quiet_machine(),
        }
    }
}
