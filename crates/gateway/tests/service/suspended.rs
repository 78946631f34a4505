//! `RequestQueue` before a service that fails for a while: requests of a suspended kind wait for the
//! trial of their circuit breaker.

use crate::fixture::{inquiry, questions, walker};
use gateway::inquiry::Inquiry;
use gateway::service::{
    Completeness, Objects, RequestEnd, RequestQueue, RequestQueueSettings, Service, ServiceClient,
    ServiceClientSettings, ServiceError, ServiceFuture,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep, sleep_until};

/// Time that an answer takes.
const ANSWER: Duration = Duration::from_millis(20);

/// How a service fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Connections are closed at once.
    Dead,
    /// No response arrives.
    Stalled,
}

/// A service that does not answer one kind until a certain time.
#[derive(Clone)]
struct RecoveringService {
    failure: Failure,
    failing: Inquiry,
    recovery: Instant,
    /// Time and inquiry of each request.
    sent: Arc<Mutex<Vec<(Instant, Inquiry)>>>,
}

impl Service for RecoveringService {
    fn name(&self) -> &'static str {
        "recovering"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        let now = Instant::now();
        self.sent.lock().unwrap().push((now, inquiry.clone()));
        let is_failing = now < self.recovery && inquiry.kind() == self.failing.kind();
        Box::pin(async move {
            match self.failure {
                Failure::Dead if is_failing => return Err(ServiceError::Down),
                Failure::Stalled if is_failing => std::future::pending().await,
                _ => sleep(ANSWER).await,
            }
            Ok(Objects::new(Vec::new(), Completeness::Complete))
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(std::future::pending())
    }
}

/// A queue before a service that fails for the first question of the fixture.
struct Recovery {
    start: Instant,
    service: RecoveringService,
    queue: Arc<RequestQueue>,
    others: Vec<Inquiry>,
}

impl Recovery {
    fn new(failure: Failure, after: Duration, max_wait: Duration) -> Recovery {
        let start = Instant::now();
        let mut kinds: Vec<Inquiry> = questions().iter().map(|q| inquiry(&walker(), q)).collect();
        let failing = kinds.remove(0);
        let service =
            RecoveringService { failure, failing, recovery: start + after, sent: Arc::default() };
        let settings = ServiceClientSettings { max_attempts: 2, ..client_settings() };
        let client = ServiceClient::new(Box::new(service.clone()), settings);
        let settings = RequestQueueSettings {
            slots: 8,
            timeout: Duration::from_secs(8),
            max_wait,
            max_held: 1 << 20,
            first_response_time: Duration::ZERO,
            waits_for_memory: false,
        };
        let queue = Arc::new(RequestQueue::new(client, settings));
        Recovery { start, service, queue, others: kinds }
    }

    /// Queues requests of the failing kind.
    fn send(&self, count: usize) -> UnboundedReceiver<RequestEnd> {
        self.queue.send(vec![self.service.failing.clone(); count])
    }

    /// Waits until this time after the start.
    async fn at(&self, millis: u64) {
        sleep_until(self.start + Duration::from_millis(millis)).await;
    }

    /// Opens the circuit breaker: a batch that has failed by 3 s at the latest.
    async fn open(&self) {
        assert!(results(self.send(10)).await.iter().all(|(_, error)| error.is_some()));
        assert!(self.start.elapsed() < Duration::from_secs(5));
    }

    /// Times of requests of the failing kind since the start, in milliseconds.
    fn sent(&self) -> Vec<u128> {
        let sent = self.service.sent.lock().unwrap();
        let of_kind = sent.iter().filter(|(_, i)| i.kind() == self.service.failing.kind());
        of_kind.map(|(at, _)| at.duration_since(self.start).as_millis()).collect()
    }
}

fn client_settings() -> ServiceClientSettings {
    ServiceClientSettings::default()
}

/// Returns how long each request took, and its error.
async fn results(mut ends: UnboundedReceiver<RequestEnd>) -> Vec<(Duration, Option<ServiceError>)> {
    let (start, mut results) = (Instant::now(), Vec::new());
    while let Some(RequestEnd { response, .. }) = ends.recv().await {
        results.push((start.elapsed(), response.err()));
    }
    results
}

const MAX_WAIT: Duration = Duration::from_secs(5);

#[tokio::test(start_paused = true)]
async fn no_request_fails_that_is_queued_after_the_service_has_recovered() {
    for failure in [Failure::Dead, Failure::Stalled] {
        for millis in (5_000..6_000).step_by(90) {
            let recovery = Recovery::new(failure, Duration::from_millis(millis), MAX_WAIT);
            recovery.open().await;
            // One batch each second keeps the breaker open.
            let (mut batches, mut second) = (Vec::new(), 4_000);
            while second < millis {
                recovery.at(second).await;
                batches.push(recovery.send(10));
                second += 1_000;
            }
            recovery.at(millis + 1).await;
            let ended = results(recovery.send(20)).await;
            assert_eq!(ended.len(), 20);
            assert!(
                ended.iter().all(|(_, error)| error.is_none()),
                "{failure:?} {millis}: {ended:?}"
            );
            let longest = client_settings().open_duration + 5 * ANSWER;
            assert!(
                ended.iter().all(|(took, _)| *took <= longest),
                "{failure:?} {millis}: {ended:?}"
            );
            assert_eq!(results(recovery.send(20)).await.len(), 20);
            assert!(!recovery.queue.client().is_open(), "time-outs from before do not count");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_dead_service_end_after_one_trial_which_alone_is_sent() {
    let recovery = Recovery::new(Failure::Dead, Duration::MAX / 4, MAX_WAIT);
    recovery.open().await;
    for second in 3..8 {
        recovery.at(1_000 * second + 1).await;
        let before = recovery.sent().len();
        let ended = results(recovery.send(100)).await;
        let failed = ended.iter().filter(|(_, error)| *error == Some(ServiceError::CircuitOpen));
        assert_eq!(failed.count(), 99, "{ended:?}");
        assert!(ended.iter().all(|(took, _)| *took < client_settings().open_duration));
        assert_eq!(recovery.sent().len() - before, 2, "the trial and its repetition");
        assert!(recovery.queue.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stalled_kind_delays_no_other() {
    let recovery = Recovery::new(Failure::Stalled, Duration::MAX / 4, MAX_WAIT);
    recovery.open().await;
    let others: Vec<Inquiry> = recovery.others.iter().cycle().take(40).cloned().collect();
    for second in 3..8 {
        recovery.at(1_000 * second).await;
        let suspended = recovery.send(50);
        let ended = results(recovery.queue.send(others.clone())).await;
        assert!(ended.iter().all(|(_, error)| error.is_none()), "{ended:?}");
        // 40 requests through the half of 8 slots.
        assert!(ended.iter().all(|(took, _)| *took <= 11 * ANSWER), "{ended:?}");
        drop(suspended);
    }
}

#[tokio::test(start_paused = true)]
async fn a_suspended_request_ends_in_its_wait() {
    let (max_wait, stall) = (Duration::from_millis(1_200), Duration::MAX / 4);
    let recovery = Recovery::new(Failure::Stalled, stall, max_wait);
    recovery.open().await;
    for second in 3..8 {
        recovery.at(1_000 * second).await;
        for (took, error) in results(recovery.send(50)).await {
            let is_trial = error == Some(ServiceError::TimedOut);
            let limit = max_wait + if is_trial { client_settings().timeout } else { ANSWER };
            assert!(error.is_some() && took <= limit, "{took:?} {error:?}");
        }
        assert!(recovery.queue.is_empty());
    }
    // A wait that ends before the next trial fails at once.
    let recovery = Recovery::new(Failure::Dead, stall, Duration::from_millis(100));
    recovery.open().await;
    assert!(recovery.queue.client().is_open());
    for (took, error) in results(recovery.send(50)).await {
        assert_eq!((took, error), (Duration::ZERO, Some(ServiceError::CircuitOpen)));
    }
}
