//! The run of batches (SPEC §5): at whole multiples of the batch length, from the first that has
//! an arrival until nobody waits. A scheme that wants to be asked one by one gets a turn for each
//! arrival, when it was asked, and the batches only expire.

use super::files::Files;
use super::intake::{Accepted, Arrival};
use super::ledger::Ledger;
use super::per_batch::BatchRow;
use super::roster::{Roster, Users};
use super::text::Labels;
use anyhow::Result;
use evaluation::metrics::Tally;
use evaluation::score::MAX_IDLE_BATCHES;
use evaluation::stopwatch::Stopwatch;
use meshcloak::engine::{Batch, turn};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::units::Time;

/// A run that has come to some batch.
pub struct Batches<'a> {
    map: &'a StreetMap,
    labels: &'a Labels,
    pace: Pace,
    scheme: &'a mut dyn Scheme,
    files: Files,
    /// Milliseconds between two batches.
    length: u64,
    /// The batch that is being collected, in milliseconds; `None` if there is none.
    collecting: Option<u64>,
    arrivals: Vec<Query>,
    state: State,
    roster: Roster,
    /// Batches in a row in which nothing happened. After [`MAX_IDLE_BATCHES`] of them the run goes on to the
    /// next in which something does: without arrivals a largest clique only shrinks, so nobody can
    /// be served, and a query that waits for years must not take years.
    quiet: u64,
    /// How many were served since the last batch was over.
    served: u64,
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
        let users = match scheme.history_horizon() {
            Some(_) => Users::Lasting,
            None => Users::InOrder,
        };
        Batches {
            map,
            labels,
            pace: scheme.describe().pace,
            scheme,
            files,
            length,
            collecting: None,
            arrivals: Vec::new(),
            state: State::default(),
            roster: Roster::new(users),
            quiet: 0,
            served: 0,
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
            Ok(Accepted { record, position, previous }) => {
                let query = self.roster.admit(record, position);
                if self.scheme.history_horizon().is_some() {
                    self.state.history.set_previous(query.id, previous);
                }
                let asked_at = query.asked_at.as_millis();
                self.arrivals.push(query);
                match self.pace {
                    Pace::Batch => {}
                    Pace::Sequential => self.hold(asked_at)?,
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
        if self.quiet < MAX_IDLE_BATCHES {
            return Some(now + self.length);
        }
        let ends = self.state.waiting.iter().map(|query| query.asked_at + query.temporal_tolerance);
        // Patience is over in the first batch after `t + dt`.
        let over = ends.map(|end| (end.as_millis() / self.length + 1) * self.length).min();
        over.into_iter().chain(target).min()
    }

    fn hold(&mut self, now: u64) -> Result<()> {
        let nobody = self.arrivals.is_empty() && self.state.waiting.is_empty();
        if nobody && self.pace == Pace::Sequential {
            self.rate();
            return Ok(());
        }
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
        self.tally.accepted += new as u64;
        self.tally.expired += row.expired as u64;
        self.tally.turn(row.stats, row.spent);
        self.served += row.succeeded as u64;
        // Of a scheme that works one by one, a batch ends with a turn in which nobody arrives.
        if self.pace == Pace::Batch || new == 0 {
            self.rate();
        }
        let happened = row.new + row.succeeded + row.expired > 0;
        self.quiet = if happened { 0 } else { self.quiet + 1 };
        self.files.per_batch.as_mut().map_or(Ok(()), |file| file.write(&row))
    }

    /// A batch is over.
    fn rate(&mut self) {
        let served = std::mem::take(&mut self.served);
        self.tally.batch(served, self.state.waiting.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evaluation::reason::Reason;
    use import::{Coordinates, QueryRecord};
    use meshcloak::scheme::{Description, Observer, Published, RegionDependence};
    use meshcloak::town::town;
    use meshcloak::units::{Length, Point};

    /// Serves the newest of two who wait; remembers when it was asked, and how many were new.
    #[derive(Default)]
    struct Pairs {
        asked: Vec<(u64, usize)>,
        published: Published,
    }

    impl Scheme for Pairs {
        fn name(&self) -> &'static str {
            "pairs"
        }

        fn describe(&self) -> Description {
            let [setting, cliques, constraint] = ["map", "pairs", "none"];
            Description {
                label: "Pairs",
                summary: "",
                setting,
                cliques,
                constraint,
                pace: Pace::Sequential,
                regions: RegionDependence::Fixed,
            }
        }

        fn cloak(&mut self, state: &State, now: Time, _: &mut dyn Observer) -> &mut Published {
            self.asked.push((now.as_millis(), state.arrived));
            self.published.clear();
            if let ([.., a, b], 1) = (&state.waiting[..], state.arrived) {
                let members = [a.id, b.id].into_iter();
                let set = self.published.add_mesh(members, |mesh| mesh.push(a.position.street));
                self.published.serve(state.waiting.len() as u32 - 1, set);
            }
            &mut self.published
        }
    }

    #[test]
    fn a_scheme_that_wants_it_is_asked_at_each_arrival_and_then_only_to_expire() {
        let folder = tempfile::tempdir().expect("a folder");
        let town = town("A 0,0  B 300,0 | A-B");
        let labels = Labels::of(&town.map);
        let out = folder.path().join("o");
        let files = Files::create(&out, None, None).expect("a file");
        let mut scheme = Pairs::default();
        let mut batches = Batches::new(&town.map, &labels, &mut scheme, files, 1_000);
        let ask = |(name, asked_at): (&str, u64)| {
            let record = QueryRecord {
                query: name.to_owned(),
                user: name.to_owned(),
                asked_at,
                coordinates: Coordinates::Metres(Point::default()),
                k: 2,
                temporal_tolerance: 1_500,
                distance_constraint: Length::metres(9.0),
                speed: None,
                query_interval: None,
            };
            let query = Accepted { record, position: town.at("A-B", 5.0), previous: None };
            let verdict = if name == "no" { Err(Reason::K) } else { Ok(query) };
            Arrival { id: Some(name.to_owned()), asked_at: Some(asked_at), verdict }
        };
        for row in [("a", 100), ("no", 150), ("b", 250), ("c", 250), ("d", 2_000), ("e", 9_500)] {
            batches.take(ask(row)).expect("a row");
        }
        batches.finish().expect("an end");
        let asked = [(100, 1), (250, 1), (250, 1), (1_000, 0), (2_000, 1), (2_000, 0), (3_000, 0)];
        assert_eq!(scheme.asked[..7], asked);
        assert_eq!(
            scheme.asked[7..],
            [(4_000, 0), (9_500, 1), (10_000, 0), (11_000, 0), (12_000, 0)]
        );
        let outcomes = std::fs::read_to_string(out).expect("outcomes");
        let fates: Vec<String> = outcomes
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"))
            .map(|o| format!("{} {} {}", o["query"], o["outcome"], o["at"]).replace('"', ""))
            .collect();
        let expected = [
            "no refused 0.15",
            "b succeeded 0.25",
            "c succeeded 0.25",
            "a expired 2.0",
            "d expired 4.0",
            "e expired 12.0",
        ];
        assert_eq!(fates, expected);
    }
}
