//! The slot of one inquiry, through all of its requests.

use super::RequestQueue;
use super::slots::Slot;
use crate::service::breaker::Admission;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Slot of an inquiry: occupied while one of its requests is at the service, and given back while a
/// response is read.
pub(crate) struct InquirySlot {
    queue: Option<Arc<RequestQueue>>,
    state: Mutex<SlotState>,
}

struct SlotState {
    /// The slot with which the inquiry has begun, until its first request, and the admission of that
    /// request by the circuit breaker.
    first: Option<(Slot, Admission)>,
    /// Time at the service so far.
    occupied: Duration,
}

/// An occupied slot; given back when dropped.
pub(crate) struct OccupiedSlot<'a> {
    inquiry: &'a InquirySlot,
    since: Instant,
    slot: Option<Slot>,
    admission: Option<Admission>,
}

impl OccupiedSlot<'_> {
    /// Admission of the first request of the inquiry; `None` for later ones.
    pub(crate) fn admission(&self) -> Option<Admission> {
        self.admission
    }
}

impl InquirySlot {
    /// Creates the slot of an inquiry that begins.
    pub(super) fn new(slot: Slot, admission: Admission) -> InquirySlot {
        let (queue, occupied) = (slot.queue(), Duration::ZERO);
        let first = Some((slot, admission));
        InquirySlot { queue, state: Mutex::new(SlotState { first, occupied }) }
    }

    /// Whether the first request of the inquiry is a trial; called before it is sent.
    pub(super) fn is_trial(&self) -> bool {
        self.state.lock().first.as_ref().is_some_and(|(_, admission)| admission.is_trial())
    }

    /// Occupies the slot for a request; waits for one unless it is the first.
    pub(crate) async fn occupy(&self) -> OccupiedSlot<'_> {
        let first = self.state.lock().first.take();
        let (slot, admission) = match (first, &self.queue) {
            (Some((slot, admission)), _) => (Some(slot), Some(admission)),
            (None, Some(queue)) => (Slot::acquire(queue).await, None),
            (None, None) => (None, None),
        };
        OccupiedSlot { inquiry: self, since: Instant::now(), slot, admission }
    }

    /// Time for which the requests of the inquiry have occupied a slot.
    pub(super) fn occupied(&self) -> Duration {
        self.state.lock().occupied
    }
}

impl Drop for OccupiedSlot<'_> {
    fn drop(&mut self) {
        let mut state = self.inquiry.state.lock();
        state.occupied = state.occupied.saturating_add(self.since.elapsed());
        drop(state);
        drop(self.slot.take());
    }
}
