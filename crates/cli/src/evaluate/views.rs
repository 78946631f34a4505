//! Arguments of `evaluate` that select views of time.

use clap::ValueEnum;
use evaluation::evaluate::Pass;
use evaluation::experiment::TimeModel;

/// Which runs to execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PassArg {
    /// First the answers, then the times.
    Both,
    /// Runs that do not depend on the clock.
    Answers,
    /// Runs that depend on the clock.
    Times,
}

impl From<PassArg> for Pass {
    fn from(pass: PassArg) -> Pass {
        match pass {
            PassArg::Both => Pass::Both,
            PassArg::Answers => Pass::Answers,
            PassArg::Times => Pass::Times,
        }
    }
}

/// Which batch a query joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ArrivalsArg {
    /// The first batch at or after its time.
    At,
    /// The batch after that.
    After,
}

impl ArrivalsArg {
    /// Replaces the view of unlimited time by that with these arrivals.
    pub(super) fn apply(self, views: &mut [TimeModel]) {
        let (from, to) = match self {
            ArrivalsArg::At => (TimeModel::After, TimeModel::Unlimited),
            ArrivalsArg::After => (TimeModel::Unlimited, TimeModel::After),
        };
        views.iter_mut().filter(|view| **view == from).for_each(|view| *view = to);
    }
}
