//! OwnTracks in HTTP mode.

use super::{World, asking, message, messages, neighbours, owntracks_request, present};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

#[tokio::test]
async fn every_version_can_report_and_receives_objects_as_contacts() {
    let [here, there] = neighbours();
    for name in messages("owntracks", "location") {
        let mut world = World::new().await;
        world.put_settings("jo", &asking()).await;
        world.put_settings("al", &present()).await;
        let (status, first) = world.owntracks("jo", &message(&name, here, world.unix())).await;
        assert_eq!((status.as_u16(), &first), (200, &json!([])), "{name}: no answer yet");
        world.owntracks("al", &message(&name, there, world.unix())).await;
        world.ticks(1).await;
        assert_eq!(world.sent().len(), 1, "{name}: one request");
        let body = world.answer("jo").await;
        assert_eq!(body["answered"]["outcome"], "answered", "{name}: {body}");
        assert_eq!(body["answered"], body["latest"]);
        let found = body["answered"]["answer"].as_array().unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(world.answer("al").await["latest"]["outcome"], "present");
        world.ticks(10).await;
        let (_, reply) = world.owntracks("jo", &message(&name, here, world.unix())).await;
        let reply = reply.as_array().unwrap();
        assert_eq!(reply.len(), 6, "{name}: a location and a card each");
        assert_eq!(reply[0]["_type"], "location");
        assert_eq!((&reply[0]["lat"], &reply[0]["lon"]), (&found[0]["lat"], &found[0]["lon"]));
        assert_eq!((&reply[1]["_type"], &reply[1]["tid"]), (&json!("card"), &reply[0]["tid"]));
        world.ticks(700).await;
        assert_eq!(world.report("jo", here).await, json!([]), "old answers expire");
    }
}

#[tokio::test]
async fn other_messages_are_accepted_and_dropped() {
    let mut world = World::new().await;
    world.put_settings("jo", &asking()).await;
    for name in messages("owntracks", "other") {
        let body = message(&name, neighbours()[0], world.unix());
        let (status, reply) = world.owntracks("jo", &body).await;
        assert_eq!((status.as_u16(), reply), (200, json!([])), "{name}");
    }
    for body in ["7", "[]", "{\"_type\":\"location\"}", "{\"_type\":\"location\",\"lat\":1e999}"] {
        let status = world.owntracks("jo", body).await.0;
        assert!([200, 400].contains(&status.as_u16()), "{body}");
    }
    for (body, reason) in
        [("{", "malformed"), ("lat=1", "malformed"), (&*"x".repeat(1 << 15), "too-large")]
    {
        let (status, body) = world.owntracks("jo", body).await;
        assert!([400, 413].contains(&status.as_u16()) && body["reason"] == reason, "{body}");
    }
    world.ticks(1).await;
    assert_eq!(world.fixture.gateway.metrics().exact_counts().0, 0);
    assert_eq!(world.answer("jo").await["latest"], Value::Null);
}

#[tokio::test]
async fn the_user_is_taken_from_header_parameter_credentials_or_token() {
    let mut world = World::new().await;
    world.put_settings("jo", &asking()).await;
    let token = world.token("jo").await;
    let body = || message("owntracks/location-ios.json", neighbours()[0], world.unix());
    let plain = |user: &str, password: &str, path: &str| {
        let full = owntracks_request(user, password, &body());
        let mut request = Request::post(path).body(Body::from(body())).unwrap();
        let authorization = full.headers()["authorization"].clone();
        request.headers_mut().insert("authorization", authorization);
        request
    };
    let route = "/v1/phones/owntracks";
    let accepted = || world.fixture.gateway.metrics().exact_counts().0;
    for (number, request) in [
        owntracks_request("jo", &world.key, &body()),
        plain("jo", &world.key, route),
        plain("x", &world.key, "/v1/phones/owntracks?u=jo&d=phone"),
        plain("anything", &token, route),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(world.send(request).await.0, 200);
        assert_eq!(accepted(), number as u64 + 1);
    }
    // A user without settings is accepted and dropped; a missing name or key is refused.
    assert_eq!(world.send(plain("stranger", &world.key, route)).await.0, 200);
    assert_eq!(world.send(plain("", &world.key, route)).await.0, 400);
    assert_eq!(accepted(), 4);
    let bare = Request::post(route).body(Body::from(body())).unwrap();
    assert_eq!(world.send(bare).await.0, 401);
    for password in ["", "mc_00", "mp_00", &token[..token.len() - 1]] {
        assert_eq!(world.send(plain("jo", password, route)).await.0, 401, "{password}");
    }
    for header in ["Basic", "Basic !", "Basic amFuZQ==", "Bearer x", "Basic /////w=="] {
        let request = Request::post(route).header("authorization", header);
        assert_eq!(world.send(request.body(Body::empty()).unwrap()).await.0, 401, "{header}");
    }
    world.fixture.gateway.begin_stop();
    assert_eq!(world.owntracks("jo", &body()).await.0, 503, "the tracker retries");
    world.fixture.end().await;
}
