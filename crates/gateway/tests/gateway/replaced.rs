//! One waiting query per user: a newer query carries the questions, tickets and deadlines of the one
//! it replaces.

use crate::fixture::{Fixture, generous, place, post, query, walker, with};
use axum::http::StatusCode;
use gateway::config::{Config, Mode};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

type Response = JoinHandle<(StatusCode, Value)>;

/// A gateway that counts what it has accepted.
struct Desk {
    fixture: Fixture,
    accepted: u64,
}

impl Desk {
    async fn new(change: impl FnOnce(&mut Config)) -> Desk {
        let mut config = generous();
        change(&mut config);
        Desk { fixture: Fixture::new(config, Mode::Demo).await, accepted: 0 }
    }

    /// Posts a query and returns when it is accepted.
    async fn ask(&mut self, body: Value) -> Response {
        let response = tokio::spawn(post(self.fixture.app.clone(), body));
        self.accepted += 1;
        while self.fixture.gateway.metrics().exact_counts().0 < self.accepted {
            assert!(!response.is_finished(), "refused: {:?}", response.await);
            tokio::task::yield_now().await;
        }
        response
    }

    /// Cancels a query; the result arrives with the next batch.
    async fn cancel(&mut self, ticket: &str) -> Value {
        let app = self.fixture.app.clone();
        let path = format!("/v1/queries/{ticket}");
        let request = axum::http::Request::delete(path).body(axum::body::Body::empty()).unwrap();
        let cancelled = tokio::spawn(crate::fixture::call(app, request));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        self.fixture.tick().await;
        cancelled.await.unwrap().1
    }
}

/// A street 1.5 to 1.9 km from street 3: beyond dc, and reachable in 45 s at 70 m/s.
fn far_street() -> u32 {
    let walker = walker();
    let map = walker.atlas().map();
    let point = |street| {
        let offset = map.street(StreetId(street)).length.part(0.5);
        map.point(Position { street: StreetId(street), offset })
    };
    let mut streets = 0..map.street_count() as u32;
    let is_far = |&street: &u32| (1_500.0..1_900.0).contains(&point(street).distance(point(3)));
    streets.find(is_far).unwrap()
}

fn patient(ticket: &str, person: &str, street: u32) -> Value {
    with(query(ticket, person, street), "dt", json!(30))
}

fn within(query: Value) -> Value {
    with(query, "question", json!({"find": "within", "radius": 500}))
}

#[tokio::test]
async fn both_questions_of_a_user_are_answered_from_one_set() {
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let mut desk = Desk::new(|config| config.engine.guarantee = guarantee).await;
        let fast = |query: Value| with(with(query, "speed", json!(70)), "dt", json!(60));
        let first = desk.ask(fast(within(patient("a1", "al", 3)))).await;
        desk.fixture.gateway.clock().advance(45_000); // to reach the far street
        let second = desk.ask(fast(patient("a2", "al", far_street()))).await;
        desk.fixture.tick().await;
        let partner = desk.ask(fast(patient("b", "bo", 3))).await;
        let other = desk.ask(fast(patient("c", "cy", far_street()))).await;
        desk.fixture.tick().await;
        let (first, second) = (first.await.unwrap().1, second.await.unwrap().1);
        for (result, ticket) in [(&first, "a1"), (&second, "a2"), (&other.await.unwrap().1, "c")] {
            assert_eq!(
                (&result["outcome"], &result["ticket"]),
                (&json!("answered"), &json!(ticket))
            );
            assert_eq!(result["receipt"]["k_reached"], 2, "{guarantee:?}");
        }
        let delay = |result: &Value| result["receipt"]["delay"].as_f64().unwrap();
        assert!(delay(&first) >= delay(&second) + 45.0, "each has its own time");
        assert!(!partner.is_finished(), "the user is in one set only");
        assert_eq!(desk.fixture.probe.take().len(), 2, "two kinds of question, one region");
        desk.fixture.end().await;
        assert_eq!(partner.await.unwrap().1["outcome"], "expired");
        assert_eq!(desk.fixture.counts(), (4, [3, 1, 0, 0]), "none is lost");
    }
}

#[tokio::test]
async fn a_query_has_the_largest_k_of_those_it_has_replaced() {
    let mut desk = Desk::new(|_| ()).await;
    let first = desk.ask(with(patient("a1", "al", 3), "k", json!(4))).await;
    let second = desk.ask(patient("a2", "al", 3)).await;
    let bo = desk.ask(patient("b", "bo", 3)).await;
    let cy = desk.ask(patient("c", "cy", 3)).await;
    desk.fixture.tick().await;
    assert_eq!((bo.await.unwrap().1["receipt"]["k_reached"]).as_u64(), Some(2));
    assert!(!first.is_finished() && !second.is_finished(), "three users are not four");
    drop(cy);
    for number in 0..3 {
        let person = format!("d{number}");
        drop(desk.ask(patient(&person, &person, 3)).await);
    }
    desk.fixture.tick().await;
    let receipts = [first.await.unwrap().1, second.await.unwrap().1];
    assert_eq!(receipts.map(|result| result["receipt"]["k"].clone()), [json!(4), json!(2)]);
}

#[tokio::test]
async fn a_presence_report_carries_the_waiting_question_to_the_new_position() {
    let mut desk = Desk::new(|_| ()).await;
    let question = desk.ask(within(patient("a1", "al", 3))).await;
    desk.fixture.tick().await;
    let present =
        |ticket: &str, street| with(patient(ticket, "al", street), "question", Value::Null);
    let report = desk.ask(present("a2", 3)).await;
    desk.fixture.tick().await;
    let newer = desk.ask(present("a3", far_street())).await;
    desk.fixture.tick().await;
    assert_eq!(report.await.unwrap().1["outcome"], "present", "it was replaced");
    let partner = desk.ask(patient("c", "cy", far_street())).await;
    desk.fixture.tick().await;
    assert_eq!(newer.await.unwrap().1["outcome"], "present");
    assert_eq!(partner.await.unwrap().1["outcome"], "answered");
    let result = question.await.unwrap().1;
    let own = desk.ask(within(patient("x", "xi", far_street()))).await;
    let _partner = desk.ask(patient("y", "yo", far_street())).await;
    desk.fixture.tick().await;
    assert_eq!(result["answer"], own.await.unwrap().1["answer"], "from the newest position");
}

#[tokio::test]
async fn each_question_keeps_its_own_deadline() {
    let mut desk = Desk::new(|_| ()).await;
    let short = desk.ask(query("a1", "al", 3)).await; // dt 3
    let long = desk.ask(patient("a2", "al", 3)).await;
    for _ in 0..3 {
        desk.fixture.tick().await;
        assert!(!short.is_finished());
    }
    desk.fixture.tick().await;
    assert_eq!(short.await.unwrap().1["outcome"], "expired");
    let partner = desk.ask(query("b", "bo", 3)).await;
    desk.fixture.tick().await;
    assert_eq!(long.await.unwrap().1["outcome"], "answered");
    assert_eq!(partner.await.unwrap().1["outcome"], "answered");
    assert_eq!(desk.fixture.counts(), (3, [2, 1, 0, 0]));
}

#[tokio::test]
async fn cancelling_a_ticket_ends_only_its_question() {
    let mut desk = Desk::new(|_| ()).await;
    let first = desk.ask(patient("a1", "al", 3)).await;
    desk.fixture.tick().await;
    let second = desk.ask(patient("a2", "al", 3)).await;
    desk.fixture.tick().await;
    assert_eq!(desk.cancel("a1").await["outcome"], "cancelled");
    assert_eq!(first.await.unwrap().1["outcome"], "cancelled");
    assert!(!second.is_finished());
    let third = desk.ask(patient("a3", "al", 3)).await;
    // The newest is cancelled before the batch: the query before it stays.
    assert_eq!(desk.cancel("a3").await["outcome"], "cancelled");
    assert_eq!(third.await.unwrap().1["outcome"], "cancelled");
    assert_eq!(desk.cancel("a2").await["outcome"], "cancelled");
    assert_eq!(second.await.unwrap().1["outcome"], "cancelled");
    let partner = desk.ask(patient("b", "bo", 3)).await;
    desk.fixture.tick().await;
    assert!(!partner.is_finished(), "no query of the first user waits");
    desk.fixture.end().await;
    assert_eq!(desk.fixture.counts(), (4, [0, 1, 3, 0]));
}

#[tokio::test]
async fn the_queries_in_progress_of_a_user_are_bounded() {
    let mut desk = Desk::new(|config| config.limits.person_queue = 3).await;
    let mut waiting = Vec::new();
    for number in 0..3 {
        waiting.push(desk.ask(patient(&format!("a{number}"), "al", 3)).await);
    }
    let (status, body) = desk.fixture.post(patient("a9", "al", 3)).await;
    assert_eq!((status, &body["reason"]), (StatusCode::TOO_MANY_REQUESTS, &json!("person-busy")));
    let other = desk.ask(patient("b", "bo", 3)).await;
    desk.fixture.tick().await;
    assert_eq!(other.await.unwrap().1["outcome"], "answered");
    for response in waiting {
        assert_eq!(response.await.unwrap().1["outcome"], "answered");
    }
    drop(desk.ask(patient("a9", "al", 3)).await);
}

#[tokio::test]
async fn a_speed_above_the_limit_is_refused() {
    let desk = Desk::new(|_| ()).await;
    let (lon, lat) = place(3, 0.5);
    for speed in [70.1, 1e6, 1e300] {
        let fast = json!({
            "ticket": "t", "person": "al", "lon": lon, "lat": lat, "k": 2, "dt": 3, "dc": 800,
            "speed": speed, "question": {"find": "nearest", "count": 3},
        });
        let (status, body) = desk.fixture.post(fast).await;
        assert_eq!((status.as_u16(), &body["reason"]), (422, &json!("speed")), "{speed}");
        assert_eq!(body["message"], "`speed` must be at most 70 metres per second");
    }
}
