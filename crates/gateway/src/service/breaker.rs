//! A circuit breaker: a service that failed several times in a row is left alone for a while, and
//! then tried by one inquiry before all others follow.

use super::ServiceError;
use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// Counts failures.
pub(crate) struct Breaker {
    failures: u32,
    rest: Duration,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// Failures since the last success.
    in_a_row: u32,
    /// Until when the service is left alone.
    resting: Option<Instant>,
}

impl Breaker {
    /// Leaves a service alone for `rest` after so many failures in a row.
    pub(crate) fn new(failures: u32, rest: Duration) -> Breaker {
        Breaker { failures: failures.max(1), rest, state: Mutex::default() }
    }

    /// Whether the service may be asked now. After the rest one may, and the others rest on until
    /// it is known how that went.
    pub(crate) fn admit(&self) -> Result<(), ServiceError> {
        let now = Instant::now();
        self.change(|state| match state.resting {
            Some(until) if now < until => Err(ServiceError::Resting),
            Some(_) => {
                state.resting = Some(now + self.rest);
                Ok(())
            }
            None => Ok(()),
        })
    }

    /// Whether the service is left alone at present.
    pub(crate) fn is_resting(&self) -> bool {
        let now = Instant::now();
        self.change(|state| state.resting.is_some_and(|until| now < until))
    }

    /// It answered.
    pub(crate) fn succeeded(&self) {
        self.change(|state| *state = State::default());
    }

    /// It did not.
    pub(crate) fn failed(&self) {
        let until = Instant::now() + self.rest;
        self.change(|state| {
            state.in_a_row = state.in_a_row.saturating_add(1);
            if state.in_a_row >= self.failures {
                state.resting = Some(until);
            }
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock())
    }
}
