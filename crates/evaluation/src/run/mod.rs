//! One scheme over one tape: folds [`turn`] as the gateway would (SPEC §5), and measures.
//!
//! Schemes that work in batches are asked once a second, those that work one by one whenever
//! somebody asks. Where turns cost time, the next begins when the one before is done: a batch
//! begins at the first whole second at which the engine is free, and one by one people queue.
//! Whoever is published after her patience is over counts as expired.

mod presence;
mod ruler;
#[cfg(test)]
mod tests;
mod volume;

pub use presence::Presence;
pub use volume::Second;

use crate::costs::Costs;
use crate::metrics::{Success, Tally};
use crate::reason::Reason;
use crate::stopwatch::Stopwatch;
use crate::tape::Tape;
use meshcloak::engine::{Batch, Turn, turn};
use meshcloak::history::LastPositions;
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, QueryError};
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::units::{Length, Time};
use ruler::Ruler;
use std::time::Duration;
use volume::Volume;

/// Milliseconds between two batches.
const BATCH: u64 = 1000;
/// Nanoseconds of a millisecond.
const NANOS: u64 = 1_000_000;

/// What holds for everyone on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// How long everyone is willing to wait.
    pub tolerance: Duration,
    /// The largest distance constraint; who has a larger one is refused.
    pub dc_max: Length,
    /// Who asks.
    pub presence: Presence,
}

/// What became of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// All metrics.
    pub tally: Tally,
    /// What happened second by second.
    pub seconds: Vec<Second>,
}

/// Runs a scheme over a tape until nobody waits.
pub fn run(
    scheme: &mut dyn Scheme,
    map: &StreetMap,
    tape: &Tape,
    conditions: Conditions,
    costs: &mut Costs,
) -> Ran {
    let pace = scheme.describe().pace;
    let positions = scheme.history_horizon().map(LastPositions::new);
    let mut run = Run {
        scheme,
        tape,
        conditions,
        costs,
        next: 0,
        state: State::default(),
        positions,
        idle: Vec::new(),
        free_at: 0,
        ledger: Ledger {
            ruler: Ruler::new(map),
            watch: Stopwatch::default(),
            tally: Tally::default(),
            volume: Volume::default(),
        },
    };
    match pace {
        Pace::Batch => run.batches(),
        Pace::Sequential => run.one_by_one(),
    }
    let Ledger { mut tally, volume, .. } = run.ledger;
    let seconds = volume.seconds();
    seconds.iter().for_each(|second| tally.batch(second.succeeded, second.waiting));
    Ran { tally, seconds }
}

struct Run<'a> {
    scheme: &'a mut dyn Scheme,
    tape: &'a Tape,
    conditions: Conditions,
    costs: &'a mut Costs,
    /// The next query on the tape.
    next: usize,
    state: State,
    /// Past positions, for schemes that use them; simulated speeds need no check.
    positions: Option<LastPositions>,
    /// Those of sets in which nobody asks: they wait on.
    idle: Vec<Query>,
    /// When the last turn was done, in nanoseconds.
    free_at: u64,
    ledger: Ledger<'a>,
}

impl Run<'_> {
    /// When the next on the tape is asked, in milliseconds.
    fn next_asked(&self) -> Option<u64> {
        self.tape.queries.get(self.next).map(|query| query.asked_at)
    }

    /// Takes the next off the tape, unless it is refused at the door.
    fn admit(&mut self) -> Option<Query> {
        let query = self.tape.query(self.next, self.conditions.tolerance);
        self.next += 1;
        let presence = self.conditions.presence;
        if !presence.is_there(query.user) {
            return None;
        }
        let refused = query.check(self.conditions.dc_max).err().map(|error| match error {
            QueryError::K(_) => Reason::K,
            QueryError::DistanceConstraint { .. } => Reason::Dc,
        });
        let Ledger { tally, volume, .. } = &mut self.ledger;
        match refused {
            Some(reason) => {
                tally.refuse(reason);
                None
            }
            None => {
                if presence.asks(query.user) {
                    tally.accepted += 1;
                    volume.at(query.asked_at.as_millis()).new += 1;
                }
                Some(query)
            }
        }
    }

    fn batches(&mut self) {
        let mut now = 0;
        loop {
            let due = if !(self.state.waiting.is_empty() && self.idle.is_empty()) {
                now + BATCH
            } else if let Some(asked_at) = self.next_asked() {
                asked_at
            } else {
                return;
            };
            now = due.max(self.free_at.div_ceil(NANOS)).div_ceil(BATCH) * BATCH;
            let mut arrivals = std::mem::take(&mut self.idle);
            while self.next_asked().is_some_and(|asked_at| asked_at <= now) {
                arrivals.extend(self.admit());
            }
            self.turn(now * NANOS, arrivals);
        }
    }

    fn one_by_one(&mut self) {
        // Those whose patience was over before their turn came: no work, but the engine is told.
        let mut too_late = Vec::new();
        while self.next_asked().is_some() {
            let Some(query) = self.admit() else { continue };
            self.expire_before(query.asked_at.as_millis());
            let start = (query.asked_at.as_millis() * NANOS).max(self.free_at);
            let expired = query.has_expired(instant(start));
            too_late.push(query);
            if !expired {
                let arrivals = std::mem::take(&mut too_late);
                self.turn(start, arrivals);
            }
        }
        if !too_late.is_empty() {
            self.turn(self.free_at, too_late);
        }
        self.expire_before(u64::MAX);
    }

    /// Holds turns in which nobody arrives, at whole seconds before `moment` (in milliseconds) at
    /// which somebody's patience is over and no turn has taken note of it.
    fn expire_before(&mut self, moment: u64) {
        loop {
            let next_second = (self.free_at / NANOS / BATCH + 1) * BATCH;
            if next_second >= moment || self.state.waiting.is_empty() {
                return;
            }
            let ends = self.state.waiting.iter().map(|q| q.asked_at + q.temporal_tolerance);
            let first = ends.min().unwrap_or_default().as_millis();
            let over = (first / BATCH + 1) * BATCH;
            if over >= moment {
                return;
            }
            self.turn((over * NANOS).max(self.free_at), Vec::new());
        }
    }

    /// A turn that begins at `start` nanoseconds.
    fn turn(&mut self, start: u64, arrivals: Vec<Query>) {
        let now = instant(start);
        if let Some(positions) = &mut self.positions {
            positions.record_all(&arrivals, &mut self.state.history);
        }
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let mut done = turn(self.scheme, &mut self.state, batch, &mut self.ledger.watch);
        let spent = self.ledger.watch.read();
        let waited = self.state.waiting.len() + done.served.len();
        let cost = self.costs.of(spent.iter().sum(), waited);
        self.free_at = start.saturating_add(cost);
        self.ledger.tally.turn(done.published.stats, spent);
        let presence = self.conditions.presence;
        presence.keep_idle(&mut done.served, &mut self.idle);
        done.served.retain(|(query, _)| presence.asks(query.user));
        done.expired.retain(|query| presence.asks(query.user));
        self.ledger.enter(now, instant(self.free_at), &done);
    }
}

/// The first whole millisecond that is not before so many nanoseconds.
fn instant(nanos: u64) -> Time {
    Time::from_millis(nanos.div_ceil(NANOS))
}

/// Where what happens is written down.
struct Ledger<'a> {
    ruler: Ruler<'a>,
    watch: Stopwatch,
    tally: Tally,
    volume: Volume,
}

impl Ledger<'_> {
    /// Writes down a turn that began at `now` and whose sets were published at `done_at`.
    fn enter(&mut self, now: Time, done_at: Time, done: &Turn<'_>) {
        let Ledger { ruler, tally, volume, .. } = self;
        let second = volume.at(now.as_millis());
        (second.nodes, second.edges) = (done.published.stats.nodes, done.published.stats.edges);
        second.expired += done.expired.len() as u64;
        tally.expired += done.expired.len() as u64;
        ruler.begin(done.published);
        let second = volume.at(done_at.as_millis());
        for (query, set) in &done.served {
            if query.has_expired(done_at) {
                tally.expired += 1;
                second.expired += 1;
                continue;
            }
            second.succeeded += 1;
            let measured = ruler.measure(done.published, *set);
            tally.succeed(&Success {
                k: query.k,
                tolerance: query.temporal_tolerance,
                delay: done_at - query.asked_at,
                members: measured.members,
                metres: measured.metres,
                area: measured.area,
            });
        }
    }
}
