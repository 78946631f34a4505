//! The monotonic clock: milliseconds since the gateway began. Tests turn it by hand.

use meshcloak::units::Time;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

/// What time it is.
#[derive(Debug)]
pub enum Clock {
    /// As it passes.
    Monotonic(Instant),
    /// As it is set, in milliseconds.
    ByHand(AtomicU64),
}

/// 1 January 2026, in milliseconds since 1970.
const BY_HAND_BEGINS: u64 = 1_767_225_600_000;

impl Clock {
    /// Time as it passes, from now on.
    pub fn start() -> Clock {
        Clock::Monotonic(Instant::now())
    }

    /// Time that stands still until somebody moves it.
    pub fn by_hand() -> Clock {
        Clock::ByHand(AtomicU64::new(0))
    }

    /// Now.
    pub fn now(&self) -> Time {
        Time::from_millis(match self {
            Clock::Monotonic(start) => {
                u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
            }
            Clock::ByHand(millis) => millis.load(Ordering::SeqCst),
        })
    }

    /// Milliseconds since 1970, by the clock on the wall: for phones, which know no other. One
    /// that is turned by hand begins with the year 2026.
    pub fn unix_millis(&self) -> u64 {
        match self {
            Clock::Monotonic(_) => {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                since.ok().and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(0)
            }
            Clock::ByHand(millis) => BY_HAND_BEGINS + millis.load(Ordering::SeqCst),
        }
    }

    /// Moves a clock that is turned by hand; any other goes its way.
    pub fn advance(&self, millis: u64) {
        if let Clock::ByHand(now) = self {
            now.fetch_add(millis, Ordering::SeqCst);
        }
    }
}
