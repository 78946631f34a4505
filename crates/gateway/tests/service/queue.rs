//! `RequestQueue` before a service that records how many requests it has at a time.

use crate::fixture::{inquiry, questions, walker};
use gateway::inquiry::Inquiry;
use gateway::service::{
    Completeness, Object, Objects, RequestEnd, RequestPolicy, RequestQueue, RequestQueueSettings,
    Service, ServiceClient, ServiceClientSettings, ServiceError, ServiceFuture,
};
use meshcloak::units::Point;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// A service that takes a second per request.
#[derive(Clone, Default)]
struct CountingService {
    inquiries: Arc<Mutex<Vec<Inquiry>>>,
    concurrent: Arc<AtomicUsize>,
    max_concurrent: Arc<AtomicUsize>,
    /// Index of the request that panics.
    panics_at: Option<usize>,
    /// Length of the name of the one object of an answer.
    name_len: usize,
}

impl Service for CountingService {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        let mut inquiries = self.inquiries.lock().unwrap();
        let is_panicking = self.panics_at == Some(inquiries.len());
        inquiries.push(inquiry.clone());
        let now = self.concurrent.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_concurrent.fetch_max(now, Ordering::SeqCst);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            self.concurrent.fetch_sub(1, Ordering::SeqCst);
            assert!(!is_panicking, "deliberate panic of the test");
            let (id, category) = (String::new(), String::new());
            let (name, point) = ("x".repeat(self.name_len), Point::default());
            let object = Arc::new(Object { id, name, category, point, position: None });
            Ok(Objects::new(vec![object], Completeness::Complete))
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(std::future::pending())
    }
}

fn settings() -> RequestQueueSettings {
    RequestQueueSettings {
        slots: 3,
        timeout: Duration::from_secs(2),
        max_wait: Duration::from_secs(100),
        max_held: 1 << 20,
        first_response_time: Duration::from_millis(100),
        waits_for_memory: false,
    }
}

fn queue(service: &CountingService, settings: RequestQueueSettings) -> Arc<RequestQueue> {
    let client = ServiceClient::new(Box::new(service.clone()), ServiceClientSettings::default());
    Arc::new(RequestQueue::new(client, settings))
}

/// Every kind of question, several times.
fn inquiries() -> Vec<Inquiry> {
    let walker = walker();
    let all = questions().into_iter().map(|question| inquiry(&walker, &question));
    all.cycle().take(20).collect()
}

async fn ends(queue: &Arc<RequestQueue>, inquiries: Vec<Inquiry>) -> Vec<RequestEnd> {
    let mut receiver = queue.send(inquiries);
    let mut ends = Vec::new();
    while let Some(end) = receiver.recv().await {
        ends.push(end);
    }
    ends.sort_by_key(|end| end.number);
    ends
}

#[tokio::test(start_paused = true)]
async fn slots_are_never_exceeded_and_requests_leave_in_order() {
    let service = CountingService::default();
    let queue = queue(&service, settings());
    let (first, second) = (inquiries(), inquiries());
    let both = tokio::join!(ends(&queue, first.clone()), ends(&queue, second.clone()));
    for ends in [both.0, both.1] {
        assert_eq!(ends.len(), 20);
        assert!(ends.iter().enumerate().all(|(n, end)| end.number == n && end.response.is_ok()));
    }
    assert_eq!(*service.inquiries.lock().unwrap(), [first, second].concat());
    assert_eq!(service.max_concurrent.load(Ordering::SeqCst), 3);
    assert!(queue.is_empty());
    // Free slots are used again.
    assert_eq!(ends(&queue, inquiries()).await.len(), 20);
    assert_eq!(service.max_concurrent.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn the_expected_wait_follows_the_response_times() {
    let service = CountingService::default();
    let queue = queue(&service, settings());
    assert!(!queue.is_known());
    assert_eq!(queue.expected_wait(3.0), Duration::ZERO, "three slots are free");
    assert_eq!(queue.expected_wait(33.0), Duration::from_secs(1));
    for _ in 0..20 {
        ends(&queue, inquiries()).await;
    }
    assert!(queue.is_known());
    let wait = queue.expected_wait(33.0).as_secs_f64();
    assert!((wait - 10.0).abs() < 0.2, "{wait}");
    let waiting = queue.send(inquiries());
    // Three of twenty are taken when the slots run.
    tokio::task::yield_now().await;
    let wait = queue.expected_wait(0.0).as_secs_f64();
    assert!((wait - 17.0 / 3.0).abs() < 0.2, "{wait}");
    drop(waiting);
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_its_request_only() {
    let service = CountingService { panics_at: Some(4), ..CountingService::default() };
    let queue = queue(&service, settings());
    for end in ends(&queue, inquiries()).await {
        match end.number {
            4 => assert_eq!(end.response.err(), Some(ServiceError::Internal)),
            _ => assert!(end.response.is_ok()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn held_answers_are_bounded_and_do_not_stop_requests() {
    let service = CountingService { name_len: 100_000, ..CountingService::default() };
    let queue = queue(&service, settings());
    let held = ends(&queue, inquiries()).await;
    let kept = held.iter().filter(|end| end.response.is_ok()).count();
    assert_eq!(kept, 10, "a megabyte");
    let refused = held.iter().filter_map(|end| end.response.as_ref().err());
    assert!(refused.clone().all(|error| *error == ServiceError::Held));
    assert_eq!(service.inquiries.lock().unwrap().len(), 20);
    drop(held);
    assert!(ends(&queue, inquiries()[..5].to_vec()).await.iter().all(|end| end.response.is_ok()));
}

#[tokio::test(start_paused = true)]
async fn requests_to_a_service_inside_the_gateway_wait_for_memory() {
    let service = CountingService { name_len: 100_000, ..CountingService::default() };
    let timeout = Duration::from_secs(100);
    let queue = queue(
        &service,
        RequestQueueSettings { waits_for_memory: true, slots: 1, timeout, ..settings() },
    );
    let mut receiver = queue.send(inquiries());
    let mut held = Vec::new();
    for _ in 0..6 {
        held.push(receiver.recv().await.unwrap());
    }
    assert!(held.iter().all(|end| end.response.is_ok()));
    assert_eq!(service.inquiries.lock().unwrap().len(), 6, "no request above half of the limit");
    drop(held);
    let mut count = 6;
    while let Some(end) = receiver.recv().await {
        assert!(end.response.is_ok());
        count += 1;
    }
    assert_eq!(count, 20);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waited_too_long_is_not_sent() {
    let service = CountingService::default();
    let max_wait = Duration::from_millis(1_500);
    let queue = queue(&service, RequestQueueSettings { max_wait, ..settings() });
    for end in ends(&queue, inquiries()).await {
        match end.number {
            0..6 => assert!(end.response.is_ok()),
            _ => assert_eq!(end.response.err(), Some(ServiceError::Overloaded)),
        }
    }
    assert_eq!(service.inquiries.lock().unwrap().len(), 6);
    assert!(!queue.client().is_open());
}

/// A service whose inquiries are one or two requests of a second each, and whose responses take time
/// to parse.
struct TwoRequests {
    start: Instant,
    parsing: Duration,
    /// The only inquiry of two requests; `None`: all of them.
    double: Option<Inquiry>,
    /// Time and inquiry of each request.
    sent: Arc<Mutex<Vec<(Duration, Inquiry)>>>,
}

impl Service for TwoRequests {
    fn name(&self) -> &'static str {
        "two requests"
    }

    fn ask<'a>(&'a self, _: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        unreachable!("requests are sent under a policy")
    }

    fn ask_under<'a>(
        &'a self,
        inquiry: &'a Inquiry,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, Objects> {
        Box::pin(async move {
            let is_double = self.double.as_ref().is_none_or(|double| double == inquiry);
            for _ in 0..if is_double { 2 } else { 1 } {
                let request = || async {
                    self.sent.lock().unwrap().push((self.start.elapsed(), inquiry.clone()));
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Ok(())
                };
                policy.send(request).await?;
                tokio::time::sleep(self.parsing).await;
            }
            Ok(Objects::new(Vec::new(), Completeness::Complete))
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(std::future::pending())
    }
}

/// Sends six different inquiries through two slots, and returns the second and the inquiry of each
/// request. `double` is the number of the only inquiry of two requests.
async fn two_requests(parsing: Duration, double: Option<usize>) -> Vec<(u64, usize)> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (start, double) = (Instant::now(), double.map(|number| inquiries()[number].clone()));
    let service = TwoRequests { start, parsing, double, sent: Arc::clone(&sent) };
    let client = ServiceClient::new(Box::new(service), ServiceClientSettings::default());
    let timeout = Duration::from_secs(100);
    let settings = RequestQueueSettings { slots: 2, timeout, ..settings() };
    let inquiries = inquiries()[..6].to_vec();
    let queue = Arc::new(RequestQueue::new(client, settings));
    let ended = ends(&queue, inquiries.clone()).await;
    assert!(ended.iter().all(|end| end.response.is_ok()), "{ended:?}");
    let number = |inquiry: &Inquiry| inquiries.iter().position(|known| known == inquiry).unwrap();
    let sent = sent.lock().unwrap();
    sent.iter().map(|(at, inquiry)| (at.as_secs(), number(inquiry))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_next_request_leaves_when_a_response_has_arrived_and_is_not_parsed() {
    // Both slots send a request in every second, although parsing takes most of a second.
    let sent = two_requests(Duration::from_millis(900), None).await;
    assert_eq!(sent[..8], [(0, 0), (0, 1), (1, 2), (1, 3), (2, 0), (2, 1), (3, 2), (3, 3)]);
}

#[tokio::test(start_paused = true)]
async fn a_next_request_of_an_inquiry_comes_before_inquiries_that_have_not_begun() {
    let sent = two_requests(Duration::from_millis(500), Some(0)).await;
    assert_eq!(sent[..4], [(0, 0), (0, 1), (1, 2), (1, 3)]);
    assert_eq!(sent[4..6], [(2, 0), (2, 4)], "the first inquiry goes on beside one that begins");
}

#[tokio::test(start_paused = true)]
async fn responses_that_are_not_parsed_are_bounded() {
    let sent = two_requests(Duration::from_secs(10), None).await;
    let first: Vec<u64> = sent.iter().take(4).map(|(at, _)| *at).collect();
    assert_eq!(first, [0, 0, 1, 1], "two inquiries for each slot are under way");
    assert!(sent[4].0 >= 11, "{sent:?}");
}
