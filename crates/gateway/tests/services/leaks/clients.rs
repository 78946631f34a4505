//! All clients, and how each reports a position.

use super::fixture::{LeakUser, TestGateway};
use crate::secrets::Secrets;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt as _, StreamExt as _};
use gateway::listen::{ConnectionLimits, listen};
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
    Overpass,
    Places,
    LegacyPlaces,
    Photon,
    App,
    /// `present()` of the JavaScript client beside a user who asks.
    Presence,
}

pub const CLIENTS: [Client; 14] = [
    Client::Query,
    Client::Stream,
    Client::Live,
    Client::OwnTracksAndroid,
    Client::OwnTracksIos,
    Client::TraccarSince9,
    Client::TraccarBefore9,
    Client::OsmAnd,
    Client::Overpass,
    Client::Places,
    Client::LegacyPlaces,
    Client::Photon,
    Client::App,
    Client::Presence,
];

/// Returns a recorded message with position and time filled in.
fn shape(name: &str, (lon, lat): (f64, f64), unix: u64) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let text = text.replace("{lat}", &lat.to_string()).replace("{lon}", &lon.to_string());
    text.replace("{tst}", &unix.to_string()).replace("{iso}", &unix.to_string())
}

impl Client {
    /// Whether a user has a question.
    pub fn asks(self, user: &LeakUser) -> bool {
        !matches!(self, Client::Presence) || user.is_first
    }

    /// Reports a position in the format of the client.
    pub async fn report(
        self,
        gateway: &mut TestGateway,
        user: &LeakUser,
        at: (f64, f64),
        secrets: &mut Secrets,
    ) {
        let unix = gateway.gateway.clock().unix_millis() / 1000;
        let token = gateway.tokens[&user.name].clone();
        let path = format!("/v1/phones/traccar/{token}");
        let ticket = format!("zebra-{}", user.name);
        let message = |name| shape(name, at, unix);
        let request = match self {
            Client::Query | Client::Presence => {
                secrets.words.push(ticket.clone());
                let body = self.query(&ticket, user, at);
                let request = gateway.request("POST", "/v1/queries", &body);
                send_in_background(gateway, request);
                return;
            }
            Client::Stream => {
                secrets.words.push(ticket.clone());
                let body = self.query(&ticket, user, at);
                let mut request = gateway.request("POST", "/v1/queries/stream", &body);
                let kind = "application/x-ndjson".parse().unwrap();
                request.headers_mut().insert("content-type", kind);
                send_in_background(gateway, request);
                return;
            }
            Client::Live => {
                let mut socket = Socket::open(gateway, user).await;
                secrets.words.extend([socket.resume.clone(), ticket.clone()]);
                let here = json!({"type": "position", "ticket": ticket, "lon": at.0, "lat": at.1});
                socket.send(&here).await;
                gateway.sockets.push(socket);
                return;
            }
            Client::OwnTracksAndroid => {
                let body = message("owntracks/location-android.json");
                owntracks(user, &gateway.key, body)
            }
            Client::OwnTracksIos => owntracks(user, &token, message("owntracks/location-ios.json")),
            Client::TraccarSince9 => {
                secrets.words.push("8737767034".into());
                let request = Request::post(path).header("content-type", "application/json");
                request.body(Body::from(message("traccar/9-moving.json"))).unwrap()
            }
            Client::TraccarBefore9 => {
                let query = message("osmand/traccar-8-android.txt");
                Request::post(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
            Client::OsmAnd => {
                let query = message("osmand/osmand-4.txt");
                Request::get(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
            Client::Overpass | Client::Places | Client::LegacyPlaces | Client::Photon => {
                gateway.send_refused(self.compatible(&token, at, Part::Unsupported)).await;
                send_in_background(gateway, self.compatible(&token, at, Part::Supported));
                return;
            }
            Client::App => {
                gateway.send_refused(app_query(&token, at, &json!({"find": "gnu"}))).await;
                send_in_background(gateway, app_query(&token, at, &user.question));
                return;
            }
        };
        gateway.send(request).await;
    }
}

impl Client {
    /// Builds a query, or a presence report.
    fn query(self, ticket: &str, user: &LeakUser, (lon, lat): (f64, f64)) -> Value {
        let mut body = json!({
            "ticket": ticket, "person": user.name, "lon": lon, "lat": lat, "k": 3, "dt": 20,
            "dc": 400, "speed": 20
        });
        if self.asks(user) {
            body["question"] = user.question.clone();
        }
        body
    }
}

/// Whether a request of another API can be answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Supported,
    Unsupported,
}

impl Client {
    /// Builds the request of a client of another API.
    fn compatible(self, token: &str, (lon, lat): (f64, f64), part: Part) -> Request<Body> {
        let base = format!("/compatible/{token}");
        let is_supported = part == Part::Supported;
        let get = |path: String| Request::get(base.clone() + &path).body(Body::empty()).unwrap();
        match self {
            Client::Places => {
                let center = json!({"latitude": lat, "longitude": lon});
                let body = json!({"locationRestriction": {"circle": {"center": center, "radius": 170}},
                                  "excludedTypes": ["bank"],
                                  "rankPreference": if is_supported { "DISTANCE" } else { "POPULARITY" }});
                Request::post(format!("{base}/v1/places:searchNearby"))
                    .header("x-goog-fieldmask", "places.id")
                    .body(Body::from(body.to_string()))
                    .unwrap()
            }
            Client::LegacyPlaces => get(format!(
                "/maps/api/place/nearbysearch/json?location={lat},{lon}&rankby=distance&{}",
                if is_supported { "type=cafe" } else { "keyword=gnu" }
            )),
            Client::Photon => get(format!(
                "/reverse?lat={lat}&lon={lon}&limit={}",
                if is_supported { "2" } else { "gnu" }
            )),
            _ => {
                let kind = if is_supported { "nwr" } else { "relation" };
                let query =
                    format!("[out:json];{kind}(around:170,{lat},{lon})[amenity=cafe];out ids;");
                Request::post(format!("{base}/api/interpreter")).body(Body::from(query)).unwrap()
            }
        }
    }
}

/// A query of the app for phones.
fn app_query(token: &str, (lon, lat): (f64, f64), question: &Value) -> Request<Body> {
    let body = json!({"lon": lon, "lat": lat, "k": 3, "dt": 20, "question": question});
    Request::post("/v1/me/queries")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

/// Sends a request whose response is the answer.
fn send_in_background(gateway: &TestGateway, request: Request<Body>) {
    let app = gateway.app.clone();
    tokio::spawn(async move {
        let response = app.oneshot(request).await.unwrap();
        to_bytes(response.into_body(), usize::MAX).await.unwrap()
    });
}

fn owntracks(user: &LeakUser, password: &str, body: String) -> Request<Body> {
    let basic = STANDARD.encode(format!("{}:{password}", user.name));
    Request::post("/v1/phones/owntracks")
        .header("authorization", format!("Basic {basic}"))
        .header("content-type", "application/json")
        .header("x-limit-u", &user.name)
        .header("x-limit-d", "phone")
        .body(Body::from(body))
        .unwrap()
}

/// A WebSocket after `hello`.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
    pub resume: String,
    /// Number of results not yet received.
    waiting: usize,
    _door: watch::Sender<bool>,
}

impl Socket {
    async fn open(gateway: &TestGateway, user: &LeakUser) -> Socket {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let door = watch::Sender::new(false);
        let limits = ConnectionLimits {
            connections: 9,
            per_address: 9,
            read_timeout: Duration::from_secs(600),
            write_timeout: Duration::from_secs(600),
            tls: None,
        };
        tokio::spawn(listen(listener, gateway.app.clone(), limits, door.subscribe()));
        let stream = TcpStream::connect(address).await.unwrap();
        let mut request = format!("ws://{address}/v1/live").into_client_request().unwrap();
        let bearer = format!("Bearer {}", gateway.key).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let (stream, _) = client_async(request, stream).await.unwrap();
        let mut socket = Socket { stream, resume: String::new(), waiting: 0, _door: door };
        socket.send(&json!({"type": "hello", "person": user.name})).await;
        socket.resume = socket.receive().await["resume"].as_str().unwrap().to_owned();
        socket
    }

    async fn send(&mut self, message: &Value) {
        self.waiting += usize::from(message["type"] == "position");
        self.stream.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let message = self.stream.next().await.unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    pub async fn receive_all(&mut self) {
        for _ in 0..std::mem::take(&mut self.waiting) {
            assert_eq!(self.receive().await["result"]["outcome"], "answered");
        }
    }
}
