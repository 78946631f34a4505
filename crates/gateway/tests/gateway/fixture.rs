//! A gateway on a small city, whose clock and engine are turned by hand, and whose service can be
//! listened to and made to fail.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use gateway::answers::answer;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::engine::Engine;
use gateway::gateway::{Gateway, Parts};
use gateway::inquiry::Inquiry;
use gateway::outcome::Outcome;
use gateway::server::app;
use gateway::service::{BuiltIn, Objects, Service, ServiceError, ServiceFuture};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::Position;
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tower::ServiceExt as _;

/// How the service feels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// It answers.
    Fine,
    /// It is not there.
    Down,
    /// It never answers.
    Silent,
    /// It panics.
    Broken,
}

/// The built-in service, and everything it was told.
#[derive(Clone)]
pub struct Probe {
    inner: Arc<BuiltIn>,
    pub heard: Arc<Mutex<Vec<String>>>,
    mood: Arc<AtomicU8>,
}

impl Probe {
    pub fn feel(&self, mood: Mood) {
        self.mood.store(mood as u8, Ordering::SeqCst);
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}

impl Service for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.heard.lock().unwrap().push(format!("{inquiry:?}"));
        match self.mood.load(Ordering::SeqCst) {
            mood if mood == Mood::Down as u8 => Box::pin(async { Err(ServiceError::Down) }),
            mood if mood == Mood::Silent as u8 => Box::pin(std::future::pending()),
            mood if mood == Mood::Broken as u8 => Box::pin(async { panic!("as it was to") }),
            _ => self.inner.ask(inquiry),
        }
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.inner.categories()
    }
}

/// The city, prepared once for all tests.
pub fn walker() -> Arc<Walker> {
    static WALKER: OnceLock<Arc<Walker>> = OnceLock::new();
    let walker = WALKER.get_or_init(|| {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2000.0)))))
    });
    Arc::clone(walker)
}

/// What may be asked without end.
pub fn generous() -> Config {
    let mut config = Config { keys: None, ..Config::default() };
    config.limits.rate = 1_000_000;
    config.limits.person_rate = 60_000;
    config
}

/// The gateway and whatever moves it.
pub struct Fixture {
    pub gateway: Arc<Gateway>,
    pub app: Router,
    pub probe: Probe,
    engine: Engine,
}

impl Fixture {
    /// Open to everyone.
    pub async fn open() -> Fixture {
        Fixture::new(generous(), Mode::Demo).await
    }

    pub async fn new(config: Config, mode: Mode) -> Fixture {
        let (gateway, probe) = gateway_of(config, mode, Clock::by_hand());
        gateway.learn_categories().await.unwrap();
        let engine = Engine::new(Arc::clone(&gateway));
        Fixture { app: app(Arc::clone(&gateway)), gateway, probe, engine }
    }

    /// A second passes, and everyone of its batch is told.
    pub async fn tick(&mut self) {
        self.gateway.clock().advance(1000);
        let round = self.engine.turn(self.gateway.clock().now());
        answer(Arc::clone(&self.gateway), round).await;
        self.gateway.forget_results();
    }

    /// The end: a last batch, and everyone left is told so.
    pub async fn end(&mut self) {
        self.gateway.begin_to_stop();
        self.tick().await;
        let round = self.engine.give_up(self.gateway.clock().now(), Outcome::Expired);
        answer(Arc::clone(&self.gateway), round).await;
    }

    pub async fn post(&self, body: Value) -> (StatusCode, Value) {
        post(self.app.clone(), body).await
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        call(self.app.clone(), Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub async fn delete(&self, ticket: &str) -> (StatusCode, Value) {
        let path = format!("/v1/queries/{ticket}");
        call(self.app.clone(), Request::delete(path).body(Body::empty()).unwrap()).await
    }

    /// Accepted, answered, expired, cancelled, failed.
    pub fn accounts(&self) -> (u64, [u64; 4]) {
        let (accepted, [answered, expired, cancelled, failed, _]) =
            self.gateway.metrics().accounts();
        (accepted, [answered, expired, cancelled, failed])
    }
}

/// A gateway and the service that it asks.
pub fn gateway_of(config: Config, mode: Mode, clock: Clock) -> (Arc<Gateway>, Probe) {
    let probe = Probe {
        inner: Arc::new(BuiltIn::new(walker())),
        heard: Arc::default(),
        mood: Arc::new(AtomicU8::new(Mood::Fine as u8)),
    };
    let service = Box::new(probe.clone());
    let parts = Parts { config, mode, walker: walker(), service, clock };
    (Arc::new(Gateway::new(parts).unwrap()), probe)
}

pub async fn post(app: Router, body: Value) -> (StatusCode, Value) {
    call(app, query_request(body.to_string())).await
}

/// A query on its way.
pub fn query_request(body: impl Into<Body>) -> Request<Body> {
    Request::post("/v1/queries")
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

/// What comes back. Its status must be one that the document describes.
pub async fn call(app: Router, request: Request<Body>) -> (StatusCode, Value) {
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let path = match path.strip_prefix("/v1/queries/") {
        Some(_) if method == "DELETE" => "/v1/queries/{ticket}".to_owned(),
        _ => path,
    };
    let response = app.oneshot(request).await.unwrap();
    let status = response.status();
    if let Some(statuses) = crate::openapi::described().get(&(method, path)) {
        assert!(statuses.contains(&status.as_u16()), "{status} is not described");
    }
    let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// Where the middle of a street is on Earth.
pub fn place(street: u32, part: f64) -> (f64, f64) {
    let walker = walker();
    let map = walker.atlas().map();
    let street = meshcloak::map::StreetId(street % map.street_count() as u32);
    let position = Position { street, offset: map.street(street).length.part(part) };
    let place = map.frame().unwrap().lon_lat(map.point(position));
    (place.lon, place.lat)
}

/// A query of somebody on a street: two on the same street are always within reach.
pub fn query(ticket: &str, person: &str, street: u32) -> Value {
    let (lon, lat) = place(street, 0.5);
    json!({
        "ticket": ticket, "person": person, "lon": lon, "lat": lat,
        "k": 2, "dt": 3, "dc": 800, "speed": 20,
        "question": {"find": "nearest", "count": 3, "along": "streets"},
    })
}

/// The same with something else in it.
pub fn with(mut query: Value, key: &str, value: Value) -> Value {
    query[key] = value;
    query
}
