//! Instants of a run, in integer milliseconds.

use std::ops::{Add, Sub};
use std::time::Duration;

/// An instant, in milliseconds since the start of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The latest instant.
    pub(crate) const MAX: Time = Time(u64::MAX);

    /// Creates an instant from milliseconds since the start.
    pub const fn from_millis(millis: u64) -> Time {
        Time(millis)
    }

    /// Returns the milliseconds since the start.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Returns the seconds since the start.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Time {
    type Output = Duration;
    /// Returns the duration since `earlier`; zero if it is later.
    fn sub(self, earlier: Time) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}
