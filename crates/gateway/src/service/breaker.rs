//! Circuit breaker: opens after consecutive failures, and admits one trial request when its open
//! time has passed.

use super::ServiceError;
use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// A circuit breaker.
pub(crate) struct Breaker {
    failure_threshold: u32,
    open_duration: Duration,
    state: Mutex<BreakerState>,
}

#[derive(Clone, Copy, Default)]
struct BreakerState {
    /// Failures since the last success.
    consecutive_failures: u32,
    /// End of the open state; `None` if closed.
    open_until: Option<Instant>,
}

impl Breaker {
    /// Builds a closed breaker; a threshold of 0 counts as 1.
    pub(crate) fn new(failure_threshold: u32, open_duration: Duration) -> Breaker {
        let failure_threshold = failure_threshold.max(1);
        Breaker { failure_threshold, open_duration, state: Mutex::default() }
    }

    /// Admits a request, or fails if the breaker is open. The first request after the open time is
    /// the trial; the breaker stays open for all others until its result is recorded.
    pub(crate) fn admit(&self) -> Result<(), ServiceError> {
        let now = Instant::now();
        let mut state = self.state.lock();
        match state.open_until {
            Some(until) if now < until => return Err(ServiceError::CircuitOpen),
            Some(_) => state.open_until = Some(now + self.open_duration),
            None => {}
        }
        Ok(())
    }

    /// Returns whether the breaker is open.
    pub(crate) fn is_open(&self) -> bool {
        let now = Instant::now();
        self.state.lock().open_until.is_some_and(|until| now < until)
    }

    /// Closes the breaker.
    pub(crate) fn record_success(&self) {
        *self.state.lock() = BreakerState::default();
    }

    /// Counts a failure; opens the breaker at the threshold.
    pub(crate) fn record_failure(&self) {
        let until = Instant::now() + self.open_duration;
        let mut state = self.state.lock();
        state.consecutive_failures = state.consecutive_failures.saturating_add(1);
        if state.consecutive_failures >= self.failure_threshold {
            state.open_until = Some(until);
        }
    }
}
