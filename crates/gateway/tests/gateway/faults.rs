//! Fault tolerance: endless bodies, overload, and a service that is down, slow or restarted.

use crate::fixture::{Fixture, ServiceMode, call, generous, post, query, query_request};
use axum::body::Body;
use axum::http::StatusCode;
use futures_util::future::join_all;
use futures_util::{StreamExt as _, join, stream};
use gateway::config::{Config, Mode};
use gateway::keys::{KeyFile, LimitOverrides};
use rand::RngExt as _;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn an_oversized_body_is_refused_after_a_few_chunks() {
    let fixture = Fixture::open().await;
    let read = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&read);
    let pieces = stream::iter(0..1 << 18).map(move |_: i32| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Infallible>(vec![b' '; 4096])
    });
    let (status, body) = call(fixture.app.clone(), query_request(Body::from_stream(pieces))).await;
    assert_eq!((status, &body["reason"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("too-large")));
    assert!(read.load(Ordering::SeqCst) < 10);
}

#[tokio::test(start_paused = true)]
async fn a_stalled_body_times_out() {
    let fixture = Fixture::open().await;
    let never = stream::pending::<Result<Vec<u8>, Infallible>>();
    let (status, body) = call(fixture.app.clone(), query_request(Body::from_stream(never))).await;
    assert_eq!((status, &body["reason"]), (StatusCode::REQUEST_TIMEOUT, &json!("too-slow")));
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_service_fails_queries_and_delays_no_batch() {
    let mut fixture = Fixture::open().await;
    for (number, mode) in
        [ServiceMode::Down, ServiceMode::Silent, ServiceMode::Normal].into_iter().enumerate()
    {
        fixture.probe.set_mode(mode);
        let [ann, bob] = ["ann", "bob"]
            .map(|name| post(fixture.app.clone(), query(&format!("{name}{number}"), name, 3)));
        let (ann, _, ()) = join!(ann, bob, fixture.tick());
        if mode == ServiceMode::Normal {
            assert_eq!((ann.0, &ann.1["outcome"]), (StatusCode::OK, &json!("answered")));
        } else {
            assert_eq!((ann.0, &ann.1["outcome"]), (StatusCode::BAD_GATEWAY, &json!("failed")));
            assert!(ann.1["message"].is_string() && ann.1.get("answer").is_none());
        }
    }
    assert_eq!(fixture.counts(), (6, [2, 0, 0, 4]));
}

#[tokio::test(start_paused = true)]
async fn a_restart_of_the_service_under_load_loses_no_query() {
    let mut fixture = Fixture::open().await;
    let mut counts = [0; 2]; // answered, failed
    for second in 0..12 {
        // Long enough to open the circuit breaker.
        fixture.probe.set_mode(if (3..6).contains(&second) {
            ServiceMode::Down
        } else {
            ServiceMode::Normal
        });
        let app = fixture.app.clone();
        let load = join_all((0..60).map(|number| {
            let person = format!("{number}");
            let street = number / 6 * 40 + second * 3;
            post(app.clone(), query(&format!("{second}-{number}"), &person, street))
        }));
        let ticks = async {
            for _ in 0..5 {
                fixture.tick().await;
                tokio::time::advance(std::time::Duration::from_secs(1)).await;
            }
        };
        let (answers, ()) = join!(load, ticks);
        for (_, answer) in &answers {
            match answer["outcome"].as_str() {
                Some("answered") => counts[0] += 1,
                Some("failed") => counts[1] += 1,
                other => panic!("{other:?}"),
            }
        }
        if second == 11 {
            assert!(answers.iter().all(|(_, answer)| answer["outcome"] == "answered"));
        }
    }
    assert_eq!(counts[0] + counts[1], 12 * 60);
    assert!(counts[1] >= 60 && counts[0] >= 6 * 60, "{counts:?}");
}

#[tokio::test]
async fn overload_by_one_account_does_not_block_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut file = KeyFile::default();
    let flood = file.add("flood", LimitOverrides::default()).unwrap();
    let calm = file.add("calm", LimitOverrides::default()).unwrap();
    file.write(&path).unwrap();
    let mut config = Config { keys: Some(path), ..generous() };
    config.engine.queue = 200;
    let mut fixture = Fixture::new(config, Mode::Guarded).await;
    let ask = |secret: &str, ticket: String, person: String| {
        let mut request = query_request(query(&ticket, &person, 3).to_string());
        let bearer = format!("Bearer {secret}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        call(fixture.app.clone(), request)
    };
    let floods = (0..2000).map(|n| ask(&flood.secret, format!("{n}"), format!("p{}", n % 300)));
    let calms = (0..10).map(|n| ask(&calm.secret, format!("{n}"), format!("p{n}")));
    let (floods, calms) = (join_all(floods), join_all(calms));
    let (floods, calms, ()) = join!(floods, calms, fixture.tick());
    assert!(calms.iter().all(|(_, answer)| answer["outcome"] == "answered"));
    let busy = floods.iter().filter(|(status, _)| *status == StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(busy.count(), 2000 - 150, "one account gets three quarters of the queue");
    let (accepted, ended) = fixture.counts();
    assert_eq!(accepted, ended.iter().sum::<u64>());
}

#[tokio::test]
async fn extreme_numbers_are_answered_or_refused() {
    let odd = [0.0, -0.0, 1.0, -1.0, 90.0, -90.0, 180.0, -180.0, 1e-308, 5e-324, 1e15, 1e308];
    let mut config = generous();
    // Without a limit every point snaps to a street.
    config.map.snap = None;
    config.engine.guarantee = meshcloak::guarantee::Guarantee::History;
    let mut fixture = Fixture::new(config, Mode::Demo).await;
    let mut random = meshcloak::town::Town::generator(1);
    let app = fixture.app.clone();
    let asked = (0..600).map(|number| {
        let mut body = query(&format!("{number}"), &format!("p{}", number % 40), 3);
        for field in ["lon", "lat", "k", "dt", "dc", "speed", "interval"] {
            if random.random_bool(0.3) {
                body[field] = json!(odd[random.random_range(0..odd.len())]);
            }
        }
        if random.random_bool(0.3) {
            body["question"]["count"] = json!(random.random_range(0..u32::MAX));
        }
        if random.random_bool(0.2) {
            let radius = odd[random.random_range(0..odd.len())];
            body["question"] = json!({"find": "within", "radius": radius, "along": "plane"});
        }
        post(app.clone(), body)
    });
    let asked: Vec<_> = asked.collect();
    let (answers, ()) = join!(join_all(asked), fixture.end());
    for (status, body) in answers {
        assert!(status.as_u16() < 500 || body["reason"] == "stopping", "{status} {body}");
        assert!(body["outcome"].is_string());
    }
}
