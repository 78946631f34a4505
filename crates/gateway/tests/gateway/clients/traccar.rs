//! Traccar Client from version 9 on, and tokens.

use super::{World, asking, message, messages, neighbours, present};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

fn request(token: &str, body: String) -> Request<Body> {
    Request::post(format!("/v1/phones/traccar/{token}"))
        .header("content-type", "application/json; charset=utf-8")
        .body(Body::from(body))
        .unwrap()
}

#[tokio::test]
async fn every_version_can_report_and_the_answer_can_be_fetched() {
    let [here, there] = neighbours();
    for name in messages("traccar", "") {
        let mut world = World::new().await;
        world.put_settings("jo", &asking()).await;
        world.put_settings("al", &present()).await;
        let (jo, al) = (world.token("jo").await, world.token("al").await);
        let unix = world.unix();
        assert_eq!(world.send(request(&jo, message(&name, here, unix))).await.0, 200);
        assert_eq!(world.send(request(&al, message(&name, there, unix))).await.0, 200);
        world.ticks(1).await;
        let body = world.answer("jo").await;
        assert_eq!(body["answered"]["outcome"], "answered", "{name}: {body}");
        assert_eq!(body["answered"]["receipt"]["k"], 2);
        assert_eq!(world.answer("al").await["latest"]["outcome"], "present");
        assert_eq!(world.sent().len(), 1);
    }
}

#[tokio::test]
async fn other_messages_are_dropped_and_invalid_json_is_refused() {
    let mut world = World::new().await;
    world.put_settings("jo", &asking()).await;
    let token = world.token("jo").await;
    for body in ["{}", "[]", r#"{"location":{}}"#, r#"{"location":{"coords":{"latitude":"1"}}}"#] {
        assert_eq!(world.send(request(&token, body.into())).await.0, 200, "{body}");
    }
    for body in ["", "{", "id=1&lat=2", "\u{0}"] {
        let (status, body) = world.send(request(&token, body.into())).await;
        assert_eq!((status.as_u16(), &body["reason"]), (400, &json!("malformed")), "{body}");
    }
    world.ticks(1).await;
    assert_eq!(world.fixture.gateway.metrics().exact_counts().0, 0);
}

#[tokio::test]
async fn a_token_is_valid_until_it_or_its_account_is_removed() {
    let world = World::new().await;
    world.put_settings("jo", &asking()).await;
    let (first, second) = (world.token("jo").await, world.token("jo").await);
    let body = || message("traccar/9-ios.json", neighbours()[0], world.unix());
    assert_eq!(world.send(request(&first, body())).await.0, 200);
    for wrong in ["mp_", "mp_0", "%ff", &world.key, &first.to_uppercase()] {
        assert_eq!(world.send(request(wrong, body())).await.0, 401, "{wrong}");
    }
    let (_, ids) = world.api("GET", "/v1/people/jo/tokens", None).await;
    let revoke = format!("/v1/people/jo/tokens/{}", ids["ids"][0].as_str().unwrap());
    assert_eq!(world.api("DELETE", &revoke, None).await.0, 204);
    assert_eq!(world.send(request(&first, body())).await.0, 401);
    assert_eq!(world.send(request(&second, body())).await.0, 200);
    // A token is not accepted as a key.
    let asked = Request::get("/v1/people/jo/settings")
        .header("authorization", format!("Bearer {second}"))
        .body(Body::empty());
    assert_eq!(world.send(asked.unwrap()).await.0, 401);
    for _ in 0..15 {
        world.token("jo").await;
    }
    assert_eq!(world.api("POST", "/v1/people/jo/tokens", None).await.0, 422, "sixteen at most");
    assert_eq!(world.api("POST", "/v1/people/al/tokens", None).await.0, 404);
    std::fs::write(world.folder.path().join("keys.json"), "{\"accounts\":[]}").unwrap();
    world.fixture.gateway.read_keys().unwrap();
    assert_eq!(world.send(request(&second, body())).await.0, 401, "the account was removed");
}
