//! Replay of recorded queries.

use meshcloak::engine::Batch;
use meshcloak::query::Query;
use meshcloak::units::Time;

/// Empty batches after the last arrival, more than the largest temporal tolerance in seconds.
const TRAILING: usize = 12;

/// Batches of one second, followed by empty ones in which the remaining queries expire.
pub fn batches(recording: &[Vec<Query>]) -> impl Iterator<Item = Batch> {
    (0..recording.len() + TRAILING).map(|second| Batch {
        now: Time::from_millis(second as u64 * 1_000),
        arrivals: recording.get(second).cloned().unwrap_or_default(),
        cancelled: Vec::new(),
    })
}

/// Runs `work` in a pool of that many threads.
pub fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(work)
}
