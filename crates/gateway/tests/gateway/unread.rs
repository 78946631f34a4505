//! Results that clients do not read, other than those of streams: every one is charged to its account
//! until it is written, and what finds no space stays under its ticket.

use crate::clients::live_client::{Client, at};
use crate::fixture::{call, generous, post, query, query_request, walker, with};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::future::join_all;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::inquiry::Inquiry;
use gateway::serve::Running;
use gateway::server::app;
use gateway::service::{BuiltIn, Completeness, Object, Objects, Service, ServiceFuture};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tower::ServiceExt as _;

/// The built-in service, whose objects have long names.
struct Verbose {
    inner: BuiltIn,
    name_len: usize,
}

impl Service for Verbose {
    fn name(&self) -> &'static str {
        "verbose"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        Box::pin(async {
            let found = self.inner.ask(inquiry).await?;
            let verbose = |object: &Arc<Object>| {
                Arc::new(Object { name: "x".repeat(self.name_len), ..Object::clone(object) })
            };
            let objects = found.objects().iter().map(verbose).collect();
            Ok(Objects::new(objects, Completeness::Complete))
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.inner.categories()
    }
}

async fn gateway(config: Config, clock: Clock, name_len: usize) -> Arc<Gateway> {
    let service = Box::new(Verbose { inner: BuiltIn::new(walker()), name_len });
    let cities = vec![CityParts::only(walker(), service)];
    let gateway =
        Arc::new(Gateway::new(Parts { config, mode: Mode::Demo, cities, clock }).unwrap());
    gateway.refresh_categories().await.unwrap();
    gateway
}

/// A query about all objects within two kilometres.
fn greedy(name: &str) -> Value {
    let question = json!({"find": "within", "radius": 2000, "along": "plane"});
    with(query(name, name, 3), "question", question)
}

#[tokio::test]
async fn unread_responses_are_bounded_and_can_be_repeated() {
    const USERS: usize = 40;
    const LIMIT: usize = 1 << 20;
    let mut config = generous();
    config.answers.max_unread = LIMIT;
    let gateway = gateway(config, Clock::manual(), 1_000).await;
    let app = app(Arc::clone(&gateway));
    let names: Vec<String> = (0..USERS).map(|number| format!("user {number}")).collect();
    let asked = names
        .iter()
        .map(|name| tokio::spawn(app.clone().oneshot(query_request(greedy(name).to_string()))));
    let asked: Vec<_> = asked.collect();
    while gateway.metrics().exact_counts().0 < USERS as u64 {
        tokio::task::yield_now().await;
    }
    gateway.clock().advance(1000);
    let round = BatchEngine::new(Arc::clone(&gateway)).turn(gateway.clock().now());
    answer_round(Arc::clone(&gateway), round).await;
    let responses: Vec<Response> =
        join_all(asked).await.into_iter().map(|response| response.unwrap().unwrap()).collect();
    let unread = Arc::clone(gateway.metrics().unread());
    assert!((LIMIT / 2..=LIMIT).contains(&unread.used()), "{} bytes", unread.used());
    let refused: Vec<&str> = names
        .iter()
        .zip(&responses)
        .filter(|(_, response)| response.status() == StatusCode::SERVICE_UNAVAILABLE)
        .map(|(name, _)| name.as_str())
        .collect();
    assert!((USERS / 2..USERS).contains(&refused.len()), "{} refused", refused.len());
    let (_, body) = call(app.clone(), query_request(greedy(refused[0]).to_string())).await;
    assert_eq!((&body["reason"], &body["ticket"]), (&json!("unread"), &json!(refused[0])));
    drop(responses);
    assert_eq!(unread.used(), 0);
    for name in refused {
        let (status, body) = post(app.clone(), greedy(name)).await;
        assert_eq!((status, &body["outcome"]), (StatusCode::OK, &json!("answered")), "{name}");
    }
}

/// Starts a gateway on a free port with answers of up to `max_bytes` bytes.
async fn start(max_bytes: usize) -> Running {
    let mut config = generous();
    config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.server.metrics = None;
    config.engine.tick = Duration::from_millis(100);
    (config.answers.max_bytes, config.answers.max_objects) = (max_bytes, 100_000);
    let gateway = gateway(config, Clock::start(), 100_000).await;
    Running::start(Arc::clone(&gateway), app(gateway)).await.unwrap()
}

/// Sends a request on a new connection.
async fn connect(running: &Running, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(running.address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_result_is_charged_until_the_connection_has_written_it() {
    // More than a socket buffers.
    let running = start(16 << 20).await;
    let mut streams = Vec::new();
    for name in ["ann", "bob"] {
        let body = greedy(name).to_string();
        let head = "POST /v1/queries HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
                    content-type: application/json\r\ncontent-length: ";
        streams.push(connect(&running, &format!("{head}{}\r\n\r\n{body}", body.len())).await);
    }
    let unread = Arc::clone(running.gateway().metrics().unread());
    for stream in &mut streams {
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
    }
    let held = unread.used();
    assert!(held > 12 << 20, "{held} bytes of two results");
    for mut stream in streams {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.unwrap();
        assert!(rest.len() > held / 2 - 100, "{} of {held} bytes", rest.len());
    }
    while unread.used() > 0 {
        tokio::task::yield_now().await;
    }
    running.stop().await;
}

#[tokio::test]
async fn a_socket_receives_an_answer_of_any_size() {
    let running = start(8 << 20).await;
    let mut clients = Vec::new();
    for name in ["ann", "bob"] {
        let stream = TcpStream::connect(running.address()).await.unwrap();
        let url = format!("ws://{}/v1/live", running.address());
        let mut client = Client(client_async(url, stream).await.unwrap().0);
        let query = greedy(name);
        let ask = json!({"k": 2, "dt": 30, "question": query["question"]});
        client.send_json(&json!({"type": "hello", "person": name, "ask": ask})).await;
        assert_eq!(client.receive().await["type"], "welcome");
        client
            .send_json(&at((query["lon"].as_f64().unwrap(), query["lat"].as_f64().unwrap())))
            .await;
        clients.push(client);
    }
    for mut client in clients {
        let result = client.receive().await["result"].take();
        assert_eq!(result["outcome"], "answered");
        assert!(result["answer"].to_string().len() > 4 << 20, "it is large");
    }
    running.stop().await;
}
