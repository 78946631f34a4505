//! Every answer against SQL from the exact position.

use crate::database::Database;
use crate::street_distances;
use crate::town::{inquiry, load_objects, position_in, question, region, walker};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::question::{Along, Operation, Question};
use gateway::refine::refine;
use gateway::server::app;
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{ServiceClient, ServiceClientSettings};
use gateway::walk::Walker;
use meshcloak::map::Position;
use meshcloak::town::Town;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::{Client, NoTls};
use tower::ServiceExt as _;

/// Time-out that is never reached: speed is not tested here.
const LONG_TIMEOUT: Duration = Duration::from_secs(60);

fn patient_settings(database: &Database) -> PostgisSettings {
    PostgisSettings { statement_timeout: LONG_TIMEOUT, ..PostgisSettings::new(&database.url()) }
}

/// Ids and metres.
type Distances = BTreeMap<String, f64>;

/// Returns the distances of objects in the plane.
async fn in_the_plane(
    client: &Client,
    walker: &Walker,
    position: Position,
    question: &Question,
) -> Distances {
    let map = walker.map();
    let here = map.frame().unwrap().lon_lat(map.point(position));
    let text = "SELECT id, ST_Distance(geog, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography) \
                AS metres FROM meshcloak_pois WHERE $3::text IS NULL OR category = $3";
    let category = question.category.name();
    let rows = client.query(text, &[&here.lon, &here.lat, &category]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Asserts that an answer is right up to 0.2 %, the difference between the two ways to measure.
fn check(answer: &[(String, f64)], question: &Question, truth: &Distances) {
    let slack = |metres: f64| 0.002 * metres + 0.1;
    for (id, result) in answer {
        let metres = truth.get(id).unwrap_or_else(|| panic!("{question:?} {id} {result}"));
        assert!((result - metres).abs() <= slack(*metres), "{question:?} {id} {result} {metres}");
    }
    let found = |id: &String| answer.iter().any(|(found, _)| found == id);
    match question.operation {
        Operation::Within { radius, .. } => {
            let radius = radius.as_metres();
            for (id, &metres) in truth {
                let is_borderline = (metres - radius).abs() <= slack(radius);
                assert!(
                    is_borderline || found(id) == (metres <= radius),
                    "{question:?} {id} {metres}"
                );
            }
        }
        Operation::Nearest { count, .. } => {
            let expected = truth.len().min(count as usize);
            assert_eq!(answer.len(), expected, "{question:?}");
            let farthest = answer.last().map_or(0.0, |found| found.1);
            for (id, &metres) in truth {
                assert!(found(id) || metres >= farthest - slack(farthest), "{question:?} {id}");
            }
        }
    }
}

/// Returns the distances of objects, at least of those that matter, according to the database.
async fn truth(
    client: &Client,
    walker: &Walker,
    position: Position,
    question: &Question,
) -> Distances {
    let (along, max) = match question.operation {
        // With a margin for borderline objects.
        Operation::Within { radius, along } => (along, radius.as_metres() * 1.01 + 1.0),
        Operation::Nearest { along, .. } => (along, f64::INFINITY),
    };
    match along {
        Along::Plane => in_the_plane(client, walker, position, question).await,
        Along::Streets => {
            let map = walker.map();
            street_distances::lengths(client, map, position, &question.category, max).await
        }
    }
}

#[tokio::test]
async fn answers_equal_those_of_sql() {
    let database = Database::start();
    let walker = walker();
    let map = walker.map();
    let mut settings = patient_settings(&database);
    load_objects(&walker, &settings).await;
    load_objects(&walker, &settings).await;
    let rows = database.sql("SELECT count(*) FROM meshcloak_pois");
    assert_eq!(rows, [map.pois().count().to_string()], "loaded twice, there once");
    let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    street_distances::load(&client, map, settings.planar.max_street_distance).await;

    let (mut asked, mut found, mut outside) = (0, 0, 0);
    // With the second limit, regions must be split.
    for (limit, questions) in [(10_000, 160), (60, 80)] {
        settings.limit = limit;
        let service = Postgis::service(walker.clone(), &settings).unwrap();
        let patient =
            ServiceClientSettings { timeout: LONG_TIMEOUT, ..ServiceClientSettings::default() };
        let service_client = ServiceClient::new(Box::new(service), patient);
        let mut random = Town::generator(u64::from(limit));
        while asked < if limit == 60 { 240 } else { questions } {
            let region = region(map, &mut random);
            let question = question(map, &mut random);
            let objects = service_client.ask(&inquiry(map, &region, &question)).await.unwrap();
            let position = position_in(map, &region, &mut random);
            let answer = refine(&walker, position, &question, &objects);
            asked += 1;
            if !answer.exact {
                // More objects around one point than the limit.
                assert_eq!(limit, 60, "{question:?}");
                continue;
            }
            let truth = truth(&client, &walker, position, &question).await;
            let result = answer.found.iter().map(|found| (found.object.id.clone(), found.metres));
            check(&result.collect::<Vec<_>>(), &question, &truth);
            found += answer.found.len();
            outside += usize::from(answer.found.iter().any(|found| {
                found.object.position.is_none_or(|position| !region.contains(&position.street))
            }));
        }
    }
    assert!(found > 1_000 && outside > 80, "{found} found, outside in {outside} of {asked}");
}

/// Returns a question as JSON.
fn question_json(question: &Question) -> Value {
    let (mut text, along) = match question.operation {
        Operation::Within { radius, along } => {
            (json!({"find": "within", "radius": radius.as_metres()}), along)
        }
        Operation::Nearest { count, along } => (json!({"find": "nearest", "count": count}), along),
    };
    text["along"] = json!(along.to_string());
    if let Some(name) = question.category.name() {
        text["category"] = json!(name);
    }
    text
}

/// Sends a query and returns its result.
async fn post(app: Router, body: Value) -> Value {
    let request = Request::post("/v1/queries").header("content-type", "application/json");
    let response = app.oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
    let text = to_bytes(response.into_body(), 1 << 26).await.unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Builds a gateway over the database with a manual clock.
fn gateway_of(walker: &Arc<Walker>, settings: &PostgisSettings) -> Arc<Gateway> {
    let mut config = Config { keys: None, ..Config::default() };
    config.engine.dc_max = walker.atlas().dc_max();
    config.service.timeout = LONG_TIMEOUT;
    config.service.question_timeout = LONG_TIMEOUT * 2;
    config.service.wait = LONG_TIMEOUT * 10;
    let service = Box::new(Postgis::service(walker.clone(), settings).unwrap());
    let (mode, clock) = (Mode::Demo, Clock::manual());
    let parts =
        Parts { config, mode, cities: vec![CityParts::only(walker.clone(), service)], clock };
    Arc::new(Gateway::new(parts).unwrap())
}

#[tokio::test]
async fn answers_through_the_gateway_equal_those_of_sql() {
    let database = Database::start();
    let walker = walker();
    let map = walker.map();
    let settings = patient_settings(&database);
    load_objects(&walker, &settings).await;
    let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    street_distances::load(&client, map, settings.planar.max_street_distance).await;
    let gateway = gateway_of(&walker, &settings);
    gateway.refresh_categories().await.unwrap();
    let (app, mut engine) = (app(Arc::clone(&gateway)), BatchEngine::new(Arc::clone(&gateway)));
    let mut random = Town::generator(5);

    let mut users = Vec::new();
    for group in 0..30 {
        let street = region(map, &mut random)[0];
        for _ in 0..5 {
            let (position, question) =
                (position_in(map, &[street], &mut random), question(map, &mut random));
            let place = map.frame().unwrap().lon_lat(map.point(position));
            let name = format!("{group}-{}", users.len());
            let body = json!({
                "ticket": name, "person": name, "lon": place.lon, "lat": place.lat, "k": 2,
                "dt": 3, "dc": walker.atlas().dc_max().as_metres(), "question": question_json(&question),
            });
            users.push((position, question, tokio::spawn(post(app.clone(), body))));
        }
    }
    for _ in 0..5 {
        tokio::task::yield_now().await;
        gateway.clock().advance(1000);
        answer_round(Arc::clone(&gateway), engine.turn(gateway.clock().now())).await;
    }
    let (mut answered, mut along_streets) = (0, 0);
    for (position, question, result) in users {
        let result = result.await.unwrap();
        if result["outcome"] == "expired" {
            continue; // the street is longer than the distance constraint
        }
        assert_eq!(
            (&result["outcome"], &result["receipt"]["exact"]),
            (&json!("answered"), &json!(true))
        );
        let found: Vec<(String, f64)> = result["answer"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| {
                (found["id"].as_str().unwrap().to_owned(), found["metres"].as_f64().unwrap())
            })
            .collect();
        check(&found, &question, &truth(&client, &walker, position, &question).await);
        answered += 1;
        along_streets += usize::from(question_json(&question)["along"] == "streets");
    }
    assert!(answered > 100 && along_streets > 30, "{answered} answered, {along_streets} streets");
}
