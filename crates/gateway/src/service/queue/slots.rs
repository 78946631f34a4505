//! Slots of the queue: how many requests are at the service at a time.
//!
//! A slot is held while a request is at the service and not while its response is read. An inquiry
//! that needs a slot for its next request comes before those that have not begun.
//!
//! Inquiries of a suspended kind hold no slot. Trials hold at most half of the slots, so that a
//! service that stalls some kinds does not delay the others.
//!
//! At most [`ACTIVE_PER_SLOT`] inquiries per slot have begun and not ended: if responses arrive
//! faster than they can be parsed, requests wait.

use super::suspended::SuspendedRequests;
use super::{QueuedRequest, RequestQueue, RequestQueueSettings};
use crate::service::breaker::{Admission, Breakers};
use crate::service::response_time::ResponseTime;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Inquiries per slot that have begun and not ended.
const ACTIVE_PER_SLOT: usize = 2;

/// Inquiries and slots of a queue.
pub(super) struct QueueState {
    slots: usize,
    /// Requests that wait for a slot, by their number in the queue.
    waiting: BTreeMap<u64, QueuedRequest>,
    /// Number of requests queued so far.
    queued: u64,
    pub suspended: SuspendedRequests,
    /// Number of inquiries under way that began with a trial.
    trials: usize,
    /// Inquiries that have begun and wait for a slot.
    resuming: VecDeque<oneshot::Sender<Slot>>,
    free_slots: usize,
    /// Number of inquiries that have begun and not ended.
    active: usize,
    /// Whether an inquiry has ended.
    has_ended: bool,
    response_time: ResponseTime,
}

impl QueueState {
    pub fn new(settings: &RequestQueueSettings) -> QueueState {
        let slots = settings.slots.max(1);
        QueueState {
            slots,
            waiting: BTreeMap::new(),
            queued: 0,
            suspended: SuspendedRequests::default(),
            trials: 0,
            resuming: VecDeque::new(),
            free_slots: slots,
            active: 0,
            has_ended: false,
            response_time: ResponseTime::assumed(settings.first_response_time),
        }
    }

    pub fn waiting_count(&self) -> usize {
        self.waiting.len()
    }

    pub fn free_slots(&self) -> usize {
        self.free_slots
    }

    /// Estimated time for which an inquiry occupies a slot.
    pub fn response_seconds(&self) -> f64 {
        self.response_time.seconds(self.free_slots == 0)
    }

    pub fn record_response(&mut self, occupied: Duration, is_answer: bool) {
        self.response_time.record(occupied, is_answer);
    }

    /// Appends inquiries.
    pub fn push(&mut self, requests: impl Iterator<Item = QueuedRequest>) {
        if self.free_slots == self.slots {
            self.response_time.begin();
        }
        for request in requests {
            self.waiting.insert(self.queued, request);
            self.queued = self.queued.saturating_add(1);
        }
    }

    /// Takes a free slot for the next inquiry: a trial that is due, or else the first that waits and
    /// whose kind is not suspended. Moves those before it to the suspended ones.
    pub fn start_next(&mut self, breakers: &Breakers) -> Option<(QueuedRequest, Admission)> {
        let can_start = self.active < self.slots.saturating_mul(ACTIVE_PER_SLOT);
        let free_slots = self.free_slots.checked_sub(1).filter(|_| can_start)?;
        let (next, admission) = self.next_admitted(breakers)?;
        self.free_slots = free_slots;
        self.active = self.active.saturating_add(1);
        self.trials = self.trials.saturating_add(admission.is_trial().into());
        Some((next, admission))
    }

    fn next_admitted(&mut self, breakers: &Breakers) -> Option<(QueuedRequest, Admission)> {
        loop {
            let can_test = self.trials < (self.slots / 2).max(1);
            let trial = if can_test { self.suspended.take_trial(breakers) } else { None };
            if trial.is_some() {
                return trial;
            }
            let (number, request) = self.waiting.pop_first()?;
            let kind = request.inquiry.kind();
            if breakers.suspension(kind).is_none()
                && let Some(admission) = breakers.admit(kind)
            {
                return Some((request, admission));
            }
            self.suspended.insert(number, request);
        }
    }

    /// Lets requests wait for a slot whose kind is no longer suspended. Removes and returns those
    /// that must fail.
    pub fn settle_suspended(
        &mut self,
        breakers: &Breakers,
        max_wait: Duration,
    ) -> Vec<QueuedRequest> {
        let mut settled = self.suspended.settle(breakers, max_wait);
        self.waiting.append(&mut settled.resumed);
        settled.failed
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Counts an inquiry that has ended.
    pub fn end_inquiry(&mut self, admission: Admission) {
        self.has_ended = true;
        self.active = self.active.saturating_sub(1);
        self.trials = self.trials.saturating_sub(admission.is_trial().into());
    }
}

/// The right to have one request at the service; passed on when dropped.
pub(super) struct Slot {
    /// `None` once the slot was returned.
    queue: Option<Arc<RequestQueue>>,
}

impl Slot {
    /// Hands out a slot that the caller has taken from the free ones.
    pub fn new(queue: &Arc<RequestQueue>) -> Slot {
        Slot { queue: Some(Arc::clone(queue)) }
    }

    /// Waits for a slot for the next request of an inquiry. Returns `None` only if the queue is gone.
    pub async fn acquire(queue: &Arc<RequestQueue>) -> Option<Slot> {
        let granted = {
            let mut state = queue.state.lock();
            if let Some(free_slots) = state.free_slots.checked_sub(1) {
                state.free_slots = free_slots;
                return Some(Slot::new(queue));
            }
            let (sender, granted) = oneshot::channel();
            state.resuming.push_back(sender);
            granted
        };
        granted.await.ok()
    }

    /// The queue of the slot.
    pub fn queue(&self) -> Option<Arc<RequestQueue>> {
        self.queue.clone()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some(queue) = self.queue.take() else { return };
        loop {
            let next = queue.state.lock().resuming.pop_front();
            let Some(next) = next else { break };
            match next.send(Slot::new(&queue)) {
                Ok(()) => return,
                // The inquiry has ended meanwhile.
                Err(mut slot) => slot.queue = None,
            }
        }
        let mut state = queue.state.lock();
        state.free_slots = state.free_slots.saturating_add(1);
        drop(state);
        queue.start_waiting();
    }
}
