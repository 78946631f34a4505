//! Services that are down, slow, invalid or endless: one error, no crash, and no request to another
//! host.

use crate::recording_server::{Listener, Reply};
use crate::town::{hamlet, inquiry};
use gateway::question::{Along, Category, Operation, Question};
use gateway::service::{Objects, RemoteSettings, ServiceError};
use gateway::walk::Walker;
use meshcloak::map::StreetId;
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SOURCES: [&str; 3] = ["overpass+URL/api", "ogc-features+URL/collections/a", "webhook+URL/"];

fn settings(source: &str, url: &str) -> RemoteSettings {
    let mut settings = RemoteSettings::of_source(&source.replace("URL", url)).unwrap();
    settings.categories = [("cafe".to_owned(), "amenity=cafe".to_owned())].into();
    settings.ogc.filter = gateway::service::OgcFilter::Intersects;
    settings
}

/// Sends one inquiry.
async fn ask(walker: &Arc<Walker>, settings: &RemoteSettings) -> Result<Objects, ServiceError> {
    let operation = Operation::Within { radius: Length::metres(500.0), along: Along::Plane };
    let question = Question { operation, category: Category::Any };
    let region: Vec<StreetId> = walker.map().streets().take(4).collect();
    let service = settings.open(walker).unwrap();
    service.ask(&inquiry(walker.map(), &region, &question)).await
}

/// Merges a feature collection and an Overpass answer.
fn both(objects: &Value) -> Value {
    let features = &objects["features"];
    json!({"type": "FeatureCollection", "complete": true, "features": features,
           "elements": objects["elements"]})
}

#[tokio::test]
async fn an_invalid_answer_is_one_error() {
    let walker = hamlet();
    let nested = format!("{}{}", "[".repeat(9_000), "]".repeat(9_000));
    let cut = "{\"type\":\"FeatureCollection\",\"complete\":true,\"features\":[{\"id\":\"a\",";
    let bodies = [
        "",
        "<html>busy</html>",
        "null",
        "[]",
        "{}",
        "\u{0}",
        &nested,
        cut,
        "{\"type\":\"FeatureCollection\",\"elements\":7,\"features\":\"none\",\"complete\":\"no\"}",
    ];
    for body in bodies {
        let owned = body.to_owned();
        let server = Listener::start(move |_| Reply::ok(owned.clone())).await;
        for source in SOURCES {
            let answer = ask(&walker, &settings(source, &server.url)).await;
            assert!(
                matches!(answer, Err(ServiceError::Malformed(_))),
                "{source} {body:?} {answer:?}"
            );
        }
    }
}

#[tokio::test]
async fn refusals_are_named_and_only_overload_is_transient() {
    let walker = hamlet();
    for (status, is_transient) in [
        (400, false),
        (401, false),
        (404, false),
        (414, false),
        (500, false),
        (429, true),
        (503, true),
        (504, true),
    ] {
        let server = Listener::start(move |_| Reply::bad(status, "secret words")).await;
        for source in SOURCES {
            let error = ask(&walker, &settings(source, &server.url)).await.unwrap_err();
            assert_eq!(error.is_transient(), is_transient, "{source} {status} {error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}

#[tokio::test]
async fn no_other_host_receives_a_request() {
    let walker = hamlet();
    let other =
        Listener::start(|_| Reply::ok(both(&json!({"features": [], "elements": []})).to_string()))
            .await;
    let there = format!("{}/elsewhere", other.url);
    let moved = Listener::start(move |_| Reply {
        status: 307,
        headers: vec![("location", there.clone())],
        body: String::new(),
    })
    .await;
    for source in SOURCES {
        let answer = ask(&walker, &settings(source, &moved.url)).await;
        assert!(
            matches!(&answer, Err(ServiceError::Refused { code, .. }) if code == "307"),
            "{answer:?}"
        );
    }
    let next = format!("{}/next", other.url);
    let linking = Listener::start(move |_| {
        let feature = json!({"id": "a", "geometry": {"type": "Point", "coordinates": [9, 50]}});
        let links = json!([{"rel": "next", "href": next}]);
        let page = json!({"type": "FeatureCollection", "features": [feature], "links": links});
        Reply {
            status: 200,
            headers: vec![("set-cookie", "person=1".into())],
            body: page.to_string(),
        }
    })
    .await;
    let answer = ask(&walker, &settings(SOURCES[1], &linking.url)).await;
    assert_eq!(answer, Err(ServiceError::Malformed("its next page is on another host")));
    assert_eq!(other.take(), []);
}

#[tokio::test]
async fn endless_answers_are_aborted() {
    let walker = hamlet();
    let features = |many: usize, from: usize| -> Vec<Value> {
        let place = json!({"type": "Point", "coordinates": [9.0, 50.0]});
        (from..from + many).map(|n| json!({"id": format!("p{n:09}"), "geometry": place})).collect()
    };
    let elements: Vec<Value> = (0..300)
        .map(|n| json!({"type": "node", "id": n, "lat": 50.0, "lon": 9.0, "tags": {"shop": "x"}}))
        .collect();
    let many = both(&json!({"features": features(300, 0), "elements": elements})).to_string();
    let server = Listener::start(move |_| Reply::ok(many.clone())).await;
    for source in SOURCES {
        let mut settings = settings(source, &server.url);
        settings.max_objects = 299;
        assert_eq!(
            ask(&walker, &settings).await,
            Err(ServiceError::TooManyObjects(299)),
            "{source}"
        );
        settings.max_objects = 300;
        assert_eq!(ask(&walker, &settings).await.unwrap().objects().len(), 300, "{source}");
        settings.max_bytes = 5_000;
        let answer = ask(&walker, &settings).await;
        assert!(matches!(answer, Err(ServiceError::Malformed(_))), "{source} {answer:?}");
    }
    // Endless pages: with new objects, and with the same objects.
    for new in [true, false] {
        let counter = AtomicUsize::new(0);
        let endless = Listener::start(move |_| {
            let from = counter.fetch_add(if new { 50 } else { 0 }, Ordering::Relaxed);
            let page = json!({"type": "FeatureCollection", "complete": false,
                "features": features(50, from), "links": [{"rel": "next", "href": "?more"}]});
            Reply::ok(page.to_string())
        })
        .await;
        for source in &SOURCES[1..] {
            let mut settings = settings(source, &endless.url);
            settings.max_objects = 1_000;
            let answer = ask(&walker, &settings).await;
            let ended = match &answer {
                Err(ServiceError::TooManyObjects(_)) => new,
                Err(ServiceError::Malformed(_)) => !new,
                Ok(objects) => !new && !objects.is_complete(),
                Err(_) => false,
            };
            assert!(ended, "{source} {new} {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_missing_service_is_down_and_a_silent_one_times_out() {
    let walker = hamlet();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for source in SOURCES {
        let mut silent_settings =
            settings(source, &format!("http://{}", silent.local_addr().unwrap()));
        silent_settings.timeout = 0.1;
        assert_eq!(ask(&walker, &silent_settings).await, Err(ServiceError::TimedOut), "{source}");
        let closed_settings = settings(source, &format!("http://{closed}"));
        assert_eq!(ask(&walker, &closed_settings).await, Err(ServiceError::Down), "{source}");
        let plain = Listener::start(|_| Reply::ok("{}".into())).await;
        let secure = settings(source, &plain.url.replace("http:", "https:"));
        assert_eq!(ask(&walker, &secure).await, Err(ServiceError::Down), "{source}");
        assert_eq!(plain.take(), []);
    }
}

#[tokio::test]
async fn invalid_objects_are_dropped() {
    let walker = hamlet();
    let here = walker.map().frame().unwrap().lon_lat(walker.map().shape(StreetId(0))[0]);
    let (lon, lat) = (here.lon, here.lat);
    let point = |place: Value| json!({"type": "Point", "coordinates": place});
    let features = json!([
        {"id": "good", "geometry": point(json!([lon, lat])), "properties": {"category": "x"}},
        {"id": "far", "geometry": point(json!([-170.0, -80.0]))},
        {"id": "pole", "geometry": point(json!([0.0, 90.0]))},
        {"id": "off", "geometry": point(json!([lon, 91.0]))},
        {"id": "off2", "geometry": point(json!([1e300, lat]))},
        {"id": "text", "geometry": point(json!(["9", "50"]))},
        {"id": "none", "geometry": null}, {"geometry": point(json!([lon, lat]))}, 3, null
    ]);
    let tags = json!({"shop": "x"});
    let elements = json!([
        {"type": "node", "id": 1, "lat": lat, "lon": lon, "tags": tags},
        {"type": "node", "id": 2, "lat": 91.0, "lon": lon, "tags": tags},
        {"type": "node", "id": 3, "lat": lat, "lon": 1e300, "tags": tags},
        {"type": "node", "id": 4, "lat": lat, "lon": lon, "tags": {"highway": "stop"}},
        {"type": "node", "id": "5", "lat": lat, "lon": lon, "tags": tags},
        {"type": "way", "id": 6, "tags": tags}, [], null
    ]);
    let answer = both(&json!({"features": features, "elements": elements})).to_string();
    let server = Listener::start(move |_| Reply::ok(answer.clone())).await;
    for source in SOURCES {
        let objects = ask(&walker, &settings(source, &server.url)).await.unwrap();
        let near = |object: &&Arc<gateway::service::Object>| object.position.is_some();
        let near: Vec<_> = objects.objects().iter().filter(near).map(|o| o.id.as_str()).collect();
        let good = if source.starts_with("overpass") { "node/1" } else { "good" };
        assert_eq!(near, [good], "{source}");
        assert!(objects.is_complete());
    }
}
