//! Queue of requests to the service, shared by all batches.
//!
//! ```text
//! batch 7: r r r ─┐
//! batch 8: r r r ─┴▶ FIFO ─▶ slot 1 … slot n ─▶ RequestEnd to the batch
//! ```
//!
//! Requests leave in the order in which they were queued: the batch with the earlier deadline
//! first, and inside a batch the random order of its requests. A slot takes the next request as
//! soon as the previous response has arrived. Refinement and delivery run elsewhere, so the times
//! and the order of requests depend on the requests and on the service alone, not on the sizes,
//! positions or questions of sets, except for the processor time that all tasks share.
//!
//! The wait for a slot counts neither against the service's time-out nor for its circuit breakers.

use super::held::{HeldBytes, HeldObjects};
use super::response_time::ResponseTime;
use super::{Objects, Service, ServiceClient, ServiceClientSettings, ServiceError};
use crate::config::ServiceConfig;
use crate::inquiry::Inquiry;
use crate::service_load::ServiceLoad;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout};

/// Settings of a [`RequestQueue`].
#[derive(Clone, Debug, PartialEq)]
pub struct RequestQueueSettings {
    /// Largest number of concurrent requests; 0 counts as 1.
    pub slots: usize,
    /// Time-out of all requests of an inquiry together, from the moment it leaves the queue.
    pub timeout: Duration,
    /// Longest wait for a slot; an inquiry that has waited longer is not sent.
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
}

struct QueueState {
    waiting: VecDeque<QueuedRequest>,
    free_slots: usize,
    response_time: ResponseTime,
}

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
        let state = QueueState {
            waiting: VecDeque::new(),
            free_slots: settings.slots.max(1),
            response_time: ResponseTime::assumed(settings.first_response_time),
        };
        let held = HeldBytes::new(settings.max_held);
        let load = ServiceLoad::default();
        RequestQueue { client, settings, state: Mutex::new(state), held, load }
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

    /// Requests that are expected of the queries in progress.
    pub fn load(&self) -> &ServiceLoad {
        &self.load
    }

    /// Counts an answer that another process has received.
    ///
    /// # Errors
    /// [`ServiceError::Held`] beyond the limit.
    pub fn hold(&self, objects: Objects) -> Result<HeldObjects, ServiceError> {
        HeldObjects::new(Arc::new(objects), &self.held).ok_or(ServiceError::Held)
    }

    /// Number of requests that wait for a slot.
    pub fn len(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Whether no request waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the expected wait of a request that is queued after `further` others. Requests for
    /// which there are free slots do not wait.
    pub fn expected_wait(&self, further: f64) -> Duration {
        let state = self.state.lock();
        let ahead = state.waiting.len() as f64 + further - state.free_slots as f64;
        let response_time = state.response_time.seconds(state.free_slots == 0);
        expected_wait(ahead, self.settings.slots, response_time)
    }

    /// Queues the requests of a batch in this order. The channel yields one [`RequestEnd`] for each
    /// and then closes. A request ends at the latest `max_wait` plus `timeout` later.
    pub fn send(self: &Arc<Self>, inquiries: Vec<Inquiry>) -> UnboundedReceiver<RequestEnd> {
        let (ends, receiver) = unbounded_channel();
        let queued = Instant::now();
        let requests = inquiries.into_iter().enumerate().map(|(number, inquiry)| {
            let ends = ends.clone();
            QueuedRequest { number, inquiry, queued, ends }
        });
        let mut state = self.state.lock();
        if state.free_slots == self.settings.slots.max(1) {
            state.response_time.begin();
        }
        state.waiting.extend(requests);
        let taken = state.free_slots.min(state.waiting.len());
        state.free_slots = state.free_slots.saturating_sub(taken);
        drop(state);
        for _ in 0..taken {
            tokio::spawn(Arc::clone(self).run_slot());
        }
        receiver
    }

    /// Sends waiting requests, one at a time, until none is left.
    async fn run_slot(self: Arc<Self>) {
        while let Some(QueuedRequest { number, inquiry, queued, ends }) = self.next_request() {
            if self.settings.waits_for_memory {
                // Answers of incomplete sets may hold the memory: the wait must end.
                let left = self.settings.max_wait.saturating_sub(queued.elapsed());
                timeout(left, self.held.half_free()).await.ok();
            }
            let waited = queued.elapsed();
            let response = if waited > self.settings.max_wait {
                Err(ServiceError::Overloaded)
            } else {
                self.ask(&inquiry).await
            };
            // The receiver is gone only if the delivery of the batch was aborted.
            ends.send(RequestEnd { number, waited, response }).ok();
            tokio::task::yield_now().await;
        }
    }

    /// Takes the next request, or frees the slot if there is none.
    fn next_request(&self) -> Option<QueuedRequest> {
        let mut state = self.state.lock();
        let next = state.waiting.pop_front();
        state.free_slots = state.free_slots.saturating_add(next.is_none().into());
        next
    }

    /// Sends the requests of an inquiry. A panic fails this inquiry only.
    async fn ask(&self, inquiry: &Inquiry) -> Result<HeldObjects, ServiceError> {
        let sent = Instant::now();
        let answer = AssertUnwindSafe(self.client.ask(inquiry)).catch_unwind();
        let answer = match timeout(self.settings.timeout, answer).await {
            Ok(answer) => answer.unwrap_or(Err(ServiceError::Internal)),
            Err(_) => Err(ServiceError::TimedOut),
        };
        // Nothing is sent while the breaker is open: its times say nothing of the service.
        if answer != Err(ServiceError::CircuitOpen) {
            self.state.lock().response_time.record(sent.elapsed(), answer.is_ok());
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
