//! Circuit breakers, one for each kind of question.
//!
//! A breaker opens after consecutive failures of its kind, and admits one trial request in each
//! `open_duration` from then on. A kind that the service cannot answer suspends no other: a breaker
//! counts failures of its own kind only. A dead service costs `failure_threshold` requests for each
//! kind that is asked.
//!
//! A failure of a request that was sent before the latest success says nothing of the present: when
//! a stalled service recovers, the time-outs of older requests do not open the breaker again.

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
    /// The open state; `None` if closed.
    suspension: Option<Suspension>,
    /// Start of the newest request that has succeeded.
    newest_success: Option<Instant>,
}

/// Largest number of kinds with a state. Clients choose the categories, and each kind that has failed
/// once has a state.
const MAX_KINDS: usize = 1024;

/// Permission to send one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    at: Instant,
    is_trial: bool,
}

impl Admission {
    /// Whether the breaker is open and the request tests the service.
    pub(crate) fn is_trial(self) -> bool {
        self.is_trial
    }
}

/// The open state of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspension {
    /// Time from which a trial is admitted.
    pub(crate) next_trial: Instant,
    /// Start of the newest trial that has failed.
    pub(crate) failed_trial: Option<Instant>,
}

impl Breakers {
    /// Builds closed breakers; a threshold of 0 counts as 1.
    pub(crate) fn new(failure_threshold: u32, open_duration: Duration) -> Breakers {
        let failure_threshold = failure_threshold.max(1);
        Breakers { failure_threshold, open_duration, states: Mutex::default() }
    }

    /// Admits a request of a kind; `None` if its breaker is open and no trial is due.
    pub(crate) fn admit(&self, kind: &QuestionKind) -> Option<Admission> {
        let at = Instant::now();
        let mut states = self.states.lock();
        let suspension = states.get_mut(kind).and_then(|state| state.suspension.as_mut());
        let Some(suspension) = suspension else { return Some(Admission { at, is_trial: false }) };
        if at < suspension.next_trial {
            return None;
        }
        suspension.next_trial = at.checked_add(self.open_duration).unwrap_or(at);
        Some(Admission { at, is_trial: true })
    }

    /// Returns the open state of the breaker of a kind; `None` if it is closed.
    pub(crate) fn suspension(&self, kind: &QuestionKind) -> Option<Suspension> {
        self.states.lock().get(kind)?.suspension
    }

    /// Returns whether the breaker of any kind is open and admits no request.
    pub(crate) fn is_any_open(&self) -> bool {
        let now = Instant::now();
        let is_open = |state: &BreakerState| state.suspension.is_some_and(|s| now < s.next_trial);
        self.states.lock().values().any(is_open)
    }

    /// Closes the breaker of a kind.
    pub(crate) fn record_success(&self, kind: &QuestionKind, admission: Admission) {
        if let Some(state) = self.states.lock().get_mut(kind) {
            let newest_success = state.newest_success.max(Some(admission.at));
            *state = BreakerState { newest_success, ..BreakerState::default() };
        }
    }

    /// Counts a failure of a kind; opens its breaker at the threshold.
    pub(crate) fn record_failure(&self, kind: &QuestionKind, admission: Admission) {
        let now = Instant::now();
        let mut states = self.states.lock();
        if !states.contains_key(kind) {
            make_room(&mut states);
        }
        let state = states.entry(kind.clone()).or_default();
        if state.newest_success.is_some_and(|success| admission.at <= success) {
            return;
        }
        state.consecutive_failures = state.consecutive_failures.saturating_add(1);
        match &mut state.suspension {
            Some(suspension) if admission.is_trial => {
                suspension.failed_trial = suspension.failed_trial.max(Some(admission.at));
            }
            None if state.consecutive_failures >= self.failure_threshold => {
                let next_trial = now.checked_add(self.open_duration).unwrap_or(now);
                state.suspension = Some(Suspension { next_trial, failed_trial: None });
            }
            _ => {}
        }
    }
}

/// Forgets closed breakers if there are [`MAX_KINDS`], and if all are open the one whose trial has been
/// due for the longest time: no request of its kind waits.
fn make_room(states: &mut FxHashMap<QuestionKind, BreakerState>) {
    if states.len() < MAX_KINDS {
        return;
    }
    states.retain(|_, state| state.suspension.is_some());
    if states.len() >= MAX_KINDS {
        let next_trial = |state: &BreakerState| state.suspension.map(|open| open.next_trial);
        let oldest = states.iter().min_by_key(|(kind, state)| (next_trial(state), *kind));
        let oldest = oldest.map(|(kind, _)| kind.clone());
        oldest.and_then(|kind| states.remove(&kind));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Along, Category, Find};
    use tokio::time::advance;

    const OPEN: Duration = Duration::from_millis(500);

    fn kind() -> QuestionKind {
        QuestionKind { find: Find::Within, along: Along::Streets, category: Category::Any }
    }

    fn opened() -> Breakers {
        let breakers = Breakers::new(3, OPEN);
        for _ in 0..3 {
            let admission = breakers.admit(&kind()).expect("the breaker is closed");
            breakers.record_failure(&kind(), admission);
        }
        breakers
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_kinds_is_bounded_and_the_newest_open_breakers_stay() {
        let breakers = opened();
        for number in 0..2 * MAX_KINDS {
            advance(OPEN).await;
            let category = Category::Of(format!("category-{number}").into());
            let kind = QuestionKind { category, ..kind() };
            for _ in 0..3 {
                let admission = breakers.admit(&kind).expect("the breaker is closed");
                breakers.record_failure(&kind, admission);
            }
            assert!(breakers.suspension(&kind).is_some());
            assert!(breakers.states.lock().len() <= MAX_KINDS);
        }
        assert_eq!(breakers.suspension(&kind()), None, "the oldest is forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn one_trial_is_admitted_in_each_open_time_whether_or_not_others_run() {
        let breakers = opened();
        assert!(breakers.admit(&kind()).is_none() && breakers.is_any_open());
        for _ in 0..5 {
            advance(OPEN).await;
            assert!(breakers.admit(&kind()).is_some_and(Admission::is_trial));
            assert!(breakers.admit(&kind()).is_none(), "one at a time");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_trial_is_known_by_its_start_and_delays_no_other() {
        let breakers = opened();
        assert_eq!(breakers.suspension(&kind()).and_then(|s| s.failed_trial), None);
        advance(OPEN).await;
        let (start, trial) = (Instant::now(), breakers.admit(&kind()).expect("a trial is due"));
        advance(OPEN / 2).await;
        breakers.record_failure(&kind(), trial);
        let expected = Suspension { next_trial: start + OPEN, failed_trial: Some(start) };
        assert_eq!(breakers.suspension(&kind()), Some(expected));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_of_requests_from_before_a_success_do_not_open_the_breaker_again() {
        let breakers = opened();
        let mut trials = Vec::new();
        for _ in 0..4 {
            advance(OPEN).await;
            trials.extend(breakers.admit(&kind()));
        }
        breakers.record_success(&kind(), trials[3]);
        assert_eq!(breakers.suspension(&kind()), None);
        trials.into_iter().for_each(|trial| breakers.record_failure(&kind(), trial));
        assert_eq!(breakers.suspension(&kind()), None, "they were sent before");
        advance(OPEN).await;
        for _ in 0..3 {
            let admission = breakers.admit(&kind()).expect("the breaker is closed");
            breakers.record_failure(&kind(), admission);
        }
        assert!(breakers.suspension(&kind()).is_some(), "later failures count");
    }
}
