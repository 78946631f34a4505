//! Admission of queries by the expected wait before the service. It knows counts only: a refusal
//! depends on the total load, not on an account, a position or a question.

use crate::error::Refusal;
use crate::gateway::Gateway;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Counts from which the load of the service is estimated.
#[derive(Debug)]
pub struct ServiceLoad {
    /// Moving average of requests per query that left the engine, over batches.
    requests_per_query: Mutex<f64>,
    /// Queries that have left the engine and have not ended. Their requests are in the queue.
    delivering: AtomicUsize,
}

/// Weight of the newest batch in the moving average.
const NEWEST_WEIGHT: f64 = 0.25;

/// Until the first batch each query counts as a request of its own, which is the upper bound.
impl Default for ServiceLoad {
    fn default() -> ServiceLoad {
        ServiceLoad { requests_per_query: Mutex::new(1.0), delivering: AtomicUsize::new(0) }
    }
}

impl ServiceLoad {
    /// Records a batch: the requests that it causes and the queries that left the engine with it,
    /// expired ones included.
    pub fn record_batch(&self, requests: usize, queries: usize) {
        self.delivering.fetch_add(queries, Ordering::Relaxed);
        if queries > 0 {
            let mut mean = self.requests_per_query.lock();
            *mean += (requests as f64 / queries as f64 - *mean) * NEWEST_WEIGHT;
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
        waiting as f64 * *self.requests_per_query.lock()
    }
}

/// Returns how long the request of a query that is submitted now is expected to wait for the
/// service.
pub fn expected_wait(gateway: &Gateway) -> Duration {
    let under_way = gateway.under_way().load(Ordering::Relaxed);
    let requests = gateway.requests();
    requests.expected_wait(requests.load().expected_requests(under_way))
}

/// Checks that the service can answer a query that is submitted now. The expected wait may be half
/// of the longest one: the rest is for errors of the estimate.
///
/// # Errors
/// [`Refusal::ServiceBusy`] if the expected wait is longer.
pub fn check_wait(gateway: &Gateway) -> Result<(), Refusal> {
    let excess = expected_wait(gateway).checked_sub(gateway.config().service.wait / 2);
    match excess.filter(|excess| !excess.is_zero()) {
        Some(retry_after) => Err(Refusal::ServiceBusy { retry_after }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_in_the_engine_count_by_the_requests_of_earlier_ones() {
        let load = ServiceLoad::default();
        assert_eq!(load.expected_requests(100), 100.0);
        load.record_batch(10, 100);
        assert_eq!(load.expected_requests(100), 0.0, "their requests are in the queue");
        let expected = load.expected_requests(200);
        assert!((expected - 77.5).abs() < 1e-9, "{expected}");
        load.record_ended(100);
        for _ in 0..50 {
            load.record_batch(10, 100);
            load.record_ended(100);
        }
        assert!((load.expected_requests(100) - 10.0).abs() < 0.1);
        load.record_batch(0, 0);
        assert!(load.expected_requests(1).is_finite());
    }
}
