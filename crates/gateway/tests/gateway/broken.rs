//! A panic in the service fails the queries of its requests and no others.

use crate::fixture::{Fixture, ServiceMode, post, query};
use axum::http::StatusCode;
use futures_util::future::join_all;
use futures_util::join;
use serde_json::json;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn a_panic_of_the_service_fails_its_queries_and_no_later_ones() {
    let mut fixture = Fixture::open().await;
    for (second, mode) in [ServiceMode::Panics, ServiceMode::Normal].into_iter().enumerate() {
        fixture.probe.set_mode(mode);
        // More jobs than workers: a panic must not end its worker.
        let app = fixture.app.clone();
        let load = join_all((0..200).map(|number| {
            let ticket = format!("{second}-{number}");
            post(app.clone(), query(&ticket, &format!("p{number}"), number / 2 * 5))
        }));
        let ticks = async {
            for _ in 0..5 {
                tokio::task::yield_now().await;
                fixture.tick().await;
            }
        };
        let (results, ()) = join!(load, ticks);
        let expected = match mode {
            ServiceMode::Panics => (StatusCode::BAD_GATEWAY, json!("failed")),
            _ => (StatusCode::OK, json!("answered")),
        };
        for (status, body) in results {
            assert_eq!((status, &body["outcome"]), (expected.0, &expected.1), "{body}");
            assert_eq!(body.get("answer").is_some(), mode == ServiceMode::Normal);
        }
    }
    assert_eq!(fixture.counts(), (400, [200, 0, 0, 200]));
    assert_eq!(fixture.gateway.under_way().load(Ordering::SeqCst), 0);
}
