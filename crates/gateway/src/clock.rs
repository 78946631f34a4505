//! Monotonic clock: milliseconds since the start of the gateway. Tests advance it manually.
//!
//! Batches, deadlines and horizons use it. The wall clock, which an administrator or NTP may step, is
//! compared with the clocks of phones only.

use meshcloak::units::Time;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

/// A clock.
#[derive(Debug)]
pub enum Clock {
    /// Real time since an instant.
    Monotonic(Instant),
    /// Manually advanced time.
    Manual(ManualClock),
}

/// A clock of tests.
#[derive(Debug, Default)]
pub struct ManualClock {
    /// Time in milliseconds.
    millis: AtomicU64,
    /// Sum of the steps of the wall clock, in milliseconds.
    wall_steps: AtomicI64,
}

/// Unix time at which a manual clock starts: 1 January 2026, in milliseconds.
const MANUAL_UNIX_START: u64 = 1_767_225_600_000;

impl Clock {
    /// Creates a clock that runs from now on.
    pub fn start() -> Clock {
        Clock::Monotonic(Instant::now())
    }

    /// Creates a clock at 0 that only [`Clock::advance`] changes.
    pub fn manual() -> Clock {
        Clock::Manual(ManualClock::default())
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        Time::from_millis(match self {
            Clock::Monotonic(start) => {
                u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
            }
            Clock::Manual(clock) => clock.millis.load(Ordering::SeqCst),
        })
    }

    /// Returns the Unix time in milliseconds, for comparison with the clocks of phones.
    pub fn unix_millis(&self) -> u64 {
        match self {
            Clock::Monotonic(_) => {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                since.ok().and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(0)
            }
            Clock::Manual(clock) => MANUAL_UNIX_START
                .saturating_add(clock.millis.load(Ordering::SeqCst))
                .saturating_add_signed(clock.wall_steps.load(Ordering::SeqCst)),
        }
    }

    /// Advances a manual clock. Does nothing for a real one.
    pub fn advance(&self, millis: u64) {
        if let Clock::Manual(clock) = self {
            clock.millis.fetch_add(millis, Ordering::SeqCst);
        }
    }

    /// Steps the wall clock of a manual clock, forward or back. Does nothing for a real one.
    pub fn step_wall(&self, millis: i64) {
        if let Clock::Manual(clock) = self {
            clock.wall_steps.fetch_add(millis, Ordering::SeqCst);
        }
    }
}
