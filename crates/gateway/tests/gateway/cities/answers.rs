//! Answers, sets and services of two cities.

use super::{NORTH, SOUTH, TwoCities, north};
use crate::fixture::{Fixture, Probe, call, generous, post, walker, with};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::future::join_all;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::Mode;
use gateway::gateway::{Gateway, Parts};
use gateway::serve::Running;
use gateway::server::app;
use gateway::walk::Walker;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Queries of three users on each of several streets of a city.
fn queries(world: &TwoCities, city: usize) -> Vec<Value> {
    let mut all = Vec::new();
    for street in [3, 40, 77, 200] {
        for user in 0..3 {
            let name = format!("{city}-{street}-{user}");
            let body = world.query(&name, &name, city, street);
            let along = ["streets", "plane"][user % 2];
            let question = json!({"find": "nearest", "count": 1 + user, "along": along});
            all.push(with(body, "question", question));
        }
    }
    all
}

/// Answers queries with a gateway that has only one city.
async fn answers_of_one(walker: Arc<Walker>, queries: &[Value]) -> Vec<(StatusCode, Value)> {
    let service = Box::new(Probe::new(Arc::clone(&walker)));
    let cities = vec![CityParts::only(walker, service)];
    let parts = Parts { config: generous(), mode: Mode::Demo, cities, clock: Clock::manual() };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    let (app, mut engine) = (app(Arc::clone(&gateway)), BatchEngine::new(Arc::clone(&gateway)));
    let answers = join_all(queries.iter().map(|query| post(app.clone(), query.clone())));
    let batch = async {
        gateway.clock().advance(1000);
        let round = engine.turn(gateway.clock().now());
        answer_round(Arc::clone(&gateway), round).await;
    };
    futures_util::join!(answers, batch).0
}

#[tokio::test]
async fn each_city_answers_as_a_gateway_of_its_own() {
    let mut world = TwoCities::open().await;
    let of_city = [SOUTH, NORTH].map(|city| queries(&world, city));
    // Queries of both cities arrive alternately.
    let mixed: Vec<Value> = of_city[SOUTH]
        .iter()
        .zip(&of_city[NORTH])
        .flat_map(|(a, b)| [a.clone(), b.clone()])
        .collect();
    let app = world.app.clone();
    let posted = join_all(mixed.iter().map(|query| post(app.clone(), query.clone())));
    let (mixed, ()) = futures_util::join!(posted, world.tick());
    for (city, walker) in [(SOUTH, walker()), (NORTH, north())] {
        let expected = answers_of_one(walker, &of_city[city]).await;
        let found: Vec<_> = mixed.iter().skip(city).step_by(2).cloned().collect();
        assert!(found.iter().all(|(status, body)| {
            *status == 200 && body["outcome"] == "answered" && body["receipt"]["exact"] == true
        }));
        assert_eq!(found, expected);
    }
    let [south, north] = world.sent();
    assert!(south > 2 && north > 2, "{south} and {north} requests");
    let (accepted, ended) = world.gateway.metrics().exact_counts();
    assert_eq!((accepted, ended), (24, [24, 0, 0, 0, 0, 0]));
    for city in world.gateway.cities().iter() {
        assert_eq!(city.under_way().load(std::sync::atomic::Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn users_of_two_cities_are_never_in_one_set() {
    let mut world = TwoCities::open().await;
    // The same street number and offset in both cities; together they would be enough.
    let mut posted = Vec::new();
    for city in [SOUTH, NORTH] {
        for user in ["a", "b"] {
            let name = format!("{city}{user}");
            posted.push(world.begin(with(world.query(&name, &name, city, 3), "k", json!(3))).await);
        }
    }
    for _ in 0..5 {
        world.tick().await;
    }
    for posted in posted {
        assert_eq!(posted.await.unwrap().1["outcome"], "expired");
    }
    assert_eq!(world.sent(), [0, 0]);
}

#[tokio::test]
async fn a_ticket_cancels_its_query_in_its_city_only() {
    let mut world = TwoCities::open().await;
    let south = world.begin(world.query("s", "ann", SOUTH, 3)).await;
    let north = world.begin(world.query("n", "bob", NORTH, 3)).await;
    let cancelled = tokio::spawn({
        let app = world.app.clone();
        async move {
            let request = Request::delete("/v1/queries/n").body(Body::empty()).unwrap();
            call(app, request).await
        }
    });
    tokio::task::yield_now().await;
    world.tick().await;
    assert_eq!(cancelled.await.unwrap().1["outcome"], "cancelled");
    assert_eq!(north.await.unwrap().1["outcome"], "cancelled");
    assert!(!south.is_finished(), "the other query waits");
    assert_eq!(world.delete("n").await.1["outcome"], "cancelled", "the result is kept");
    assert_eq!(world.delete("x").await.0, 404);
    for _ in 0..4 {
        world.tick().await;
    }
    assert_eq!(south.await.unwrap().1["outcome"], "expired");
}

#[tokio::test]
async fn the_map_lists_several_cities_and_a_single_one_as_before() {
    let world = TwoCities::open().await;
    let request = || Request::get("/v1/map").body(Body::empty()).unwrap();
    let (_, several) = call(world.app.clone(), request()).await;
    let names: Vec<&Value> =
        several["cities"].as_array().unwrap().iter().map(|city| &city["name"]).collect();
    assert_eq!(names, ["south", "north"]);
    assert_eq!(several["cities"][0]["extent"], several["extent"]);
    assert!(several["cities"][1]["extent"][1].as_f64().unwrap() > 48.05);
    let (_, one) = Fixture::open().await.get("/v1/map").await;
    let keys: Vec<&String> = one.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["extent", "guarantee", "name", "streets", "tick"]);
    let digests: Vec<u64> = world.gateway.cities().iter().map(|city| city.digest()).collect();
    assert!(digests[0] != digests[1]);
    assert_eq!(digests[0], import::prepared::digest(walker().map()));
}

#[tokio::test]
async fn a_running_gateway_serves_all_cities() {
    let mut config = generous();
    config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.server.metrics = None;
    config.engine.tick = Duration::from_millis(100);
    let named = [("south", walker()), ("north", north())];
    let cities = named.map(|(name, walker)| {
        let service = Box::new(Probe::new(Arc::clone(&walker)));
        CityParts { name: name.into(), walker, service }
    });
    let parts = Parts { config, mode: Mode::Demo, cities: cities.into(), clock: Clock::start() };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    let app = app(Arc::clone(&gateway));
    let running = Running::start(gateway, app.clone()).await.unwrap();
    let world = TwoCities::open().await;
    let posted = [(SOUTH, "1"), (SOUTH, "2"), (NORTH, "3"), (NORTH, "4")]
        .map(|(city, name)| post(app.clone(), world.query(name, name, city, 3)));
    for (status, body) in join_all(posted).await {
        assert_eq!((status.as_u16(), &body["outcome"]), (200, &json!("answered")), "{body}");
    }
    running.stop().await;
}
