//! What a service that records times and order can learn from requests, and what a watcher of the
//! users' lines can learn from the times of answers. Time is virtual.

mod follow_ups;
mod overload;
mod pacing;
mod release;
mod sharing;
mod slow_ranges;
mod steps;

use crate::fixture::{generous, post, query, walker};
use axum::Router;
use axum::http::StatusCode;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::inquiry::Inquiry;
use gateway::server::app;
use gateway::service::{BuiltIn, Objects, Service, ServiceFuture};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A request as the service sees it: time since the start, and body.
pub type Seen = (Duration, String);

/// A service that records its requests and answers each after a delay.
pub struct TimedService {
    inner: BuiltIn,
    delay: Box<dyn Fn(&Inquiry) -> Duration + Send + Sync>,
    start: Instant,
    seen: UnboundedSender<Seen>,
}

impl Service for TimedService {
    fn name(&self) -> &'static str {
        "timed"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.seen.send((self.start.elapsed(), format!("{inquiry:?}"))).unwrap();
        let delay = (self.delay)(inquiry);
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            self.inner.ask(inquiry).await
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.inner.categories()
    }
}

/// End of a query, as a watcher of the user's line sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct UserEnd {
    pub user: String,
    /// Time since the start.
    pub at: Duration,
    pub status: StatusCode,
    pub body: Value,
}

/// A gateway before a [`TimedService`].
pub struct Timed {
    pub gateway: Arc<Gateway>,
    pub app: Router,
    pub start: Instant,
    seen: UnboundedReceiver<Seen>,
    engine: BatchEngine,
    rounds: Vec<JoinHandle<()>>,
}

impl Timed {
    /// Starts a gateway with these settings.
    pub async fn start(
        config: Config,
        delay: impl Fn(&Inquiry) -> Duration + Send + Sync + 'static,
    ) -> Timed {
        let (sender, seen) = unbounded_channel();
        let (start, delay, inner) = (Instant::now(), Box::new(delay), BuiltIn::new(walker()));
        let service = TimedService { inner, delay, start, seen: sender };
        Timed::before(config, Box::new(service), seen).await
    }

    /// Starts a gateway before a service that records its requests in `seen`.
    pub async fn before(
        config: Config,
        service: Box<dyn Service>,
        seen: UnboundedReceiver<Seen>,
    ) -> Timed {
        let start = Instant::now();
        let (mode, clock) = (Mode::Demo, Clock::manual());
        let parts = Parts { config, mode, cities: vec![CityParts::only(walker(), service)], clock };
        let gateway = Arc::new(Gateway::new(parts).unwrap());
        gateway.refresh_categories().await.unwrap();
        let engine = BatchEngine::new(Arc::clone(&gateway));
        let app = app(Arc::clone(&gateway));
        Timed { gateway, app, start, seen, engine, rounds: Vec::new() }
    }

    /// Sends queries, and returns the task that waits for their ends.
    pub async fn ask(&self, queries: Vec<Value>) -> JoinHandle<Vec<UserEnd>> {
        let (app, start) = (self.app.clone(), self.start);
        let count = queries.len();
        let asked = futures_util::future::join_all(queries.into_iter().map(move |body| {
            let user = body["person"].as_str().unwrap().to_owned();
            let post = post(app.clone(), body);
            async move {
                let (status, body) = post.await;
                UserEnd { user, at: start.elapsed(), status, body }
            }
        }));
        let before = self.gateway.metrics().exact_counts().0;
        let task = tokio::spawn(asked);
        let mut yields = 0;
        while self.gateway.metrics().exact_counts().0 < before + count as u64 {
            tokio::task::yield_now().await;
            yields += 1;
            assert!(yields < 1_000_000, "a query was refused");
        }
        task
    }

    /// Advances the clock of the batches by a second and runs a batch. Its answers are delivered in
    /// the background.
    pub fn turn(&mut self) {
        self.gateway.clock().advance(1000);
        let round = self.engine.turn(self.gateway.clock().now());
        self.rounds.push(tokio::spawn(answer_round(Arc::clone(&self.gateway), round)));
    }

    /// Waits until all batches are delivered, and returns the requests that the service saw.
    pub async fn end(mut self) -> Vec<Seen> {
        for round in self.rounds.drain(..) {
            round.await.unwrap();
        }
        self.take_seen()
    }

    /// Returns the requests since the last call.
    pub fn take_seen(&mut self) -> Vec<Seen> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }

    /// Waits for the next request.
    pub async fn next_seen(&mut self) -> Seen {
        self.seen.recv().await.unwrap()
    }
}

/// Long enough to admit every query before the first response.
pub const LONG_WAIT: Duration = Duration::from_secs(1_000_000);

/// Settings with this number of slots, a long time-out and a long wait.
pub fn with_slots(slots: usize) -> Config {
    let mut config = generous();
    config.service.concurrency = slots;
    config.service.timeout = Duration::from_secs(20);
    config.service.question_timeout = Duration::from_secs(20);
    config.service.wait = LONG_WAIT;
    config
}

/// Queries of `size` users on one street, who can only be published together.
pub fn set_on(street: u32, size: usize, questions: &[Value]) -> Vec<Value> {
    let member = |number: usize| {
        let name = format!("{street}-{number}");
        let mut body = query(&name, &name, street);
        body["k"] = json!(size);
        body["dc"] = json!(50);
        body["question"] = questions[number % questions.len()].clone();
        body
    };
    (0..size).map(member).collect()
}

/// Streets that are far from each other.
pub fn streets() -> impl Iterator<Item = u32> {
    (0..).step_by(37)
}

/// Bodies of requests, sorted.
pub fn bodies(seen: &[Seen]) -> Vec<String> {
    let mut bodies: Vec<String> = seen.iter().map(|(_, body)| body.clone()).collect();
    bodies.sort();
    bodies
}

/// Times of requests, in order.
pub fn times(seen: &[Seen]) -> Vec<Duration> {
    seen.iter().map(|(time, _)| *time).collect()
}
