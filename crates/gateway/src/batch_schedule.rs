//! Times of batches: every whole multiple of the tick, more of them under load and until the service is
//! known.
//!
//! ```text
//! few queries    |-------------------------------|      one batch per tick
//! many           |-----------|-----------|-------|      as soon as `FULL_BATCH` queries have arrived
//! more           |---|---|---|---|---|---|---|---|      at most `MAX_BATCHES_PER_TICK`
//! ```
//!
//! A batch costs more than in proportion to its queries where users are dense, and all of its answers
//! are computed at once. Whether a batch is full is a function of the number of queries alone: what they
//! ask and how long earlier batches took do not enter.

use meshcloak::units::Time;
use std::time::Duration;

/// Batches per tick until the first request to a remote service has ended: a new process admits few
/// queries before it knows the service.
const FIRST_BATCHES_PER_TICK: u64 = 4;

/// Number of queries that are a batch before the tick is over.
pub(crate) const FULL_BATCH: usize = 10_000;

/// Batches per tick under load.
const MAX_BATCHES_PER_TICK: u64 = 8;

/// Schedule of the batches of a city.
#[derive(Debug)]
pub(crate) struct BatchSchedule {
    /// Milliseconds from one batch to the next.
    tick: u64,
    /// Time of the last batch, in milliseconds.
    last: u64,
    /// Whether the service is inside the gateway, or a request to it has ended.
    pub is_service_known: bool,
}

impl BatchSchedule {
    /// Creates the schedule before the first batch.
    pub(crate) fn new(tick: Duration) -> BatchSchedule {
        let tick = u64::try_from(tick.as_millis()).unwrap_or(1000);
        BatchSchedule { tick, last: 0, is_service_known: true }
    }

    /// Milliseconds between batches that are not full.
    fn step(&self) -> u64 {
        match self.is_service_known {
            true => self.tick,
            false => self.tick / FIRST_BATCHES_PER_TICK,
        }
        .max(1)
    }

    /// Milliseconds between full batches.
    fn part(&self) -> u64 {
        (self.tick / MAX_BATCHES_PER_TICK).max(1)
    }

    /// Returns the time from `now` until a batch can be due.
    pub(crate) fn pause(&self, now: Time) -> Duration {
        let now = now.as_millis();
        let early = next_multiple(now.max(self.last), self.part());
        let next = early.min(next_batch(self.last, now, self.step()));
        Duration::from_millis(next.saturating_sub(now))
    }

    /// Returns the time of the batch that is due, if one is, and counts it as the last. `arrived` is
    /// the number of queries that wait for it.
    pub(crate) fn due(&mut self, now: Time, arrived: usize) -> Option<Time> {
        let now = now.as_millis();
        let full = last_multiple(now, self.part());
        let next = next_batch(self.last, now, self.step());
        let is_full = arrived >= FULL_BATCH && full > self.last;
        let at = if is_full { Some(full) } else { Some(next).filter(|next| *next <= now) }?;
        self.last = at;
        Some(Time::from_millis(at))
    }
}

/// Returns the time of the next batch, a whole multiple of `step` after `last`: the next multiple, or
/// the latest before `now` after a batch that took longer than a step. All times are in milliseconds.
fn next_batch(last: u64, now: u64, step: u64) -> u64 {
    next_multiple(last, step).max(last_multiple(now, step))
}

/// Returns the smallest multiple of `step` above `time`.
fn next_multiple(time: u64, step: u64) -> u64 {
    last_multiple(time, step).saturating_add(step)
}

/// Returns the largest multiple of `step` up to `time`.
fn last_multiple(time: u64, step: u64) -> u64 {
    time.saturating_sub(time.checked_rem(step).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_at_multiples_of_the_step_and_missed_ones_are_skipped() {
        assert_eq!(next_batch(0, 0, 1000), 1000);
        assert_eq!(next_batch(1000, 1003, 1000), 2000);
        assert_eq!(next_batch(1000, 4700, 1000), 4000, "at once, without those missed");
        assert_eq!(next_batch(1250, 1260, 250), 1500);
        assert_eq!(next_batch(1250, 1260, 1000), 2000, "the service is known");
    }

    #[test]
    fn a_batch_is_early_if_it_is_full_and_then_at_an_eighth_of_the_tick() {
        let due = |last, now, arrived| {
            let tick = Duration::from_secs(1);
            let mut schedule = BatchSchedule { last, ..BatchSchedule::new(tick) };
            schedule.due(Time::from_millis(now), arrived).map(Time::as_millis)
        };
        assert_eq!(due(1000, 1380, FULL_BATCH - 1), None);
        assert_eq!(due(1000, 1380, FULL_BATCH), Some(1375));
        assert_eq!(due(1375, 1380, FULL_BATCH), None, "one at a time");
        assert_eq!(due(1375, 1500, 2 * FULL_BATCH), Some(1500));
        assert_eq!(due(1500, 2000, 0), Some(2000), "the tick is over");
        assert_eq!(due(1000, 4700, FULL_BATCH - 1), Some(4000));
        assert_eq!(due(1000, 4700, FULL_BATCH), Some(4625));
    }

    #[test]
    fn a_thread_that_waits_for_each_pause_misses_no_batch() {
        for (tick, arrived, per_second) in [(1000, 0, 1), (1000, FULL_BATCH, 8), (200, 0, 5)] {
            let mut schedule = BatchSchedule::new(Duration::from_millis(tick));
            let (mut now, mut batches) = (Time::default(), Vec::new());
            while now < Time::from_millis(10_000) {
                now = Time::from_millis(now.as_millis() + schedule.pause(now).as_millis() as u64);
                batches.extend(schedule.due(now, arrived).map(Time::as_millis));
            }
            let interval = 1000 / per_second;
            let expected: Vec<u64> = (1..=10 * per_second).map(|n| n * interval).collect();
            assert_eq!(batches, expected);
        }
    }
}
