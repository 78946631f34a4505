//! Times and order of requests do not depend on the sizes of sets.

use super::{Seen, Timed, set_on, streets, with_slots};
use crate::fixture::walker;
use gateway::inquiry::Inquiry;
use gateway::service::{Completeness, Object, Objects, Service, ServiceFuture};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// Number of sets, more than the slots.
const SETS: usize = 12;

const SLOTS: usize = 4;

fn nearest() -> Value {
    json!({"find": "nearest", "count": 3, "along": "plane"})
}

fn queries(size: usize) -> Vec<Value> {
    streets().take(SETS).flat_map(|street| set_on(street, size, &[nearest()])).collect()
}

/// A service that stalls all slots but one, and answers that one soon with very many objects.
struct GreedyService {
    objects: Objects,
    start: Instant,
    received: AtomicUsize,
    seen: UnboundedSender<Seen>,
}

const STALL: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(100);

impl GreedyService {
    fn new() -> (GreedyService, UnboundedReceiver<Seen>) {
        let (sender, seen) = unbounded_channel();
        let originals = Object::all_of(walker().map());
        let copy = |number: usize| {
            let original = Object::clone(&originals[number % originals.len()]);
            Arc::new(Object { id: number.to_string(), ..original })
        };
        let objects = Objects::new((0..20_000).map(copy).collect(), Completeness::Complete);
        let received = AtomicUsize::new(0);
        (GreedyService { objects, start: Instant::now(), received, seen: sender }, seen)
    }
}

impl Service for GreedyService {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.seen.send((self.start.elapsed(), format!("{inquiry:?}"))).unwrap();
        let number = self.received.fetch_add(1, Ordering::SeqCst);
        let delay = if (1..SLOTS).contains(&number) { STALL } else { SOON };
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            Ok(self.objects.clone())
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test(start_paused = true)]
async fn sets_of_2_and_of_50_are_requested_at_the_same_times_in_the_same_order() {
    let mut runs = Vec::new();
    for size in [2, 50] {
        let (service, seen) = GreedyService::new();
        let mut timed = Timed::before(with_slots(SLOTS), Box::new(service), seen).await;
        timed.gateway.set_shuffle_seed(7);
        let ends = timed.ask(queries(size)).await;
        timed.turn();
        let ends = ends.await.unwrap();
        assert_eq!(ends.len(), SETS * size);
        assert!(ends.iter().all(|end| end.body["outcome"] == "answered"), "{:?}", ends[0]);
        runs.push(timed.end().await);
    }
    assert_eq!(runs[0].len(), SETS);
    assert_eq!(runs[0], runs[1]);
    // The slot that is not stalled sends all the others, one as soon as the response before it.
    for (number, (time, _)) in runs[0].iter().enumerate() {
        let expected = SOON * number.saturating_sub(SLOTS - 1) as u32;
        assert!(time.abs_diff(expected) < SOON / 2, "{number}: {time:?}");
    }
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
