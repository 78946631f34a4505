//! User settings: validation, storage, deletion.

use super::{World, asking, neighbours};
use crate::fixture::gateway_of;
use axum::body::Body;
use axum::http::Request;
use gateway::clock::Clock;
use gateway::config::Mode;
use serde_json::{Value, json};

#[tokio::test]
async fn settings_can_be_stored_read_and_deleted() {
    let world = World::new().await;
    let path = "/v1/people/jo/settings";
    assert_eq!(world.api("GET", path, None).await.0, 404);
    assert_eq!(world.api("DELETE", path, None).await.0, 404);
    assert_eq!(world.api("GET", "/v1/people/jo/answer", None).await.0, 404);
    let (lon, lat) = neighbours()[0];
    let mut settings = asking();
    settings["zones"] = json!([{"name": "home", "circle": {"lon": lon, "lat": lat, "radius": 50.0},
                                "never": true}]);
    world.put_settings("jo", &settings).await;
    let (status, mut read) = world.api("GET", path, None).await;
    assert_eq!(status, 200);
    read["question"].as_object_mut().unwrap().remove("along");
    assert_eq!(read["zones"], settings["zones"]);
    assert_eq!(read["question"], settings["question"]);
    let empty = json!({"answered": null, "latest": null});
    assert_eq!(world.answer("jo").await, empty);
    assert_eq!(world.api("DELETE", path, None).await.0, 204);
    assert_eq!(world.api("GET", path, None).await.0, 404);
}

#[tokio::test]
async fn invalid_settings_are_refused_with_a_reason() {
    let world = World::new().await;
    let circle = json!({"lon": 8.2, "lat": 53.1, "radius": 50});
    let zones = |zone: Value| json!({"k": 2, "dt": 5, "zones": [zone]});
    let far = json!({"lon": 8.2, "lat": 95, "radius": 50});
    let corners = |n: usize| vec![[8.2, 53.1]; n];
    for (body, status, reason) in [
        (json!({}), 400, "malformed"),
        (json!([]), 400, "malformed"),
        (json!({"k": 2, "dt": 5, "zzz": 1}), 400, "malformed"),
        (json!({"k": 0, "dt": 5}), 422, "k"),
        (json!({"k": 1, "dt": 5, "question": {"find": "nearest", "count": 1}}), 422, "k"),
        (json!({"k": 1e9 as u64, "dt": 5}), 422, "k"),
        (json!({"k": 2, "dt": -1}), 422, "dt"),
        (json!({"k": 2, "dt": 1e9}), 422, "dt"),
        (json!({"k": 2, "dt": 5, "question": {"find": "within"}}), 422, "question"),
        (
            json!({"k": 2, "dt": 5, "question": {"find": "nearest", "count": 1, "category": "no"}}),
            422,
            "question",
        ),
        (zones(json!({"circle": circle})), 422, "zone"),
        (zones(json!({"circle": circle, "never": true, "k": 5})), 422, "zone"),
        (zones(json!({"circle": circle, "k": 0})), 422, "k"),
        (zones(json!({"circle": circle, "dt": 1e9})), 422, "dt"),
        (zones(json!({"never": true})), 422, "zone"),
        (zones(json!({"circle": far, "never": true})), 422, "zone"),
        (
            zones(json!({"circle": {"lon": 8.2, "lat": 53.1, "radius": 0}, "never": true})),
            422,
            "zone",
        ),
        (zones(json!({"polygon": corners(2), "never": true})), 422, "zone"),
        (zones(json!({"polygon": corners(101), "never": true})), 422, "zone"),
        (zones(json!({"polygon": corners(3), "circle": circle, "never": true})), 422, "zone"),
        (
            json!({"k": 2, "dt": 5, "zones": vec![json!({"circle": circle, "k": 5}); 17]}),
            422,
            "zone",
        ),
    ] {
        let (got, body) = world.api("PUT", "/v1/people/jo/settings", Some(&body)).await;
        assert_eq!((got.as_u16(), &body["reason"]), (status, &json!(reason)), "{body}\n{body}");
    }
    let long = format!("/v1/people/{}/settings", "x".repeat(65));
    assert_eq!(world.api("PUT", &long, Some(&asking())).await.0, 400);
    assert_eq!(world.api("PUT", "/v1/people/%ff/settings", Some(&asking())).await.0, 400);
    let without_key = Request::get("/v1/people/jo/settings").body(Body::empty()).unwrap();
    assert_eq!(world.send(without_key).await.0, 401);
}

#[tokio::test]
async fn the_settings_file_is_private_and_survives_a_restart() {
    let world = World::with(|config, folder| {
        config.users.file = Some(folder.join("people.json"));
        config.users.max_count = 2;
    })
    .await;
    let path = world.folder.path().join("people.json");
    world.put_settings("jo", &asking()).await;
    world.put_settings("al", &asking()).await;
    assert_eq!(world.api("PUT", "/v1/people/ed/settings", Some(&asking())).await.0, 503);
    let (kept, lost) = (world.token("jo").await, world.token("jo").await);
    let (_, ids) = world.api("GET", "/v1/people/jo/tokens", None).await;
    let second = ids["ids"][1].as_str().unwrap();
    let revoke = format!("/v1/people/jo/tokens/{second}");
    assert_eq!(world.api("DELETE", &revoke, None).await.0, 204);
    assert_eq!(world.api("DELETE", &revoke, None).await.0, 404);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(&kept[3..]), "tokens are hashed");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let config = gateway::config::Config::clone(&world.fixture.gateway.config());
    let (again, _) = gateway_of(config.clone(), Mode::Guarded, Clock::manual());
    assert_eq!(again.users().find_by_token(&kept).unwrap().settings.body.k, 2);
    assert!(again.users().find_by_token(&lost).is_none());
    // A change that cannot be written is not applied.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let (status, body) = world.api("DELETE", "/v1/people/jo/settings", None).await;
    assert_eq!((status.as_u16(), &body["reason"]), (503, &json!("not-kept")));
    assert_eq!(world.api("GET", "/v1/people/jo/settings", None).await.0, 200);
    // The error names an invalid file and does not quote it.
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, "{\"secret\": \"zebra\", \"people\": []}").unwrap();
    let opened =
        gateway::users::Users::open(&config.users, again.cities().maps(), again.user_ids());
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("people.json") && !error.contains("zebra"), "{error}");
}
