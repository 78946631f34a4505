//! A gateway that needs keys, with the operator's page, and a client that uses all routes.

use crate::clients::{message, owntracks_request};
use crate::fixture::{gateway_of, generous, query, query_request, with};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use axum::response::Response;
use futures_util::future::{join, join_all};
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::Gateway;
use gateway::keys::{KeyFile, LimitOverrides};
use gateway::page::{self, BatchMonitor, PageOptions};
use gateway::server::{app, operator_app};
use http_body_util::BodyExt as _;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tower::ServiceExt as _;

pub async fn text(app: &Router, request: Request<Body>) -> String {
    body_text(app.clone().oneshot(request).await.unwrap()).await
}

pub async fn body_text(response: Response) -> String {
    if response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream") {
        let mut body = response.into_body();
        let frame = body.frame().await.unwrap().unwrap();
        return String::from_utf8_lossy(frame.data_ref().unwrap()).into_owned();
    }
    let body = to_bytes(response.into_body(), 1 << 26).await.unwrap();
    String::from_utf8_lossy(&body).into_owned()
}

/// A gateway with a key, and the routers of clients and operator.
pub struct Guarded {
    pub gateway: Arc<Gateway>,
    monitor: Arc<BatchMonitor>,
    pub clients: Router,
    pub operator: Router,
    secret: String,
}

pub fn guarded(folder: &std::path::Path) -> Guarded {
    let mut file = KeyFile::default();
    let key = file.add("app", LimitOverrides::default()).unwrap();
    file.write(&folder.join("keys.json")).unwrap();
    let mut config = Config { keys: Some(folder.join("keys.json")), ..generous() };
    (config.server.app, config.server.compatible) = (true, true);
    let (gateway, _) = gateway_of(config, Mode::Guarded, Clock::manual());
    let monitor = Arc::new(BatchMonitor::default());
    let site = page::operator(&gateway, &monitor, &PageOptions::default());
    Guarded {
        clients: app(Arc::clone(&gateway)),
        operator: operator_app(Arc::clone(&gateway)).merge(site),
        secret: key.secret,
        gateway,
        monitor,
    }
}

impl Guarded {
    pub fn request(&self, method: &Method, path: &str, body: String) -> Request<Body> {
        Guarded::request_by(&self.secret, method, path, body)
    }

    /// Builds a request with a key or a personal token.
    fn request_by(secret: &str, method: &Method, path: &str, body: String) -> Request<Body> {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {secret}"));
        let kind = match path.ends_with("stream") {
            true => "application/x-ndjson",
            false => "application/json",
        };
        match body.is_empty() {
            true => request.body(Body::empty()).unwrap(),
            false => request.header("content-type", kind).body(Body::from(body)).unwrap(),
        }
    }

    /// Creates the settings of a user and a token for a phone. Returns the token and its id.
    pub async fn phone(&self, person: &str) -> (String, String) {
        let settings = json!({"k": 2, "dt": 4, "question": {"find": "nearest", "count": 3}});
        let path = format!("/v1/people/{person}/settings");
        text(&self.clients, self.request(&Method::PUT, &path, settings.to_string())).await;
        let path = format!("/v1/people/{person}/tokens");
        let made = text(&self.clients, self.request(&Method::POST, &path, String::new())).await;
        let made: serde_json::Value = serde_json::from_str(&made).unwrap();
        let part = |key: &str| made[key].as_str().unwrap().to_owned();
        (part("token"), part("id"))
    }

    /// Builds a valid request to a route, of a user at `here` with earlier queries.
    pub fn fitting(
        &self,
        method: &Method,
        path: &str,
        here: (f64, f64),
        (token, id): &(String, String),
    ) -> Request<Body> {
        let unix = self.gateway.clock().unix_millis() / 1000;
        let filled = path.replace("{ticket}", "t1-3").replace("{person}", "p1-3");
        let mut filled = filled.replace("{token}", token).replace("{id}", id);
        let body = match (method.as_str(), path) {
            ("POST", "/v1/phones/owntracks") => {
                let body = message("owntracks/location-minimal.json", here, unix);
                return owntracks_request("p1-3", &self.secret, &body);
            }
            ("POST", "/v1/phones/traccar/{token}") => message("traccar/9-moving.json", here, unix),
            ("GET", "/v1/phones/traccar/{token}") => {
                filled += &format!("?lat={}&lon={}&timestamp={unix}", here.1, here.0);
                String::new()
            }
            ("PUT", _) => json!({"k": 2, "dt": 4}).to_string(),
            ("GET", "/v1/me") => {
                return Guarded::request_by(token, method, path, String::new());
            }
            ("POST", "/v1/me/queries") => {
                let question = json!({"find": "nearest", "count": 3});
                let body = json!({"lon": here.0, "lat": here.1, "question": question});
                return Guarded::request_by(token, method, path, body.to_string());
            }
            // A repeated ticket gets the stored result.
            ("POST", "/v1/queries" | "/v1/queries/stream") => {
                let body = with(query("t1-3", "p1-3", 3), "lon", json!(here.0));
                with(body, "lat", json!(here.1)).to_string()
            }
            _ => String::new(),
        };
        self.request(method, &filled, body)
    }

    /// Runs six batches and delivers their results.
    async fn run_batches(&self) {
        let (sender, rounds) = unbounded_channel();
        let mut passed = self.monitor.watch(&self.gateway, rounds, |_| ());
        let mut engine = BatchEngine::new(Arc::clone(&self.gateway));
        for _ in 0..6 {
            tokio::task::yield_now().await;
            self.gateway.clock().advance(1000);
            sender.send(engine.turn(self.gateway.clock().now())).unwrap();
            answer_round(Arc::clone(&self.gateway), passed.recv().await.unwrap()).await;
        }
    }

    /// Submits a query for each position, as single requests and as a stream. Returns all responses.
    pub async fn submit_all(&self, positions: &[(f64, f64)], round: u32) -> Vec<String> {
        let body = |number: usize, (lon, lat): (f64, f64)| {
            let street = number as u32;
            let body = query(&format!("t{round}-{number}"), &format!("p{round}-{number}"), street);
            with(with(body, "lon", json!(lon)), "lat", json!(lat)).to_string()
        };
        let bodies: Vec<String> =
            positions.iter().enumerate().map(|(number, &at)| body(number, at)).collect();
        let single = bodies.iter().take(30).map(|body| {
            let mut request = query_request(body.clone());
            let bearer = format!("Bearer {}", self.secret).parse().unwrap();
            request.headers_mut().insert("authorization", bearer);
            text(&self.clients, request)
        });
        let lines = bodies[30..].join("\n");
        let stream = self.request(&Method::POST, "/v1/queries/stream", lines);
        let all = join(join_all(single), text(&self.clients, stream));
        let ((mut responses, streamed), ()) = join(all, self.run_batches()).await;
        responses.push(streamed);
        responses
    }
}
