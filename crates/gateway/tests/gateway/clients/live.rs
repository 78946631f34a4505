//! WebSockets, over real ones.

use super::{World, asking, neighbours};
use crate::fixture::place;
use axum::body::Body;
use axum::http::Request;
use futures_util::{SinkExt as _, StreamExt as _};
use gateway::listen::{Manners, listen};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Opens a door to the world.
pub async fn door(world: &World) -> (SocketAddr, watch::Sender<bool>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let closing = watch::Sender::new(false);
    let manners = Manners {
        connections: 100,
        patience: Duration::from_secs(10),
        reading: Duration::from_secs(10),
        tls: None,
    };
    let app = world.fixture.app.clone();
    tokio::spawn(listen(socket, app, manners, closing.subscribe()));
    (address, closing)
}

pub struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn connect(address: SocketAddr, key: &str) -> Result<Client, Error> {
        let socket = TcpSocket::new_v4().unwrap();
        // Whoever does not read is noticed sooner.
        socket.set_recv_buffer_size(4096).unwrap();
        let stream = socket.connect(address).await.unwrap();
        let mut request = format!("ws://{address}/v1/live").into_client_request().unwrap();
        let bearer = format!("Bearer {key}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        client_async(request, stream).await.map(|(socket, _)| Client(socket))
    }

    /// Says hello and hears the welcome.
    pub async fn greet(address: SocketAddr, key: &str, hello: Value) -> (Client, Value) {
        let mut client = Client::connect(address, key).await.unwrap();
        client.say(&hello).await;
        let welcome = client.hear().await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        (client, welcome)
    }

    pub async fn say(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    pub async fn hear(&mut self) -> Value {
        match self.0.next().await.unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// With what code the socket is closed, whatever is said before.
    async fn end(&mut self) -> Option<CloseCode> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code),
                Some(Ok(_)) => {}
                _ => return None,
            }
        }
    }
}

fn hello(person: &str) -> Value {
    let question = json!({"find": "nearest", "count": 3});
    json!({"type": "hello", "person": person, "ask": {"k": 2, "dt": 5, "question": question}})
}

pub fn at((lon, lat): (f64, f64)) -> Value {
    json!({"type": "position", "lon": lon, "lat": lat})
}

/// Until so many queries have been accepted in all.
pub async fn accepted(world: &World, queries: u64) {
    while world.fixture.gateway.metrics().accounts().0 < queries {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn positions_in_answers_out_under_a_question_that_can_be_changed() {
    let mut world = World::new().await;
    let (address, _closing) = door(&world).await;
    let [here, there] = neighbours();
    let (mut jo, welcome) = Client::greet(address, &world.key, hello("jo")).await;
    assert_eq!((&welcome["resumed"], &welcome["seq"]), (&json!(false), &json!(0)));
    world.settle("al", &asking()).await;
    let (mut al, _) =
        Client::greet(address, &world.key, json!({"type": "hello", "person": "al"})).await;
    let mut position = at(here);
    position["ticket"] = json!("mine");
    jo.say(&position).await;
    al.say(&at(there)).await;
    accepted(&world, 2).await;
    world.ticks(1).await;
    let first = jo.hear().await;
    assert_eq!((&first["type"], &first["seq"]), (&json!("result"), &json!(1)));
    assert_eq!(first["result"]["ticket"], "mine");
    assert_eq!(first["result"]["answer"].as_array().unwrap().len(), 3);
    assert_eq!(al.hear().await["result"]["outcome"], "answered", "as in her settings");
    assert_eq!(world.sent().len(), 1);

    // Another question, and none at all.
    let within = json!({"find": "within", "radius": 200, "along": "plane"});
    jo.say(&json!({"type": "ask", "k": 2, "question": within})).await;
    al.say(&json!({"type": "ask", "question": null})).await;
    jo.say(&at(here)).await;
    al.say(&at(there)).await;
    accepted(&world, 4).await;
    world.ticks(1).await;
    let second = jo.hear().await;
    let found = second["result"]["answer"].as_array().unwrap();
    assert!(found.iter().all(|found| found["metres"].as_f64().unwrap() <= 200.0));
    assert_eq!(al.hear().await["result"]["outcome"], "present");
    let sent = world.sent();
    assert!(sent.len() == 1 && sent[0].contains("Within"), "{sent:?}");

    // The same doors as for a request.
    jo.say(&json!({"type": "ask", "k": 1_000_000})).await;
    assert_eq!(jo.hear().await["error"]["reason"], "k");
    jo.say(&at((0.0, 0.0))).await;
    assert_eq!(jo.hear().await["refused"]["reason"], "off-map");
    jo.say(&position).await;
    assert_eq!(jo.hear().await["refused"]["reason"], "duplicate-id", "another question");
}

#[tokio::test]
async fn who_comes_back_gets_what_she_missed_once() {
    let mut world = World::new().await;
    let (address, _closing) = door(&world).await;
    let [here, there] = neighbours();
    let (mut jo, welcome) = Client::greet(address, &world.key, hello("jo")).await;
    let resume = welcome["resume"].clone();
    jo.say(&at(here)).await;
    accepted(&world, 1).await;
    drop(jo);
    world.settle("al", &super::present()).await;
    world.report("al", there).await;
    world.ticks(1).await;
    let mut again = json!({"type": "hello", "person": "jo", "resume": resume});
    let (mut jo, welcome) = Client::greet(address, &world.key, again.clone()).await;
    assert_eq!((&welcome["resumed"], &welcome["resume"]), (&json!(true), &resume));
    let missed = jo.hear().await;
    assert_eq!((&missed["seq"], &missed["result"]["outcome"]), (&json!(1), &json!("answered")));
    // Who says that she has seen it does not get it again. The question stands.
    again["after"] = json!(1);
    let (mut jo2, _) = Client::greet(address, &world.key, again.clone()).await;
    assert_eq!(jo.end().await, Some(CloseCode::Policy), "resumed elsewhere");
    world.report("al", there).await;
    jo2.say(&at(here)).await;
    accepted(&world, 4).await;
    world.ticks(1).await;
    assert_eq!(jo2.hear().await["seq"], 2);
    again["after"] = json!(0);
    let (mut jo3, _) = Client::greet(address, &world.key, again.clone()).await;
    assert_eq!(
        (jo3.hear().await["seq"].clone(), jo3.hear().await["seq"].clone()),
        (json!(1), json!(2))
    );
    // Somebody else cannot have it, and after a while nobody can.
    again["person"] = json!("al");
    let (_, welcome) = Client::greet(address, &world.key, again.clone()).await;
    assert_eq!(welcome["resumed"], false);
    drop(jo3);
    again["person"] = json!("jo");
    again["ask"] = hello("jo")["ask"].clone();
    loop {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        world.ticks(61).await;
        world.fixture.gateway.forget_people();
        let (_, welcome) = Client::greet(address, &world.key, again.clone()).await;
        if welcome["resumed"] == false {
            break; // the server may not have seen at once that the last one has gone
        }
    }
}

#[tokio::test]
async fn who_does_not_read_gets_the_newest_and_nothing_piles_up() {
    let world = World::new().await;
    let (address, _closing) = door(&world).await;
    let (mut jo, _) = Client::greet(address, &world.key, hello("jo")).await;
    let mut far = at((0.0, 0.0));
    const MANY: u64 = 40_000;
    for number in 0..MANY {
        far["ticket"] = json!(format!("{number:064}"));
        jo.0.feed(Message::text(far.to_string())).await.unwrap();
    }
    jo.0.flush().await.unwrap();
    let (mut heard, mut skipped) = (0, 0);
    loop {
        let message = jo.hear().await;
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
    assert!(skipped > 0, "{heard} were kept for her");
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_and_too_much_of_it_the_end() {
    let world = World::new().await;
    let (address, _closing) = door(&world).await;
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
        assert_eq!(client.hear().await["error"]["reason"], "malformed", "{bad}");
        assert_eq!(client.end().await, Some(CloseCode::Policy), "{bad}");
    }
    let (mut jo, _) = Client::greet(address, &world.key, hello("jo")).await;
    for _ in 0..16 {
        jo.say(&json!({"type": "position", "lon": "8"})).await;
    }
    assert_eq!(jo.hear().await["error"]["reason"], "malformed");
    assert_eq!(jo.end().await, Some(CloseCode::Policy));
    let (mut jo, _) = Client::greet(address, &world.key, hello("jo")).await;
    jo.0.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(jo.end().await, Some(CloseCode::Unsupported));
    let (mut jo, _) = Client::greet(address, &world.key, hello("jo")).await;
    jo.0.send(Message::text("x".repeat(1 << 20))).await.ok();
    assert!([Some(CloseCode::Size), None].contains(&jo.end().await));
    assert!(Client::connect(address, "mc_00").await.is_err());
    let bearer = format!("Bearer {}", world.key);
    let plain = Request::get("/v1/live").header("authorization", bearer);
    assert_eq!(world.send(plain.body(Body::empty()).unwrap()).await.0, 400);
    let nobody = Request::get("/v1/live").body(Body::empty()).unwrap();
    assert_eq!(world.send(nobody).await.0, 401);
}

#[tokio::test]
async fn a_socket_ends_with_the_key_of_its_account() {
    let world = World::new().await;
    let (address, _closing) = door(&world).await;
    let (mut jo, _) = Client::greet(address, &world.key, hello("jo")).await;
    std::fs::write(world.folder.path().join("keys.json"), "{\"accounts\":[]}").unwrap();
    world.fixture.gateway.read_keys().unwrap();
    jo.say(&at(place(3, 0.5))).await;
    assert_eq!(jo.end().await, Some(CloseCode::Policy));
    assert_eq!(world.fixture.gateway.metrics().accounts().0, 0);
}

#[tokio::test]
async fn at_the_end_those_who_wait_are_told_and_then_the_socket_closes() {
    let mut world = World::with(|config, _| config.server.connections = 2).await;
    let (address, _closing) = door(&world).await;
    let (mut jo, _) = Client::greet(address, &world.key, hello("jo")).await;
    let (mut al, _) = Client::greet(address, &world.key, hello("al")).await;
    assert!(Client::connect(address, &world.key).await.is_err(), "there is no room for a third");
    jo.say(&at(place(3, 0.5))).await;
    accepted(&world, 1).await;
    world.fixture.end().await;
    assert_eq!(jo.hear().await["result"]["outcome"], "expired");
    assert_eq!(jo.end().await, Some(CloseCode::Away));
    assert_eq!(al.end().await, Some(CloseCode::Away));
    world.fixture.gateway.sessions().wait_until_closed().await;
    assert!(Client::connect(address, &world.key).await.is_err(), "it is stopping");
    let gateway = Arc::clone(&world.fixture.gateway);
    drop(world);
    assert_eq!(gateway.metrics().accounts(), (1, [0, 1, 0, 0, 0]));
}
