//! Questions of several requests: the time-out holds for each request, the question has a bound of
//! its own, and neither a question of two requests nor one that fails harms the other kinds.

use super::slow_ranges::{Behaviour, slow_ranges};
use super::{Timed, UserEnd, set_on, streets};
use crate::fixture::generous;
use gateway::config::Config;
use serde_json::{Value, json};
use std::time::Duration;

/// More than half of the time-out of two seconds.
const SLOW: Duration = Duration::from_millis(1_200);

fn nearest() -> Value {
    json!({"find": "nearest", "count": 1, "along": "streets", "category": "cafe"})
}

fn within(category: &str) -> Value {
    json!({"find": "within", "radius": 200, "along": "plane", "category": category})
}

async fn start(config: Config, behaviour: Behaviour) -> Timed {
    let (service, seen) = slow_ranges(behaviour);
    Timed::before(config, service, seen).await
}

/// Publishes a set on each street and returns the ends of its users.
async fn publish(timed: &mut Timed, streets: &[u32], questions: &[Value]) -> Vec<UserEnd> {
    let queries = streets.iter().flat_map(|&street| set_on(street, 3, questions));
    let ends = timed.ask(queries.collect()).await;
    timed.turn();
    ends.await.unwrap()
}

fn outcomes(ends: &[UserEnd]) -> Vec<&str> {
    ends.iter().map(|end| end.body["outcome"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn each_request_of_a_question_has_the_whole_time_out() {
    let mut timed = start(generous(), |_| (SLOW, false)).await;
    let questions = [nearest(), within("cafe"), within("bakery")];
    let ends = publish(&mut timed, &[0], &questions).await;
    assert_eq!(outcomes(&ends), ["answered"; 3], "{ends:?}");
    let ranges = timed.take_seen();
    assert!(ranges.len() > 3, "`nearest` needs two requests: {ranges:?}");
    assert!(ends.iter().all(|end| end.at >= 2 * SLOW), "released together");
    assert!(!timed.gateway.city().requests().client().is_open());
    timed.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_always_times_out_fails_no_other_kind() {
    let stalls = |range: &gateway::service::RangeRequest<'_>| {
        let is_stalled = range.category.name() == Some("cafe");
        (if is_stalled { Duration::MAX } else { Duration::from_millis(50) }, false)
    };
    let mut timed = start(generous(), stalls).await;
    let all: Vec<u32> = streets().take(12).collect();
    // More consecutive failures than the threshold, with no other kind between them.
    let ends = publish(&mut timed, &all, &[within("cafe")]).await;
    assert!(outcomes(&ends).iter().all(|outcome| *outcome == "failed"));
    assert!(timed.gateway.city().requests().client().is_open());
    timed.take_seen();
    let mut other = set_on(5, 3, &[within("bakery"), nearest(), within("cafe")]);
    for query in &mut other {
        query["ticket"] = json!(format!("later-{}", query["ticket"]));
    }
    let ends = timed.ask(other).await;
    timed.turn();
    let ends = ends.await.unwrap();
    // The kind `nearest` has a breaker of its own, and its category is stalled.
    assert_eq!(outcomes(&ends), ["answered", "failed", "failed"], "{ends:?}");
    let sent = timed.take_seen();
    let times = |name| sent.iter().filter(move |(_, text)| text == name).map(|(at, _)| *at);
    let bakery = sent.iter().find(|(_, text)| text.starts_with("bakery")).expect("it is sent").0;
    let trials: Vec<_> = times("cafe Some(200.0)").collect();
    assert!(trials.len() == 1 && trials[0] > bakery, "suspended until the trial: {sent:?}");
    timed.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_of_endless_requests_ends_at_its_own_bound() {
    // Every answer is truncated, so that each range is repeated on two halves.
    let endless = |range: &gateway::service::RangeRequest<'_>| {
        (Duration::from_millis(400), range.category.name() == Some("cafe"))
    };
    let mut config = generous();
    config.service.question_timeout = Duration::from_secs(3);
    let mut timed = start(config, endless).await;
    let questions = [within("cafe"), within("bakery"), within("bank")];
    let ends = publish(&mut timed, &[0], &questions).await;
    assert_eq!(outcomes(&ends), ["failed", "answered", "answered"], "{ends:?}");
    for end in &ends {
        assert!(end.at.abs_diff(Duration::from_secs(3)) < Duration::from_millis(20), "{end:?}");
    }
    assert!(timed.take_seen().len() > 5);
    assert!(!timed.gateway.city().requests().client().is_open(), "no request has failed");
    timed.end().await;
}
