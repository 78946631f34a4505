//! Batch loop (docs/SPEC.md §5): batches at multiples of the batch interval, from the first arrival
//! until no query is waiting. A sequential scheme gets a turn for each arrival at the time of the
//! query; its batches only expire queries.

use crate::error::Result;
use crate::files::OutputFiles;
use crate::history_check::HistoryCheck;
use crate::intake::{Accepted, Arrival};
use crate::per_batch::BatchRow;
use crate::registry::{Registry, UserNumbering};
use crate::text::Labels;
use crate::turn_writer::TurnWriter;
use evaluation::metrics::Tally;
use evaluation::score::MAX_IDLE_BATCHES;
use evaluation::stopwatch::Stopwatch;
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::query::Query;
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::units::Time;

/// State of a run.
pub struct Batches<'a> {
    atlas: &'a Atlas,
    labels: &'a Labels,
    pace: Pace,
    scheme: &'a mut dyn Scheme,
    files: OutputFiles,
    /// Batch interval in milliseconds.
    interval: u64,
    /// Time of the batch being collected, in milliseconds.
    collecting: Option<u64>,
    arrivals: Vec<Query>,
    state: State,
    registry: Registry,
    history: HistoryCheck,
    /// Number of consecutive idle batches. After `max_idle` of them the run skips to the next arrival
    /// or expiry.
    idle: u64,
    max_idle: u64,
    /// Number of queries served since the end of the last batch.
    served: u64,
    watch: Stopwatch,
    tally: Tally,
}

impl<'a> Batches<'a> {
    /// Builds a run; `interval` is the batch interval in milliseconds.
    pub fn new(
        atlas: &'a Atlas,
        labels: &'a Labels,
        scheme: &'a mut dyn Scheme,
        files: OutputFiles,
        interval: u64,
    ) -> Batches<'a> {
        let numbering = match scheme.history_horizon() {
            Some(_) => UserNumbering::Hashed,
            None => UserNumbering::Sequential,
        };
        Batches {
            atlas,
            labels,
            pace: scheme.describe().pace,
            history: HistoryCheck::of(scheme),
            max_idle: max_idle(scheme),
            scheme,
            files,
            interval,
            collecting: None,
            arrivals: Vec::new(),
            state: State::default(),
            registry: Registry::new(numbering),
            idle: 0,
            served: 0,
            watch: Stopwatch::default(),
            tally: Tally::default(),
        }
    }

    /// Adds a row after running all batches before it.
    ///
    /// Refusals are written immediately: they precede all other outcomes of a batch. A row without
    /// a time belongs to the batch being collected, or to time 0 before the first.
    pub fn push(&mut self, arrival: Arrival) -> Result<()> {
        if let Some(asked_at) = arrival.asked_at {
            self.advance(asked_at.div_ceil(self.interval) * self.interval)?;
        }
        let admitted = arrival.verdict.and_then(|accepted| {
            let Accepted { record, position } = accepted;
            let (position, previous) = self.history.admit(self.atlas, &record, position)?;
            Ok((Accepted { record, position }, previous))
        });
        match admitted {
            Ok((Accepted { record, position }, previous)) => {
                let query = self.registry.insert(record, position);
                if self.scheme.history_horizon().is_some() {
                    self.state.history.set_previous(query.id, previous);
                }
                let asked_at = query.asked_at.as_millis();
                self.arrivals.push(query);
                match self.pace {
                    Pace::Batch => {}
                    Pace::Sequential => self.run_turn(asked_at)?,
                }
            }
            Err(reason) => {
                let batch = self.collecting.unwrap_or(0);
                let at = Time::from_millis(match self.pace {
                    Pace::Batch => batch,
                    Pace::Sequential => arrival.asked_at.unwrap_or(batch),
                });
                self.files.outcomes.refused(arrival.id.as_deref(), at, reason)?;
                self.tally.refuse(reason);
            }
        }
        Ok(())
    }

    /// Runs batches until no query is waiting, then completes the files.
    pub fn finish(mut self) -> Result<Tally> {
        while let Some(now) = self.collecting {
            self.run_turn(now)?;
            self.collecting = self.next_batch(now, None);
        }
        self.files.finish()?;
        Ok(self.tally)
    }

    /// Runs all batches before `target` and starts to collect `target`.
    fn advance(&mut self, target: u64) -> Result<()> {
        while let Some(now) = self.collecting.filter(|&now| now < target) {
            self.run_turn(now)?;
            self.collecting = self.next_batch(now, Some(target));
        }
        self.collecting = Some(target);
        Ok(())
    }

    /// Returns the batch after `now`: the following one while queries are waiting, else `target`.
    fn next_batch(&self, now: u64, target: Option<u64>) -> Option<u64> {
        if self.state.waiting.is_empty() {
            return target;
        }
        if self.idle < self.max_idle {
            return Some(now + self.interval);
        }
        let ends = self.state.waiting.iter().map(|query| query.asked_at + query.temporal_tolerance);
        // A query expires in the first batch after `t + dt`.
        let expiry = ends.map(|end| (end.as_millis() / self.interval + 1) * self.interval).min();
        expiry.into_iter().chain(target).min()
    }

    /// Runs the engine once and records the outcomes.
    fn run_turn(&mut self, now: u64) -> Result<()> {
        let is_empty = self.arrivals.is_empty() && self.state.waiting.is_empty();
        if is_empty && self.pace == Pace::Sequential {
            self.end_batch();
            return Ok(());
        }
        let now = Time::from_millis(now);
        let new = self.arrivals.len();
        let new_asking = self.arrivals.iter().filter(|query| query.asks).count();
        let batch =
            Batch { now, arrivals: std::mem::take(&mut self.arrivals), cancelled: Vec::new() };
        let result = turn(self.scheme, &mut self.state, batch, &mut self.watch);
        let count_asking = |queries: &[Query]| queries.iter().filter(|query| query.asks).count();
        let waiting = count_asking(&self.state.waiting);
        let succeeded = result.served.iter().filter(|(query, _)| query.asks).count();
        let is_idle = new + result.served.len() + result.expired.len() == 0;
        let row = BatchRow {
            at: now,
            new: new_asking,
            succeeded,
            expired: count_asking(&result.expired),
            replaced: count_asking(&result.replaced),
            waiting,
            present: self.state.waiting.len() - waiting + result.served.len() - succeeded,
            stats: result.published.stats,
            spent: self.watch.read(),
        };
        let Batches { atlas, labels, files, registry, tally, history, .. } = self;
        result.served.iter().for_each(|(query, _)| history.leave(query));
        let map = atlas.map();
        TurnWriter { map, labels, files, registry, tally }.write(now, &result)?;
        self.tally.accepted += new_asking as u64;
        self.tally.present += (new - new_asking) as u64;
        self.tally.expired += row.expired as u64;
        self.tally.replaced += row.replaced as u64;
        self.tally.turn(row.stats, row.spent);
        self.served += row.succeeded as u64;
        // A batch of a sequential scheme ends with a turn without arrivals.
        if self.pace == Pace::Batch || new == 0 {
            self.end_batch();
        }
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        self.files.per_batch.as_mut().map_or(Ok(()), |file| file.write(&row))
    }

    /// Adds the finished batch to the success rate.
    fn end_batch(&mut self) {
        let served = std::mem::take(&mut self.served);
        let waiting = self.state.waiting.iter().filter(|query| query.asks).count();
        self.tally.batch(served, waiting as u64);
    }
}

/// Number of idle batches that are run. Without arrivals a largest clique only shrinks, so that no
/// query can be served later, unless the past of users limits them less and less.
fn max_idle(scheme: &dyn Scheme) -> u64 {
    let grows = scheme.promise().is_some_and(|promise| {
        promise.guarantee == Guarantee::History && promise.history_clock == HistoryClock::Published
    });
    if grows { u64::MAX } else { MAX_IDLE_BATCHES }
}

#[cfg(test)]
mod tests;
