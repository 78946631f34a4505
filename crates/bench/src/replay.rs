//! Replay of recorded queries.

use meshcloak::engine::{Batch, Turn, turn};
use meshcloak::history::LastPositions;
use meshcloak::query::Query;
use meshcloak::scheme::{Observer, Scheme, State};
use meshcloak::units::Time;

/// Engine state of a replay, and the last positions of users if the scheme needs them.
pub struct ReplayState {
    state: State,
    positions: Option<LastPositions>,
}

impl ReplayState {
    /// State before the first batch.
    pub fn new(scheme: &dyn Scheme) -> ReplayState {
        let positions = scheme.history_horizon().map(LastPositions::new);
        ReplayState { state: State::default(), positions }
    }

    /// Records the positions of the arrivals, which is not part of the measured turn.
    pub fn record(&mut self, batch: &Batch) {
        if let Some(positions) = &mut self.positions {
            positions.record_all(&batch.arrivals, &mut self.state.history);
        }
    }

    /// Runs the turn of a batch that was recorded.
    pub fn turn<'a>(
        &mut self,
        scheme: &'a mut dyn Scheme,
        batch: Batch,
        observer: &mut dyn Observer,
    ) -> Turn<'a> {
        turn(scheme, &mut self.state, batch, observer)
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
