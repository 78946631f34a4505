//! City time: one clock per city that survives its engines.
//!
//! Under `history` a larger `t − t_prev` lets a member count for more places, so city time must not
//! run ahead of real time when engines change. At a takeover it advances by the smaller of two
//! measurements of the pause: the servers' time stamps and the writers' wall clocks. A wrong wall
//! clock of an engine, or a wrong clock of a server, can therefore only make it lag. Afterwards the
//! engine's monotonic clock drives it.

use meshcloak::units::Time;
use std::time::Duration;
use tokio::time::Instant;

/// One event of the log on three clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// City time.
    pub city: Time,
    /// Unix time of the writer in milliseconds.
    pub wall_ms: u64,
    /// Unix time at which the server stored the event, in milliseconds.
    pub server_ms: u64,
}

impl Mark {
    /// Returns the city time of a later event, given its other two clocks: never less than that of
    /// this event, and never more than the smaller of the two measured pauses allows.
    pub fn elapse(&self, wall_ms: u64, server_ms: u64) -> Time {
        let wall = wall_ms.saturating_sub(self.wall_ms);
        let server = server_ms.saturating_sub(self.server_ms);
        self.city + Duration::from_millis(wall.min(server))
    }
}

/// Running city time of one engine.
#[derive(Clone, Copy, Debug)]
pub struct CityClock {
    base: Time,
    since: Instant,
}

impl CityClock {
    /// Starts at the city time of the engine's first record.
    ///
    /// `since` must not be earlier than the record's acknowledgement: an earlier instant would make
    /// city time run ahead.
    pub fn start(first: Time, since: Instant) -> CityClock {
        CityClock { base: first, since }
    }

    /// Returns the city time at an instant, which may lie before the clock was started or advanced:
    /// messages that arrived then keep their distance in time.
    pub fn at(&self, instant: Instant) -> Time {
        match instant.checked_duration_since(self.since) {
            Some(passed) => self.base + passed,
            None => {
                let before = self.since.saturating_duration_since(instant);
                Time::from_millis(self.base.as_millis().saturating_sub(millis_rounded_up(before)))
            }
        }
    }

    /// Returns the present city time.
    pub fn now(&self) -> Time {
        self.at(Instant::now())
    }

    /// Returns the instant at which this clock shows `time`; `now` if that has passed.
    pub fn instant_of(&self, time: Time, now: Instant) -> Instant {
        now + (time - self.at(now))
    }

    /// Advances to the time of another shard's record if this clock lags behind it.
    pub fn advance_to(&mut self, time: Time, now: Instant) {
        if time > self.at(now) {
            *self = CityClock { base: time, since: now };
        }
    }
}

/// Returns a duration in milliseconds, rounded up.
fn millis_rounded_up(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    const UNIX: u64 = 1_700_000_000_000;

    /// Real time in milliseconds, seen by a clock that is wrong by `skew`.
    fn shown(real: u64, skew: i64) -> u64 {
        (UNIX + real).saturating_add_signed(skew)
    }

    #[test]
    fn a_skew_of_five_seconds_never_makes_city_time_run_ahead() {
        let skews = [-5_000, -1, 0, 1, 5_000];
        for case in 0..skews.len().pow(3) {
            let [old, new, server] = [case, case / 5, case / 25].map(|digits| skews[digits % 5]);
            let mark = Mark {
                city: Time::from_millis(1_000_000),
                wall_ms: shown(10_000, old),
                server_ms: shown(10_000, 0),
            };
            // Eight seconds later another engine takes over; the server's clock may have changed.
            let time = mark.elapse(shown(18_000, new), shown(18_000, server));
            let elapsed = (time - mark.city).as_millis() as i64;
            // One right clock suffices.
            if server == 0 || new <= old {
                assert!(elapsed <= 8_000, "{old} {new} {server}: {elapsed}");
            }
            assert_eq!(elapsed, (8_000 + server.min(new - old)).max(0));
        }
    }

    #[test]
    fn city_time_is_monotone_over_many_leaders() {
        let mut random = Pcg64::seed_from_u64(11);
        let (mut real, mut mark) =
            (0, Mark { city: Time::default(), wall_ms: UNIX, server_ms: UNIX });
        let mut lag = 0;
        for _ in 0..1_000 {
            // A pause, then an engine with a wrong wall clock that works for a while.
            real += random.random_range(0..20_000);
            let skew = random.random_range(-5_000..=5_000);
            let first = mark.elapse(shown(real, skew), shown(real, 0));
            assert!(first >= mark.city && first.as_millis() <= real);
            let start = Instant::now();
            let mut clock = CityClock::start(first, start);
            let worked = random.random_range(0..60_000);
            real += worked;
            let end = start + Duration::from_millis(worked);
            assert_eq!(clock.at(end), first + Duration::from_millis(worked));
            // The record of another shard is ahead, never beyond real time.
            let other = Time::from_millis(random.random_range(0..=real));
            clock.advance_to(other, end);
            assert!(clock.at(end) >= other && clock.at(end).as_millis() <= real);
            mark =
                Mark { city: clock.at(end), wall_ms: shown(real, skew), server_ms: shown(real, 0) };
            lag = lag.max(real - mark.city.as_millis());
        }
        assert!(lag > 0, "the test has takeovers that lag");
    }

    /// Two shards of a city: the second one lags, and learns of each tick from the record of the first.
    /// Queries that arrived before keep their distance to the tick.
    #[test]
    fn arrivals_before_an_advance_are_dated_by_the_clock_that_leads_never_ahead_of_it() {
        let mut random = Pcg64::seed_from_u64(12);
        let mut advanced = 0;
        for _ in 0..1_000 {
            let start = Instant::now();
            let leading = CityClock::start(Time::from_millis(1_000_000), start);
            let lag = Duration::from_millis(random.random_range(0..50));
            let mut clock = CityClock::start(Time::from_millis(1_000_000), start + lag);
            for tick in 1..5 {
                let at = Time::from_millis(1_000_000 + 1_000 * tick);
                let latency = Duration::from_millis(random.random_range(0..50));
                let heard = leading.instant_of(at, start) + latency;
                advanced += usize::from(clock.at(heard) < at);
                clock.advance_to(at, heard);
                for _ in 0..10 {
                    let arrived = heard - Duration::from_millis(random.random_range(0..1_000));
                    let (shown, true_time) = (clock.at(arrived), leading.at(arrived));
                    assert!(shown <= true_time && true_time - shown <= Duration::from_millis(51));
                }
            }
        }
        assert!(advanced > 1_000, "{advanced}");
    }

    #[test]
    fn an_instant_of_city_time_is_never_in_the_past() {
        let now = Instant::now();
        let clock = CityClock::start(Time::from_millis(5_000), now);
        let instant = |millis| clock.instant_of(Time::from_millis(millis), now);
        assert_eq!((instant(5_250) - now, instant(4_000)), (Duration::from_millis(250), now));
    }
}
