//! A gateway on a small city with a manual clock, and a service that records requests and can fail.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use gateway::answers::answer_round;
use gateway::batch::{BatchEngine, Round};
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{AfterStart, Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::inquiry::Inquiry;
use gateway::outcome::Outcome;
use gateway::server::app;
use gateway::service::{
    BuiltIn, Completeness, Object, Objects, Service, ServiceError, ServiceFuture,
};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::query::UserId;
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tower::ServiceExt as _;

/// Behaviour of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceMode {
    /// Answers.
    Normal,
    /// Refuses connections.
    Down,
    /// Never answers.
    Silent,
    /// Panics.
    Panics,
    /// Answers, with the ids that objects of OpenStreetMap have.
    Elements,
}

/// The built-in service with a record of all requests.
#[derive(Clone)]
pub struct Probe {
    inner: Arc<BuiltIn>,
    pub requests: Arc<Mutex<Vec<String>>>,
    mode: Arc<AtomicU8>,
}

impl Probe {
    pub fn new(walker: Arc<Walker>) -> Probe {
        Probe {
            inner: Arc::new(BuiltIn::new(walker)),
            requests: Arc::default(),
            mode: Arc::new(AtomicU8::new(ServiceMode::Normal as u8)),
        }
    }

    pub fn set_mode(&self, mode: ServiceMode) {
        self.mode.store(mode as u8, Ordering::SeqCst);
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

impl Service for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.requests.lock().unwrap().push(format!("{inquiry:?}"));
        match self.mode.load(Ordering::SeqCst) {
            mode if mode == ServiceMode::Down as u8 => Box::pin(async { Err(ServiceError::Down) }),
            mode if mode == ServiceMode::Silent as u8 => Box::pin(std::future::pending()),
            mode if mode == ServiceMode::Panics as u8 => {
                Box::pin(async { panic!("deliberate panic of the test") })
            }
            mode if mode == ServiceMode::Elements as u8 => Box::pin(async {
                let found = self.inner.ask(inquiry).await?;
                let renamed = found.objects().iter().map(|object| {
                    Arc::new(Object { id: element_of(&object.id), ..Object::clone(object) })
                });
                Ok(Objects::new(renamed.collect(), Completeness::Complete))
            }),
            _ => self.inner.ask(inquiry),
        }
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.inner.categories()
    }
}

/// Returns the id of an object as a node, a way or a relation of OpenStreetMap, by its number.
pub fn element_of(id: &str) -> String {
    let number: usize = id.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    format!("{}{number}", ["n", "w", "r"][number % 3])
}

/// Returns the city, prepared once for all tests.
pub fn walker() -> Arc<Walker> {
    static WALKER: OnceLock<Arc<Walker>> = OnceLock::new();
    let walker = WALKER.get_or_init(|| {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2000.0)))))
    });
    Arc::clone(walker)
}

/// Returns a configuration with high rate limits, a long wait before the service, no keys, and regions
/// that depend on the members (`reach`).
pub fn generous() -> Config {
    let mut config = Config { keys: None, ..Config::default() };
    (config.engine.after_start, config.engine.record) = (AfterStart::New, None);
    config.engine.region = RegionRule::default();
    config.limits.rate = 1_000_000;
    config.limits.person_rate = 60_000;
    config.service.wait = Duration::from_secs(600);
    config
}

/// A gateway with its engine and service.
pub struct Fixture {
    pub gateway: Arc<Gateway>,
    pub app: Router,
    pub probe: Probe,
    /// Users whose queries left with the last batch.
    pub left: Vec<UserId>,
    engine: BatchEngine,
}

impl Fixture {
    /// Creates a gateway that needs no key.
    pub async fn open() -> Fixture {
        Fixture::new(generous(), Mode::Demo).await
    }

    pub async fn new(config: Config, mode: Mode) -> Fixture {
        let fixture = Fixture::starting(config, mode);
        fixture.gateway.refresh_categories().await.unwrap();
        fixture
    }

    /// Creates a gateway before its service has listed its categories.
    pub fn starting(config: Config, mode: Mode) -> Fixture {
        let (gateway, probe) = gateway_of(config, mode, Clock::manual());
        let engine = BatchEngine::new(Arc::clone(&gateway));
        Fixture { app: app(Arc::clone(&gateway)), gateway, probe, left: Vec::new(), engine }
    }

    /// Advances the clock by a second, runs a batch and delivers its results.
    pub async fn tick(&mut self) {
        let round = self.turn();
        self.answer(round).await;
    }

    /// Advances the clock by a second and runs a batch.
    pub fn turn(&mut self) -> Round {
        self.gateway.clock().advance(1000);
        self.batch()
    }

    /// Runs a batch.
    pub fn batch(&mut self) -> Round {
        let round = self.engine.turn(self.gateway.clock().now());
        self.left = round.left.iter().map(|query| query.user).collect();
        round
    }

    /// Delivers the results of a batch.
    pub async fn answer(&self, round: Round) {
        answer_round(Arc::clone(&self.gateway), round).await;
        self.gateway.purge_results();
    }

    /// Stops the gateway: runs a last batch and expires the rest.
    pub async fn end(&mut self) {
        self.gateway.begin_stop();
        self.tick().await;
        let round = self.engine.end_all(self.gateway.clock().now(), Outcome::Expired);
        answer_round(Arc::clone(&self.gateway), round).await;
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

    /// Returns the number of accepted queries, and of answered, expired, cancelled and failed ones.
    pub fn counts(&self) -> (u64, [u64; 4]) {
        let (accepted, [answered, expired, cancelled, failed, ..]) =
            self.gateway.metrics().exact_counts();
        (accepted, [answered, expired, cancelled, failed])
    }
}

/// Creates a gateway and its service.
pub fn gateway_of(config: Config, mode: Mode, clock: Clock) -> (Arc<Gateway>, Probe) {
    let probe = Probe::new(walker());
    let service = Box::new(probe.clone());
    let parts = Parts { config, mode, cities: vec![CityParts::only(walker(), service)], clock };
    (Arc::new(Gateway::new(parts).unwrap()), probe)
}

pub async fn post(app: Router, body: Value) -> (StatusCode, Value) {
    call(app, query_request(body.to_string())).await
}

/// Builds the request of a query.
pub fn query_request(body: impl Into<Body>) -> Request<Body> {
    Request::post("/v1/queries")
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

/// Sends a request. The status must be documented.
pub async fn call(app: Router, request: Request<Body>) -> (StatusCode, Value) {
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let path = match path.strip_prefix("/v1/queries/") {
        Some(_) if method == "DELETE" => "/v1/queries/{ticket}".to_owned(),
        _ => path,
    };
    let response = app.oneshot(request).await.unwrap();
    let status = response.status();
    if let Some(statuses) = crate::openapi::described().get(&(method, path)) {
        assert!(statuses.contains(&status.as_u16()), "{status} is not documented");
    }
    let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// Returns lon and lat of a point on a street; `part` is from 0 (start) to 1 (end).
pub fn place(street: u32, part: f64) -> (f64, f64) {
    place_on(walker().map(), street, part)
}

/// Same as [`place`], on any map.
pub fn place_on(map: &StreetMap, street: u32, part: f64) -> (f64, f64) {
    let street = meshcloak::map::StreetId(street % map.street_count() as u32);
    let position = Position { street, offset: map.street(street).length.part(part) };
    let lon_lat = map.frame().unwrap().lon_lat(map.point(position));
    (lon_lat.lon, lon_lat.lat)
}

/// Builds a query on a street. Two queries on the same street can always be grouped.
pub fn query(ticket: &str, person: &str, street: u32) -> Value {
    let (lon, lat) = place(street, 0.5);
    json!({
        "ticket": ticket, "person": person, "lon": lon, "lat": lat,
        "k": 2, "dt": 3, "dc": 800, "speed": 20,
        "question": {"find": "nearest", "count": 3, "along": "streets"},
    })
}

/// Replaces one field of a query.
pub fn with(mut query: Value, key: &str, value: Value) -> Value {
    query[key] = value;
    query
}
