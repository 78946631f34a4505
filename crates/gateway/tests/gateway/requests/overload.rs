//! More users than the service can answer: queries are refused early, and accepted ones are
//! answered.

use super::{Timed, set_on, with_slots};
use crate::fixture::{generous, query_request};
use axum::Router;
use axum::body::to_bytes;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt as _;

const USERS: usize = 3_000;

/// Counts of one user's attempts.
#[derive(Default)]
struct Attempts {
    refused: usize,
    outcome: String,
}

/// Asks until the query is accepted, as `Retry-After` says.
async fn ask(app: Router, mut body: Value) -> Attempts {
    let mut attempts = Attempts::default();
    loop {
        body["ticket"] = json!(format!("{}-{}", body["person"], attempts.refused));
        let response = app.clone().oneshot(query_request(body.to_string())).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        let result: Value = serde_json::from_slice(&text).unwrap();
        if result["outcome"] != "refused" {
            attempts.outcome = result["outcome"].as_str().unwrap().to_owned();
            return attempts;
        }
        assert_eq!((status.as_u16(), &result["reason"]), (503, &json!("busy")), "{result}");
        let seconds = headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
        attempts.refused += 1;
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_before_a_slow_service_is_refused_early_and_no_query_fails() {
    let mut config = generous();
    config.limits.dt_max = Duration::from_secs(600);
    let mut timed = Timed::start(config, |_| Duration::from_millis(100)).await;
    let questions = [
        json!({"find": "nearest", "count": 2, "along": "streets"}),
        json!({"find": "nearest", "count": 2, "along": "plane"}),
        json!({"find": "within", "radius": 150, "along": "plane"}),
        json!({"find": "within", "radius": 150, "along": "streets"}),
    ];
    let queries = (0..USERS as u32 / 6).flat_map(|street| set_on(street, 6, &questions));
    let queries: Vec<Value> = queries
        .map(|mut query| {
            query["k"] = json!(2);
            query["dc"] = json!(100);
            query["dt"] = json!(600);
            query
        })
        .collect();
    let app = timed.app.clone();
    let users = tokio::spawn(join_all(queries.into_iter().map(move |body| ask(app.clone(), body))));
    while !users.is_finished() {
        tokio::time::sleep(Duration::from_secs(1)).await;
        timed.turn();
    }
    let users = users.await.unwrap();
    let refused = users.iter().filter(|user| user.refused > 0).count();
    let answered = users.iter().filter(|user| user.outcome == "answered").count();
    let (accepted, outcomes) = timed.gateway.metrics().exact_counts();
    let requests = timed.end().await.len();
    assert!(users.iter().all(|user| user.outcome != "failed"));
    assert_eq!(accepted, USERS as u64, "{outcomes:?}");
    // A user whose neighbours were all answered before can remain alone.
    assert!(answered > USERS * 95 / 100, "{answered}");
    assert!(refused > 500, "{refused}");
    assert!(requests > 1_000, "{requests} requests are no overload");
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_slot_is_no_error_of_the_service() {
    // 12 requests of 3 s on one slot: the last ones wait longer than the time-out.
    let mut config = with_slots(1);
    config.service.timeout = Duration::from_secs(8);
    config.service.wait = Duration::from_secs(600);
    let delay = Duration::from_secs(3);
    let question = json!({"find": "nearest", "count": 1, "along": "plane"});
    let sets = || {
        super::streets()
            .take(12)
            .flat_map(|street| set_on(street, 2, std::slice::from_ref(&question)))
    };
    let mut timed = Timed::start(config.clone(), move |_| delay).await;
    let ends = timed.ask(sets().collect()).await;
    timed.turn();
    let ends = ends.await.unwrap();
    assert!(ends.iter().all(|end| end.body["outcome"] == "answered"));
    assert!(!timed.gateway.requests().client().is_open());
    timed.end().await;

    // With a short wait the rest is not sent, with a message of its own and a closed breaker.
    config.service.wait = Duration::from_secs(10);
    let mut timed = Timed::start(config, move |_| delay).await;
    let ends = timed.ask(sets().collect()).await;
    timed.turn();
    let ends = ends.await.unwrap();
    let failed: Vec<_> = ends.iter().filter(|end| end.body["outcome"] == "failed").collect();
    assert_eq!(failed.len(), 2 * (12 - 4));
    for end in failed {
        let message = end.body["message"].as_str().unwrap();
        assert!(message.contains("was not sent"), "{message}");
    }
    assert!(!timed.gateway.requests().client().is_open());
    let metrics = timed.gateway.metrics();
    assert!(metrics.exact_service_errors("not-sent") > 0);
    assert_eq!(metrics.exact_service_errors("timed-out"), 0);
    assert_eq!(timed.end().await.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn earlier_batches_are_served_first() {
    let question = json!({"find": "nearest", "count": 1, "along": "plane"});
    let mut timed = Timed::start(with_slots(1), |_| Duration::from_secs(1)).await;
    let mut ends = Vec::new();
    let mut streets = super::streets();
    for _ in 0..3 {
        let sets = streets.by_ref().take(4);
        let queries =
            sets.flat_map(|street| set_on(street, 2, std::slice::from_ref(&question))).collect();
        ends.push(timed.ask(queries).await);
        timed.turn();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let mut times = Vec::new();
    for ends in ends {
        let ends = ends.await.unwrap();
        assert!(ends.iter().all(|end| end.body["outcome"] == "answered"));
        let all = ends.iter().map(|end| end.at);
        times.push((all.clone().min().unwrap(), all.max().unwrap()));
    }
    assert!(times.is_sorted_by(|a, b| a.1 < b.0), "{times:?}");
    timed.end().await;
}
