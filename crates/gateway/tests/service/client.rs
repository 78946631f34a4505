//! `ServiceClient` against a scripted service, with paused time.

use crate::fixture::{inquiry, questions, walker};
use gateway::inquiry::Inquiry;
use gateway::service::{
    Completeness, Objects, Service, ServiceClient, ServiceClientSettings, ServiceError,
    ServiceFuture,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// Scripted reaction to an inquiry.
#[derive(Clone, Copy, Debug)]
enum Reaction {
    Answer,
    Hang,
    Fail,
    FailSlowly,
    Refuse,
}

/// A service that plays its reactions in order, then answers. Records inquiries with their times.
#[derive(Clone, Default)]
struct ScriptedService {
    reactions: Arc<Mutex<VecDeque<Reaction>>>,
    inquiries: Arc<Mutex<Vec<(Instant, Inquiry)>>>,
}

impl ScriptedService {
    fn new(reactions: &[Reaction]) -> ScriptedService {
        let service = ScriptedService::default();
        service.reactions.lock().unwrap().extend(reactions);
        service
    }

    fn client(&self, settings: ServiceClientSettings) -> ServiceClient {
        ServiceClient::new(Box::new(self.clone()), settings)
    }

    fn inquiries(&self) -> usize {
        self.inquiries.lock().unwrap().len()
    }
}

impl Service for ScriptedService {
    fn name(&self) -> &'static str {
        "service"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.inquiries.lock().unwrap().push((Instant::now(), inquiry.clone()));
        let reaction = self.reactions.lock().unwrap().pop_front().unwrap_or(Reaction::Answer);
        Box::pin(async move {
            match reaction {
                Reaction::Answer => Ok(Objects::new(Vec::new(), Completeness::Complete)),
                Reaction::Hang => std::future::pending().await,
                Reaction::Fail => Err(ServiceError::Down),
                Reaction::FailSlowly => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    Err(ServiceError::Down)
                }
                Reaction::Refuse => Err(ServiceError::Malformed("nonsense")),
            }
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(std::future::pending())
    }
}

fn asked() -> Inquiry {
    inquiry(&walker(), &questions()[0])
}

#[tokio::test(start_paused = true)]
async fn a_failed_inquiry_is_repeated_unchanged() {
    let service = ScriptedService::new(&[Reaction::Fail, Reaction::Fail]);
    let answer = service.client(ServiceClientSettings::default()).ask(&asked()).await;
    assert!(answer.is_ok());
    let inquiries = service.inquiries.lock().unwrap();
    assert_eq!(inquiries.len(), 3);
    assert!(inquiries.iter().all(|(_, inquiry)| *inquiry == asked()));
    assert!(inquiries.is_sorted_by(|a, b| a.0 < b.0), "with a delay between attempts");
}

#[tokio::test(start_paused = true)]
async fn a_hanging_service_costs_at_most_the_time_out() {
    // A request that was repeated has the rest of the time.
    for script in [&[Reaction::Hang][..], &[Reaction::Fail, Reaction::Hang]] {
        let service = ScriptedService::new(script);
        let settings = ServiceClientSettings::default();
        let client = service.client(settings);
        let start = Instant::now();
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::TimedOut));
        assert_eq!(service.inquiries(), script.len());
        // Timers have a resolution of one millisecond.
        assert!(start.elapsed().abs_diff(settings.timeout) <= Duration::from_millis(5));
        assert_eq!(client.categories().await, Err(ServiceError::TimedOut));
    }
}

#[tokio::test(start_paused = true)]
async fn failures_of_a_kind_suspend_no_other_kind() {
    let service = ScriptedService::new(&[Reaction::Fail; 5]);
    let settings = ServiceClientSettings { max_attempts: 1, ..ServiceClientSettings::default() };
    let client = service.client(settings);
    let kinds: Vec<Inquiry> = questions().iter().map(|q| inquiry(&walker(), q)).collect();
    for _ in 0..5 {
        assert_eq!(client.ask(&kinds[0]).await, Err(ServiceError::Down));
    }
    assert_eq!(client.ask(&kinds[0]).await, Err(ServiceError::CircuitOpen));
    for other in &kinds[1..] {
        assert_ne!(other.kind(), kinds[0].kind());
        assert!(client.ask(other).await.is_ok());
    }
    assert_eq!(client.ask(&kinds[0]).await, Err(ServiceError::CircuitOpen), "still suspended");
    tokio::time::advance(settings.open_duration).await;
    assert!(client.ask(&kinds[0]).await.is_ok() && !client.is_open());
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_is_not_repeated_and_does_not_open_the_breaker() {
    let service = ScriptedService::new(&[Reaction::Refuse; 20]);
    let client = service.client(ServiceClientSettings::default());
    for number in 1..=20 {
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::Malformed("nonsense")));
        assert_eq!(service.inquiries(), number);
    }
    assert!(client.ask(&asked()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_breaker_opens_after_failures_and_admits_one_trial() {
    let service = ScriptedService::new(&[Reaction::Fail; 6]);
    let settings = ServiceClientSettings { max_attempts: 1, ..ServiceClientSettings::default() };
    let client = service.client(settings);
    for _ in 0..5 {
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::Down));
    }
    assert!(client.is_open());
    for _ in 0..50 {
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::CircuitOpen));
    }
    assert_eq!(service.inquiries(), 5);
    tokio::time::advance(settings.open_duration).await;
    let asked = asked();
    let (first, second) = tokio::join!(client.ask(&asked), client.ask(&asked));
    assert_eq!((first, second), (Err(ServiceError::Down), Err(ServiceError::CircuitOpen)));
    tokio::time::advance(settings.open_duration).await;
    assert!(client.ask(&asked).await.is_ok() && !client.is_open());
    assert_eq!(service.inquiries(), 7);
}

#[tokio::test(start_paused = true)]
async fn each_batch_of_a_second_tests_a_service_that_has_failed() {
    let service = ScriptedService::new(&[Reaction::FailSlowly; 9]);
    let settings = ServiceClientSettings { max_attempts: 1, ..ServiceClientSettings::default() };
    let (client, asked) = (service.client(settings), asked());
    let mut batches = tokio::time::interval(Duration::from_secs(1));
    for _ in 0..9 {
        batches.tick().await;
        assert_eq!(client.ask(&asked).await, Err(ServiceError::Down), "the breaker admits a trial");
    }
    batches.tick().await;
    assert!(client.ask(&asked).await.is_ok(), "it works again");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_inquiry_is_sent_again() {
    let service = ScriptedService::default();
    let client = service.client(ServiceClientSettings::default());
    for number in 1..=3 {
        assert!(client.ask(&asked()).await.is_ok());
        assert_eq!(service.inquiries(), number, "a kept answer would tell what others asked");
    }
}
