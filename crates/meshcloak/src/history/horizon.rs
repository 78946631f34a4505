//! How long a past position counts.

use crate::units::{Length, Speed};
use std::time::Duration;

/// How long a past position counts: for a time, and for slow users until they can have travelled a
/// distance. Part of the adversary model of `history` (docs/SPEC.md §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Horizon {
    /// Time for which every past position counts.
    pub time: Duration,
    /// Distance that a user must be able to travel before the past position stops to count; zero: the
    /// time alone decides.
    pub distance: Length,
}

impl Horizon {
    /// Longest time that the distance adds up to: a standing user is forgotten, too.
    pub const MAX_TIME: Duration = Duration::from_secs(4 * 3600);

    /// Returns how long the past of a user with this top speed counts.
    pub fn of(self, speed: Option<Speed>) -> Duration {
        let Some(speed) = speed.filter(|_| self.distance > Length::ZERO) else {
            return self.longest();
        };
        // Lengths of a second: speeds are given in metres a second.
        let a_second = (speed * Duration::from_secs(1)).as_metres();
        let seconds = (self.distance.as_metres() / a_second.max(f64::MIN_POSITIVE)).ceil();
        let travel = Duration::try_from_secs_f64(seconds).unwrap_or(Horizon::MAX_TIME);
        self.time.max(travel.min(Horizon::MAX_TIME))
    }

    /// Longest time for which any past position counts.
    pub fn longest(self) -> Duration {
        match self.distance > Length::ZERO {
            true => self.time.max(Horizon::MAX_TIME),
            false => self.time,
        }
    }
}

/// A horizon that is a time.
impl From<Duration> for Horizon {
    fn from(time: Duration) -> Horizon {
        Horizon { time, distance: Length::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_users_are_remembered_longer() {
        let seconds = Duration::from_secs;
        let walking = Some(Speed::metres_per_second(1.0));
        let driving = Some(Speed::metres_per_second(20.0));
        let time = Horizon::from(seconds(600));
        assert_eq!((time.of(walking), time.longest()), (seconds(600), seconds(600)));
        let horizon = Horizon { distance: Length::metres(3000.0), ..time };
        assert_eq!((horizon.of(walking), horizon.of(driving)), (seconds(3000), seconds(600)));
        let standing = Some(Speed::metres_per_second(0.0));
        for speed in [standing, None] {
            assert_eq!(horizon.of(speed), Horizon::MAX_TIME);
        }
        assert_eq!(horizon.longest(), Horizon::MAX_TIME);
    }
}
