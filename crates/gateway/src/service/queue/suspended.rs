//! Requests of kinds whose circuit breaker is open.
//!
//! ```text
//! waiting ─▶ breaker closed ────────────────────────▶ slot
//!              │ open                                  ▲
//!              ▼          a trial is due: the first ───┤
//!          suspended ───▶ the breaker closes: all ─────┘ in the order of the queue
//!              │
//!              └────────▶ a trial failed, or `max_wait` would pass before the next: error
//! ```
//!
//! A failed trial fails the requests that were queued when it began, and no later ones: the service
//! may have recovered since. So a request of a dead service ends after one trial, and a service that
//! recovers loses no request. Which request is the trial depends on the order of the queue only.

use super::{QueuedRequest, RequestEnd, RequestQueue};
use crate::question::QuestionKind;
use crate::service::ServiceError;
use crate::service::breaker::{Admission, Breakers};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Requests in the order of the queue.
type RequestsInOrder = BTreeMap<u64, QueuedRequest>;

/// Suspended requests by kind; no kind is without requests.
#[derive(Default)]
pub(super) struct SuspendedRequests {
    by_kind: BTreeMap<QuestionKind, RequestsInOrder>,
    /// Whether a request was suspended since the last [`SuspendedRequests::begin_watch`].
    has_new: bool,
    /// Whether a task waits for the next trial.
    is_watched: bool,
}

/// Requests that are no longer suspended.
#[derive(Default)]
pub(super) struct SettledRequests {
    /// Requests whose breaker has closed.
    pub resumed: RequestsInOrder,
    /// Requests that must fail.
    pub failed: Vec<QueuedRequest>,
}

impl SuspendedRequests {
    /// Number of suspended requests.
    pub fn count(&self) -> usize {
        self.by_kind.values().map(BTreeMap::len).sum()
    }

    /// Suspends the request with this number in the queue.
    pub fn insert(&mut self, number: u64, request: QueuedRequest) {
        let kind = request.inquiry.kind().clone();
        self.by_kind.entry(kind).or_default().insert(number, request);
        self.has_new = true;
    }

    /// Takes the first request of all kinds for which a trial is due.
    pub fn take_trial(&mut self, breakers: &Breakers) -> Option<(QueuedRequest, Admission)> {
        let now = Instant::now();
        let is_due = |kind| breakers.suspension(kind).is_none_or(|open| open.next_trial <= now);
        let due = self.by_kind.iter().filter(|(kind, _)| is_due(*kind));
        let first = due.min_by_key(|(_, requests)| requests.first_key_value().map(|(n, _)| *n));
        let kind = first?.0.clone();
        let admission = breakers.admit(&kind)?;
        let requests = self.by_kind.get_mut(&kind)?;
        let (_, request) = requests.pop_first()?;
        if requests.is_empty() {
            self.by_kind.remove(&kind);
        }
        Some((request, admission))
    }

    /// Removes the requests that are no longer suspended.
    pub fn settle(&mut self, breakers: &Breakers, max_wait: Duration) -> SettledRequests {
        let (now, mut settled) = (Instant::now(), SettledRequests::default());
        self.by_kind.retain(|kind, requests| {
            let Some(open) = breakers.suspension(kind) else {
                settled.resumed.append(requests);
                return false;
            };
            while let Some(first) = requests.first_entry() {
                let (queued, end) = (first.get().queued, first.get().wait_end(max_wait));
                let has_failed = open.failed_trial.is_some_and(|trial| queued <= trial);
                if !has_failed && now < end && open.next_trial <= end {
                    break;
                }
                settled.failed.push(first.remove());
            }
            !requests.is_empty()
        });
        settled
    }

    /// Returns whether a request was suspended since the last call, and whether no task watches.
    fn begin_watch(&mut self) -> (bool, bool) {
        let has_new = std::mem::take(&mut self.has_new);
        let is_first = has_new && !std::mem::replace(&mut self.is_watched, true);
        (has_new, is_first)
    }

    /// Returns when requests must be settled or started without another event; ends the watch if
    /// none is suspended.
    fn next_event(&mut self, breakers: &Breakers, max_wait: Duration) -> Option<Instant> {
        let now = Instant::now();
        let next = self.by_kind.iter().filter_map(|(kind, requests)| {
            let end = requests.first_key_value()?.1.wait_end(max_wait);
            // A trial that is due waits for a slot. The event is the end of that wait.
            let trial = breakers.suspension(kind).map(|open| open.next_trial);
            Some(trial.filter(|trial| now < *trial).map_or(end, |trial| trial.min(end)))
        });
        let next = next.min();
        self.is_watched = next.is_some();
        next
    }
}

impl QueuedRequest {
    /// Returns the end of the wait.
    fn wait_end(&self, max_wait: Duration) -> Instant {
        self.queued.checked_add(max_wait).unwrap_or(self.queued)
    }
}

impl RequestQueue {
    /// Ends the suspended requests that must fail; those whose breaker has closed wait for a slot.
    pub(super) fn settle_suspended(&self) {
        let max_wait = self.settings.max_wait;
        let failed = self.state.lock().settle_suspended(self.client.breakers(), max_wait);
        for QueuedRequest { number, queued, ends, .. } in failed {
            let (waited, response) = (queued.elapsed(), Err(ServiceError::CircuitOpen));
            // The receiver is gone only if the delivery of the batch was aborted.
            ends.send(RequestEnd { number, waited, response }).ok();
        }
    }

    /// Makes sure that a task starts the next trial if a request was suspended since the last call.
    /// Returns whether one was.
    pub(super) fn watch_suspended(self: &Arc<Self>) -> bool {
        let (has_new, is_first) = self.state.lock().suspended.begin_watch();
        if is_first {
            self.spawn(Arc::clone(self).watch());
        } else if has_new {
            self.newly_suspended.notify_one();
        }
        has_new
    }

    /// Starts trials and ends waits as long as requests are suspended.
    async fn watch(self: Arc<Self>) {
        while let Some(event) = self.next_event() {
            timeout_at(event, self.newly_suspended.notified()).await.ok();
            self.start_waiting();
        }
    }

    fn next_event(&self) -> Option<Instant> {
        let max_wait = self.settings.max_wait;
        self.state.lock().suspended.next_event(self.client.breakers(), max_wait)
    }
}
