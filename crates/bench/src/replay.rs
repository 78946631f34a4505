//! Replay of recorded queries.

use meshcloak::engine::{Batch, RecordedPast, Turn, turn};
use meshcloak::query::Query;
use meshcloak::scheme::{Observer, Scheme, State};
use meshcloak::units::Time;

/// Engine state of a replay, and the past of users if the scheme needs it.
pub struct ReplayState {
    state: State,
    past: RecordedPast,
}

impl ReplayState {
    /// State before the first batch.
    pub fn new(scheme: &dyn Scheme) -> ReplayState {
        ReplayState { state: State::default(), past: RecordedPast::new(scheme) }
    }

    /// Records the positions of the arrivals, which is not part of the measured turn.
    pub fn record(&mut self, batch: &mut Batch) {
        self.past.record(&mut batch.arrivals, &mut self.state);
    }

    /// Runs the turn of a batch that was recorded.
    pub fn turn<'a>(
        &mut self,
        scheme: &'a mut dyn Scheme,
        batch: Batch,
        observer: &mut dyn Observer,
    ) -> Turn<'a> {
        let done = turn(scheme, &mut self.state, batch, observer);
        self.past.leave(&done.served);
        done
    }
}

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
