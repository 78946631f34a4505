//! NDJSON streams: many users on one connection, with lines split into arbitrary chunks.

use crate::fixture::{Fixture, generous, query, with};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use futures_util::{StreamExt as _, stream};
use gateway::config::Mode;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower::ServiceExt as _;

fn stream_request(body: Body) -> Request<Body> {
    Request::post("/v1/queries/stream")
        .header("content-type", "application/x-ndjson")
        .body(body)
        .unwrap()
}

/// Sends bytes in pieces, and runs batches until the response ends. Returns its lines.
async fn exchange(fixture: &mut Fixture, bytes: &[u8], piece: usize) -> Vec<Value> {
    let pieces: Vec<_> =
        bytes.chunks(piece).map(|piece| Ok::<_, Infallible>(piece.to_vec())).collect();
    let request = stream_request(Body::from_stream(stream::iter(pieces)));
    let response = fixture.app.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let read = tokio::spawn(to_bytes(response.into_body(), 1 << 24));
    while !read.is_finished() {
        tokio::task::yield_now().await;
        fixture.tick().await;
    }
    let text = read.await.unwrap().unwrap();
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

#[tokio::test]
async fn each_line_gets_one_result() {
    for piece in [1, 7, 100, 100_000] {
        let mut fixture = Fixture::open().await;
        let mut text = String::new();
        for number in 0..40 {
            let name = format!("{number}");
            text.push_str(&query(&name, &name, number / 4 * 31).to_string());
            text.push_str(if number % 3 == 0 { "\r\n\n" } else { "\n" });
        }
        text.push_str(&with(query("bad", "b", 3), "k", json!(1)).to_string());
        text.push_str("\nnonsense\n");
        // The last line has no line break.
        text.push_str(&query("last", "l", 0).to_string());
        let lines = exchange(&mut fixture, text.as_bytes(), piece).await;
        assert_eq!(lines.len(), 43);
        let answered = lines.iter().filter(|line| line["outcome"] == "answered").count();
        assert_eq!(answered, 41, "{lines:?}");
        let bad = lines.iter().find(|line| line["ticket"] == "bad").unwrap();
        assert_eq!((&bad["outcome"], &bad["reason"]), (&json!("refused"), &json!("k")));
        assert_eq!(lines.iter().filter(|line| line["reason"] == "malformed").count(), 1);
    }
}

#[tokio::test]
async fn an_overlong_line_ends_the_stream() {
    let mut fixture = Fixture::open().await;
    let mut text = query("1", "a", 3).to_string().into_bytes();
    text.push(b'\n');
    text.extend(std::iter::repeat_n(b'x', 1 << 20));
    let lines = exchange(&mut fixture, &text, 4096).await;
    let refused = lines.iter().find(|line| line["outcome"] == "refused").unwrap();
    assert_eq!(refused["reason"], "too-large");
    assert!(lines.iter().any(|line| line["ticket"] == "1"), "accepted queries are still answered");
}

/// Sends queries on a stream, runs `ticks` batches and closes it.
async fn open_and_close(fixture: &mut Fixture, queries: &[Value], ticks: usize) {
    let pending = stream::pending::<Result<Vec<u8>, Infallible>>();
    let text: String = queries.iter().map(|query| format!("{query}\n")).collect();
    let first = stream::iter([Ok(text.into_bytes())]);
    let request = stream_request(Body::from_stream(first.chain(pending)));
    let response = fixture.app.clone().oneshot(request).await.unwrap();
    while fixture.counts().0 < queries.len() as u64 {
        tokio::task::yield_now().await;
    }
    for _ in 0..ticks {
        fixture.tick().await;
    }
    drop(response);
}

#[tokio::test]
async fn results_are_available_by_ticket_after_a_disconnect() {
    let mut fixture = Fixture::open().await;
    open_and_close(&mut fixture, &[query("1", "a", 3), query("2", "b", 3)], 1).await;
    assert_eq!(fixture.counts(), (2, [2, 0, 0, 0]));
    let (status, answer) = fixture.post(query("1", "a", 3)).await;
    assert_eq!((status, &answer["outcome"]), (StatusCode::OK, &json!("answered")));
}

#[tokio::test]
async fn a_closed_stream_frees_the_queue_with_the_next_batch() {
    let mut fixture = Fixture::open().await;
    let patient = |ticket, person| with(query(ticket, person, 3), "dt", json!(60));
    let alone = [with(patient("1", "a"), "k", json!(9)), with(patient("2", "b"), "k", json!(9))];
    open_and_close(&mut fixture, &alone, 1).await;
    assert_eq!(fixture.gateway.under_way().load(Ordering::SeqCst), 2, "they wait");
    fixture.tick().await;
    assert_eq!(fixture.counts(), (2, [0, 0, 2, 0]), "cancelled long before dt");
    assert_eq!(fixture.gateway.under_way().load(Ordering::SeqCst), 0);
    // A repeated ticket begins anew.
    let posts = [fixture.post(alone[0].clone()), fixture.post(alone[1].clone())];
    let [first, second] = posts.map(Box::pin);
    assert!(futures_util::poll!(first).is_pending() && futures_util::poll!(second).is_pending());
    assert_eq!(fixture.counts().0, 4);
}

#[tokio::test]
async fn a_ticket_repeated_before_the_batch_continues_its_query() {
    let mut fixture = Fixture::open().await;
    let queries = [query("1", "a", 3), query("2", "b", 3), query("3", "c", 90)];
    open_and_close(&mut fixture, &queries, 0).await;
    let app = fixture.app.clone();
    let repeated = queries.clone().map(|query| crate::fixture::post(app.clone(), query));
    let [first, second, _] = repeated;
    let (mut first, mut second) = (Box::pin(first), Box::pin(second));
    assert!(futures_util::poll!(&mut first).is_pending());
    assert!(futures_util::poll!(&mut second).is_pending());
    fixture.tick().await;
    for (_, answer) in [first.await, second.await] {
        assert_eq!(answer["outcome"], "answered", "{answer}");
    }
    assert_eq!(fixture.counts(), (3, [2, 0, 1, 0]));
}

#[tokio::test]
async fn unread_answers_are_bounded_and_delivered_when_the_client_reads() {
    const USERS: usize = 1_000;
    let mut config = generous();
    config.answers.max_unread = 1 << 20;
    // The expected wait stays below the limit of admission.
    config.service.concurrency = 1_000;
    let mut fixture = Fixture::new(config, Mode::Demo).await;
    let question = json!({"find": "within", "radius": 2000, "along": "plane"});
    let ask = |stream: usize, number: usize| {
        let name = format!("{stream}-{number}");
        with(query(&name, &name, 3), "question", question.clone()).to_string()
    };
    let mut responses = Vec::new();
    for stream in 0..3 {
        let text: Vec<String> = (0..USERS).map(|number| ask(stream, number)).collect();
        let request = stream_request(Body::from(text.join("\n")));
        responses.push(fixture.app.clone().oneshot(request).await.unwrap());
    }
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.counts().0, 3 * USERS as u64, "all queries are accepted");
    fixture.tick().await;
    assert_eq!(fixture.counts().1[0], 3 * USERS as u64);
    let unread = Arc::clone(fixture.gateway.metrics().unread());
    assert!((1 << 19..=1 << 20).contains(&unread.used()), "{} bytes", unread.used());
    let mut bytes = 0;
    for response in responses {
        let text = to_bytes(response.into_body(), 1 << 30).await.unwrap();
        bytes += text.len();
        let answered = text
            .split(|&byte| byte == b'\n')
            .filter(|line| line.windows(20).any(|part| part == b"\"outcome\":\"answered\""));
        assert_eq!(answered.count(), USERS);
    }
    assert!(bytes > 8 << 20, "{bytes} bytes in all");
    assert_eq!(unread.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_idle_stream_is_closed_unless_a_query_waits() {
    let mut fixture = Fixture::open().await;
    let pending = stream::pending::<Result<Vec<u8>, Infallible>>();
    let first = stream::iter([Ok(format!("{}\n", query("1", "a", 3)).into_bytes())]);
    let request = stream_request(Body::from_stream(first.chain(pending)));
    let response = fixture.app.clone().oneshot(request).await.unwrap();
    let mut lines = response.into_body().into_data_stream();
    // Longer than the idle time-out; the engine's manual clock does not advance.
    let waited = tokio::time::timeout(std::time::Duration::from_secs(2000), lines.next()).await;
    assert!(waited.is_err(), "a query waits");
    for _ in 0..5 {
        fixture.tick().await;
    }
    let line = lines.next().await.unwrap().unwrap();
    assert!(line.starts_with(b"{\"ticket\":\"1\",\"outcome\":\"expired\""));
    assert!(lines.next().await.is_none(), "closed when no query waits");
}

#[tokio::test]
async fn stopping_ends_a_stream_after_its_last_result() {
    let mut fixture = Fixture::open().await;
    let pending = stream::pending::<Result<Vec<u8>, Infallible>>();
    let first = stream::iter([Ok(format!("{}\n", query("1", "a", 3)).into_bytes())]);
    let request = stream_request(Body::from_stream(first.chain(pending)));
    let response = fixture.app.clone().oneshot(request).await.unwrap();
    tokio::task::yield_now().await;
    fixture.end().await;
    let text = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    assert!(text.starts_with(b"{\"ticket\":\"1\",\"outcome\":\"expired\""));
    let late = fixture.app.clone().oneshot(stream_request(Body::empty())).await.unwrap();
    assert_eq!(late.status(), StatusCode::SERVICE_UNAVAILABLE);
}
