//! The answers of a set are released together: a service that stalls one kind of question, with a
//! watcher on the users' lines, does not learn which member asked it.

use super::{Timed, UserEnd, bodies, set_on, streets, times, with_slots};
use gateway::inquiry::Inquiry;
use gateway::question::Find;
use meshcloak::town::Town;
use rand::seq::SliceRandom as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const STALL: Duration = Duration::from_secs(3);

/// Stalls questions about the nearest objects.
fn stalling(inquiry: &Inquiry) -> Duration {
    match inquiry.kind().find {
        Find::Nearest => STALL,
        Find::Within => Duration::from_millis(40),
    }
}

fn questions() -> Vec<Value> {
    vec![
        json!({"find": "nearest", "count": 2, "along": "streets"}),
        json!({"find": "within", "radius": 300, "along": "plane"}),
        json!({"find": "within", "radius": 150, "along": "plane"}),
        json!({"find": "within", "radius": 150, "along": "streets"}),
    ]
}

fn ends_by_user(ends: Vec<UserEnd>) -> BTreeMap<String, Duration> {
    ends.into_iter().map(|end| (end.user, end.at)).collect()
}

/// What is seen of a run of four batches in which `seed` permutes the questions inside sets.
async fn run(seed: u64) -> (Vec<String>, Vec<Duration>, BTreeMap<String, Duration>) {
    let mut random = Town::generator(seed);
    let mut timed = Timed::start(with_slots(64), stalling).await;
    let mut ends = Vec::new();
    for batch in 0..4 {
        // Sets with and without the stalled kind.
        let all = questions();
        let sets = streets().skip(batch * 2).zip([all.to_vec(), all[1..].to_vec()]);
        let mut queries = Vec::new();
        for (street, mut questions) in sets {
            if seed > 0 {
                questions.shuffle(&mut random);
            }
            queries.extend(set_on(street, questions.len(), &questions));
        }
        ends.push(timed.ask(queries).await);
        timed.turn();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let mut completed = BTreeMap::new();
    for ends in ends {
        let ends = ends.await.unwrap();
        assert!(ends.iter().all(|end| end.body["outcome"] == "answered"), "{ends:?}");
        completed.extend(ends_by_user(ends));
    }
    let seen = timed.end().await;
    (bodies(&seen), times(&seen), completed)
}

#[tokio::test(start_paused = true)]
async fn permuting_questions_inside_sets_changes_no_byte_and_no_time() {
    let (bodies, times, completed) = run(0).await;
    assert_eq!((bodies.len(), completed.len()), (4 * 5, 4 * 7));
    for seed in 1..8 {
        let permuted = run(seed).await;
        assert_eq!(permuted.0, bodies, "seed {seed}: bodies");
        assert_eq!(permuted.1, times, "seed {seed}: times of requests");
        assert_eq!(permuted.2, completed, "seed {seed}: times of answers");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stalled_kind_releases_no_member_of_its_set_early() {
    let mut timed = Timed::start(with_slots(64), stalling).await;
    let mut streets = streets();
    let (stalled, other) = (streets.next().unwrap(), streets.next().unwrap());
    let mut queries = set_on(stalled, 4, &questions());
    queries.extend(set_on(other, 3, &questions()[1..]));
    let ends = timed.ask(queries).await;
    timed.turn();
    for (user, at) in ends_by_user(ends.await.unwrap()) {
        let is_stalled = user.starts_with(&format!("{stalled}-"));
        assert_eq!(at >= STALL, is_stalled, "{user} {at:?}");
    }
    timed.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_failed_kind_fails_its_members_at_the_moment_of_the_others() {
    let mut config = with_slots(64);
    config.service.timeout = Duration::from_secs(2);
    let mut timed = Timed::start(config, stalling).await;
    let ends = timed.ask(set_on(0, 4, &questions())).await;
    timed.turn();
    let ends = ends.await.unwrap();
    let outcomes: Vec<&str> =
        ends.iter().map(|end| end.body["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["failed", "answered", "answered", "answered"]);
    assert!(ends.iter().all(|end| end.at == ends[0].at), "{ends:?}");
    assert!(ends[0].at >= Duration::from_secs(2));
    timed.end().await;
}
