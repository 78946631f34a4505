//! Circuit breakers, one for each kind of question.
//!
//! A breaker opens after consecutive failures of its kind, and admits one trial request when its
//! open time has passed. A kind that the service cannot answer suspends no other: a breaker counts
//! failures of its own kind only. A dead service costs `failure_threshold` requests for each kind
//! that is asked.

use super::ServiceError;
use crate::question::QuestionKind;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::time::Duration;
use tokio::time::Instant;

/// Circuit breakers by kind of question. A kind without failures has no entry, so the number of
/// entries is bounded by the kinds that the service's categories allow.
pub(crate) struct Breakers {
    failure_threshold: u32,
    open_duration: Duration,
    states: Mutex<FxHashMap<QuestionKind, BreakerState>>,
}

#[derive(Clone, Copy, Default)]
struct BreakerState {
    /// Failures since the last success.
    consecutive_failures: u32,
    /// End of the open state; `None` if closed.
    open_until: Option<Instant>,
}

impl Breakers {
    /// Builds closed breakers; a threshold of 0 counts as 1.
    pub(crate) fn new(failure_threshold: u32, open_duration: Duration) -> Breakers {
        let failure_threshold = failure_threshold.max(1);
        Breakers { failure_threshold, open_duration, states: Mutex::default() }
    }

    /// Admits a request of a kind, or fails if its breaker is open. The first request after the
    /// open time is the trial; the breaker stays open for all others until its result is recorded.
    pub(crate) fn admit(&self, kind: &QuestionKind) -> Result<(), ServiceError> {
        let now = Instant::now();
        let mut states = self.states.lock();
        let Some(state) = states.get_mut(kind) else { return Ok(()) };
        match state.open_until {
            Some(until) if now < until => return Err(ServiceError::CircuitOpen),
            Some(_) => state.open_until = now.checked_add(self.open_duration),
            None => {}
        }
        Ok(())
    }

    /// Returns whether the breaker of any kind is open.
    pub(crate) fn is_any_open(&self) -> bool {
        let now = Instant::now();
        let is_open = |state: &BreakerState| state.open_until.is_some_and(|until| now < until);
        self.states.lock().values().any(is_open)
    }

    /// Closes the breaker of a kind.
    pub(crate) fn record_success(&self, kind: &QuestionKind) {
        self.states.lock().remove(kind);
    }

    /// Counts a failure of a kind; opens its breaker at the threshold.
    pub(crate) fn record_failure(&self, kind: &QuestionKind) {
        let until = Instant::now().checked_add(self.open_duration);
        let mut states = self.states.lock();
        let state = states.entry(kind.clone()).or_default();
        state.consecutive_failures = state.consecutive_failures.saturating_add(1);
        if state.consecutive_failures >= self.failure_threshold {
            state.open_until = until;
        }
    }
}
