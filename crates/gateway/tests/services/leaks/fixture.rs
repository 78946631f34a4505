//! Users at positions that differ from all coordinates that may be sent (no bend of a street is near),
//! and their gateway.

use super::Recorder;
use super::clients::{Client, Socket};
use super::services::RecordedService;
use crate::end_to_end::far_walker;
use crate::secrets::Secrets;
use crate::town::hamlet;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::keys::{KeyFile, LimitOverrides};
use gateway::outcome::Outcome;
use gateway::server::app;
use gateway::walk::Walker;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::LonLat;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A user on a street.
#[derive(Clone, Debug)]
pub struct LeakUser {
    pub name: String,
    /// Whether the user is the first of its group.
    pub is_first: bool,
    street: StreetId,
    /// Positions along the street as fractions, for each `Side`.
    parts: [f64; 2],
    pub question: Value,
}

/// Which of two positions all users have.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    First,
    Second,
}

pub struct TestUsers {
    pub walker: Arc<Walker>,
    /// Users of a group form an anonymity set.
    pub groups: Vec<Vec<LeakUser>>,
}

impl TestUsers {
    pub fn new() -> TestUsers {
        let walker = far_walker(&hamlet());
        let map = walker.map();
        let mut groups: Vec<Vec<LeakUser>> = Vec::new();
        for street in map.streets().step_by(37) {
            let parts = (12..90).map(|percent| f64::from(percent) / 100.0 + 0.0037);
            let free: Vec<f64> = parts.filter(|&part| is_free(map, street, part)).collect();
            if map.street(street).one_way || free.len() < 6 {
                continue;
            }
            let number = groups.len();
            let question = match number % 2 {
                0 => json!({"find": "nearest", "count": 3}),
                _ => json!({"find": "within", "radius": 180, "along": "plane"}),
            };
            let user = |n: usize| LeakUser {
                name: format!("gnu-{number}-{n}"),
                is_first: n == 0,
                street,
                parts: [free[n * 2], free[n * 2 + 1]],
                question: question.clone(),
            };
            groups.push((0..3).map(user).collect());
        }
        groups.truncate(4);
        assert_eq!(groups.len(), 4);
        TestUsers { walker, groups }
    }

    pub fn map(&self) -> &StreetMap {
        self.walker.map()
    }

    pub fn place(&self, user: &LeakUser, side: Side) -> (f64, f64) {
        lon_lat(self.map(), user.street, user.parts[side as usize])
    }
}

fn lon_lat(map: &StreetMap, street: StreetId, part: f64) -> (f64, f64) {
    let position = Position { street, offset: map.street(street).length.part(part) };
    let LonLat { lon, lat } = map.frame().unwrap().lon_lat(map.point(position));
    (lon, lat)
}

/// Returns whether no bend of a street is within 3 m of a position or shares a coordinate with it in
/// seven decimals.
fn is_free(map: &StreetMap, street: StreetId, part: f64) -> bool {
    let (lon, lat) = lon_lat(map, street, part);
    let point = map.frame().unwrap().point(LonLat { lon, lat });
    let apart = |a: f64, b: f64| (a - b).abs() > 4e-7;
    map.streets().flat_map(|street| map.shape(street)).all(|&bend| {
        let there = map.frame().unwrap().lon_lat(bend);
        bend.distance(point) > 3.0 && apart(there.lon, lon) && apart(there.lat, lat)
    })
}

/// A gateway with keys, tokens and settings of users.
pub struct TestGateway {
    pub gateway: Arc<Gateway>,
    pub app: Router,
    pub key: String,
    pub tokens: BTreeMap<String, String>,
    pub sockets: Vec<Socket>,
    engine: BatchEngine,
    _folder: TempDir,
}

impl TestGateway {
    pub async fn open(service: &RecordedService) -> TestGateway {
        let folder = tempfile::tempdir().unwrap();
        let mut file = KeyFile::default();
        let key = file.add("okapi-app", LimitOverrides::default()).unwrap().secret;
        let path = folder.path().join("keys.json");
        file.write(&path).unwrap();
        let mut config = Config { keys: Some(path), ..Config::default() };
        config.users.file = Some(folder.path().join("people.json"));
        config.service.timeout = Duration::from_secs(600);
        config.engine.region = meshcloak::RegionRule::default();
        config.server.compatible = true;
        config.server.app = true;
        let (mode, walker, clock) = (Mode::Guarded, Arc::clone(&service.walker), Clock::manual());
        let parts =
            Parts { config, mode, cities: vec![CityParts::only(walker, service.service())], clock };
        let gateway = Arc::new(Gateway::new(parts).unwrap());
        gateway.refresh_categories().await.unwrap();
        let (engine, app) = (BatchEngine::new(Arc::clone(&gateway)), app(Arc::clone(&gateway)));
        let (tokens, sockets) = (BTreeMap::new(), Vec::new());
        TestGateway { gateway, app, key, tokens, sockets, engine, _folder: folder }
    }

    pub fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.words.extend([self.key.clone(), "okapi-app".into()]);
        secrets
    }

    pub async fn send(&self, request: Request<Body>) -> Value {
        let response = self.app.clone().oneshot(request).await.unwrap();
        assert!(response.status().is_success(), "{response:?}");
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        serde_json::from_slice(&body).unwrap_or(Value::Null)
    }

    /// Sends a request that cannot be answered: no query is accepted.
    pub async fn send_refused(&self, request: Request<Body>) {
        let before = self.gateway.metrics().exact_counts().0;
        let response = self.app.clone().oneshot(request).await.unwrap();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert!(!body.is_empty());
        assert_eq!(self.gateway.metrics().exact_counts().0, before);
    }

    pub fn request(&self, method: &str, path: &str, body: &Value) -> Request<Body> {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {}", self.key));
        let request = request.header("content-type", "application/json");
        request.body(Body::from(body.to_string())).unwrap()
    }

    /// Creates settings, a distant `never` zone and a token for a user.
    pub async fn add_user(&mut self, user: &LeakUser, secrets: &mut Secrets) {
        let name = &user.name;
        let zone = json!({"name": format!("yak-{name}"), "never": true,
                          "circle": {"lon": 1.2345678, "lat": 2.3456789, "radius": 40}});
        let settings = json!({"k": 3, "dt": 20, "question": user.question, "zones": [zone]});
        let path = format!("/v1/people/{name}");
        self.send(self.request("PUT", &format!("{path}/settings"), &settings)).await;
        let made = self.send(self.request("POST", &format!("{path}/tokens"), &Value::Null)).await;
        let token = made["token"].as_str().unwrap().to_owned();
        secrets.words.extend([name.clone(), format!("yak-{name}"), token.clone()]);
        self.tokens.insert(name.clone(), token);
    }

    /// Reports a position and waits until it is accepted.
    pub async fn report(
        &mut self,
        client: Client,
        user: &LeakUser,
        at: (f64, f64),
        secrets: &mut Secrets,
    ) {
        let before = self.gateway.metrics().exact_counts().0;
        client.report(self, user, at, secrets).await;
        while self.gateway.metrics().exact_counts().0 == before {
            tokio::task::yield_now().await;
        }
    }

    /// Runs a batch and asserts that exactly `asking` queries are answered, and `present` presence
    /// reports end.
    pub async fn batch(&mut self, asking: usize, present: usize) {
        let answered_and_present = |ended: [u64; Outcome::ALL.len()]| {
            [ended[Outcome::Answered as usize], ended[Outcome::Present as usize]]
        };
        let before = answered_and_present(self.gateway.metrics().exact_counts().1);
        self.gateway.clock().advance(1000);
        let round = self.engine.turn(self.gateway.clock().now());
        answer_round(Arc::clone(&self.gateway), round).await;
        let (accepted, ended) = self.gateway.metrics().exact_counts();
        let after = answered_and_present(ended);
        let counts = [after[0] - before[0], after[1] - before[1]];
        assert_eq!(counts, [asking as u64, present as u64], "{ended:?}");
        assert_eq!(after.iter().sum::<u64>(), accepted, "{ended:?}");
        for socket in &mut self.sockets {
            socket.receive_all().await;
        }
    }

    /// Stops the gateway and returns its metrics.
    pub async fn end(self) -> String {
        self.gateway.begin_stop();
        self.gateway.metrics().render(40)
    }
}

/// Records an inquiry.
pub fn record_inquiry(record: &Recorder, text: &str) {
    record.add(text.as_bytes());
    record.add(b"\n");
}
