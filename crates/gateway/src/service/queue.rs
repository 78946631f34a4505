//! Queue of requests to the service, shared by all batches.
//!
//! ```text
//! batch 7: i i i ─┐                      ┌─ next request of an inquiry under way
//! batch 8: i i i ─┴▶ FIFO of inquiries ─▶┴▶ slot 1 … slot n ─▶ service
//!                                             │ the response has arrived: the slot is free
//!                                             ▼
//!                                           parse, snap ─▶ RequestEnd to the batch
//! ```
//!
//! Inquiries leave in the order in which they were queued: the batch with the earlier deadline
//! first, and inside a batch the random order of its requests. A slot sends the next request as soon
//! as the previous response has arrived. Parsing, refinement and delivery run elsewhere, and requests
//! to another machine are sent by threads of their own ([`RequestQueue::run_on`]): the times and the
//! order of requests depend on the requests and on the service, not on the sizes, positions or
//! questions of sets, except for the processor time that all threads share.
//!
//! The wait for a slot counts neither against the service's time-out nor for its circuit breakers.
//! Requests of a kind whose breaker is open are [`suspended`].

mod inquiry_slot;
mod slots;
mod suspended;

pub(crate) use inquiry_slot::{InquirySlot, OccupiedSlot};

use super::breaker::Admission;
use super::held::{HeldBytes, HeldObjects};
use super::{Service, ServiceClient, ServiceClientSettings, ServiceError};
use crate::config::ServiceConfig;
use crate::inquiry::Inquiry;
use crate::service_load::ServiceLoad;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use slots::{QueueState, Slot};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout};

/// Settings of a [`RequestQueue`].
#[derive(Clone, Debug, PartialEq)]
pub struct RequestQueueSettings {
    /// Largest number of concurrent requests; 0 counts as 1.
    pub slots: usize,
    /// Time-out of all requests of an inquiry together, from the moment it leaves the queue.
    pub timeout: Duration,
    /// Longest wait for a slot and for a circuit breaker; an inquiry that has waited longer is not
    /// sent.
    pub max_wait: Duration,
    /// Largest size of the answers that are held for refinement, in bytes.
    pub max_held: usize,
    /// Response time that is assumed before the first response.
    pub first_response_time: Duration,
    /// Whether requests wait for memory instead of failing without it. Only for a service inside
    /// the gateway: another one would see in the times of requests how long refinement takes.
    pub waits_for_memory: bool,
}

/// Requests that wait for a slot, and the slots.
pub struct RequestQueue {
    client: ServiceClient,
    settings: RequestQueueSettings,
    state: Mutex<QueueState>,
    held: Arc<HeldBytes>,
    load: ServiceLoad,
    /// Runtime that sends the requests: the one of the first request, unless another is set before.
    runtime: OnceLock<Handle>,
    /// Signals that a request was suspended.
    newly_suspended: Notify,
}

/// An inquiry that waits for a slot.
struct QueuedRequest {
    number: usize,
    inquiry: Inquiry,
    queued: Instant,
    ends: UnboundedSender<RequestEnd>,
}

/// End of a request.
#[derive(Debug)]
pub struct RequestEnd {
    /// Index of the request in its batch.
    pub number: usize,
    /// Time in the queue.
    pub waited: Duration,
    /// Answer of the service.
    pub response: Result<HeldObjects, ServiceError>,
}

/// Returns the expected wait of a request behind `ahead` others.
///
/// It depends on the total load only: not on an account, a region or a question.
pub fn expected_wait(ahead: f64, slots: usize, response_time: f64) -> Duration {
    let seconds = ahead.max(0.0) * response_time / slots.max(1) as f64;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

impl RequestQueue {
    /// Creates an empty queue before a service.
    pub fn new(client: ServiceClient, settings: RequestQueueSettings) -> RequestQueue {
        let state = Mutex::new(QueueState::new(&settings));
        let held = HeldBytes::new(settings.max_held);
        let load = ServiceLoad::default();
        let (runtime, newly_suspended) = (OnceLock::new(), Notify::new());
        RequestQueue { client, settings, state, held, load, runtime, newly_suspended }
    }

    /// Sends all requests on another runtime, whose threads do nothing else. Has no effect for a
    /// service inside the gateway, and after the first call.
    pub fn run_on(&self, runtime: Handle) {
        if !self.settings.waits_for_memory {
            self.runtime.set(runtime).ok();
        }
    }

    /// Returns the categories of the service, requested where other requests are sent.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn categories(self: &Arc<Self>) -> Result<Vec<String>, ServiceError> {
        let Some(runtime) = self.runtime.get() else { return self.client.categories().await };
        let queue = Arc::clone(self);
        let categories = runtime.spawn(async move { queue.client.categories().await });
        categories.await.unwrap_or(Err(ServiceError::Internal))
    }

    /// Creates the queue of a service with its configured limits.
    pub(crate) fn before(service: Box<dyn Service>, limits: &ServiceConfig) -> RequestQueue {
        // The built-in service answers from memory.
        let is_remote = service.name() != "built-in";
        let settings = RequestQueueSettings {
            slots: limits.concurrency,
            timeout: limits.question_timeout,
            max_wait: limits.wait,
            max_held: limits.max_held,
            first_response_time: if is_remote { limits.timeout } else { Duration::ZERO },
            waits_for_memory: !is_remote,
        };
        let client = ServiceClientSettings {
            timeout: limits.timeout,
            max_attempts: 2,
            ..ServiceClientSettings::default()
        };
        RequestQueue::new(ServiceClient::new(service, client), settings)
    }

    /// Client of the service.
    pub fn client(&self) -> &ServiceClient {
        &self.client
    }

    /// Whether the service is inside the gateway, or a request to it has ended.
    pub fn is_known(&self) -> bool {
        self.settings.first_response_time.is_zero() || self.state.lock().has_ended()
    }

    /// Requests that are expected of the queries in progress.
    pub fn load(&self) -> &ServiceLoad {
        &self.load
    }

    /// Number of requests that wait for a slot or are suspended.
    pub fn len(&self) -> usize {
        let state = self.state.lock();
        state.waiting_count().saturating_add(state.suspended.count())
    }

    /// Whether no request waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the expected wait of a request that is queued after `further` others. Requests for
    /// which there are free slots do not wait. Suspended requests do not count: a kind that the service
    /// cannot answer keeps out no other.
    pub fn expected_wait(&self, further: f64) -> Duration {
        let state = self.state.lock();
        let ahead = state.waiting_count() as f64 + further - state.free_slots() as f64;
        expected_wait(ahead, self.settings.slots, state.response_seconds())
    }

    /// Queues the requests of a batch in this order. The channel yields one [`RequestEnd`] for each
    /// and then closes. Must be called in a Tokio runtime. A request ends at the latest `max_wait` plus `timeout` later.
    pub fn send(self: &Arc<Self>, inquiries: Vec<Inquiry>) -> UnboundedReceiver<RequestEnd> {
        let (ends, receiver) = unbounded_channel();
        let queued = Instant::now();
        let requests = inquiries.into_iter().enumerate().map(|(number, inquiry)| {
            let ends = ends.clone();
            QueuedRequest { number, inquiry, queued, ends }
        });
        self.state.lock().push(requests);
        self.start_waiting();
        receiver
    }

    /// Starts waiting inquiries while slots are free.
    fn start_waiting(self: &Arc<Self>) {
        loop {
            self.settle_suspended();
            while let Some((request, admission)) = self.next_waiting() {
                let slot = Slot::new(self);
                self.spawn(Arc::clone(self).run(request, slot, admission));
            }
            if !self.watch_suspended() {
                return;
            }
        }
    }

    fn next_waiting(&self) -> Option<(QueuedRequest, Admission)> {
        self.state.lock().start_next(self.client.breakers())
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.get_or_init(Handle::current).spawn(task));
    }

    /// Runs one inquiry to its end.
    async fn run(self: Arc<Self>, request: QueuedRequest, slot: Slot, admission: Admission) {
        let QueuedRequest { number, inquiry, queued, ends } = request;
        if self.settings.waits_for_memory {
            // Answers of incomplete sets may hold the memory: the wait must end.
            let left = self.settings.max_wait.saturating_sub(queued.elapsed());
            timeout(left, self.held.half_free()).await.ok();
        }
        let waited = queued.elapsed();
        let response = if waited > self.settings.max_wait {
            drop(slot);
            Err(ServiceError::Overloaded)
        } else {
            self.ask(&inquiry, InquirySlot::new(slot, admission)).await
        };
        // The receiver is gone only if the delivery of the batch was aborted.
        ends.send(RequestEnd { number, waited, response }).ok();
        self.state.lock().end_inquiry(admission);
        self.start_waiting();
    }

    /// Sends the requests of an inquiry. A panic fails this inquiry only.
    async fn ask(
        self: &Arc<Self>,
        inquiry: &Inquiry,
        slot: InquirySlot,
    ) -> Result<HeldObjects, ServiceError> {
        let (is_trial, slot) = (slot.is_trial(), Arc::new(slot));
        let answer =
            AssertUnwindSafe(self.client.ask_with(inquiry, &slot, &self.held)).catch_unwind();
        let answer = match timeout(self.settings.timeout, answer).await {
            Ok(answer) => answer.unwrap_or(Err(ServiceError::Internal)),
            Err(_) => Err(ServiceError::TimedOut),
        };
        // What an open breaker refuses was not sent, and failed trials of a kind say nothing of the others.
        let is_of_kind = is_trial || answer == Err(ServiceError::CircuitOpen);
        if answer.is_ok() || !is_of_kind {
            self.state.lock().record_response(slot.occupied(), answer.is_ok());
        }
        HeldObjects::new(answer?, &self.held).ok_or(ServiceError::Held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_wait_is_the_load_over_the_slots() {
        let seconds = |ahead, slots, time| expected_wait(ahead, slots, time).as_secs_f64();
        assert_eq!(seconds(320.0, 32, 0.1), 1.0);
        assert_eq!(seconds(0.0, 32, 0.1), 0.0);
        assert_eq!(seconds(-5.0, 32, 0.1), 0.0);
        assert_eq!(seconds(7.0, 0, 2.0), 14.0);
        assert_eq!(expected_wait(f64::MAX, 1, 60.0), Duration::MAX);
        for ahead in 0..100 {
            let ahead = f64::from(ahead);
            assert!(seconds(ahead, 3, 0.7) <= seconds(ahead + 1.0, 3, 0.7));
            assert!(seconds(ahead, 3, 0.7) >= seconds(ahead, 4, 0.7));
            assert!(seconds(ahead, 3, 0.7) <= seconds(ahead, 3, 0.8));
        }
    }
}
