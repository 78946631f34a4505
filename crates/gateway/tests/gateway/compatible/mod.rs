//! The compatible APIs end to end: answers equal brute force from the position of the request, and
//! whatever cannot be hidden or answered exactly gets the API's own error and sends nothing.

mod answers;
mod errors;
mod hostile;
pub mod reference;
mod tokens;
mod unions;

use crate::clients::World;
use crate::fixture::{place, walker};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use gateway::config::Config;
use meshcloak::units::{LonLat, Point};
use serde_json::{Value, json};
use std::path::Path;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

/// One of the APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Overpass,
    Places,
    Legacy,
    Photon,
}

pub const APIS: [Api; 4] = [Api::Overpass, Api::Places, Api::Legacy, Api::Photon];

/// Status and body of a response; JSON, or a string.
pub type Reply = (StatusCode, Value);

impl Api {
    /// Builds a valid request for cafés within 400 m.
    pub fn request(self, token: &str, (lon, lat): (f64, f64)) -> Request<Body> {
        match self {
            Api::Overpass => overpass(
                token,
                &format!("[out:json];node[amenity=cafe](around:400,{lat},{lon});out;"),
            ),
            Api::Places => places(
                token,
                "*",
                &json!({
                    "locationRestriction": {"circle": {
                        "center": {"latitude": lat, "longitude": lon}, "radius": 400.0}},
                    "includedTypes": ["cafe"], "rankPreference": "DISTANCE"
                }),
            ),
            Api::Legacy => get(
                token,
                &format!(
                    "maps/api/place/nearbysearch/json?location={lat},{lon}&radius=400&type=cafe"
                ),
            ),
            Api::Photon => get(
                token,
                &format!("reverse?lat={lat}&lon={lon}&radius=0.4&limit=50&osm_tag=amenity:cafe"),
            ),
        }
    }

    /// Asserts that a reply is an error in the shape of the API, and returns its kind and sentence.
    #[track_caller]
    pub fn error(self, (status, body): &Reply) -> (String, String) {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        match self {
            Api::Overpass => {
                let page = text(body);
                let (_, rest) =
                    page.split_once("<p><strong style=\"color:#FF0000\">Error</strong>: ").unwrap();
                (status.as_u16().to_string(), rest.split_once(" </p>").unwrap().0.to_owned())
            }
            Api::Places => {
                assert_eq!(body["error"]["code"], status.as_u16());
                (text(&body["error"]["status"]), text(&body["error"]["message"]))
            }
            Api::Legacy => {
                assert_eq!((*status, &body["results"]), (StatusCode::OK, &json!([])));
                (text(&body["status"]), text(&body["error_message"]))
            }
            Api::Photon => (status.as_u16().to_string(), text(&body["message"])),
        }
    }
}

pub fn overpass(token: &str, query: &str) -> Request<Body> {
    let path = format!("/compatible/{token}/api/interpreter");
    Request::post(path).body(Body::from(query.to_owned())).unwrap()
}

pub fn places(token: &str, mask: &str, body: &Value) -> Request<Body> {
    Request::post(format!("/compatible/{token}/v1/places:searchNearby"))
        .header("content-type", "application/json")
        .header("x-goog-fieldmask", mask)
        .body(Body::from(body.to_string()))
        .unwrap()
}

pub fn get(token: &str, path: &str) -> Request<Body> {
    Request::get(format!("/compatible/{token}/{path}")).body(Body::empty()).unwrap()
}

/// A gateway with the compatible APIs, the user `jo` with a token, and `al`, who hides `jo`.
pub struct CompatibleWorld {
    pub world: World,
    pub token: String,
}

impl CompatibleWorld {
    pub async fn new() -> CompatibleWorld {
        CompatibleWorld::with(|_, _| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Config, &Path)) -> CompatibleWorld {
        let world = CompatibleWorld::starting(change).await;
        world.world.fixture.gateway.refresh_categories().await.unwrap();
        world
    }

    /// Before the categories of the service are known.
    pub async fn starting(change: impl FnOnce(&mut Config, &Path)) -> CompatibleWorld {
        let world = World::starting(|config, folder| {
            config.server.compatible = true;
            change(config, folder);
        });
        for person in ["jo", "al"] {
            world.put_settings(person, &json!({"k": 2, "dt": 5})).await;
        }
        let token = world.token("jo").await;
        CompatibleWorld { world, token }
    }

    /// Sends a request in the background.
    pub fn send(&self, request: Request<Body>) -> JoinHandle<Reply> {
        let app = self.world.fixture.app.clone();
        tokio::spawn(async move {
            let response = app.oneshot(request).await.unwrap();
            let status = response.status();
            let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
            let text = || Value::from(String::from_utf8(body.to_vec()).unwrap());
            (status, serde_json::from_slice(&body).unwrap_or_else(|_| text()))
        })
    }

    pub fn accepted(&self) -> u64 {
        self.world.fixture.counts().0
    }

    /// Waits until `queries` more queries than `before` are accepted.
    pub async fn wait_accepted(&self, before: u64, queries: u64) {
        while self.accepted() < before + queries {
            tokio::task::yield_now().await;
        }
    }

    /// Sends a request that becomes `queries` queries, hides its user beside `al`, and returns the
    /// reply.
    pub async fn ask(&mut self, request: Request<Body>, at: (f64, f64), queries: u64) -> Reply {
        self.world.report("al", at).await;
        let before = self.accepted();
        let reply = self.send(request);
        self.wait_accepted(before, queries).await;
        self.world.fixture.tick().await;
        reply.await.unwrap()
    }

    /// Sends a request that must be refused at once: nothing is accepted, nothing is sent.
    pub async fn refused(&mut self, api: Api, request: Request<Body>) -> (String, String) {
        let before = self.accepted();
        let reply = self.send(request).await.unwrap();
        let error = api.error(&reply);
        self.world.ticks(1).await;
        assert_eq!(
            (self.accepted(), self.world.sent()),
            (before, Vec::<String>::new()),
            "{error:?}"
        );
        error
    }
}

/// Returns a position some metres beside a street.
pub fn beside(street: u32, part: f64, metres: f64) -> (f64, f64) {
    let (lon, lat) = place(street, part);
    let frame = walker().map().frame().unwrap().clone();
    let on_street = frame.point(LonLat { lon, lat });
    let LonLat { lon, lat } = frame.lon_lat(Point::new(on_street.x + metres, on_street.y - metres));
    (lon, lat)
}
