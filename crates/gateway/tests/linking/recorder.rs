//! A webhook service on a socket that records what it sees.

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::net::TcpListener;

/// Number of requests of which one fails.
const FAILS: u64 = 40;

/// A request on the socket.
#[derive(Clone, Debug)]
pub struct Hit {
    pub at: Instant,
    /// Port of the client.
    pub connection: u16,
    pub body: String,
    pub value: Value,
}

/// Records requests to a service with few objects.
#[derive(Clone, Default)]
pub struct Recorder {
    hits: Arc<Mutex<Vec<Hit>>>,
    count: Arc<AtomicU64>,
}

impl Recorder {
    /// Starts the service and returns its address. It has these objects.
    pub async fn start(&self, objects: Vec<Value>) -> String {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let (recorder, objects) = (self.clone(), Arc::new(objects));
        let answer = move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request| {
            let (recorder, objects) = (recorder.clone(), Arc::clone(&objects));
            async move { recorder.answer(&objects, peer, request).await }
        };
        let app = Router::new().fallback(answer);
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(socket, service).await.unwrap() });
        url
    }

    /// Removes and returns the requests.
    pub fn take(&self) -> Vec<Hit> {
        std::mem::take(&mut self.hits.lock().unwrap())
    }

    async fn answer(&self, objects: &[Value], peer: SocketAddr, request: Request) -> Response {
        let at = Instant::now();
        let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        let value: Value = serde_json::from_str(&body).unwrap_or_default();
        let category = value["properties"]["category"].clone();
        let connection = peer.port();
        self.hits.lock().unwrap().push(Hit { at, connection, body, value });
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        if meshcloak::mix::mix64(number).is_multiple_of(FAILS) {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        // All objects of the category: a superset of the range.
        let is_wanted = |object: &&Value| object["properties"]["category"] == category;
        let found: Vec<&Value> = objects.iter().filter(is_wanted).collect();
        let answer = json!({"type": "FeatureCollection", "complete": true, "features": found});
        ([("content-type", "application/geo+json")], answer.to_string()).into_response()
    }
}
