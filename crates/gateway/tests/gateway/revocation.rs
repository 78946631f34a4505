//! A revoked key ends its streams and waiting requests at once, and only those.

use crate::clients::World;
use crate::fixture::{call, query, query_request};
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use gateway::keys::{KeyFile, LimitOverrides};
use serde_json::{Value, json};
use std::convert::Infallible;
use tower::ServiceExt as _;

/// Opens a stream with one query. Its input stays open unless `ends`.
async fn open_stream(world: &World, key: &str, ticket: &str, ends: bool) -> Response {
    let first = stream::iter([Ok::<_, Infallible>(format!("{}\n", query(ticket, ticket, 3)))]);
    let body = match ends {
        true => Body::from_stream(first),
        false => Body::from_stream(first.chain(stream::pending())),
    };
    let request = Request::post("/v1/queries/stream")
        .header("content-type", "application/x-ndjson")
        .header("authorization", format!("Bearer {key}"))
        .body(body);
    world.fixture.app.clone().oneshot(request.unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_revoked_key_ends_its_streams_at_once_with_a_last_line() {
    let world = World::new().await;
    let path = world.folder.path().join("keys.json");
    let add = |file: &mut KeyFile| file.add("okapi-app", LimitOverrides::default());
    let second = KeyFile::update(&path, add).unwrap();
    world.fixture.gateway.read_keys().unwrap();
    let open = open_stream(&world, &second.secret, "open", false).await;
    // The input of this one has ended; its query still waits.
    let waiting = open_stream(&world, &second.secret, "waiting", true).await;
    let other = open_stream(&world, &world.key, "other", false).await;
    let mut other = other.into_body().into_data_stream();
    while world.fixture.counts().0 < 3 {
        tokio::task::yield_now().await;
    }
    KeyFile::update(&path, |file| file.revoke(&second.id)).unwrap();
    world.fixture.gateway.read_keys().unwrap();
    for ended in [open, waiting] {
        let lines: Vec<_> = ended.into_body().into_data_stream().collect().await;
        let [line] = &lines[..] else { panic!("one line and the end: {lines:?}") };
        let line: Value = serde_json::from_slice(line.as_ref().unwrap()).unwrap();
        assert_eq!((&line["outcome"], &line["reason"]), (&"refused".into(), &"revoked".into()));
    }
    assert!(other.next().now_or_never().is_none(), "streams of other keys stay open");
    assert_eq!(open_stream(&world, &second.secret, "late", false).await.status(), 401);
}

#[tokio::test]
async fn a_revoked_key_ends_its_waiting_requests_and_their_queries() {
    let mut world = World::new().await;
    let path = world.folder.path().join("keys.json");
    let add = |file: &mut KeyFile| file.add("okapi-app", LimitOverrides::default());
    let second = KeyFile::update(&path, add).unwrap();
    world.fixture.gateway.read_keys().unwrap();
    let ask = |key: &str, ticket: &str| {
        let mut request = query_request(query(ticket, ticket, 3).to_string());
        let bearer = format!("Bearer {key}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        tokio::spawn(call(world.fixture.app.clone(), request))
    };
    let (revoked, other) = (ask(&second.secret, "ann"), ask(&world.key, "bob"));
    while world.fixture.counts().0 < 2 {
        tokio::task::yield_now().await;
    }
    KeyFile::update(&path, |file| file.revoke(&second.id)).unwrap();
    world.fixture.gateway.read_keys().unwrap();
    let (status, body) = revoked.await.unwrap();
    assert_eq!((status.as_u16(), &body["reason"]), (401, &json!("revoked")));
    world.ticks(1).await;
    assert_eq!(world.fixture.counts().1[2], 1, "cancelled before the batch");
    assert!(!other.is_finished() && world.sent().is_empty(), "no partner is left");
}
