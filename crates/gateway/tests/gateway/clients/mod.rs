//! Trackers and WebSockets end to end: requests of each client, and the responses and answers.

mod cadence;
mod faulty;
mod leaks;
mod lines;
mod live;
pub mod live_client;
mod osmand;
mod owntracks;
mod presence;
mod settings;
mod settings_file;
mod traccar;
mod zones;

use crate::fixture::{Fixture, generous, place};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway::config::{Config, Mode};
use gateway::keys::{KeyFile, LimitOverrides};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A gateway with keys, one of its keys, and the folder of its files.
pub struct World {
    pub fixture: Fixture,
    pub key: String,
    pub folder: TempDir,
}

impl World {
    pub async fn new() -> World {
        World::with(|_, _| {}).await
    }

    /// With a changed configuration.
    pub async fn with(change: impl FnOnce(&mut Config, &Path)) -> World {
        let world = World::starting(change);
        world.fixture.gateway.refresh_categories().await.unwrap();
        world
    }

    /// With a changed configuration, before the categories of its service are known.
    pub fn starting(change: impl FnOnce(&mut Config, &Path)) -> World {
        let folder = tempfile::tempdir().unwrap();
        let mut file = KeyFile::default();
        let key = file.add("okapi-app", LimitOverrides::default()).unwrap().secret;
        let path = folder.path().join("keys.json");
        file.write(&path).unwrap();
        let mut config = Config { keys: Some(path), ..generous() };
        change(&mut config, folder.path());
        World { fixture: Fixture::starting(config, Mode::Guarded), key, folder }
    }

    /// Sends a request with the key.
    pub async fn api(&self, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {}", self.key));
        let request = match body {
            Some(body) => {
                let request = request.header("content-type", "application/json");
                request.body(Body::from(body.to_string()))
            }
            None => request.body(Body::empty()),
        };
        self.send(request.unwrap()).await
    }

    /// Sends a request and checks that OpenAPI describes the status.
    pub async fn send(&self, request: Request<Body>) -> (StatusCode, Value) {
        let route = (request.method().to_string(), template(request.uri().path()));
        let response = self.fixture.app.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let described = crate::openapi::described();
        assert!(described[&route].contains(&status.as_u16()), "{status} of {route:?}");
        let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    pub async fn put_settings(&self, person: &str, settings: &Value) {
        let path = format!("/v1/people/{person}/settings");
        let (status, body) = self.api("PUT", &path, Some(settings)).await;
        assert_eq!(status, 200, "{body}");
    }

    pub async fn token(&self, person: &str) -> String {
        let (status, token) = self.api("POST", &format!("/v1/people/{person}/tokens"), None).await;
        assert_eq!(status, 201, "{token}");
        token["token"].as_str().unwrap().to_owned()
    }

    /// Fetches the last answer and the outcome of the last report.
    pub async fn answer(&self, person: &str) -> Value {
        let (status, body) = self.api("GET", &format!("/v1/people/{person}/answer"), None).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Sends a message of OwnTracks with the key as password.
    pub async fn owntracks(&self, user: &str, body: &str) -> (StatusCode, Value) {
        self.send(owntracks_request(user, &self.key, body)).await
    }

    /// Reports a position with the current time.
    pub async fn report(&self, user: &str, at: (f64, f64)) -> Value {
        let body = message("owntracks/location-minimal.json", at, self.unix());
        let (status, reply) = self.owntracks(user, &body).await;
        assert_eq!(status, 200, "{reply}");
        reply
    }

    /// Unix time in seconds.
    pub fn unix(&self) -> u64 {
        self.fixture.gateway.clock().unix_millis() / 1000
    }

    pub async fn ticks(&mut self, seconds: usize) {
        for _ in 0..seconds {
            self.fixture.tick().await;
        }
    }

    /// Returns the requests to the service since the last call.
    pub fn sent(&self) -> Vec<String> {
        self.fixture.probe.take()
    }
}

pub fn owntracks_request(user: &str, password: &str, body: &str) -> Request<Body> {
    let basic = STANDARD.encode(format!("{user}:{password}"));
    Request::post("/v1/phones/owntracks")
        .header("authorization", format!("Basic {basic}"))
        .header("content-type", "application/json")
        .header("x-limit-u", user)
        .header("x-limit-d", "phone")
        .body(Body::from(body.to_owned()))
        .unwrap()
}

/// Path template of the OpenAPI document.
fn template(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["", "v1", "people", ..] => parts[3] = "{person}",
        ["", "v1", "phones", "traccar", ..] => parts[4] = "{token}",
        _ => {}
    }
    if parts.len() == 6 && parts[4] == "tokens" {
        parts[5] = "{id}";
    }
    parts.join("/")
}

/// A recorded message with the given position and time.
pub fn message(name: &str, (lon, lat): (f64, f64), unix: u64) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let (day, seconds) = (unix / 86_400, unix % 86_400);
    // The clock of a test starts on 2026-01-01.
    let date = match day.checked_sub(20_454) {
        Some(days) => format!("2026-01-{:02}", days + 1),
        None => format!("2025-12-{:02}", day + 32 - 20_454),
    };
    let clock = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let iso = format!("{date}T{:02}:{:02}:{:02}.000Z", clock.0, clock.1, clock.2);
    let text = text.replace("{lat}", &lat.to_string()).replace("{lon}", &lon.to_string());
    text.replace("{tst}", &unix.to_string()).replace("{iso}", &iso)
}

/// Names of the recorded messages of a client with this prefix.
pub fn messages(folder: &str, begin: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let entries = std::fs::read_dir(path).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(begin)).collect();
    names.sort();
    assert!(!names.is_empty());
    names.into_iter().map(|name| format!("{folder}/{name}")).collect()
}

/// Settings: k = 2, dt = 5 s, the three nearest objects.
pub fn asking() -> Value {
    json!({"k": 2, "dt": 5, "question": {"find": "nearest", "count": 3}})
}

/// Settings: k = 2, dt = 5 s, no question.
pub fn present() -> Value {
    json!({"k": 2, "dt": 5})
}

/// Two positions on one street.
pub fn neighbours() -> [(f64, f64); 2] {
    [place(3, 0.4), place(3, 0.6)]
}
