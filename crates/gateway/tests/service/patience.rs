//! The asker against a service that does as it is told; time is the test's own.

use crate::scene::{inquiry, questions, walker};
use gateway::inquiry::Inquiry;
use gateway::service::{Asker, AskerSettings, Coming, Complete, Objects, Service, ServiceError};
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

    fn asker(&self, settings: AskerSettings) -> Asker {
        Asker::new(Box::new(self.clone()), settings)
    }

    fn heard(&self) -> usize {
        self.heard.lock().unwrap().len()
    }
}

impl Service for Puppet {
    fn name(&self) -> &'static str {
        "puppet"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> Coming<'a, Objects> {
        self.heard.lock().unwrap().push((Instant::now(), inquiry.clone()));
        let deed = self.deeds.lock().unwrap().pop_front().unwrap_or(Deed::Answer);
        Box::pin(async move {
            match deed {
                Deed::Answer => Ok(Objects::new(Vec::new(), Complete::Yes)),
                Deed::Hang => std::future::pending().await,
                Deed::Fail => Err(ServiceError::Down),
                Deed::Refuse => Err(ServiceError::Malformed("nonsense")),
            }
        })
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(std::future::pending())
    }
}

fn asked() -> Inquiry {
    inquiry(&walker(), &questions()[0])
}

#[tokio::test(start_paused = true)]
async fn what_fails_or_hangs_is_asked_again_with_the_same_inquiry() {
    let puppet = Puppet::new(&[Deed::Fail, Deed::Hang]);
    let answer = puppet.asker(AskerSettings::default()).ask(&asked()).await;
    assert!(answer.is_ok());
    let heard = puppet.heard.lock().unwrap();
    assert_eq!(heard.len(), 3);
    assert!(heard.iter().all(|(_, inquiry)| *inquiry == asked()));
    assert!(heard.is_sorted_by(|a, b| a.0 < b.0), "with a pause between");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_hangs_costs_no_more_than_was_said() {
    let puppet = Puppet::new(&[Deed::Hang; 9]);
    let settings = AskerSettings::default();
    let asker = puppet.asker(settings.clone());
    let start = Instant::now();
    assert_eq!(asker.ask(&asked()).await, Err(ServiceError::TimedOut));
    assert_eq!(puppet.heard(), 3);
    // Timers count whole milliseconds.
    assert!(start.elapsed() <= settings.longest() + Duration::from_millis(5));
    assert_eq!(asker.categories().await, Err(ServiceError::TimedOut));
}

#[tokio::test(start_paused = true)]
async fn nonsense_is_not_asked_for_again_and_leaves_the_others_their_service() {
    let puppet = Puppet::new(&[Deed::Refuse; 20]);
    let asker = puppet.asker(AskerSettings::default());
    for number in 1..=20 {
        assert_eq!(asker.ask(&asked()).await, Err(ServiceError::Malformed("nonsense")));
        assert_eq!(puppet.heard(), number);
    }
    assert!(asker.ask(&asked()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_service_that_keeps_failing_is_left_alone_and_then_tried_by_one() {
    let puppet = Puppet::new(&[Deed::Fail; 6]);
    let settings = AskerSettings { attempts: 1, ..AskerSettings::default() };
    let asker = puppet.asker(settings.clone());
    for _ in 0..5 {
        assert_eq!(asker.ask(&asked()).await, Err(ServiceError::Down));
    }
    assert!(asker.is_resting());
    for _ in 0..50 {
        assert_eq!(asker.ask(&asked()).await, Err(ServiceError::Resting));
    }
    assert_eq!(puppet.heard(), 5);
    tokio::time::advance(settings.rest).await;
    let asked = asked();
    let (first, second) = tokio::join!(asker.ask(&asked), asker.ask(&asked));
    assert_eq!((first, second), (Err(ServiceError::Down), Err(ServiceError::Resting)));
    tokio::time::advance(settings.rest).await;
    assert!(asker.ask(&asked).await.is_ok() && !asker.is_resting());
    assert_eq!(puppet.heard(), 7);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_remembered_while_it_is_fresh_and_there_is_room() {
    let puppet = Puppet::default();
    let walker = walker();
    let all: Vec<Inquiry> = questions().iter().map(|asked| inquiry(&walker, asked)).collect();
    // Room for two: each counts one and its two streets.
    let settings = AskerSettings { remembered: 6, ..AskerSettings::default() };
    let asker = puppet.asker(settings.clone());
    let ask = async |place: usize| {
        asker.ask(&all[place]).await.unwrap();
        puppet.heard()
    };
    assert_eq!([ask(0).await, ask(1).await, ask(0).await, ask(1).await], [1, 2, 2, 2]);
    assert_eq!([ask(2).await, ask(1).await, ask(0).await], [3, 3, 4]);
    tokio::time::advance(settings.fresh).await;
    assert_eq!([ask(0).await, ask(0).await], [5, 5]);
    let puppet = Puppet::default();
    let forgetful = puppet.asker(AskerSettings { remembered: 0, ..settings });
    forgetful.ask(&all[0]).await.unwrap();
    forgetful.ask(&all[0]).await.unwrap();
    assert_eq!(puppet.heard(), 2);
}

#[tokio::test(start_paused = true)]
async fn no_more_than_a_few_are_with_the_service_at_once() {
    let puppet = Puppet::new(&[Deed::Hang; 4]);
    let settings =
        AskerSettings { at_once: 2, attempts: 1, fresh: Duration::ZERO, ..Default::default() };
    let asker = puppet.asker(settings);
    let asked = asked();
    let all = async { tokio::join!(asker.ask(&asked), asker.ask(&asked), asker.ask(&asked)) };
    assert!(tokio::time::timeout(Duration::from_secs(1), all).await.is_err());
    assert_eq!(puppet.heard(), 2);
    let hung_up: Vec<_> = vec![asker.ask(&asked).await, asker.ask(&asked).await];
    assert_eq!(hung_up, [Err(ServiceError::TimedOut), Err(ServiceError::TimedOut)]);
    assert!(asker.ask(&asked).await.is_ok(), "whoever hangs up gives her turn back");
}
