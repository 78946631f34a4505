//! Results of queries: answers with receipts, expiry, refusals, repeated tickets.

use crate::fixture::{Fixture, call, generous, query, query_request, with};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::join;
use gateway::config::Mode;
use gateway::keys::{KeyFile, LimitOverrides};
use meshcloak::guarantee::Guarantee;
use serde_json::json;
use tower::ServiceExt as _;

#[tokio::test]
async fn two_users_on_a_street_are_answered_with_receipts() {
    let mut fixture = Fixture::open().await;
    let (app, other) = (fixture.app.clone(), fixture.app.clone());
    let ann = crate::fixture::post(app, query("1", "ann", 3));
    let bob = crate::fixture::post(other, query("2", "bob", 3));
    let ((status, answer), (_, others), ()) = join!(ann, bob, fixture.tick());
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!((&answer["ticket"], &answer["outcome"]), (&json!("1"), &json!("answered")));
    assert_eq!(answer["answer"].as_array().unwrap().len(), 3);
    let receipt = &answer["receipt"];
    assert_eq!(receipt["guarantee"], "reciprocal");
    assert_eq!(receipt["secret"], "who asked what");
    assert_eq!((&receipt["k"], &receipt["k_reached"]), (&json!(2), &json!(2)));
    assert_eq!((&receipt["exact"], &receipt["delay"]), (&json!(true), &json!(1.0)));
    assert!(receipt["streets"].as_u64().unwrap() > 1 && receipt.get("history").is_none());
    assert_eq!(others["answer"], answer["answer"], "both have the same position");
    assert_eq!(fixture.probe.take().len(), 1, "one request for both");
    assert_eq!(fixture.counts(), (2, [2, 0, 0, 0]));
}

#[tokio::test]
async fn a_single_query_expires_and_the_service_is_not_asked() {
    let mut fixture = Fixture::open().await;
    let ann = crate::fixture::post(fixture.app.clone(), query("1", "ann", 3));
    let ticks = async {
        for _ in 0..4 {
            fixture.tick().await;
        }
    };
    let ((status, answer), ()) = join!(ann, ticks);
    assert_eq!((status, &answer["outcome"]), (StatusCode::OK, &json!("expired")));
    assert!(answer.get("answer").is_none() && answer.get("receipt").is_none());
    assert!(!answer["message"].as_str().unwrap().contains(char::is_numeric));
    assert!(fixture.probe.take().is_empty());
}

#[tokio::test]
async fn a_repeated_ticket_gets_the_same_result_and_is_submitted_once() {
    let mut fixture = Fixture::open().await;
    let mine = query("1", "ann", 3);
    let [first, again] = [0, 1].map(|_| crate::fixture::post(fixture.app.clone(), mine.clone()));
    let bob = crate::fixture::post(fixture.app.clone(), query("2", "bob", 3));
    let (first, again, _, ()) = join!(first, again, bob, fixture.tick());
    assert_eq!(first, again);
    assert_eq!(
        fixture.post(mine.clone()).await,
        first,
        "a later repetition gets the stored result"
    );
    assert_eq!(fixture.counts().0, 2);
    let (status, refusal) = fixture.post(with(mine.clone(), "k", json!(3))).await;
    assert_eq!((status, &refusal["reason"]), (StatusCode::CONFLICT, &json!("duplicate-id")));
    for _ in 0..61 {
        fixture.tick().await;
    }
    let third = crate::fixture::post(fixture.app.clone(), mine);
    let end = async {
        for _ in 0..5 {
            fixture.tick().await;
        }
    };
    let (third, ()) = join!(third, end);
    assert_eq!(third.1["outcome"], "expired", "after a minute the ticket is free again");
}

#[tokio::test]
async fn a_query_can_be_cancelled() {
    let mut fixture = Fixture::open().await;
    let ann = crate::fixture::post(fixture.app.clone(), query("1", "ann", 3));
    let request = Request::delete("/v1/queries/1").body(Body::empty()).unwrap();
    let back = call(fixture.app.clone(), request);
    let (ann, back, ()) = join!(ann, back, fixture.tick());
    assert_eq!((ann.0, &ann.1["outcome"]), (StatusCode::OK, &json!("cancelled")));
    assert_eq!(ann, back);
    assert_eq!(fixture.delete("1").await, ann, "cancelling again returns the outcome");
    assert_eq!(fixture.delete("7").await.0, StatusCode::NOT_FOUND);
    assert_eq!(fixture.counts(), (1, [0, 0, 1, 0]));
}

#[tokio::test]
async fn invalid_queries_are_refused_with_a_reason() {
    let fixture = Fixture::open().await;
    let good = query("1", "ann", 3);
    let mut no_dc = good.clone();
    no_dc.as_object_mut().unwrap().remove("dc");
    for (key, value, status, reason) in [
        ("k", json!(0), 422, "k"),
        ("k", json!(1), 422, "k"),
        ("k", json!(1_000_000_000), 422, "k"),
        ("k", json!(-3), 400, "malformed"),
        ("dt", json!(61), 422, "dt"),
        ("dt", json!(-1), 422, "dt"),
        ("dc", json!(0), 422, "dc"),
        ("dc", json!(49), 422, "dc"),
        ("dc", json!(2001), 422, "dc"),
        ("speed", json!(0), 422, "speed"),
        ("lon", json!(0), 422, "off-map"),
        ("lat", json!(95), 422, "off-map"),
        ("lon", json!("8"), 400, "malformed"),
        ("person", json!(""), 400, "malformed"),
        ("ticket", json!("x".repeat(65)), 400, "malformed"),
        ("ticket", json!("a\nb"), 400, "malformed"),
        ("extra", json!(1), 400, "malformed"),
        ("question", json!({"find": "nearest"}), 422, "question"),
        ("question", json!({"find": "nearest", "count": 31}), 422, "question"),
        ("question", json!({"find": "within", "radius": 2001}), 422, "question"),
        ("question", json!({"find": "within", "radius": 0}), 422, "question"),
        ("question", json!({"find": "within", "radius": 9, "count": 1}), 422, "question"),
        ("question", json!({"find": "nearest", "count": 1, "category": "me"}), 422, "question"),
    ] {
        let (found, body) = fixture.post(with(good.clone(), key, value.clone())).await;
        assert_eq!((found.as_u16(), &body["reason"]), (status, &json!(reason)), "{key} {value}");
        assert_eq!(body["outcome"], "refused");
    }
    assert_eq!(fixture.post(no_dc.clone()).await.1["reason"], "malformed");
    assert_eq!(fixture.counts(), (0, [0; 4]));
    for bytes in [&b"\xff\xfe"[..], b"", b"{", b"[]", b"{\"k\":NaN}", b"null"] {
        let (status, body) = call(fixture.app.clone(), query_request(bytes)).await;
        assert_eq!((status.as_u16(), &body["reason"]), (400, &json!("malformed")));
    }
    let plain = Request::post("/v1/queries").body(Body::from(good.to_string())).unwrap();
    assert_eq!(call(fixture.app.clone(), plain).await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(fixture.get("/nowhere").await.0, StatusCode::NOT_FOUND);
    assert_eq!(fixture.get("/v1/queries").await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn history_requires_a_speed_and_marks_new_users() {
    let mut config = generous();
    config.engine.guarantee = Guarantee::History;
    let mut fixture = Fixture::new(config, Mode::Guarded).await;
    // Without keys only the demo is accessible.
    assert_eq!(fixture.post(query("1", "ann", 3)).await.0, StatusCode::UNAUTHORIZED);
    let mut config = generous();
    config.engine.guarantee = Guarantee::History;
    fixture = Fixture::new(config, Mode::Demo).await;
    let mut mute = query("1", "ann", 3);
    mute.as_object_mut().unwrap().remove("speed");
    assert_eq!(fixture.post(mute).await.1["reason"], "speed");
    for (round, expected) in [(1, json!("new")), (2, json!(null))] {
        let [ann, bob] = ["ann", "bob"].map(|name| {
            let query = query(&format!("{name}{round}"), name, 3);
            crate::fixture::post(fixture.app.clone(), query)
        });
        let (ann, _, ()) = join!(ann, bob, fixture.tick());
        assert_eq!(
            (&ann.1["outcome"], &ann.1["receipt"]["history"]),
            (&json!("answered"), &expected)
        );
    }
    let far = fixture.post(query("far", "ann", 250)).await;
    assert_eq!(far.1["reason"], "faster-than-declared");
}

#[tokio::test]
async fn a_key_gives_access_to_one_account_with_its_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut file = KeyFile::default();
    let strict = LimitOverrides { k_max: Some(3), rate: Some(1), ..LimitOverrides::default() };
    let (small, large) =
        (file.add("small", strict).unwrap(), file.add("large", LimitOverrides::default()).unwrap());
    file.write(&path).unwrap();
    let config = gateway::config::Config { keys: Some(path.clone()), ..generous() };
    let fixture = Fixture::new(config.clone(), Mode::Guarded).await;
    let asked = |secret: &str, k: u32| {
        let body = with(query("1", "ann", 3), "k", json!(k)).to_string();
        let mut request = query_request(body);
        let bearer = format!("Bearer {secret}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        call(fixture.app.clone(), request)
    };
    assert_eq!(asked(&small.secret, 4).await.1["reason"], "k");
    assert_eq!(asked("mc_no", 4).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(asked(&large.secret, 51).await.1["reason"], "k");
    // Malformed requests count against the rate limit.
    let nonsense = (0..100).map(|_| {
        let mut request = query_request("nonsense");
        let bearer = format!("Bearer {}", small.secret).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        call(fixture.app.clone(), request)
    });
    let nonsense = futures_util::future::join_all(nonsense).await;
    assert!(nonsense.iter().any(|(_, body)| body["reason"] == "rate"));
    let often = futures_util::future::join_all((0..100).map(|_| asked(&small.secret, 4))).await;
    let refused = often.iter().find(|(_, body)| body["reason"] == "rate").unwrap();
    assert_eq!(refused.0, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(asked(&large.secret, 51).await.1["reason"], "k", "other accounts are not affected");
    file.revoke(&large.id).unwrap();
    file.write(&path).unwrap();
    fixture.gateway.reload(&config).unwrap();
    assert_eq!(asked(&large.secret, 51).await.0, StatusCode::UNAUTHORIZED);
    // A missing file of keys leaves the present keys valid.
    std::fs::remove_file(&path).unwrap();
    assert!(fixture.gateway.reload(&config).is_err());
    assert_ne!(asked(&small.secret, 4).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn stopping_ends_all_queries_and_refuses_new_ones() {
    let mut fixture = Fixture::open().await;
    let app = fixture.app.clone();
    let posts = ["ann", "bob", "cyd"].map(|name| {
        let street = if name == "cyd" { 250 } else { 3 };
        crate::fixture::post(app.clone(), query(name, name, street))
    });
    let [ann, bob, cyd] = posts;
    assert_eq!(fixture.get("/ready").await.0, StatusCode::OK);
    let (ann, bob, cyd, ()) = join!(ann, bob, cyd, fixture.end());
    assert_eq!((&ann.1["outcome"], &bob.1["outcome"]), (&json!("answered"), &json!("answered")));
    assert_eq!(cyd.1["outcome"], "expired");
    let (status, late) = fixture.post(query("late", "dan", 3)).await;
    assert_eq!((status, &late["reason"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("stopping")));
    assert_eq!(fixture.get("/ready").await.0, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(fixture.get("/health").await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_full_queue_is_refused_with_retry_after() {
    let mut config = generous();
    config.engine.queue = 4;
    let mut fixture = Fixture::new(config, Mode::Demo).await;
    let app = fixture.app.clone();
    let waiting = futures_util::future::join_all((0..3).map(|number| {
        crate::fixture::post(app.clone(), query(&format!("{number}"), &format!("p{number}"), 3))
    }));
    let late = async {
        let request = query_request(query("late", "late", 3).to_string());
        let response = app.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()["retry-after"], "1");
        fixture.tick().await;
    };
    let (answers, ()) = join!(waiting, late);
    assert!(answers.iter().all(|(_, answer)| answer["outcome"] == "answered"));
    assert_eq!(fixture.counts(), (3, [3, 0, 0, 0]));
}

#[tokio::test]
async fn the_map_is_described() {
    let fixture = Fixture::open().await;
    let (status, map) = fixture.get("/v1/map").await;
    assert_eq!((status, &map["guarantee"]), (StatusCode::OK, &json!("reciprocal")));
    let extent: Vec<f64> =
        map["extent"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
    assert!(extent[0] < extent[2] && extent[1] < extent[3]);
}
