//! A gateway for real people: no route that the document describes, nor one of the operator's page,
//! returns where anybody is; and a look that finds nobody would find them if they were there.

use crate::fixture::{place, walker};
use crate::guarded::{guarded, text, told_by};
use axum::http::Method;
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

/// Metres within which a place that is told counts as somebody's.
const NEAR: f64 = 2.0;

/// Places of people; none near a thing that may be told, nor one whose metres could be numbers of
/// streets, which may be told, too.
fn places() -> Vec<(f64, f64)> {
    let walker = walker();
    let map = walker.atlas().map();
    let told: Vec<Point> = map.pois().map(|poi| map.poi(poi).point).collect();
    let all = (0..400).map(|n| place(n / 4 * 5, 0.2 + 0.17 * f64::from(n % 4)));
    let apart = |here: Point| told.iter().all(|thing| thing.distance(here) > 3.0 * NEAR);
    let far = |here: Point| here.x.abs().max(here.y.abs()) > 2.0 * map.street_count() as f64;
    let fits = |here: Point| apart(here) && far(here);
    all.filter(|&(lon, lat)| fits(metres(lon, lat))).take(60).collect()
}

fn metres(lon: f64, lat: f64) -> Point {
    walker().atlas().map().frame().unwrap().point(LonLat { lon, lat })
}

/// Which of the people a text tells the place of: two numbers beside each other, as lon/lat (in
/// either order) or as metres.
fn told(text: &str, people: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    let pairs = || numbers.windows(2).map(|pair| (pair[0], pair[1]));
    let is_near = |a: Point, b: Point| a.distance(b) < NEAR;
    people
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

/// Every route that the document describes; what takes something away comes last.
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

#[tokio::test]
async fn no_route_returns_where_anybody_is() {
    let folder = tempfile::tempdir().unwrap();
    let scene = guarded(folder.path());
    scene.gateway.refresh_categories().await.unwrap();
    let people = places();
    let mut heard = scene.asked(&people, 1).await;
    assert!(heard.iter().any(|text| text.contains("\"answered\"")), "{heard:?}");
    assert_eq!(people.len(), 60);

    let phone = scene.phone("p1-3").await;
    let mut unserved = Vec::new();
    for (method, path) in described() {
        let response =
            scene.people.clone().oneshot(scene.fitting(&method, &path, people[3], &phone)).await;
        let response = response.unwrap();
        if !response.status().is_success() {
            unserved.push(format!("{method} {path} {}", response.status().as_u16()));
        }
        heard.push(told_by(response).await);
    }
    // All others were served, as to somebody who is known: this is no socket, and her phone's token
    // went with her settings.
    assert_eq!(unserved, ["GET /v1/live 400", "DELETE /v1/people/{person}/tokens/{id} 404"]);
    let others =
        ["/", "/page/info", "/map/info", "/metrics", "/health", "/ready", "/v1/openapi.json"];
    for path in others {
        heard.push(text(&scene.operator, scene.request(&Method::GET, path, String::new())).await);
    }
    let glance = scene.request(&Method::GET, "/ops/live", String::new());
    let (glance, more) = join(text(&scene.operator, glance), scene.asked(&people, 2)).await;
    assert!(glance.contains("\"regions\":[["), "{glance}");
    heard.push(glance);
    heard.extend(more);
    for text in &heard {
        assert_eq!(told(text, &people), [], "{text}");
    }
}

#[tokio::test]
async fn a_gateway_for_real_people_has_no_demo_and_its_tiles_know_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let scene = guarded(folder.path());
    let get = |path: &str| scene.request(&Method::GET, path, String::new());
    for app in [&scene.people, &scene.operator] {
        for path in ["/demo/live", "/demo/info", "/demo/asked/x", "/demo/compare"] {
            let response = app.clone().oneshot(get(path)).await.unwrap();
            assert_eq!(response.status().as_u16(), 404, "{path}");
        }
    }
    let people = places();
    let (lon, lat) = people[0];
    let world = gateway::tiles::mercator::world(LonLat { lon, lat });
    let index = |part: f64| (part * f64::from(1 << 15)) as u32;
    let tile = format!("/map/tiles/15/{}/{}", index(world.x), index(world.y));
    let shapes = "/map/shapes/0".to_owned();
    for path in [tile, shapes] {
        let before = text(&scene.operator, get(&path)).await;
        scene.asked(&people, 1).await;
        assert!(before.len() > 50);
        assert_eq!(before, text(&scene.operator, get(&path)).await);
    }
}

#[tokio::test]
async fn a_route_that_told_a_place_would_be_found() {
    let (people, folder) = (places(), tempfile::tempdir().unwrap());
    let mut scene = guarded(folder.path());
    let (lon, lat) = people[7];
    let Point { x, y } = metres(lon, lat);
    let event = Event::default().json_data(json!({"regions": [[1, 2]], "at": [x, y]})).unwrap();
    let events = move || async move { Sse::new(once(async { Ok::<_, Infallible>(event) })) };
    let leaks = Router::new()
        .route(
            "/leak",
            get(move || async move { Json(json!({"k": 3, "seen": {"lat": lat, "lon": lon}})) }),
        )
        .route("/leak/live", get(events));
    scene.people = scene.people.merge(leaks);
    for path in ["/leak", "/leak/live"] {
        let heard = text(&scene.people, scene.request(&Method::GET, path, String::new())).await;
        assert_eq!(told(&heard, &people), [people[7]], "{heard}");
    }
}

#[test]
fn a_place_that_is_told_is_found() {
    let people = places();
    let (lon, lat) = people[7];
    let Point { x, y } = metres(lon, lat);
    for text in [
        format!("{{\"lon\":{lon},\"lat\":{lat}}}"),
        format!("[{lat:.6},{lon:.6}]"),
        format!("data: {{\"x\":{x:.1},\"y\":{y:.1}}}"),
    ] {
        assert_eq!(told(&text, &people), [people[7]], "{text}");
    }
    assert_eq!(told("{\"k\":3,\"dt\":2.5,\"streets\":12}", &people), []);
}
