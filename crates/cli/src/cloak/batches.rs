//! The run of batches (SPEC §5): at whole multiples of the batch length, from the first that has
//! an arrival until nobody waits.

use super::files::Files;
use super::intake::Arrival;
use super::outcomes::Success;
use super::per_batch::BatchRow;
use super::roster::{Roster, Users};
use super::stopwatch::Stopwatch;
use super::tally::Tally;
use super::text::Labels;
use anyhow::Result;
use meshcloak::engine::{Batch, Turn, turn};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme, State};
use meshcloak::units::Time;

/// After so many batches in a row in which nothing happens, the run goes on to the next in which
/// something does: without arrivals a largest clique only shrinks, so nobody can be served, and a
/// query that waits for years must not take years.
const QUIET: u32 = 3_600;

/// A run that has come to some batch.
pub struct Batches<'a> {
    map: &'a StreetMap,
    labels: &'a Labels,
    scheme: &'a mut dyn Scheme,
    files: Files,
    /// Milliseconds between two batches.
    length: u64,
    /// The batch that is being collected, in milliseconds; `None` if there is none.
    collecting: Option<u64>,
    arrivals: Vec<Query>,
    state: State,
    roster: Roster,
    quiet: u32,
    watch: Stopwatch,
    tally: Tally,
}

impl<'a> Batches<'a> {
    /// A run that has not begun; `length` is that of a batch in milliseconds.
    pub fn new(
        map: &'a StreetMap,
        labels: &'a Labels,
        scheme: &'a mut dyn Scheme,
        files: Files,
        length: u64,
    ) -> Batches<'a> {
        let users = match scheme.memory() {
            Some(_) => Users::Lasting,
            None => Users::InOrder,
        };
        Batches {
            map,
            labels,
            scheme,
            files,
            length,
            collecting: None,
            arrivals: Vec::new(),
            state: State::default(),
            roster: Roster::new(users),
            quiet: 0,
            watch: Stopwatch::default(),
            tally: Tally::default(),
        }
    }

    /// Takes a row; batches that lie before it are held first.
    ///
    /// Who is refused is written at once, for the refused come first in a batch. A row without a
    /// time belongs to the batch that is being collected, or to time 0 before the first.
    pub fn take(&mut self, arrival: Arrival) -> Result<()> {
        if let Some(asked_at) = arrival.asked_at {
            self.advance(asked_at.div_ceil(self.length) * self.length)?;
        }
        match arrival.verdict {
            Ok((record, position)) => self.arrivals.push(self.roster.admit(record, position)),
            Err(reason) => {
                let at = Time::from_millis(self.collecting.unwrap_or(0));
                self.files.outcomes.refused(arrival.id.as_deref(), at, reason)?;
                self.tally.refuse(reason);
            }
        }
        Ok(())
    }

    /// Holds batches until nobody waits, and gives the files their names.
    pub fn finish(mut self) -> Result<Tally> {
        while let Some(now) = self.collecting {
            self.hold(now)?;
            self.collecting = self.next(now, None);
        }
        self.files.finish()?;
        Ok(self.tally)
    }

    /// Holds every batch before `target`, which is then collected.
    fn advance(&mut self, target: u64) -> Result<()> {
        while let Some(now) = self.collecting.filter(|&now| now < target) {
            self.hold(now)?;
            self.collecting = self.next(now, Some(target));
        }
        self.collecting = Some(target);
        Ok(())
    }

    /// The batch after `now`: the one that follows while somebody waits, otherwise `target`.
    fn next(&self, now: u64, target: Option<u64>) -> Option<u64> {
        if self.state.waiting.is_empty() {
            return target;
        }
        if self.quiet < QUIET {
            return Some(now + self.length);
        }
        let ends = self.state.waiting.iter().map(|query| query.asked_at + query.temporal_tolerance);
        // Patience is over in the first batch after `t + dt`.
        let over = ends.map(|end| (end.as_millis() / self.length + 1) * self.length).min();
        over.into_iter().chain(target).min()
    }

    fn hold(&mut self, now: u64) -> Result<()> {
        let now = Time::from_millis(now);
        let new = self.arrivals.len();
        let batch =
            Batch { now, arrivals: std::mem::take(&mut self.arrivals), cancelled: Vec::new() };
        let done = turn(self.scheme, &mut self.state, batch, &mut self.watch);
        let row = BatchRow {
            at: now,
            new,
            succeeded: done.served.len(),
            expired: done.expired.len(),
            waiting: self.state.waiting.len(),
            stats: done.published.stats,
            spent: self.watch.read(),
        };
        let Batches { map, labels, files, roster, tally, .. } = self;
        Ledger { map, labels, files, roster, tally }.enter(now, &done)?;
        self.tally.batch(&row);
        let happened = row.new + row.succeeded + row.expired > 0;
        self.quiet = if happened { 0 } else { self.quiet + 1 };
        self.files.per_batch.as_mut().map_or(Ok(()), |file| file.write(&row))
    }
}

/// Where the outcomes of a batch go.
struct Ledger<'a> {
    map: &'a StreetMap,
    labels: &'a Labels,
    files: &'a mut Files,
    roster: &'a mut Roster,
    tally: &'a mut Tally,
}

impl Ledger<'_> {
    /// Writes what a turn did; then those who left are forgotten, not before: each is a member of
    /// the sets of others.
    fn enter(self, at: Time, done: &Turn<'_>) -> Result<()> {
        let Ledger { map, labels, files, roster, tally } = self;
        for query in &done.expired {
            files.outcomes.expired(roster, query.id, at)?;
        }
        for (query, set) in &done.served {
            let set = done.published.set(*set);
            let (streets, metres) = (set.region.streets(map), set.region.metres(map));
            let success = Success { query, at, set: set.clone(), streets: &streets, metres };
            files.outcomes.succeeded(roster, labels, &success)?;
            tally.succeed(&success);
        }
        if let Some(disclosures) = &mut files.disclosures {
            disclosures.write(labels, done.published, at)?;
        }
        let served = done.served.iter().map(|(query, _)| query);
        done.expired.iter().chain(served).for_each(|query| roster.leave(query));
        Ok(())
    }
}
