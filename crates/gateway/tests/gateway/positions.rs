//! No documented route, and none of the operator's page, returns the position of a user. Controls
//! show that the search would find one.

use crate::compatible::APIS;
use crate::compatible::reference::within;
use crate::fixture::{place, walker};
use crate::guarded::{Guarded, body_text, guarded, text};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::future::join;
use futures_util::stream::once;
use gateway::server::document;
use meshcloak::units::{LonLat, Point};
use serde_json::json;
use std::convert::Infallible;
use tower::ServiceExt as _;

/// Distance in metres below which a point counts as the position of a user.
const NEAR: f64 = 2.0;

/// Returns positions of users: none near a point of interest, and none whose coordinates in metres
/// could be street ids, since both may be returned.
fn positions() -> Vec<(f64, f64)> {
    let walker = walker();
    let map = walker.atlas().map();
    let pois: Vec<Point> = map.pois().map(|poi| map.poi(poi).point).collect();
    let all = (0..400).map(|n| place(n / 4 * 5, 0.2 + 0.17 * f64::from(n % 4)));
    let apart = |here: Point| pois.iter().all(|poi| poi.distance(here) > 3.0 * NEAR);
    let far = |here: Point| here.x.abs().max(here.y.abs()) > 2.0 * map.street_count() as f64;
    let fits = |here: Point| apart(here) && far(here);
    all.filter(|&(lon, lat)| fits(metres(lon, lat))).take(60).collect()
}

fn metres(lon: f64, lat: f64) -> Point {
    walker().atlas().map().frame().unwrap().point(LonLat { lon, lat })
}

/// Returns the positions that a text contains: two successive numbers, as lon/lat (in either order)
/// or as metres.
fn found(text: &str, users: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    let pairs = || numbers.windows(2).map(|pair| (pair[0], pair[1]));
    let is_near = |a: Point, b: Point| a.distance(b) < NEAR;
    users
        .iter()
        .copied()
        .filter(|&(lon, lat)| {
            let here = metres(lon, lat);
            pairs().any(|(a, b)| {
                let degrees = |lon: f64, lat: f64| {
                    LonLat::new(lon, lat).is_some() && is_near(metres(lon, lat), here)
                };
                degrees(a, b) || degrees(b, a) || is_near(Point::new(a, b), here)
            })
        })
        .collect()
}

/// Returns all documented routes, DELETE last.
fn described() -> Vec<(Method, String)> {
    let document = serde_json::to_value(document()).unwrap();
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            all.push((Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(), path.clone()));
        }
    }
    all.sort_by_key(|(method, _)| *method == Method::DELETE);
    all
}

/// Route that responds when the query has ended.
const WAITING: &str = "/v1/me/queries";

async fn send(scene: &Guarded, request: Request<Body>) -> (StatusCode, String) {
    let response = scene.clients.clone().oneshot(request).await.unwrap();
    (response.status(), body_text(response).await)
}

/// Asks by [`WAITING`] and by each compatible API while others ask. Returns all responses.
async fn waiting_routes(
    scene: &Guarded,
    users: &[(f64, f64)],
    phone: &(String, String),
) -> Vec<String> {
    let has_cafe = |at: &&(f64, f64)| !within(**at, &["cafe"], 390.0).is_empty();
    let here = *users.iter().find(has_cafe).expect("a user near a café");
    let mine = scene.fitting(&Method::POST, WAITING, here, phone);
    let compatible = APIS.iter().map(|api| api.request(&phone.0, here));
    let mut responses = Vec::new();
    for (round, request) in (3..).zip(std::iter::once(mine).chain(compatible)) {
        let path = request.uri().path().to_owned();
        let sent = join(send(scene, request), scene.submit_all(users, round));
        let ((status, body), others) = sent.await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        assert!(body.contains("\"name\""), "{path} has an object: {body}");
        responses.push(body);
        responses.extend(others);
    }
    responses
}

#[tokio::test]
async fn no_route_returns_a_position_of_a_user() {
    let folder = tempfile::tempdir().unwrap();
    let scene = guarded(folder.path());
    scene.gateway.refresh_categories().await.unwrap();
    let users = positions();
    let mut responses = scene.submit_all(&users, 1).await;
    assert!(responses.iter().any(|text| text.contains("\"answered\"")), "{responses:?}");
    assert_eq!(users.len(), 60);

    let phone = scene.phone("p1-3").await;
    let mut unserved = Vec::new();
    responses.extend(waiting_routes(&scene, &users, &phone).await);
    for (method, path) in described().into_iter().filter(|(_, path)| path != WAITING) {
        let (status, body) = send(&scene, scene.fitting(&method, &path, users[3], &phone)).await;
        if !status.is_success() {
            unserved.push(format!("{method} {path} {}", status.as_u16()));
        }
        responses.push(body);
    }
    // All others succeed. The request to /v1/live is no WebSocket upgrade, and deleting the settings
    // has deleted the token.
    assert_eq!(unserved, ["GET /v1/live 400", "DELETE /v1/people/{person}/tokens/{id} 404"]);
    let others =
        ["/", "/page/info", "/map/info", "/metrics", "/health", "/ready", "/v1/openapi.json"];
    for path in others {
        responses
            .push(text(&scene.operator, scene.request(&Method::GET, path, String::new())).await);
    }
    let glance = scene.request(&Method::GET, "/ops/live", String::new());
    let (glance, more) = join(text(&scene.operator, glance), scene.submit_all(&users, 2)).await;
    assert!(glance.contains("\"regions\":[["), "{glance}");
    responses.push(glance);
    responses.extend(more);
    for text in &responses {
        assert_eq!(found(text, &users), [], "{text}");
    }
}

#[tokio::test]
async fn outside_the_demo_there_are_no_demo_routes_and_tiles_do_not_depend_on_users() {
    let folder = tempfile::tempdir().unwrap();
    let scene = guarded(folder.path());
    let get = |path: &str| scene.request(&Method::GET, path, String::new());
    for app in [&scene.clients, &scene.operator] {
        for path in ["/demo/live", "/demo/info", "/demo/asked/x", "/demo/compare"] {
            let response = app.clone().oneshot(get(path)).await.unwrap();
            assert_eq!(response.status().as_u16(), 404, "{path}");
        }
    }
    let users = positions();
    let (lon, lat) = users[0];
    let world = gateway::tiles::mercator::project(LonLat { lon, lat });
    let index = |part: f64| (part * f64::from(1 << 15)) as u32;
    let tile = format!("/map/tiles/15/{}/{}", index(world.x), index(world.y));
    let shapes = "/map/shapes/0".to_owned();
    for path in [tile, shapes] {
        let before = text(&scene.operator, get(&path)).await;
        scene.submit_all(&users, 1).await;
        assert!(before.len() > 50);
        assert_eq!(before, text(&scene.operator, get(&path)).await);
    }
}

#[tokio::test]
async fn control_a_route_that_returns_a_position_is_found() {
    let (users, folder) = (positions(), tempfile::tempdir().unwrap());
    let mut scene = guarded(folder.path());
    let (lon, lat) = users[7];
    let Point { x, y } = metres(lon, lat);
    let event = Event::default().json_data(json!({"regions": [[1, 2]], "at": [x, y]})).unwrap();
    let events = move || async move { Sse::new(once(async { Ok::<_, Infallible>(event) })) };
    let leaks = Router::new()
        .route(
            "/leak",
            get(move || async move { Json(json!({"k": 3, "seen": {"lat": lat, "lon": lon}})) }),
        )
        .route("/leak/live", get(events));
    scene.clients = scene.clients.merge(leaks);
    for path in ["/leak", "/leak/live"] {
        let response = text(&scene.clients, scene.request(&Method::GET, path, String::new())).await;
        assert_eq!(found(&response, &users), [users[7]], "{response}");
    }
}

#[test]
fn control_a_position_in_a_text_is_found() {
    let users = positions();
    let (lon, lat) = users[7];
    let Point { x, y } = metres(lon, lat);
    for text in [
        format!("{{\"lon\":{lon},\"lat\":{lat}}}"),
        format!("[{lat:.6},{lon:.6}]"),
        format!("data: {{\"x\":{x:.1},\"y\":{y:.1}}}"),
    ] {
        assert_eq!(found(&text, &users), [users[7]], "{text}");
    }
    assert_eq!(found("{\"k\":3,\"dt\":2.5,\"streets\":12}", &users), []);
}
