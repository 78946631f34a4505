//! Every client that there is, and how it says where somebody is.

use super::fixture::{House, Person};
use crate::secrets::Secrets;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt as _, StreamExt as _};
use gateway::listen::{Manners, listen};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};
use tower::ServiceExt as _;

#[derive(Clone, Copy, Debug)]
pub enum Client {
    Query,
    Stream,
    Live,
    OwnTracksAndroid,
    OwnTracksIos,
    TraccarSince9,
    TraccarBefore9,
    OsmAnd,
}

pub const CLIENTS: [Client; 8] = [
    Client::Query,
    Client::Stream,
    Client::Live,
    Client::OwnTracksAndroid,
    Client::OwnTracksIos,
    Client::TraccarSince9,
    Client::TraccarBefore9,
    Client::OsmAnd,
];

/// A recorded message, with a place and a time of ours.
fn shape(name: &str, (lon, lat): (f64, f64), unix: u64) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let text = text.replace("{lat}", &lat.to_string()).replace("{lon}", &lon.to_string());
    text.replace("{tst}", &unix.to_string()).replace("{iso}", &unix.to_string())
}

impl Client {
    /// Says where somebody is, in the client's own words.
    pub async fn say(
        self,
        house: &mut House,
        person: &Person,
        at: (f64, f64),
        secrets: &mut Secrets,
    ) {
        let unix = house.gateway.clock().unix_millis() / 1000;
        let token = house.tokens[&person.name].clone();
        let path = format!("/v1/phones/traccar/{token}");
        let ticket = format!("zebra-{}", person.name);
        let words = |name| shape(name, at, unix);
        let request = match self {
            Client::Query => {
                secrets.words.push(ticket.clone());
                let request = house.request("POST", "/v1/queries", &query(&ticket, person, at));
                wait(house, request);
                return;
            }
            Client::Stream => {
                secrets.words.push(ticket.clone());
                let body = query(&ticket, person, at);
                let mut request = house.request("POST", "/v1/queries/stream", &body);
                let kind = "application/x-ndjson".parse().unwrap();
                request.headers_mut().insert("content-type", kind);
                wait(house, request);
                return;
            }
            Client::Live => {
                let mut socket = Socket::open(house, person).await;
                secrets.words.extend([socket.resume.clone(), ticket.clone()]);
                let here = json!({"type": "position", "ticket": ticket, "lon": at.0, "lat": at.1});
                socket.say(&here).await;
                house.sockets.push(socket);
                return;
            }
            Client::OwnTracksAndroid => {
                let body = words("owntracks/location-android.json");
                owntracks(person, &house.key, body)
            }
            Client::OwnTracksIos => owntracks(person, &token, words("owntracks/location-ios.json")),
            Client::TraccarSince9 => {
                secrets.words.push("8737767034".into());
                let request = Request::post(path).header("content-type", "application/json");
                request.body(Body::from(words("traccar/9-moving.json"))).unwrap()
            }
            Client::TraccarBefore9 => {
                let query = words("osmand/traccar-8-android.txt");
                Request::post(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
            Client::OsmAnd => {
                let query = words("osmand/osmand-4.txt");
                Request::get(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
        };
        house.send(request).await;
    }
}

/// Sends a request that waits for the answer.
fn wait(house: &House, request: Request<Body>) {
    let app = house.app.clone();
    tokio::spawn(async move {
        let response = app.oneshot(request).await.unwrap();
        to_bytes(response.into_body(), usize::MAX).await.unwrap()
    });
}

fn query(ticket: &str, person: &Person, (lon, lat): (f64, f64)) -> Value {
    json!({"ticket": ticket, "person": person.name, "lon": lon, "lat": lat, "k": 3, "dt": 20,
           "dc": 400, "speed": 20, "question": person.question})
}

fn owntracks(person: &Person, password: &str, body: String) -> Request<Body> {
    let basic = STANDARD.encode(format!("{}:{password}", person.name));
    Request::post("/v1/phones/owntracks")
        .header("authorization", format!("Basic {basic}"))
        .header("content-type", "application/json")
        .header("x-limit-u", &person.name)
        .header("x-limit-d", "phone")
        .body(Body::from(body))
        .unwrap()
}

/// A WebSocket of somebody who has said hello.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
    pub resume: String,
    /// Results that have not come yet.
    waiting: usize,
    _door: watch::Sender<bool>,
}

impl Socket {
    async fn open(house: &House, person: &Person) -> Socket {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let door = watch::Sender::new(false);
        let manners = Manners {
            connections: 9,
            patience: Duration::from_secs(600),
            reading: Duration::from_secs(600),
            tls: None,
        };
        tokio::spawn(listen(listener, house.app.clone(), manners, door.subscribe()));
        let stream = TcpStream::connect(address).await.unwrap();
        let mut request = format!("ws://{address}/v1/live").into_client_request().unwrap();
        let bearer = format!("Bearer {}", house.key).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let (stream, _) = client_async(request, stream).await.unwrap();
        let mut socket = Socket { stream, resume: String::new(), waiting: 0, _door: door };
        socket.say(&json!({"type": "hello", "person": person.name})).await;
        socket.resume = socket.hear().await["resume"].as_str().unwrap().to_owned();
        socket
    }

    async fn say(&mut self, message: &Value) {
        self.waiting += usize::from(message["type"] == "position");
        self.stream.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let message = self.stream.next().await.unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    pub async fn hear_all(&mut self) {
        for _ in 0..std::mem::take(&mut self.waiting) {
            assert_eq!(self.hear().await["result"]["outcome"], "answered");
        }
    }
}
