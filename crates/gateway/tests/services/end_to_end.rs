//! People, the gateway and a service, end to end: everyone who is answered gets what she would
//! have got by asking from where she is, and who of a set is where changes no byte.

use crate::overpass_server::{UNLIMITED, id, start};
use crate::pois::{Thing, everything, things};
use crate::recording_server::Heard;
use crate::town::hamlet;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use futures_util::future::join_all;
use gateway::answers::answer;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::engine::Engine;
use gateway::gateway::{Gateway, Parts};
use gateway::question::{Along, Category, Operation, Question};
use gateway::refine::refine;
use gateway::server::app;
use gateway::service::{RemoteSettings, Service};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::{Length, LonLat};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt as _;

/// Somebody on a street, with a question.
#[derive(Clone, Debug)]
pub struct Person {
    name: String,
    street: u32,
    part: f64,
    question: Value,
}

/// The four kinds of questions, in the words of the API and in ours.
fn questions() -> [(Value, Operation); 4] {
    let radius = Length::metres(450.0);
    let within = |along| Operation::Within { radius, along };
    let nearest = |along| Operation::Nearest { count: 4, along };
    [
        (json!({"find": "within", "radius": 450, "along": "plane"}), within(Along::Plane)),
        (json!({"find": "within", "radius": 450, "along": "streets"}), within(Along::Streets)),
        (json!({"find": "nearest", "count": 4, "along": "plane"}), nearest(Along::Plane)),
        (json!({"find": "nearest", "count": 4, "along": "streets"}), nearest(Along::Streets)),
    ]
}

/// A walker whose people can reach each other.
pub fn far_walker(walker: &Walker) -> Arc<Walker> {
    Arc::new(Walker::new(Arc::new(Atlas::new(walker.map().clone(), Length::metres(2_000.0)))))
}

fn place(walker: &Walker, person: &Person) -> LonLat {
    let map = walker.map();
    let street = StreetId(person.street % map.street_count() as u32);
    let offset = map.street(street).length.part(person.part);
    map.frame().unwrap().lon_lat(map.point(Position { street, offset }))
}

/// All people ask, a batch passes, and this is what each was told.
pub async fn asked(
    walker: &Arc<Walker>,
    service: Box<dyn Service>,
    people: &[Person],
) -> Vec<Value> {
    let mut config = Config { keys: None, ..Config::default() };
    config.service.timeout = Duration::from_secs(600);
    config.limits.rate = 1_000_000;
    let (mode, clock) = (Mode::Demo, Clock::by_hand());
    let parts = Parts { config, mode, walker: Arc::clone(walker), service, clock };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    gateway.learn_categories().await.unwrap();
    let mut engine = Engine::new(Arc::clone(&gateway));
    let posts = people.iter().map(|person| {
        let LonLat { lon, lat } = place(walker, person);
        let (name, question) = (&person.name, &person.question);
        let body = json!({"ticket": name, "person": name, "lon": lon, "lat": lat, "k": 3,
            "dt": 3, "dc": 800, "speed": 20, "question": question});
        let request = Request::post("/v1/queries").header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        let app = app(Arc::clone(&gateway));
        async move {
            let response = app.oneshot(request).await.unwrap();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            serde_json::from_slice(&body).unwrap()
        }
    });
    let batch = async {
        for _ in 0..5 {
            gateway.clock().advance(1000);
            let round = engine.turn(gateway.clock().now());
            answer(Arc::clone(&gateway), round).await;
        }
    };
    futures_util::join!(join_all(posts), batch).0
}

/// Sends a crowd through a gateway in front of `service`, and compares every answer.
pub async fn check(walker: &Walker, service: Box<dyn Service>, things: &[Thing]) {
    let walker = far_walker(walker);
    let (map, all) = (walker.map(), everything(&walker, things));
    // Four on a street that can be travelled both ways are within reach of each other.
    let two_way = |id: u32| !map.street(StreetId(id % map.street_count() as u32)).one_way;
    let person = |number: u32| Person {
        name: format!("p{number}"),
        street: (number / 4 * 61..).find(|&id| two_way(id)).unwrap(),
        part: 0.2 + f64::from(number % 4) * 0.15,
        question: questions()[number as usize % 4].0.clone(),
    };
    let people: Vec<Person> = (0..24).map(person).collect();
    let told = asked(&walker, service, &people).await;
    let mut found = 0;
    for (number, (person, told)) in people.iter().zip(&told).enumerate() {
        assert_eq!(told["outcome"], "answered", "{told}");
        assert_eq!(told["receipt"]["exact"], true);
        let (operation, category) = (questions()[number % 4].1, Category::Any);
        let point = map.frame().unwrap().point(place(&walker, person));
        let position = map.snap(point, None).unwrap().position;
        let truth = refine(&walker, position, &Question { operation, category }, &all);
        let truth: Vec<&str> = truth.found.iter().map(|found| &*found.object.id).collect();
        let answer = told["answer"].as_array().unwrap();
        let ids: Vec<&str> = answer.iter().map(|found| found["id"].as_str().unwrap()).collect();
        assert_eq!(ids, truth, "{operation:?}");
        found += ids.len();
    }
    assert!(found > 70, "{found}");
}

#[tokio::test]
async fn members_who_change_places_change_no_byte() {
    let hamlet = hamlet();
    let walker = far_walker(&hamlet);
    let first = StreetId(3);
    let end = walker.map().street(first).to;
    let arms = walker.map().leaving(end).iter();
    let (here, there) = (first.0, arms.map(|arm| arm.street.0).find(|&arm| arm != 3).unwrap());
    let things = things(&walker, id);
    let server = start(things.clone(), UNLIMITED).await;
    let source = format!("overpass+{}/api/interpreter", server.url);
    let mut settings = RemoteSettings::of_source(&source).unwrap();
    settings.timeout = 120.0;
    let mut heard: Vec<Vec<Heard>> = Vec::new();
    for places in
        [[(here, 0.4), (there, 0.5), (here, 0.6)], [(there, 0.45), (here, 0.55), (here, 0.5)]]
    {
        let person = |(number, (street, part)): (usize, (u32, f64))| {
            let question = questions()[number].0.clone();
            Person { name: format!("p{number}"), street, part, question }
        };
        let people: Vec<Person> = places.into_iter().enumerate().map(person).collect();
        let told = asked(&walker, settings.open(&walker).unwrap(), &people).await;
        assert!(told.iter().all(|told| told["outcome"] == "answered"), "{told:?}");
        let mut sent = server.take();
        // In which order the sets of a batch are asked is left to chance, on purpose.
        sent.sort_by(|a, b| a.body.cmp(&b.body));
        heard.push(sent);
    }
    assert!(heard[0].len() >= 3);
    assert_eq!(heard[0], heard[1]);
}
