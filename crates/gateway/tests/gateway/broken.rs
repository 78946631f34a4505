//! What must not happen, and does: somebody panics. Those who wait are told, nobody else notices.

use crate::fixture::{Fixture, Mood, post, query};
use axum::http::StatusCode;
use futures_util::future::join_all;
use futures_util::join;
use serde_json::json;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn a_service_that_panics_costs_one_clear_error_each_and_no_later_answer() {
    let mut fixture = Fixture::open().await;
    for (second, mood) in [Mood::Broken, Mood::Fine].into_iter().enumerate() {
        fixture.probe.feel(mood);
        // More jobs than there are workers: who breaks must not take a worker along.
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
        let (told, ()) = join!(load, ticks);
        let expected = match mood {
            Mood::Broken => (StatusCode::BAD_GATEWAY, json!("failed")),
            _ => (StatusCode::OK, json!("answered")),
        };
        for (status, body) in told {
            assert_eq!((status, &body["outcome"]), (expected.0, &expected.1), "{body}");
            assert_eq!(body.get("answer").is_some(), mood == Mood::Fine);
        }
    }
    assert_eq!(fixture.accounts(), (400, [200, 0, 0, 200]));
    assert_eq!(fixture.gateway.under_way().load(Ordering::SeqCst), 0);
}
