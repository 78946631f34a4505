//! Leak scan of requests, logs and metrics for trackers, settings and WebSockets.

use super::live_client::{self, Client, accepted, listen_on};
use super::{World, message, owntracks_request};
use crate::fixture::{ServiceMode, place, walker};
use crate::leaks::without_streets;
use crate::log_capture::{LogCapture, is_metric_value, without_batch_count};
use crate::secrets::Secrets;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

fn person(number: u32) -> String {
    format!("gnu-{number}")
}

fn at(number: u32, second: u32) -> (f64, f64) {
    place(number / 5 * 37, 0.31 + f64::from(number % 5) * 0.0937 + f64::from(second) * 0.001)
}

/// Gives each user settings with a zone, and a token.
async fn settle(world: &World, secrets: &mut Secrets) -> Vec<String> {
    let mut tokens = Vec::new();
    for number in 0..40 {
        let home = place(number * 11 + 5, 0.77);
        let rule = if number % 2 == 0 { json!({"never": true}) } else { json!({"k": 4}) };
        let mut zone = json!({"name": format!("yak-{number}"),
                              "circle": {"lon": home.0, "lat": home.1, "radius": 40}});
        zone.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
        let mut settings = json!({"k": 2, "dt": 4, "zones": [zone]});
        if number % 3 > 0 {
            settings["question"] = json!({"find": "nearest", "count": 3});
        }
        world.put_settings(&person(number), &settings).await;
        let token = world.token(&person(number)).await;
        secrets.add_place(walker().map(), home.0, home.1);
        secrets.words.extend([person(number), format!("yak-{number}"), token.clone()]);
        tokens.push(token);
    }
    tokens
}

/// Sends one report per user, by all kinds of trackers.
async fn report(world: &World, tokens: &[String], second: u32, secrets: &mut Secrets) {
    for number in 0..40_u32 {
        let here = at(number, second);
        secrets.add_place(walker().map(), here.0, here.1);
        let (token, unix) = (&tokens[number as usize], world.unix());
        let path = format!("/v1/phones/traccar/{token}");
        let request = match number % 4 {
            0 => {
                let body = message("owntracks/location-ios.json", here, unix);
                owntracks_request(&person(number), &world.key, &body)
            }
            1 => {
                let body = message("traccar/9-moving.json", here, unix);
                let request = Request::post(path).header("content-type", "application/json");
                request.body(Body::from(body)).unwrap()
            }
            2 => {
                let query = message("osmand/osmand-4.txt", here, unix);
                Request::get(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
            _ => {
                // A refused report must not be logged.
                let body = "{\"_type\":\"location\",\"lat\":\"gnu\"";
                let request = owntracks_request(&person(number), &world.key, body);
                world.send(request).await;
                let query = message("osmand/bare-location.txt", here, unix);
                Request::post(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
        };
        assert_eq!(world.send(request).await.0, 200);
        world.answer(&person(number)).await;
    }
}

/// Checks that no secret occurs in requests, logs and metrics, and that planted secrets are found.
fn scan(world: &World, sent: &[String], pages: &LogCapture, mut secrets: Secrets) {
    let logged = pages.text();
    let counted = without_batch_count(&world.fixture.gateway.metrics().render(40));
    secrets.numbers.retain(|&(number, near)| !is_metric_value(number, near));
    assert!(secrets.numbers.len() > 20);
    for text in [without_streets(&sent.join("\n")), logged, counted] {
        assert_eq!(secrets.found(&text), Vec::<String>::new());
        let (before, after) = text.split_at(text.len() / 2);
        for word in &secrets.words {
            assert!(!secrets.found(&format!("{before}{word}{after}")).is_empty(), "{word}");
        }
    }
}

#[tokio::test]
async fn no_secret_of_a_websocket_user_leaves() {
    let (pages, _listening) = LogCapture::start();
    let mut world = World::new().await;
    let (address, _closing) = listen_on(&world).await;
    let mut secrets = Secrets::default();
    secrets.words.extend([world.key.clone(), "okapi-app".into()]);
    let mut sent = Vec::new();
    for number in 0..10_u32 {
        let question = json!({"find": "nearest", "count": 3});
        let ask = json!({"k": 2, "dt": 5, "question": question});
        let hello = json!({"type": "hello", "person": person(number), "ask": ask});
        let (mut client, welcome) = Client::open(address, &world.key, hello).await;
        let here = at(number, 0);
        let mut position = live_client::at(here);
        position["ticket"] = json!(format!("zebra-{number}"));
        client.send_json(&position).await;
        accepted(&world, u64::from(number) + 1).await;
        client.send_json(&json!({"type": "position", "lon": person(number)})).await;
        assert_eq!(client.receive().await["type"], "error");
        secrets.add_place(walker().map(), here.0, here.1);
        secrets.words.extend([person(number), format!("zebra-{number}")]);
        secrets.words.push(welcome["resume"].as_str().unwrap().to_owned());
        if number % 5 == 4 {
            world.ticks(1).await;
            sent.extend(world.sent());
        }
    }
    world.ticks(7).await;
    world.fixture.end().await;
    assert!(!sent.is_empty());
    scan(&world, &sent, &pages, secrets);
}

#[tokio::test(start_paused = true)]
async fn no_secret_of_a_tracker_leaves() {
    let (pages, _listening) = LogCapture::start();
    let mut world =
        World::with(|config, folder| config.users.file = Some(folder.join("people.json"))).await;
    let mut secrets = Secrets::default();
    secrets.words.extend([world.key.clone(), "okapi-app".into(), "48241179".into()]);
    let tokens = settle(&world, &mut secrets).await;
    let mut sent = Vec::new();
    for second in 0..8_u32 {
        let mood =
            [ServiceMode::Normal, ServiceMode::Normal, ServiceMode::Down, ServiceMode::Silent]
                [second as usize % 4];
        world.fixture.probe.set_mode(mood);
        report(&world, &tokens, second, &mut secrets).await;
        world.ticks(6).await;
        sent.extend(world.sent());
    }
    // A failed write of the file is logged.
    std::fs::remove_file(world.folder.path().join("people.json")).unwrap();
    std::fs::create_dir(world.folder.path().join("people.json")).unwrap();
    world.api("DELETE", "/v1/people/gnu-1/settings", None).await;
    world.fixture.end().await;
    let logged = pages.text();
    assert!(sent.len() > 10 && logged.contains("people.file"), "{} {logged}", sent.len());
    assert!(secrets.numbers.len() > 200);
    scan(&world, &sent, &pages, secrets);
}
