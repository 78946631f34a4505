//! Times and order of requests do not depend on the sizes of sets.

use super::{Timed, bodies, set_on, streets, times, with_slots};
use gateway::inquiry::Inquiry;
use serde_json::{Value, json};
use std::time::Duration;

/// Number of sets, more than the slots.
const SETS: usize = 12;

fn nearest() -> Value {
    json!({"find": "nearest", "count": 3, "along": "plane"})
}

fn queries(size: usize) -> Vec<Value> {
    streets().take(SETS).flat_map(|street| set_on(street, size, &[nearest()])).collect()
}

fn delay(_: &Inquiry) -> Duration {
    Duration::from_millis(100)
}

#[tokio::test(start_paused = true)]
async fn sets_of_2_and_of_50_are_requested_at_the_same_times() {
    let mut runs = Vec::new();
    for size in [2, 50] {
        let mut timed = Timed::start(with_slots(2), delay).await;
        let ends = timed.ask(queries(size)).await;
        timed.turn();
        let ends = ends.await.unwrap();
        assert_eq!(ends.len(), SETS * size);
        assert!(ends.iter().all(|end| end.body["outcome"] == "answered"), "{:?}", ends[0]);
        runs.push(timed.end().await);
    }
    assert_eq!(runs[0].len(), SETS);
    assert_eq!(bodies(&runs[0]), bodies(&runs[1]));
    assert_eq!(times(&runs[0]), times(&runs[1]));
    let expected = (0..SETS as u64).map(|number| Duration::from_millis(number / 2 * 100));
    let close = |(time, expected): (Duration, Duration)| time.abs_diff(expected).as_millis() < 50;
    assert!(times(&runs[0]).into_iter().zip(expected).all(close), "{:?}", times(&runs[0]));
}

/// While no result can be delivered, because the tickets are locked, every request is sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::await_holding_lock, reason = "the lock is what the test is about")]
async fn requests_do_not_wait_for_the_delivery_of_answers() {
    for size in [2, 50] {
        let mut timed = Timed::start(with_slots(1), |_| Duration::ZERO).await;
        let ends = timed.ask(queries(size)).await;
        let account = timed.gateway.directory().account(None).unwrap().clone();
        let locked = account.tickets().lock();
        timed.turn();
        let mut seen = Vec::new();
        while seen.len() < SETS {
            // Only a failure takes this long.
            let next = tokio::time::timeout(Duration::from_secs(60), timed.next_seen()).await;
            seen.push(next.expect("a request waits for the delivery of earlier answers"));
        }
        drop(locked);
        let ends = ends.await.unwrap();
        assert!(ends.iter().all(|end| end.body["outcome"] == "answered"));
        assert!(timed.end().await.is_empty(), "one request for each set");
    }
}
