//! `/v1/me` and the app: what the user of a personal token may ask.

use crate::clients::World;
use crate::fixture::{place, query, with};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use gateway::batch::BatchEngine;
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A gateway with the app, and a token of `jo`.
async fn world() -> (World, String) {
    let world = World::with(|config, _| config.server.app = true).await;
    world.put_settings("jo", &json!({"k": 3, "dt": 7})).await;
    let token = world.token("jo").await;
    (world, token)
}

fn get(token: &str, path: &str) -> Request<Body> {
    let request = Request::get(path).header("authorization", format!("Bearer {token}"));
    request.body(Body::empty()).unwrap()
}

fn post(token: &str, body: &Value) -> Request<Body> {
    Request::post("/v1/me/queries")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

fn mine(k: u64) -> Value {
    let (lon, lat) = place(3, 0.5);
    json!({"lon": lon, "lat": lat, "k": k, "dt": 5, "question": {"find": "nearest", "count": 3}})
}

#[tokio::test]
async fn a_token_describes_what_its_user_may_ask() {
    let (world, token) = world().await;
    let (status, body) = world.send(get(&token, "/v1/me")).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!((&body["k"], &body["dt"], &body["k_max"]), (&json!(3), &json!(7.0), &json!(50)));
    assert!(body["categories"].as_array().unwrap().contains(&json!("cafe")), "{body}");
    for presented in ["mp_00", &world.key] {
        assert_eq!(world.send(get(presented, "/v1/me")).await.0, 401);
        assert_eq!(world.send(post(presented, &mine(2))).await.0, 401);
    }
}

#[tokio::test]
async fn the_answer_is_that_of_a_query_with_the_key() {
    let (mut world, token) = world().await;
    let app = world.fixture.app.clone();
    let mut by_key = with(query("t", "al", 3), "dc", json!(420));
    let (lon, lat) = place(3, 0.5);
    (by_key["lon"], by_key["lat"]) = (json!(lon), json!(lat));
    let send = |request: Request<Body>| {
        let app = app.clone();
        tokio::spawn(async move {
            let body = app.oneshot(request).await.unwrap().into_body();
            let body = to_bytes(body, 1 << 20).await.unwrap();
            serde_json::from_slice::<Value>(&body).unwrap()
        })
    };
    let other = Request::post("/v1/queries")
        .header("authorization", format!("Bearer {}", world.key))
        .header("content-type", "application/json")
        .body(Body::from(by_key.to_string()))
        .unwrap();
    let (own, other) = (send(post(&token, &mine(2))), send(other));
    while world.fixture.counts().0 < 2 {
        tokio::task::yield_now().await;
    }
    world.ticks(1).await;
    let (own, other) = (own.await.unwrap(), other.await.unwrap());
    assert_eq!(own["outcome"], "answered", "{own}");
    assert_eq!(own["answer"], other["answer"]);
    assert_eq!(own["receipt"]["k_reached"], 2);
}

#[tokio::test]
async fn what_cannot_be_hidden_or_read_is_refused_and_not_sent() {
    let (world, token) = world().await;
    let mut off_map = mine(2);
    off_map["lon"] = json!(1.0);
    for (body, status) in [
        (mine(1), StatusCode::UNPROCESSABLE_ENTITY),
        (mine(51), StatusCode::UNPROCESSABLE_ENTITY),
        (off_map, StatusCode::UNPROCESSABLE_ENTITY),
        (json!({"lon": 9}), StatusCode::BAD_REQUEST),
        (with(mine(2), "person", json!("al")), StatusCode::BAD_REQUEST),
    ] {
        let (found, body) = world.send(post(&token, &body)).await;
        assert_eq!((found, &body["outcome"]), (status, &json!("refused")), "{body}");
    }
    assert_eq!((world.fixture.counts().0, world.sent()), (0, Vec::new()));
}

#[tokio::test]
async fn without_the_setting_there_is_no_app() {
    let world = World::new().await;
    world.put_settings("jo", &json!({"k": 3, "dt": 7})).await;
    let token = world.token("jo").await;
    assert_eq!(world.send(get(&token, "/v1/me")).await.0, 404);
    assert_eq!(world.send(post(&token, &mine(2))).await.0, 404);
    for path in ["/app", "/app/", "/app/sw.js"] {
        let response = world.fixture.app.clone().oneshot(get(&token, path)).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn the_app_is_served_with_a_policy() {
    let (world, token) = world().await;
    let fetch = |path: &'static str| world.fixture.app.clone().oneshot(get(&token, path));
    assert_eq!(fetch("/app").await.unwrap().headers()["location"], "/app/");
    let page = fetch("/app/").await.unwrap();
    // A build without Node has no app.
    if gateway::page::is_embedded() {
        assert_eq!(page.status(), 200);
        let policy = page.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("manifest-src 'self'"));
        assert_eq!(fetch("/app/sw.js").await.unwrap().status(), 200);
    }
    for outside in ["/app/../index.html", "/app/..%2Findex.html", "/app/nothing"] {
        assert_eq!(fetch(outside).await.unwrap().status(), 404, "{outside}");
    }
}

#[tokio::test]
async fn a_waiting_request_ends_with_its_token() {
    let (world, token) = world().await;
    let waiting = tokio::spawn({
        let (app, request) = (world.fixture.app.clone(), post(&token, &mine(2)));
        async move { app.oneshot(request).await.unwrap().status() }
    });
    while world.fixture.counts().0 < 1 {
        tokio::task::yield_now().await;
    }
    let gateway = &world.fixture.gateway;
    let delete = |path: String| {
        let bearer = format!("Bearer {}", world.key);
        Request::delete(path).header("authorization", bearer).body(Body::empty()).unwrap()
    };
    let (status, _) = world.send(delete("/v1/people/jo/settings".into())).await;
    assert!(status.is_success(), "{status}");
    // No batch runs: the request does not wait for one.
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), waiting).await;
    assert_eq!(ended.expect("it ends at once").unwrap(), StatusCode::UNAUTHORIZED);
    let mut engine = BatchEngine::new(std::sync::Arc::clone(gateway));
    gateway.clock().advance(1000);
    let round = engine.turn(gateway.clock().now());
    assert!(round.sets.is_empty() && round.ended.len() == 1, "the query is cancelled");
}
