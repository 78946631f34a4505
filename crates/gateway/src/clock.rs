//! Monotonic clock: milliseconds since the start of the gateway. Tests advance it manually.

use meshcloak::units::Time;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

/// A clock.
#[derive(Debug)]
pub enum Clock {
    /// Real time since an instant.
    Monotonic(Instant),
    /// Manually advanced time, in milliseconds.
    Manual(AtomicU64),
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
        Clock::Manual(AtomicU64::new(0))
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        Time::from_millis(match self {
            Clock::Monotonic(start) => {
                u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
            }
            Clock::Manual(millis) => millis.load(Ordering::SeqCst),
        })
    }

    /// Returns the Unix time in milliseconds, for comparison with the clocks of phones.
    pub fn unix_millis(&self) -> u64 {
        match self {
            Clock::Monotonic(_) => {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                since.ok().and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(0)
            }
            Clock::Manual(millis) => {
                MANUAL_UNIX_START.saturating_add(millis.load(Ordering::SeqCst))
            }
        }
    }

    /// Advances a manual clock. Does nothing for a real one.
    pub fn advance(&self, millis: u64) {
        if let Clock::Manual(now) = self {
            now.fetch_add(millis, Ordering::SeqCst);
        }
    }
}
