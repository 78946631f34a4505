//! Estimate of the time for which a request occupies a slot of the queue.
//!
//! It is the moving average of the measured times, and at least the time since the last response
//! while all slots are occupied: a service that becomes slow shows before its first slow response.
//! Before the first response it is the time-out, the longest time that an answer can take, so that
//! few queries are admitted before a service of which nothing is known.

use std::time::Duration;
use tokio::time::Instant;

/// Weight of the newest time in the moving average.
const NEWEST_WEIGHT: f64 = 1.0 / 16.0;

/// Measured response times of a service.
#[derive(Debug)]
pub(super) struct ResponseTime {
    /// Moving average in seconds, or the assumed time before the first response.
    mean: f64,
    is_measured: bool,
    /// Time of the last response, or when the queue ceased to be idle.
    last_response: Instant,
}

impl ResponseTime {
    /// Creates an estimate without a measurement.
    pub(super) fn assumed(time: Duration) -> ResponseTime {
        let (mean, last_response) = (time.as_secs_f64(), Instant::now());
        ResponseTime { mean, is_measured: false, last_response }
    }

    /// Records that the queue was idle until now.
    pub(super) fn begin(&mut self) {
        self.last_response = Instant::now();
    }

    /// Records an answer, or the time after which there was none. A failure that came sooner than
    /// an answer is expected says nothing about answers.
    pub(super) fn record(&mut self, time: Duration, is_answer: bool) {
        self.last_response = Instant::now();
        let seconds = time.as_secs_f64();
        match (is_answer, self.is_measured) {
            (true, false) => (self.mean, self.is_measured) = (seconds, true),
            (false, _) if seconds <= self.mean => {}
            _ => self.mean += (seconds - self.mean) * NEWEST_WEIGHT,
        }
    }

    /// Returns the estimate in seconds.
    pub(super) fn seconds(&self, are_slots_occupied: bool) -> f64 {
        let silence = self.last_response.elapsed().as_secs_f64();
        if are_slots_occupied { self.mean.max(silence) } else { self.mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn the_first_answer_replaces_the_assumption_and_failures_do_not() {
        let mut time = ResponseTime::assumed(2 * SECOND);
        time.record(Duration::ZERO, false);
        time.record(2 * SECOND, false);
        assert_eq!(time.seconds(false), 2.0);
        time.record(SECOND / 10, true);
        assert_eq!(time.seconds(false), 0.1);
        for _ in 0..100 {
            time.record(Duration::ZERO, false);
        }
        assert_eq!(time.seconds(false), 0.1, "a dead service is not a fast one");
        for _ in 0..100 {
            time.record(2 * SECOND, false);
        }
        assert!(time.seconds(false) > 1.9, "time-outs occupy slots");
        for _ in 0..100 {
            time.record(SECOND / 10, true);
        }
        assert!(time.seconds(false) < 0.11);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_counts_while_all_slots_are_occupied() {
        let mut time = ResponseTime::assumed(2 * SECOND);
        time.record(SECOND / 10, true);
        advance(3 * SECOND).await;
        assert_eq!((time.seconds(false), time.seconds(true)), (0.1, 3.0));
        time.begin();
        assert_eq!(time.seconds(true), 0.1);
    }
}
