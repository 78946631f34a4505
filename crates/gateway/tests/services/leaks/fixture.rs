//! People on streets, at places that are told apart from everything that may be sent: no bend of
//! any street is near them. And the gateway they ask.

use super::Recorder;
use super::clients::{Client, Socket};
use super::services::Behind;
use crate::end_to_end::far_walker;
use crate::secrets::Secrets;
use crate::town::hamlet;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use gateway::answers::answer;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::engine::Engine;
use gateway::gateway::{Gateway, Parts};
use gateway::keys::{KeyFile, OwnLimits};
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

/// Somebody on a street.
#[derive(Clone, Debug)]
pub struct Person {
    pub name: String,
    street: StreetId,
    /// How far along, on either day.
    parts: [f64; 2],
    pub question: Value,
}

/// On which side of her place everybody is.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    One,
    Other,
}

pub struct Crowd {
    pub walker: Arc<Walker>,
    /// Those of a group hide among each other.
    pub groups: Vec<Vec<Person>>,
}

impl Crowd {
    pub fn new() -> Crowd {
        let walker = far_walker(&hamlet());
        let map = walker.map();
        let mut groups: Vec<Vec<Person>> = Vec::new();
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
            let person = |n: usize| Person {
                name: format!("gnu-{number}-{n}"),
                street,
                parts: [free[n * 2], free[n * 2 + 1]],
                question: question.clone(),
            };
            groups.push((0..3).map(person).collect());
        }
        groups.truncate(4);
        assert_eq!(groups.len(), 4);
        Crowd { walker, groups }
    }

    pub fn map(&self) -> &StreetMap {
        self.walker.map()
    }

    pub fn place(&self, person: &Person, side: Side) -> (f64, f64) {
        place(self.map(), person.street, person.parts[side as usize])
    }
}

fn place(map: &StreetMap, street: StreetId, part: f64) -> (f64, f64) {
    let position = Position { street, offset: map.street(street).length.part(part) };
    let LonLat { lon, lat } = map.frame().unwrap().lon_lat(map.point(position));
    (lon, lat)
}

/// Whether no bend of a street is within three metres of a place, nor has its longitude or
/// latitude in seven decimals.
fn is_free(map: &StreetMap, street: StreetId, part: f64) -> bool {
    let (lon, lat) = place(map, street, part);
    let point = map.frame().unwrap().point(LonLat { lon, lat });
    let apart = |a: f64, b: f64| (a - b).abs() > 4e-7;
    map.streets().flat_map(|street| map.shape(street)).all(|&bend| {
        let there = map.frame().unwrap().lon_lat(bend);
        bend.distance(point) > 3.0 && apart(there.lon, lon) && apart(there.lat, lat)
    })
}

/// A gateway for people with keys, tokens and settings.
pub struct House {
    pub gateway: Arc<Gateway>,
    pub app: Router,
    pub key: String,
    pub tokens: BTreeMap<String, String>,
    pub sockets: Vec<Socket>,
    engine: Engine,
    _folder: TempDir,
}

impl House {
    pub async fn open(behind: &Behind) -> House {
        let folder = tempfile::tempdir().unwrap();
        let mut file = KeyFile::default();
        let key = file.add("okapi-app", OwnLimits::default()).unwrap().secret;
        let path = folder.path().join("keys.json");
        file.write(&path).unwrap();
        let mut config = Config { keys: Some(path), ..Config::default() };
        config.people.file = Some(folder.path().join("people.json"));
        config.service.timeout = Duration::from_secs(600);
        let (mode, walker, clock) = (Mode::Guarded, Arc::clone(&behind.walker), Clock::by_hand());
        let parts = Parts { config, mode, walker, service: behind.service(), clock };
        let gateway = Arc::new(Gateway::new(parts).unwrap());
        gateway.learn_categories().await.unwrap();
        let (engine, app) = (Engine::new(Arc::clone(&gateway)), app(Arc::clone(&gateway)));
        let (tokens, sockets) = (BTreeMap::new(), Vec::new());
        House { gateway, app, key, tokens, sockets, engine, _folder: folder }
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

    pub fn request(&self, method: &str, path: &str, body: &Value) -> Request<Body> {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {}", self.key));
        let request = request.header("content-type", "application/json");
        request.body(Body::from(body.to_string())).unwrap()
    }

    /// She has settings, a place far away from which nothing leaves, and a token.
    pub async fn settle(&mut self, person: &Person, secrets: &mut Secrets) {
        let name = &person.name;
        let zone = json!({"name": format!("yak-{name}"), "never": true,
                          "circle": {"lon": 1.2345678, "lat": 2.3456789, "radius": 40}});
        let settings = json!({"k": 3, "dt": 20, "question": person.question, "zones": [zone]});
        let path = format!("/v1/people/{name}");
        self.send(self.request("PUT", &format!("{path}/settings"), &settings)).await;
        let made = self.send(self.request("POST", &format!("{path}/tokens"), &Value::Null)).await;
        let token = made["token"].as_str().unwrap().to_owned();
        secrets.words.extend([name.clone(), format!("yak-{name}"), token.clone()]);
        self.tokens.insert(name.clone(), token);
    }

    /// She says where she is.
    pub async fn report(
        &mut self,
        client: Client,
        person: &Person,
        at: (f64, f64),
        secrets: &mut Secrets,
    ) {
        let before = self.gateway.metrics().accounts().0;
        client.say(self, person, at, secrets).await;
        while self.gateway.metrics().accounts().0 == before {
            tokio::task::yield_now().await;
        }
    }

    /// A batch in which so many are answered, and nobody else.
    pub async fn batch(&mut self, people: usize) {
        let before = self.gateway.metrics().accounts().1[0];
        self.gateway.clock().advance(1000);
        let round = self.engine.turn(self.gateway.clock().now());
        answer(Arc::clone(&self.gateway), round).await;
        let (accepted, ended) = self.gateway.metrics().accounts();
        assert_eq!((ended[0] - before, ended[0]), (people as u64, accepted), "{ended:?}");
        for socket in &mut self.sockets {
            socket.hear_all().await;
        }
    }

    /// What was counted.
    pub async fn end(self) -> String {
        self.gateway.begin_to_stop();
        self.gateway.metrics().render(40)
    }
}

/// Written down by whoever passes an inquiry on.
pub fn note(record: &Recorder, text: &str) {
    record.add(text.as_bytes());
    record.add(b"\n");
}
