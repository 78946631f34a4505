//! Runs one scheme on one workload: calls [`turn`] as the gateway does (docs/SPEC.md §5), and
//! measures.
//!
//! Batch schemes have one turn per tick, sequential schemes one per query. Where turns take time, a
//! turn begins when the previous one has ended: a batch at the first tick at which the engine is idle, a sequential turn as soon as the engine is idle. A query that is published after
//! its deadline counts as expired.

mod held_queries;
mod presence;
mod recorder;
mod region_meter;
mod registered_crowd;
#[cfg(test)]
mod tests;
mod timeline;

pub use presence::Presence;
pub use timeline::Second;

use crate::costs::Costs;
use crate::metrics::{Tally, count_asking};
use crate::reason::Reason;
use crate::stopwatch::Stopwatch;
use crate::workload::Workload;
use held_queries::HeldQueries;
use meshcloak::engine::{Batch, RecordedPast, turn};
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, QueryError};
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::units::{Length, Time};
use recorder::Recorder;
use region_meter::RegionMeter;
use registered_crowd::RegisteredCrowd;
use std::time::Duration;
use timeline::Timeline;

/// Usual time between two batches.
pub const TICK: Duration = Duration::from_secs(1);
/// Milliseconds per second.
const SECOND_MILLIS: u64 = 1000;
/// Nanoseconds per millisecond.
const NANOS_PER_MILLI: u64 = 1_000_000;

/// Conditions of all queries of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Temporal tolerance.
    pub tolerance: Duration,
    /// Largest distance constraint; queries beyond it are refused.
    pub dc_max: Length,
    /// Which users ask.
    pub presence: Presence,
    /// Time between two batches.
    pub tick: Duration,
    /// Time from a query to the first batch that it may join. Batch schemes only.
    pub lag: Duration,
    /// Whether queries reach the engine at secret times, as standing questions do under `history` with
    /// the clock `published`. Batch schemes only.
    pub is_held: bool,
}

impl Conditions {
    /// Returns the usual conditions: all users ask, batches of 1 s that queries join at once.
    pub fn new(tolerance: Duration, dc_max: Length) -> Conditions {
        let (presence, lag) = (Presence::AllAsk, Duration::ZERO);
        Conditions { tolerance, dc_max, presence, tick: TICK, lag, is_held: false }
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResult {
    /// All metrics.
    pub tally: Tally,
    /// Counts per second.
    pub seconds: Vec<Second>,
}

/// Runs a scheme on a workload until no query waits.
pub fn run(
    scheme: &mut dyn Scheme,
    map: &StreetMap,
    workload: &Workload,
    conditions: Conditions,
    costs: &mut Costs,
) -> RunResult {
    let pace = scheme.describe().pace;
    let past = RecordedPast::new(scheme);
    let mut run = SchemeRun {
        scheme,
        workload,
        conditions,
        costs,
        next: 0,
        state: State::default(),
        past,
        crowd: (conditions.presence == Presence::Registered).then(|| RegisteredCrowd::of(workload)),
        held: conditions.is_held.then(HeldQueries::default),
        free_at: 0,
        recorder: Recorder {
            meter: RegionMeter::new(map),
            watch: Stopwatch::default(),
            tally: Tally::default(),
            timeline: Timeline::default(),
        },
    };
    match pace {
        Pace::Batch => run.run_batches(),
        Pace::Sequential => run.run_sequentially(),
    }
    let Recorder { mut tally, timeline, .. } = run.recorder;
    let seconds = timeline.into_seconds();
    seconds.iter().for_each(|second| tally.batch(second.succeeded, second.waiting));
    RunResult { tally, seconds }
}

struct SchemeRun<'a> {
    scheme: &'a mut dyn Scheme,
    workload: &'a Workload,
    conditions: Conditions,
    costs: &'a mut Costs,
    /// Index of the next query of the workload.
    next: usize,
    state: State,
    /// Past of users. Simulated users keep to their speeds: no query is refused.
    past: RecordedPast,
    /// Users between their queries, if they count towards k. Batch schemes only.
    crowd: Option<RegisteredCrowd>,
    /// Queries that wait for their release, if queries are held.
    held: Option<HeldQueries>,
    /// End of the last turn, in nanoseconds.
    free_at: u64,
    recorder: Recorder<'a>,
}

impl SchemeRun<'_> {
    /// Returns the time of the next query, in milliseconds.
    fn next_asked(&self) -> Option<u64> {
        self.workload.queries.get(self.next).map(|query| query.asked_at)
    }

    /// Advances to the next query; `None` if its user is absent or the query is refused.
    fn admit(&mut self) -> Option<Query> {
        let mut query = self.workload.query(self.next, self.conditions.tolerance);
        self.next += 1;
        let presence = self.conditions.presence;
        presence.apply(&mut query);
        if !presence.is_present(query.user) {
            return None;
        }
        let refused = query.check(self.conditions.dc_max).err().map(|error| match error {
            QueryError::K(_) | QueryError::PresentK => Reason::K,
            QueryError::DistanceConstraint { .. } => Reason::Dc,
        });
        let Recorder { tally, timeline, .. } = &mut self.recorder;
        match refused {
            Some(reason) => {
                tally.refuse(reason);
                None
            }
            None => {
                if query.asks {
                    tally.accepted += 1;
                    timeline.at(query.asked_at.as_millis()).new += 1;
                } else {
                    tally.present += 1;
                }
                Some(query)
            }
        }
    }

    fn run_batches(&mut self) {
        let tick = (self.conditions.tick.as_millis() as u64).max(1);
        let mut now = 0;
        loop {
            let due = if !self.state.waiting.is_empty() {
                now + tick
            } else if let Some(arrival) = self.next_arrival() {
                arrival
            } else {
                return;
            };
            now = due.max(self.free_at.div_ceil(NANOS_PER_MILLI)).div_ceil(tick) * tick;
            let mut arrivals = self.arrivals(now);
            if let Some(crowd) = &mut self.crowd {
                crowd.join(instant(now * NANOS_PER_MILLI), &self.state.waiting, &mut arrivals);
            }
            self.turn(now * NANOS_PER_MILLI, arrivals);
        }
    }

    /// Returns the time of the next arrival at the engine or of the next query to be held.
    fn next_arrival(&self) -> Option<u64> {
        let lag = self.conditions.lag.as_millis() as u64;
        let asked = self.next_asked().map(|asked_at| asked_at + lag);
        let held = self.held.as_ref().and_then(HeldQueries::next).map(Time::as_millis);
        asked.into_iter().chain(held).min()
    }

    /// Returns the queries that join the batch at `now`.
    fn arrivals(&mut self, now: u64) -> Vec<Query> {
        let lag = self.conditions.lag.as_millis() as u64;
        let mut arrivals = Vec::new();
        while self.next_asked().is_some_and(|asked_at| asked_at + lag <= now) {
            let interval = self.workload.queries[self.next].query_interval;
            let Some(query) = self.admit() else { continue };
            match &mut self.held {
                Some(held) if query.asks => {
                    held.push(query, Duration::from_millis(interval.into()));
                }
                _ => arrivals.push(query),
            }
        }
        if let Some(held) = &mut self.held {
            arrivals.extend(held.release(Time::from_millis(now)));
            arrivals.sort_by_key(|query| query.id);
        }
        arrivals
    }

    fn run_sequentially(&mut self) {
        // Queries that expired before their turn; the next turn only counts them as expired.
        let mut arrivals = Vec::new();
        while self.next_asked().is_some() {
            let Some(query) = self.admit() else { continue };
            self.expire_before(query.asked_at.as_millis());
            let start = (query.asked_at.as_millis() * NANOS_PER_MILLI).max(self.free_at);
            let expired = query.has_expired(instant(start));
            arrivals.push(query);
            if !expired {
                self.turn(start, std::mem::take(&mut arrivals));
            }
        }
        if !arrivals.is_empty() {
            self.turn(self.free_at, arrivals);
        }
        self.expire_before(u64::MAX);
    }

    /// Runs turns without arrivals at the whole seconds before `moment` (in milliseconds) by which
    /// a waiting query has expired.
    fn expire_before(&mut self, moment: u64) {
        loop {
            let next_second = (self.free_at / NANOS_PER_MILLI / SECOND_MILLIS + 1) * SECOND_MILLIS;
            if next_second >= moment || self.state.waiting.is_empty() {
                return;
            }
            let ends = self.state.waiting.iter().map(|q| q.asked_at + q.temporal_tolerance);
            let first = ends.min().unwrap_or_default().as_millis();
            let expiry = (first / SECOND_MILLIS + 1) * SECOND_MILLIS;
            if expiry >= moment {
                return;
            }
            self.turn((expiry * NANOS_PER_MILLI).max(self.free_at), Vec::new());
        }
    }

    /// Runs a turn that begins at `start` nanoseconds.
    fn turn(&mut self, start: u64, mut arrivals: Vec<Query>) {
        let now = instant(start);
        self.past.record(&mut arrivals, &mut self.state);
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let mut done = turn(self.scheme, &mut self.state, batch, &mut self.recorder.watch);
        let spent = self.recorder.watch.read();
        let waited = self.state.waiting.len() + done.served.len();
        let cost = self.costs.of(spent.iter().sum(), waited);
        self.free_at = start.saturating_add(cost);
        self.recorder.tally.turn(done.published.stats, spent);
        self.past.leave(&done.served);
        let asking = count_asking(&done);
        done.served.retain(|(query, _)| query.asks);
        done.expired.retain(|query| query.asks);
        done.replaced.retain(|query| query.asks);
        self.recorder.record(now, instant(self.free_at), &done, &asking);
    }
}

/// Rounds nanoseconds up to whole milliseconds.
fn instant(nanos: u64) -> Time {
    Time::from_millis(nanos.div_ceil(NANOS_PER_MILLI))
}
