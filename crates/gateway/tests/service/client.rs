//! The client against a service that does as it is told; time is the test's own.

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

/// What a service does when it is asked.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Answer,
    Hang,
    Fail,
    Refuse,
}

/// Does its deeds one after the other, then answers; remembers what it heard and when.
#[derive(Clone, Default)]
struct Puppet {
    deeds: Arc<Mutex<VecDeque<Deed>>>,
    heard: Arc<Mutex<Vec<(Instant, Inquiry)>>>,
}

impl Puppet {
    fn new(deeds: &[Deed]) -> Puppet {
        let puppet = Puppet::default();
        puppet.deeds.lock().unwrap().extend(deeds);
        puppet
    }

    fn client(&self, settings: ServiceClientSettings) -> ServiceClient {
        ServiceClient::new(Box::new(self.clone()), settings)
    }

    fn heard(&self) -> usize {
        self.heard.lock().unwrap().len()
    }
}

impl Service for Puppet {
    fn name(&self) -> &'static str {
        "puppet"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.heard.lock().unwrap().push((Instant::now(), inquiry.clone()));
        let deed = self.deeds.lock().unwrap().pop_front().unwrap_or(Deed::Answer);
        Box::pin(async move {
            match deed {
                Deed::Answer => Ok(Objects::new(Vec::new(), Completeness::Complete)),
                Deed::Hang => std::future::pending().await,
                Deed::Fail => Err(ServiceError::Down),
                Deed::Refuse => Err(ServiceError::Malformed("nonsense")),
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
async fn what_fails_or_hangs_is_asked_again_with_the_same_inquiry() {
    let puppet = Puppet::new(&[Deed::Fail, Deed::Hang]);
    let answer = puppet.client(ServiceClientSettings::default()).ask(&asked()).await;
    assert!(answer.is_ok());
    let heard = puppet.heard.lock().unwrap();
    assert_eq!(heard.len(), 3);
    assert!(heard.iter().all(|(_, inquiry)| *inquiry == asked()));
    assert!(heard.is_sorted_by(|a, b| a.0 < b.0), "with a pause between");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_hangs_costs_no_more_than_was_said() {
    let puppet = Puppet::new(&[Deed::Hang; 9]);
    let settings = ServiceClientSettings::default();
    let client = puppet.client(settings.clone());
    let start = Instant::now();
    assert_eq!(client.ask(&asked()).await, Err(ServiceError::TimedOut));
    assert_eq!(puppet.heard(), 3);
    // Timers count whole milliseconds.
    assert!(start.elapsed() <= settings.max_duration() + Duration::from_millis(5));
    assert_eq!(client.categories().await, Err(ServiceError::TimedOut));
}

#[tokio::test(start_paused = true)]
async fn nonsense_is_not_asked_for_again_and_leaves_the_others_their_service() {
    let puppet = Puppet::new(&[Deed::Refuse; 20]);
    let client = puppet.client(ServiceClientSettings::default());
    for number in 1..=20 {
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::Malformed("nonsense")));
        assert_eq!(puppet.heard(), number);
    }
    assert!(client.ask(&asked()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_service_that_keeps_failing_is_left_alone_and_then_tried_by_one() {
    let puppet = Puppet::new(&[Deed::Fail; 6]);
    let settings = ServiceClientSettings { max_attempts: 1, ..ServiceClientSettings::default() };
    let client = puppet.client(settings.clone());
    for _ in 0..5 {
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::Down));
    }
    assert!(client.is_open());
    for _ in 0..50 {
        assert_eq!(client.ask(&asked()).await, Err(ServiceError::CircuitOpen));
    }
    assert_eq!(puppet.heard(), 5);
    tokio::time::advance(settings.open_duration).await;
    let asked = asked();
    let (first, second) = tokio::join!(client.ask(&asked), client.ask(&asked));
    assert_eq!((first, second), (Err(ServiceError::Down), Err(ServiceError::CircuitOpen)));
    tokio::time::advance(settings.open_duration).await;
    assert!(client.ask(&asked).await.is_ok() && !client.is_open());
    assert_eq!(puppet.heard(), 7);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_remembered_while_it_is_fresh_and_there_is_room() {
    let puppet = Puppet::default();
    let walker = walker();
    let all: Vec<Inquiry> = questions().iter().map(|asked| inquiry(&walker, asked)).collect();
    // Room for two: each counts one and its two streets.
    let settings = ServiceClientSettings { cache_capacity: 6, ..ServiceClientSettings::default() };
    let client = puppet.client(settings.clone());
    let ask = async |place: usize| {
        client.ask(&all[place]).await.unwrap();
        puppet.heard()
    };
    assert_eq!([ask(0).await, ask(1).await, ask(0).await, ask(1).await], [1, 2, 2, 2]);
    assert_eq!([ask(2).await, ask(1).await, ask(0).await], [3, 3, 4]);
    tokio::time::advance(settings.cache_ttl).await;
    assert_eq!([ask(0).await, ask(0).await], [5, 5]);
    let puppet = Puppet::default();
    let uncached = puppet.client(ServiceClientSettings { cache_capacity: 0, ..settings });
    uncached.ask(&all[0]).await.unwrap();
    uncached.ask(&all[0]).await.unwrap();
    assert_eq!(puppet.heard(), 2);
}

#[tokio::test(start_paused = true)]
async fn no_more_than_a_few_are_with_the_service_at_once() {
    let puppet = Puppet::new(&[Deed::Hang; 4]);
    let settings = ServiceClientSettings {
        max_concurrent: 2,
        max_attempts: 1,
        cache_ttl: Duration::ZERO,
        ..Default::default()
    };
    let client = puppet.client(settings);
    let asked = asked();
    let all = async { tokio::join!(client.ask(&asked), client.ask(&asked), client.ask(&asked)) };
    assert!(tokio::time::timeout(Duration::from_secs(1), all).await.is_err());
    assert_eq!(puppet.heard(), 2);
    let hung_up: Vec<_> = vec![client.ask(&asked).await, client.ask(&asked).await];
    assert_eq!(hung_up, [Err(ServiceError::TimedOut), Err(ServiceError::TimedOut)]);
    assert!(client.ask(&asked).await.is_ok(), "whoever hangs up gives her turn back");
}
