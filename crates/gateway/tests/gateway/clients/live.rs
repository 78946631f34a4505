//! WebSockets over real connections.

use super::live_client::{Client, accepted, at, hello, listen_on};
use super::{World, asking, neighbours};
use crate::fixture::place;
use axum::body::Body;
use axum::http::Request;
use futures_util::SinkExt as _;
use gateway::keys::{KeyFile, LimitOverrides};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

#[tokio::test]
async fn positions_are_answered_and_the_standing_query_can_be_changed() {
    let mut world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    let [here, there] = neighbours();
    let (mut jo, welcome) = Client::open(address, &world.key, hello("jo")).await;
    assert_eq!((&welcome["resumed"], &welcome["seq"]), (&json!(false), &json!(0)));
    world.put_settings("al", &asking()).await;
    let (mut al, _) =
        Client::open(address, &world.key, json!({"type": "hello", "person": "al"})).await;
    let mut position = at(here);
    position["ticket"] = json!("mine");
    jo.send_json(&position).await;
    al.send_json(&at(there)).await;
    accepted(&world, 2).await;
    world.ticks(1).await;
    let first = jo.receive().await;
    assert_eq!((&first["type"], &first["seq"]), (&json!("result"), &json!(1)));
    assert_eq!(first["result"]["ticket"], "mine");
    assert_eq!(first["result"]["answer"].as_array().unwrap().len(), 3);
    assert_eq!(
        al.receive().await["result"]["outcome"],
        "answered",
        "values of the stored settings"
    );
    assert_eq!(world.sent().len(), 1);

    // A changed question, and none.
    let within = json!({"find": "within", "radius": 200, "along": "plane"});
    jo.send_json(&json!({"type": "ask", "k": 2, "question": within})).await;
    al.send_json(&json!({"type": "ask", "question": null})).await;
    jo.send_json(&at(here)).await;
    al.send_json(&at(there)).await;
    accepted(&world, 4).await;
    world.ticks(1).await;
    let second = jo.receive().await;
    let found = second["result"]["answer"].as_array().unwrap();
    assert!(found.iter().all(|found| found["metres"].as_f64().unwrap() <= 200.0));
    assert_eq!(al.receive().await["result"]["outcome"], "present");
    let sent = world.sent();
    assert!(sent.len() == 1 && sent[0].contains("Within"), "{sent:?}");

    // The checks are those of a request.
    jo.send_json(&json!({"type": "ask", "k": 1_000_000})).await;
    assert_eq!(jo.receive().await["error"]["reason"], "k");
    jo.send_json(&at((0.0, 0.0))).await;
    assert_eq!(jo.receive().await["refused"]["reason"], "off-map");
    jo.send_json(&position).await;
    assert_eq!(jo.receive().await["refused"]["reason"], "duplicate-id", "the question differs");
}

#[tokio::test]
async fn a_resumed_session_receives_missed_messages_once() {
    let mut world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    let [here, there] = neighbours();
    let (mut jo, welcome) = Client::open(address, &world.key, hello("jo")).await;
    let resume = welcome["resume"].clone();
    jo.send_json(&at(here)).await;
    accepted(&world, 1).await;
    drop(jo);
    world.put_settings("al", &super::present()).await;
    world.report("al", there).await;
    world.ticks(1).await;
    let mut again = json!({"type": "hello", "person": "jo", "resume": resume});
    let (mut jo, welcome) = Client::open(address, &world.key, again.clone()).await;
    assert_eq!((&welcome["resumed"], &welcome["resume"]), (&json!(true), &resume));
    let missed = jo.receive().await;
    assert_eq!((&missed["seq"], &missed["result"]["outcome"]), (&json!(1), &json!("answered")));
    // A confirmed message is not sent again. The standing query is kept.
    again["after"] = json!(1);
    let (mut jo2, _) = Client::open(address, &world.key, again.clone()).await;
    assert_eq!(jo.end().await, Some(CloseCode::Policy), "resumed elsewhere");
    world.report("al", there).await;
    jo2.send_json(&at(here)).await;
    accepted(&world, 4).await;
    world.ticks(1).await;
    assert_eq!(jo2.receive().await["seq"], 2);
    again["after"] = json!(0);
    let (mut jo3, _) = Client::open(address, &world.key, again.clone()).await;
    assert_eq!(
        (jo3.receive().await["seq"].clone(), jo3.receive().await["seq"].clone()),
        (json!(1), json!(2))
    );
    // Another user cannot resume the session, and it expires.
    again["person"] = json!("al");
    let (_, welcome) = Client::open(address, &world.key, again.clone()).await;
    assert_eq!(welcome["resumed"], false);
    drop(jo3);
    again["person"] = json!("jo");
    again["ask"] = hello("jo")["ask"].clone();
    loop {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        world.ticks(61).await;
        world.fixture.gateway.purge_idle_users();
        let (_, welcome) = Client::open(address, &world.key, again.clone()).await;
        if welcome["resumed"] == false {
            break; // the server may notice the disconnect late
        }
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_gets_the_newest_messages() {
    let world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    let (mut jo, _) = Client::open(address, &world.key, hello("jo")).await;
    let mut far = at((0.0, 0.0));
    const MANY: u64 = 40_000;
    for number in 0..MANY {
        far["ticket"] = json!(format!("{number:064}"));
        jo.0.feed(Message::text(far.to_string())).await.unwrap();
    }
    jo.0.flush().await.unwrap();
    let (mut heard, mut skipped) = (0, 0);
    loop {
        let message = jo.receive().await;
        match message["type"].as_str().unwrap() {
            "skipped" => skipped += message["count"].as_u64().unwrap(),
            _ => {
                heard += 1;
                if message["seq"] == MANY {
                    break;
                }
            }
        }
    }
    assert_eq!(heard + skipped, MANY);
    assert!(skipped > 0, "{heard} messages were buffered");
}

#[tokio::test]
async fn invalid_messages_are_errors_and_too_many_close_the_socket() {
    let world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    for bad in [
        "",
        "{",
        "[]",
        "{\"type\":\"shout\"}",
        "{\"type\":\"position\",\"lon\":1,\"lat\":1}",
        "{\"type\":\"hello\",\"person\":\"\"}",
        "{\"type\":\"hello\",\"person\":\"jo\"}",
    ] {
        let mut client = Client::connect(address, &world.key).await.unwrap();
        client.0.send(Message::text(bad)).await.unwrap();
        assert_eq!(client.receive().await["error"]["reason"], "malformed", "{bad}");
        assert_eq!(client.end().await, Some(CloseCode::Policy), "{bad}");
    }
    let (mut jo, _) = Client::open(address, &world.key, hello("jo")).await;
    for _ in 0..16 {
        jo.send_json(&json!({"type": "position", "lon": "8"})).await;
    }
    assert_eq!(jo.receive().await["error"]["reason"], "malformed");
    assert_eq!(jo.end().await, Some(CloseCode::Policy));
    let (mut jo, _) = Client::open(address, &world.key, hello("jo")).await;
    jo.0.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(jo.end().await, Some(CloseCode::Unsupported));
    let (mut jo, _) = Client::open(address, &world.key, hello("jo")).await;
    jo.0.send(Message::text("x".repeat(1 << 20))).await.ok();
    assert!([Some(CloseCode::Size), None].contains(&jo.end().await));
    assert!(Client::connect(address, "mc_00").await.is_err());
    let bearer = format!("Bearer {}", world.key);
    let plain = Request::get("/v1/live").header("authorization", bearer);
    assert_eq!(world.send(plain.body(Body::empty()).unwrap()).await.0, 400);
    let without_key = Request::get("/v1/live").body(Body::empty()).unwrap();
    assert_eq!(world.send(without_key).await.0, 401);
}

#[tokio::test]
async fn a_socket_is_closed_when_its_key_is_revoked() {
    let world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    let path = world.folder.path().join("keys.json");
    let add = |file: &mut KeyFile| file.add("okapi-app", LimitOverrides::default());
    let second = KeyFile::update(&path, add).unwrap();
    world.fixture.gateway.read_keys().unwrap();
    let (mut jo, _) = Client::open(address, &second.secret, hello("jo")).await;
    let mut silent = Client::connect(address, &second.secret).await.unwrap();
    let (mut al, _) = Client::open(address, &world.key, hello("al")).await;
    KeyFile::update(&path, |file| file.revoke(&second.id)).unwrap();
    world.fixture.gateway.read_keys().unwrap();
    // The account still has a key. Neither client has to send anything.
    assert_eq!(jo.end().await, Some(CloseCode::Policy));
    assert_eq!(silent.end().await, Some(CloseCode::Policy));
    assert!(Client::connect(address, &second.secret).await.is_err());
    al.send_json(&at(place(3, 0.5))).await;
    accepted(&world, 1).await;
}

#[tokio::test]
async fn an_account_has_a_bounded_number_of_sockets() {
    let world = World::with(|config, _| config.limits.connections = 2).await;
    let (address, _closing) = listen_on(&world).await;
    let (jo, _) = Client::open(address, &world.key, hello("jo")).await;
    let (_al, _) = Client::open(address, &world.key, hello("al")).await;
    assert!(Client::connect(address, &world.key).await.is_err(), "a third socket");
    drop(jo);
    // The socket ends in the background.
    let again = async {
        while Client::connect(address, &world.key).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), again).await.expect("a closed socket counts");
}

#[tokio::test]
async fn at_shutdown_waiting_queries_expire_and_the_socket_closes() {
    let mut world = World::with(|config, _| config.server.connections = 2).await;
    let (address, _closing) = listen_on(&world).await;
    let (mut jo, _) = Client::open(address, &world.key, hello("jo")).await;
    let (mut al, _) = Client::open(address, &world.key, hello("al")).await;
    assert!(
        Client::connect(address, &world.key).await.is_err(),
        "a third connection exceeds the limit"
    );
    jo.send_json(&at(place(3, 0.5))).await;
    accepted(&world, 1).await;
    world.fixture.end().await;
    assert_eq!(jo.receive().await["result"]["outcome"], "expired");
    assert_eq!(jo.end().await, Some(CloseCode::Away));
    assert_eq!(al.end().await, Some(CloseCode::Away));
    world.fixture.gateway.sessions().wait_until_closed().await;
    assert!(Client::connect(address, &world.key).await.is_err(), "the gateway is stopping");
    let gateway = Arc::clone(&world.fixture.gateway);
    drop(world);
    assert_eq!(gateway.metrics().exact_counts(), (1, [0, 1, 0, 0, 0, 0]));
}

#[tokio::test]
async fn a_browser_sends_its_key_as_a_subprotocol() {
    let world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    let mut client = Client::connect_in_browser(address, &world.key).await.unwrap();
    client.send_json(&hello("jo")).await;
    assert_eq!(client.receive().await["type"], "welcome");
    assert!(Client::connect_in_browser(address, "mc_unknown").await.is_err());
}
