//! Admission of queries by the expected wait before the service. It knows counts only: a refusal
//! depends on the total load and on the account's share in it, not on a user, a position or a
//! question.

use crate::city::City;
use crate::error::Refusal;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Counts from which the load of the service is estimated.
#[derive(Debug)]
pub struct ServiceLoad {
    requests_per_query: Mutex<RequestsPerQuery>,
    /// Queries that have left the engine and have not ended. Their requests are in the queue.
    delivering: AtomicUsize,
}

#[derive(Debug)]
struct RequestsPerQuery {
    /// Moving average of requests per query that left the engine, over batches.
    mean: f64,
    /// Whether a batch has caused a request.
    has_requests: bool,
}

/// Weight of the newest batch in the moving average.
const NEWEST_WEIGHT: f64 = 0.25;

/// Until the first batch each query counts as a request of its own, which is the upper bound.
impl Default for ServiceLoad {
    fn default() -> ServiceLoad {
        let requests_per_query = RequestsPerQuery { mean: 1.0, has_requests: false };
        let requests_per_query = Mutex::new(requests_per_query);
        ServiceLoad { requests_per_query, delivering: AtomicUsize::new(0) }
    }
}

impl ServiceLoad {
    /// Records a batch: the requests that it causes, the queries that left the engine with it,
    /// expired ones included, and those that stay.
    ///
    /// Until the first request, queries that stay count too: few are admitted before a service of
    /// which nothing is known, and if these few cannot be hidden, more must follow.
    pub fn record_batch(&self, requests: usize, queries: usize, staying: usize) {
        self.delivering.fetch_add(queries, Ordering::Relaxed);
        let mut per_query = self.requests_per_query.lock();
        per_query.has_requests |= requests > 0;
        let counted =
            if per_query.has_requests { queries } else { queries.saturating_add(staying) };
        if counted > 0 {
            let newest = requests as f64 / counted as f64;
            per_query.mean += (newest - per_query.mean) * NEWEST_WEIGHT;
        }
    }

    /// Records queries that have ended.
    pub fn record_ended(&self, queries: usize) {
        self.delivering.fetch_sub(queries, Ordering::Relaxed);
    }

    /// Returns the number of requests that are expected of the queries in the engine. `under_way`
    /// is the number of all queries in progress.
    pub fn expected_requests(&self, under_way: usize) -> f64 {
        let waiting = under_way.saturating_sub(self.delivering.load(Ordering::Relaxed));
        waiting as f64 * self.requests_per_query.lock().mean
    }
}

/// Returns how long the request of a query that is submitted now is expected to wait for the
/// service of its city.
pub fn expected_wait(city: &City) -> Duration {
    let under_way = city.under_way().load(Ordering::Relaxed);
    let requests = city.requests();
    requests.expected_wait(requests.load().expected_requests(under_way))
}

/// Returns the longest expected wait at which a query is accepted, of an account with this share
/// (0 to 1) of all queries in progress: half of the longest wait for a sole account, two thirds for
/// an idle one. It is the threshold of [`crate::queue_share`] on two thirds of the longest wait, so
/// that an account that fills its share leaves room for the others. The last third is for errors of
/// the estimate.
fn max_expected_wait(max_wait: Duration, share: f64) -> Duration {
    max_wait.mul_f64(2.0 / (3.0 + share.clamp(0.0, 1.0)))
}

/// Checks that the service of a city can answer a query that is submitted now by an account with
/// the share `held` of the `under_way` queries in progress.
///
/// # Errors
/// [`Refusal::ServiceBusy`] if the expected wait is too long.
pub fn check_wait(
    city: &City,
    max_wait: Duration,
    held: usize,
    under_way: usize,
) -> Result<(), Refusal> {
    let share = held as f64 / under_way.max(1) as f64;
    let limit = max_expected_wait(max_wait, share);
    match expected_wait(city).checked_sub(limit).filter(|excess| !excess.is_zero()) {
        Some(retry_after) => Err(Refusal::ServiceBusy { retry_after }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_that_fills_its_share_leaves_room_for_others() {
        let wait = Duration::from_secs(12);
        let limits = [1.0, 0.5, 0.0].map(|share| max_expected_wait(wait, share).as_secs_f64());
        assert!(limits.iter().zip([6.0, 24.0 / 3.5, 8.0]).all(|(a, b)| (a - b).abs() < 1e-6));
        // The same threshold as that of the queue, on a capacity of two thirds.
        let capacity = 30_000_usize;
        for used in (1..capacity).step_by(499) {
            for parts in 1..10 {
                let share = 1.0 / parts as f64;
                let seconds = used as f64 / capacity as f64 * 8.0;
                let is_allowed = seconds < max_expected_wait(wait, share).as_secs_f64();
                let other = crate::queue_share::allows(capacity * parts, used * parts, used);
                assert_eq!(is_allowed, other, "{used} / {parts}");
            }
        }
        assert!(max_expected_wait(wait, 9.0) == max_expected_wait(wait, 1.0));
    }

    #[test]
    fn queries_in_the_engine_count_by_the_requests_of_earlier_ones() {
        let load = ServiceLoad::default();
        assert_eq!(load.expected_requests(100), 100.0);
        load.record_batch(10, 100, 50);
        assert_eq!(load.expected_requests(100), 0.0, "their requests are in the queue");
        let expected = load.expected_requests(200);
        assert!((expected - 77.5).abs() < 1e-9, "{expected}");
        load.record_ended(100);
        for _ in 0..50 {
            load.record_batch(10, 100, 50);
            load.record_ended(100);
        }
        assert!((load.expected_requests(100) - 10.0).abs() < 0.1);
        load.record_batch(0, 0, 50);
        assert!((load.expected_requests(100) - 10.0).abs() < 0.1, "no query has left");
    }

    #[test]
    fn users_who_cannot_be_hidden_do_not_keep_out_others_before_the_first_request() {
        let load = ServiceLoad::default();
        for _ in 0..10 {
            load.record_batch(0, 0, 80);
        }
        assert!(load.expected_requests(80) < 5.0);
        load.record_batch(0, 0, 0);
        load.record_batch(1, 2, 80);
        let before = load.expected_requests(80);
        load.record_batch(0, 0, 80);
        assert_eq!(load.expected_requests(80), before, "from then on only ended ones count");
    }
}
