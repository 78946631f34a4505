//! Secret times at which queries of a standing question reach the engine (docs/SPEC.md §6, the clock
//! `published` of `history`).
//!
//! A standing question has a fixed cadence. If each query left as soon as it can, the times of
//! publication would tell when the user asked, and the promise of this clock would be void. So the
//! times at which queries of a user are released do not depend on when its reports arrive:
//!
//! ```text
//! reports     ·         ·         ·         ·         ·         ·
//! releases         R0                R1              R2
//! R(n+1) = R(n) + interval + secret part of the interval
//! ```
//!
//! At least one report arrives between two releases. All that are held then reach the engine in one
//! batch, where the newest replaces the others. A wait after each report would not hide the cadence
//! from an observer of many publications: exactly one would fall into each interval between reports.

use crate::units::Time;
use std::time::Duration;

/// A standing question whose query is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingQuestion {
    /// Reporting interval of the user.
    pub interval: Duration,
    /// Secret random number, new for each query.
    pub secret: u64,
}

impl StandingQuestion {
    /// Returns a secret part of the interval.
    fn wait(self) -> Duration {
        self.interval.mul_f64(self.secret as f64 / 2_f64.powi(64))
    }
}

/// Releases of one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Releases {
    /// Time of the next release, or of the last one if nothing is held.
    at: Time,
    interval: Duration,
}

impl Releases {
    /// Returns the releases of a user whose first report arrives now.
    pub fn new(now: Time, standing: StandingQuestion) -> Releases {
        Releases { at: now + standing.wait(), interval: standing.interval }
    }

    /// Returns until when a query that arrives now is held; `holds` tells whether an earlier one of
    /// the user is held.
    pub fn until(&mut self, now: Time, standing: StandingQuestion, holds: bool) -> Time {
        if self.at < now && !holds {
            let next = self.at + standing.interval + standing.wait();
            self.at = if next < now { now + standing.wait() } else { next };
        }
        self.interval = standing.interval;
        self.at
    }

    /// Time of the next release, or of the last one if nothing is held.
    pub fn at(&self) -> Time {
        self.at
    }

    /// Whether the user has sent no report for so long that the next one counts as a first.
    pub fn is_over(&self, now: Time) -> bool {
        self.at + self.interval + self.interval < now
    }
}
