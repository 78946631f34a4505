//! Batch loop (docs/SPEC.md §5): batches at multiples of the batch interval, from the first arrival
//! until no query is waiting. A sequential scheme gets a turn for each arrival at the time of the
//! query; its batches only expire queries.

use super::files::OutputFiles;
use super::intake::{Accepted, Arrival};
use super::per_batch::BatchRow;
use super::registry::{Registry, UserNumbering};
use super::text::Labels;
use super::turn_writer::TurnWriter;
use anyhow::Result;
use evaluation::metrics::Tally;
use evaluation::score::MAX_IDLE_BATCHES;
use evaluation::stopwatch::Stopwatch;
use meshcloak::engine::{Batch, turn};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::units::Time;

/// State of a run.
pub struct Batches<'a> {
    map: &'a StreetMap,
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
    /// Number of consecutive idle batches. After [`MAX_IDLE_BATCHES`] of them the run skips to the next arrival
    /// or expiry: without arrivals a largest clique only shrinks, so no query can be served.
    idle: u64,
    /// Number of queries served since the end of the last batch.
    served: u64,
    watch: Stopwatch,
    tally: Tally,
}

impl<'a> Batches<'a> {
    /// Builds a run; `interval` is the batch interval in milliseconds.
    pub fn new(
        map: &'a StreetMap,
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
            map,
            labels,
            pace: scheme.describe().pace,
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
        match arrival.verdict {
            Ok(Accepted { record, position, previous }) => {
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
        if self.idle < MAX_IDLE_BATCHES {
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
        let batch =
            Batch { now, arrivals: std::mem::take(&mut self.arrivals), cancelled: Vec::new() };
        let result = turn(self.scheme, &mut self.state, batch, &mut self.watch);
        let row = BatchRow {
            at: now,
            new,
            succeeded: result.served.len(),
            expired: result.expired.len(),
            replaced: result.replaced.len(),
            waiting: self.state.waiting.len(),
            stats: result.published.stats,
            spent: self.watch.read(),
        };
        let Batches { map, labels, files, registry, tally, .. } = self;
        TurnWriter { map, labels, files, registry, tally }.write(now, &result)?;
        self.tally.accepted += new as u64;
        self.tally.expired += row.expired as u64;
        self.tally.replaced += row.replaced as u64;
        self.tally.turn(row.stats, row.spent);
        self.served += row.succeeded as u64;
        // A batch of a sequential scheme ends with a turn without arrivals.
        if self.pace == Pace::Batch || new == 0 {
            self.end_batch();
        }
        let is_idle = row.new + row.succeeded + row.expired == 0;
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        self.files.per_batch.as_mut().map_or(Ok(()), |file| file.write(&row))
    }

    /// Adds the finished batch to the success rate.
    fn end_batch(&mut self) {
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

    /// Serves the newer of the last two waiting queries; records time and arrivals of each turn.
    #[derive(Default)]
    struct Pairs {
        turns: Vec<(u64, usize)>,
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
            self.turns.push((now.as_millis(), state.arrived));
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
    fn a_sequential_scheme_runs_at_each_arrival_and_batches_only_expire() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let town = town("A 0,0  B 300,0 | A-B");
        let labels = Labels::of(&town.map);
        let out = folder.path().join("o");
        let files = OutputFiles::create(&out, None, None).expect("the file is created");
        let mut scheme = Pairs::default();
        let mut batches = Batches::new(&town.map, &labels, &mut scheme, files, 1_000);
        let arrival = |name: &str, asked_at: u64| {
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
        let rows = [("a", 100), ("no", 150), ("b", 250), ("c", 250), ("d", 2_000), ("e", 9_500)];
        for (name, asked_at) in rows {
            batches.push(arrival(name, asked_at)).expect("the row is added");
        }
        batches.finish().expect("the files are written");
        let turns = [(100, 1), (250, 1), (250, 1), (1_000, 0), (2_000, 1), (2_000, 0), (3_000, 0)];
        assert_eq!(scheme.turns[..7], turns);
        assert_eq!(
            scheme.turns[7..],
            [(4_000, 0), (9_500, 1), (10_000, 0), (11_000, 0), (12_000, 0)]
        );
        let outcomes = std::fs::read_to_string(out).expect("the file exists");
        let found: Vec<String> = outcomes
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("valid JSON"))
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
        assert_eq!(found, expected);
    }
}
