//! Misbehaving trackers of every protocol: each gets the documented response, and all other users
//! get byte for byte the same responses as without it.

use super::live_client::{self, Client, listen_on};
use super::{World, asking, message, neighbours, owntracks_request};
use crate::fixture::place;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

/// Protocol of the misbehaving tracker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Protocol {
    OwnTracks,
    Traccar,
    OsmAnd,
    Live,
}

/// Kind of misbehaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The battery dies.
    Dies,
    /// It reports too often.
    Often,
    /// The clock is off by this number of seconds.
    Clock(i64),
    /// The position jumps by 500 km and off the map.
    Jumps,
}

const ROUNDS: usize = 4;

/// The misbehaving tracker: user jo, on a street far from the others, next to user ed.
struct FaultyTracker {
    protocol: Protocol,
    token: String,
    socket: Option<Client>,
    /// Known outcomes of the reports, in order.
    outcomes: Vec<Value>,
}

impl FaultyTracker {
    async fn new(world: &World, protocol: Protocol) -> FaultyTracker {
        world.put_settings("jo", &asking()).await;
        world.put_settings("ed", &asking()).await;
        let socket = match protocol {
            Protocol::Live => {
                let (address, closing) = listen_on(world).await;
                // Keeps the listener open until the test ends.
                std::mem::forget(closing);
                let hello = json!({"type": "hello", "person": "jo"});
                Some(Client::open(address, &world.key, hello).await.0)
            }
            _ => None,
        };
        FaultyTracker { protocol, token: world.token("jo").await, socket, outcomes: Vec::new() }
    }

    /// Sends a report with the tracker's time; every well-formed one gets 200.
    async fn report(&mut self, world: &World, at: (f64, f64), unix: u64) {
        let path = format!("/v1/phones/traccar/{}", self.token);
        let request = match self.protocol {
            Protocol::OwnTracks => {
                let body = message("owntracks/location-minimal.json", at, unix);
                owntracks_request("jo", &self.token, &body)
            }
            Protocol::Traccar => {
                let body = message("traccar/9-android.json", at, unix);
                let request = Request::post(path).header("content-type", "application/json");
                request.body(Body::from(body)).unwrap()
            }
            Protocol::OsmAnd => {
                let query = message("osmand/osmand-4.txt", at, unix);
                Request::get(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
            Protocol::Live => return self.send_position(at).await,
        };
        assert_eq!(world.send(request).await.0, 200, "{:?}", self.protocol);
        self.outcomes.push(world.answer("jo").await["latest"].clone());
    }

    /// The same on a WebSocket. Refusals arrive in order, so a final off-map report ends the wait.
    async fn send_position(&mut self, at: (f64, f64)) {
        let socket = self.socket.as_mut().unwrap();
        socket.send_json(&live_client::at(at)).await;
        let mut last = live_client::at((0.0, 0.0));
        last["ticket"] = json!("last");
        socket.send_json(&last).await;
        loop {
            let body = socket.receive().await;
            if body["refused"]["ticket"] == "last" {
                return;
            }
            self.outcomes.push(body[body["type"].as_str().unwrap()].clone());
        }
    }

    /// Outcome of the last report.
    async fn latest(&mut self, world: &World) -> Value {
        match &mut self.socket {
            Some(socket) => socket.receive().await["result"].clone(),
            None => world.answer("jo").await["latest"].clone(),
        }
    }
}

/// Misbehaves in one round, before the others report.
async fn misbehave(world: &mut World, faulty: &mut FaultyTracker, fault: Fault, round: usize) {
    let here = place(250, 0.4);
    world.report("ed", place(250, 0.6)).await;
    let now = world.unix();
    match fault {
        Fault::Dies if round < 2 => faulty.report(world, here, now).await,
        Fault::Dies => faulty.socket = None,
        Fault::Often => {
            for _ in 0..20 {
                faulty.report(world, here, now).await;
            }
        }
        Fault::Clock(off) => {
            faulty.report(world, here, now.checked_add_signed(off).unwrap()).await;
        }
        Fault::Jumps if round.is_multiple_of(2) => faulty.report(world, here, now).await,
        Fault::Jumps => {
            for far in [(here.0, here.1 - 4.5), (0.0, 0.0), (179.9, -89.9), (1e6, 1e6)] {
                faulty.report(world, far, now).await;
            }
        }
    }
}

/// Checks the documented outcome after a batch.
async fn check_outcome(world: &World, faulty: &mut FaultyTracker, fault: Fault, round: usize) {
    let name = format!("{:?} {fault:?} {round}", faulty.protocol);
    match fault {
        Fault::Dies if round < 2 => {
            assert_eq!(faulty.latest(world).await["outcome"], "answered", "{name}");
        }
        Fault::Clock(_) => assert_eq!(faulty.latest(world).await["outcome"], "answered", "{name}"),
        Fault::Jumps if round.is_multiple_of(2) => {
            let body = faulty.latest(world).await;
            assert_eq!(body["outcome"], "answered", "{name}: {body}");
            assert_eq!(body["receipt"]["k_reached"], 2, "{name}: ed and jo");
        }
        Fault::Jumps => {
            let off = faulty.outcomes.iter().rev().take(4);
            assert!(off.into_iter().all(|body| body["reason"] == "off-map"), "{name}");
        }
        Fault::Often | Fault::Dies => {}
    }
}

/// Runs two regular users, with or without a faulty tracker, and returns their responses.
async fn run(faulty: Option<(Protocol, Fault)>) -> Vec<Value> {
    let mut world = World::with(|config, _| config.limits.person_rate = 60).await;
    for person in ["al", "bo"] {
        world.put_settings(person, &asking()).await;
    }
    let mut jo = match faulty {
        Some((protocol, _)) => Some(FaultyTracker::new(&world, protocol).await),
        None => None,
    };
    let mut body = Vec::new();
    for round in 0..ROUNDS {
        if let (Some(jo), Some((_, fault))) = (&mut jo, faulty) {
            misbehave(&mut world, jo, fault, round).await;
        }
        for (person, at) in ["al", "bo"].into_iter().zip(neighbours()) {
            body.push(world.report(person, at).await);
        }
        world.ticks(1).await;
        for person in ["al", "bo"] {
            let mut answer = world.answer(person).await;
            assert_eq!(answer["latest"]["outcome"], "answered", "{answer}");
            for part in ["latest", "answered"] {
                answer[part].as_object_mut().unwrap().remove("ticket");
            }
            body.push(answer);
        }
        if let (Some(jo), Some((_, fault))) = (&mut jo, faulty) {
            check_outcome(&world, jo, fault, round).await;
        }
        world.ticks(9).await;
    }
    if let (Some(jo), Some((_, fault))) = (&jo, faulty) {
        end(&mut world, jo, fault).await;
    }
    body
}

async fn end(world: &mut World, jo: &FaultyTracker, fault: Fault) {
    if fault == Fault::Often {
        let dropped = jo.outcomes.iter().filter(|body| body["reason"] == "person-rate").count();
        assert!(dropped >= 20 * ROUNDS - 15, "all but a burst of ten: {dropped}");
    }
    world.ticks(700).await;
    world.fixture.gateway.purge_idle_users();
    let nothing = json!({"answered": null, "latest": null});
    assert_eq!(world.answer("jo").await, nothing, "all data of jo expired");
    let (accepted, ended) = world.fixture.gateway.metrics().exact_counts();
    assert_eq!(accepted, ended.iter().sum::<u64>(), "no query is left waiting");
}

#[tokio::test]
async fn a_faulty_tracker_gets_documented_responses_and_affects_no_other_user() {
    let alone = run(None).await;
    assert_eq!(alone.len(), ROUNDS * 4);
    for protocol in [Protocol::OwnTracks, Protocol::Traccar, Protocol::OsmAnd, Protocol::Live] {
        for fault in
            [Fault::Dies, Fault::Often, Fault::Clock(86_400), Fault::Clock(-86_400), Fault::Jumps]
        {
            // WebSocket messages have no timestamp.
            if protocol == Protocol::Live && matches!(fault, Fault::Clock(_)) {
                continue;
            }
            assert_eq!(run(Some((protocol, fault))).await, alone, "{protocol:?} {fault:?}");
        }
    }
}

#[tokio::test]
async fn reports_stored_while_offline_are_dropped_and_the_newest_is_used() {
    for protocol in [Protocol::OwnTracks, Protocol::Traccar, Protocol::OsmAnd] {
        let mut world = World::new().await;
        let mut jo = FaultyTracker::new(&world, protocol).await;
        let (here, now) = (place(250, 0.4), world.unix());
        jo.report(&world, here, now).await;
        world.ticks(300).await;
        for minute in 1..5 {
            jo.report(&world, here, now + minute * 60).await;
            assert_eq!(jo.outcomes.last().unwrap()["reason"], "late", "{protocol:?}");
        }
        jo.report(&world, here, world.unix()).await;
        world.report("ed", place(250, 0.6)).await;
        world.ticks(1).await;
        assert_eq!(jo.latest(&world).await["outcome"], "answered", "{protocol:?}");
    }
}
