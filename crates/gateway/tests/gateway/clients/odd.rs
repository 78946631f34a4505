//! Phones that misbehave, by every protocol: each gets what is documented, and everybody else is
//! told the same, word for word, as if that phone were not there.

use super::live::{self, Client, door};
use super::{World, asking, neighbours, owntracks_request, shape};
use crate::fixture::place;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

/// By what the odd one reports.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phone {
    OwnTracks,
    Traccar,
    OsmAnd,
    Live,
}

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    /// Its battery dies.
    Dies,
    /// It reports twice a second.
    Often,
    /// Its clock is so many seconds off.
    Clock(i64),
    /// It jumps 500 km, and to where nobody is.
    Jumps,
}

const ROUNDS: usize = 4;

/// The odd one: jo, on a street far from the others, with ed beside her.
struct Odd {
    phone: Phone,
    token: String,
    socket: Option<Client>,
    /// How her reports ended, one by one, as far as they are known.
    ends: Vec<Value>,
}

impl Odd {
    async fn new(world: &World, phone: Phone) -> Odd {
        world.settle("jo", &asking()).await;
        world.settle("ed", &asking()).await;
        let socket = match phone {
            Phone::Live => {
                let (address, closing) = door(world).await;
                // As long as the test.
                std::mem::forget(closing);
                let hello = json!({"type": "hello", "person": "jo"});
                Some(Client::greet(address, &world.key, hello).await.0)
            }
            _ => None,
        };
        Odd { phone, token: world.token("jo").await, socket, ends: Vec::new() }
    }

    /// A report by this phone's clock; every one that can be read gets 200.
    async fn report(&mut self, world: &World, at: (f64, f64), unix: u64) {
        let path = format!("/v1/phones/traccar/{}", self.token);
        let request = match self.phone {
            Phone::OwnTracks => {
                let body = shape("owntracks/location-minimal.json", at, unix);
                owntracks_request("jo", &self.token, &body)
            }
            Phone::Traccar => {
                let body = shape("traccar/9-android.json", at, unix);
                let request = Request::post(path).header("content-type", "application/json");
                request.body(Body::from(body)).unwrap()
            }
            Phone::OsmAnd => {
                let query = shape("osmand/osmand-4.txt", at, unix);
                Request::get(format!("{path}?{query}")).body(Body::empty()).unwrap()
            }
            Phone::Live => return self.say(at).await,
        };
        assert_eq!(world.send(request).await.0, 200, "{:?}", self.phone);
        self.ends.push(world.answer("jo").await["latest"].clone());
    }

    /// The same on a socket. Refusals come back in order, so one that is known ends the wait.
    async fn say(&mut self, at: (f64, f64)) {
        let socket = self.socket.as_mut().unwrap();
        socket.say(&live::at(at)).await;
        let mut last = live::at((0.0, 0.0));
        last["ticket"] = json!("last");
        socket.say(&last).await;
        loop {
            let told = socket.hear().await;
            if told["refused"]["ticket"] == "last" {
                return;
            }
            self.ends.push(told[told["type"].as_str().unwrap()].clone());
        }
    }

    /// How her last report ended.
    async fn latest(&mut self, world: &World) -> Value {
        match &mut self.socket {
            Some(socket) => socket.hear().await["result"].clone(),
            None => world.answer("jo").await["latest"].clone(),
        }
    }
}

/// What happens in one round, before the others report.
async fn misbehave(world: &mut World, odd: &mut Odd, trouble: Trouble, round: usize) {
    let here = place(250, 0.4);
    world.report("ed", place(250, 0.6)).await;
    let now = world.unix();
    match trouble {
        Trouble::Dies if round < 2 => odd.report(world, here, now).await,
        Trouble::Dies => odd.socket = None,
        Trouble::Often => {
            for _ in 0..20 {
                odd.report(world, here, now).await;
            }
        }
        Trouble::Clock(off) => {
            odd.report(world, here, now.checked_add_signed(off).unwrap()).await;
        }
        Trouble::Jumps if round.is_multiple_of(2) => odd.report(world, here, now).await,
        Trouble::Jumps => {
            for far in [(here.0, here.1 - 4.5), (0.0, 0.0), (179.9, -89.9), (1e6, 1e6)] {
                odd.report(world, far, now).await;
            }
        }
    }
}

/// What the odd one is told after a batch, as it is documented.
async fn is_told(world: &World, odd: &mut Odd, trouble: Trouble, round: usize) {
    let name = format!("{:?} {trouble:?} {round}", odd.phone);
    match trouble {
        Trouble::Dies if round < 2 => {
            assert_eq!(odd.latest(world).await["outcome"], "answered", "{name}");
        }
        Trouble::Clock(_) => assert_eq!(odd.latest(world).await["outcome"], "answered", "{name}"),
        Trouble::Jumps if round.is_multiple_of(2) => {
            let told = odd.latest(world).await;
            assert_eq!(told["outcome"], "answered", "{name}: {told}");
            assert_eq!(told["receipt"]["k_reached"], 2, "{name}: ed and she");
        }
        Trouble::Jumps => {
            let off = odd.ends.iter().rev().take(4);
            assert!(off.into_iter().all(|told| told["reason"] == "off-map"), "{name}");
        }
        Trouble::Often | Trouble::Dies => {}
    }
}

/// Two at their usual pace, and all they are told; with an odd one somewhere, or without.
async fn run(odd: Option<(Phone, Trouble)>) -> Vec<Value> {
    let mut world = World::with(|config, _| config.limits.person_rate = 60).await;
    for person in ["al", "bo"] {
        world.settle(person, &asking()).await;
    }
    let mut jo = match odd {
        Some((phone, _)) => Some(Odd::new(&world, phone).await),
        None => None,
    };
    let mut told = Vec::new();
    for round in 0..ROUNDS {
        if let (Some(jo), Some((_, trouble))) = (&mut jo, odd) {
            misbehave(&mut world, jo, trouble, round).await;
        }
        for (person, at) in ["al", "bo"].into_iter().zip(neighbours()) {
            told.push(world.report(person, at).await);
        }
        world.ticks(1).await;
        for person in ["al", "bo"] {
            let mut answer = world.answer(person).await;
            assert_eq!(answer["latest"]["outcome"], "answered", "{answer}");
            for part in ["latest", "answered"] {
                answer[part].as_object_mut().unwrap().remove("ticket");
            }
            told.push(answer);
        }
        if let (Some(jo), Some((_, trouble))) = (&mut jo, odd) {
            is_told(&world, jo, trouble, round).await;
        }
        world.ticks(9).await;
    }
    if let (Some(jo), Some((_, trouble))) = (&jo, odd) {
        end(&mut world, jo, trouble).await;
    }
    told
}

async fn end(world: &mut World, jo: &Odd, trouble: Trouble) {
    if trouble == Trouble::Often {
        let dropped = jo.ends.iter().filter(|told| told["reason"] == "person-rate").count();
        assert!(dropped >= 20 * ROUNDS - 15, "all but a burst of ten: {dropped}");
    }
    world.ticks(700).await;
    world.fixture.gateway.purge_idle_users();
    let nothing = json!({"answered": null, "latest": null});
    assert_eq!(world.answer("jo").await, nothing, "nothing is kept of her");
    let (accepted, ended) = world.fixture.gateway.metrics().accounts();
    assert_eq!(accepted, ended.iter().sum::<u64>(), "nor left waiting");
}

#[tokio::test]
async fn an_odd_phone_gets_what_is_documented_and_nobody_else_is_affected() {
    let alone = run(None).await;
    assert_eq!(alone.len(), ROUNDS * 4);
    for phone in [Phone::OwnTracks, Phone::Traccar, Phone::OsmAnd, Phone::Live] {
        for trouble in [
            Trouble::Dies,
            Trouble::Often,
            Trouble::Clock(86_400),
            Trouble::Clock(-86_400),
            Trouble::Jumps,
        ] {
            // A socket says no time: there is no clock to be off.
            if phone == Phone::Live && matches!(trouble, Trouble::Clock(_)) {
                continue;
            }
            assert_eq!(run(Some((phone, trouble))).await, alone, "{phone:?} {trouble:?}");
        }
    }
}

#[tokio::test]
async fn reports_that_were_kept_while_offline_are_dropped_and_the_newest_counts() {
    for phone in [Phone::OwnTracks, Phone::Traccar, Phone::OsmAnd] {
        let mut world = World::new().await;
        let mut jo = Odd::new(&world, phone).await;
        let (here, now) = (place(250, 0.4), world.unix());
        jo.report(&world, here, now).await;
        world.ticks(300).await;
        for minute in 1..5 {
            jo.report(&world, here, now + minute * 60).await;
            assert_eq!(jo.ends.last().unwrap()["reason"], "late", "{phone:?}");
        }
        jo.report(&world, here, world.unix()).await;
        world.report("ed", place(250, 0.6)).await;
        world.ticks(1).await;
        assert_eq!(jo.latest(&world).await["outcome"], "answered", "{phone:?}");
    }
}
