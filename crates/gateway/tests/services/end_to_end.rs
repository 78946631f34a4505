//! Users, gateway and service, end to end: every answer is exact, and an exchange of positions within
//! a set changes no byte sent to the service.

use crate::overpass_server::{UNLIMITED, id, start};
use crate::pois::{Thing, everything, things};
use crate::recording_server::Heard;
use crate::town::hamlet;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use futures_util::future::join_all;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::question::{Along, Category, Operation, Question};
use gateway::refine::refine;
use gateway::server::app;
use gateway::service::{RemoteSettings, Service};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::{Length, LonLat};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt as _;

/// A user on a street, with a question.
#[derive(Clone, Debug)]
pub struct TestUser {
    name: String,
    street: u32,
    part: f64,
    question: Value,
}

/// Returns the four kinds of questions, as JSON and as operations.
fn questions() -> [(Value, Operation); 4] {
    let radius = Length::metres(450.0);
    let within = |along| Operation::Within { radius, along };
    let nearest = |along| Operation::Nearest { count: 4, along };
    [
        (json!({"find": "within", "radius": 450, "along": "plane"}), within(Along::Plane)),
        (json!({"find": "within", "radius": 450, "along": "streets"}), within(Along::Streets)),
        (json!({"find": "nearest", "count": 4, "along": "plane"}), nearest(Along::Plane)),
        (json!({"find": "nearest", "count": 4, "along": "streets"}), nearest(Along::Streets)),
    ]
}

/// Returns a walker with a larger distance constraint.
pub fn far_walker(walker: &Walker) -> Arc<Walker> {
    Arc::new(Walker::new(Arc::new(Atlas::new(walker.map().clone(), Length::metres(2_000.0)))))
}

fn lon_lat(walker: &Walker, user: &TestUser) -> LonLat {
    let map = walker.map();
    let street = StreetId(user.street % map.street_count() as u32);
    let offset = map.street(street).length.part(user.part);
    map.frame().unwrap().lon_lat(map.point(Position { street, offset }))
}

/// Sends the queries of all users, runs batches, and returns the results.
pub async fn asked(
    walker: &Arc<Walker>,
    service: Box<dyn Service>,
    users: &[TestUser],
) -> Vec<Value> {
    let mut config = Config { keys: None, ..Config::default() };
    config.service.timeout = Duration::from_secs(600);
    config.service.question_timeout = Duration::from_secs(600);
    config.engine.region = meshcloak::RegionRule::default();
    config.limits.rate = 1_000_000;
    let (mode, clock) = (Mode::Demo, Clock::manual());
    let parts =
        Parts { config, mode, cities: vec![CityParts::only(Arc::clone(walker), service)], clock };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    gateway.refresh_categories().await.unwrap();
    let mut engine = BatchEngine::new(Arc::clone(&gateway));
    let posts = users.iter().map(|user| {
        let LonLat { lon, lat } = lon_lat(walker, user);
        let (name, question) = (&user.name, &user.question);
        let body = json!({"ticket": name, "person": name, "lon": lon, "lat": lat, "k": 3,
            "dt": 3, "dc": 800, "speed": 20, "question": question});
        let request = Request::post("/v1/queries").header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        let app = app(Arc::clone(&gateway));
        async move {
            let response = app.oneshot(request).await.unwrap();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            serde_json::from_slice(&body).unwrap()
        }
    });
    let batch = async {
        for _ in 0..5 {
            gateway.clock().advance(1000);
            let round = engine.turn(gateway.clock().now());
            answer_round(Arc::clone(&gateway), round).await;
        }
    };
    futures_util::join!(join_all(posts), batch).0
}

/// Sends queries of 24 users through a gateway, and compares every answer.
pub async fn check(walker: &Walker, service: Box<dyn Service>, things: &[Thing]) {
    let walker = far_walker(walker);
    let (map, all) = (walker.map(), everything(&walker, things));
    // Four users on a two-way street are within reach of each other.
    let two_way = |id: u32| !map.street(StreetId(id % map.street_count() as u32)).one_way;
    let user = |number: u32| TestUser {
        name: format!("p{number}"),
        street: (number / 4 * 61..).find(|&id| two_way(id)).unwrap(),
        part: 0.2 + f64::from(number % 4) * 0.15,
        question: questions()[number as usize % 4].0.clone(),
    };
    let users: Vec<TestUser> = (0..24).map(user).collect();
    let results = asked(&walker, service, &users).await;
    let mut found = 0;
    for (number, (user, results)) in users.iter().zip(&results).enumerate() {
        assert_eq!(results["outcome"], "answered", "{results}");
        assert_eq!(results["receipt"]["exact"], true);
        let (operation, category) = (questions()[number % 4].1, Category::Any);
        let point = map.frame().unwrap().point(lon_lat(&walker, user));
        let position = map.snap(point, None).unwrap().position;
        let truth = refine(&walker, position, &Question { operation, category }, &all);
        let truth: Vec<&str> = truth.found.iter().map(|found| &*found.object.id).collect();
        let answer = results["answer"].as_array().unwrap();
        let ids: Vec<&str> = answer.iter().map(|found| found["id"].as_str().unwrap()).collect();
        assert_eq!(ids, truth, "{operation:?}");
        found += ids.len();
    }
    assert!(found > 70, "{found}");
}

#[tokio::test]
async fn an_exchange_of_positions_changes_no_byte() {
    let hamlet = hamlet();
    let walker = far_walker(&hamlet);
    let first = StreetId(3);
    let end = walker.map().street(first).to;
    let arms = walker.map().leaving(end).iter();
    let (here, there) = (first.0, arms.map(|arm| arm.street.0).find(|&arm| arm != 3).unwrap());
    let things = things(&walker, id);
    let server = start(things.clone(), UNLIMITED).await;
    let source = format!("overpass+{}/api/interpreter", server.url);
    let mut settings = RemoteSettings::of_source(&source).unwrap();
    settings.timeout = 120.0;
    let mut requests: Vec<Vec<Heard>> = Vec::new();
    for places in
        [[(here, 0.4), (there, 0.5), (here, 0.6)], [(there, 0.45), (here, 0.55), (here, 0.5)]]
    {
        let user = |(number, (street, part)): (usize, (u32, f64))| {
            let question = questions()[number].0.clone();
            TestUser { name: format!("p{number}"), street, part, question }
        };
        let users: Vec<TestUser> = places.into_iter().enumerate().map(user).collect();
        let results = asked(&walker, settings.open(&walker).unwrap(), &users).await;
        assert!(results.iter().all(|results| results["outcome"] == "answered"), "{results:?}");
        let mut sent = server.take();
        // The order of the sets of a batch is random.
        sent.sort_by(|a, b| a.body.cmp(&b.body));
        requests.push(sent);
    }
    assert!(requests[0].len() >= 3);
    assert_eq!(requests[0], requests[1]);
}
