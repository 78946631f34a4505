//! Scores outcomes that came from anywhere: a file of queries and a file of what became of them
//! (SPEC §8) give every metric that does not depend on a clock, by the same sums as a run's own.
//!
//! Outcomes that contradict the queries or each other are an error that names the line.

mod asked;
mod error;
pub(crate) mod line;
#[cfg(test)]
mod tests;

pub use error::{ScoreError, ScoreProblem};

use crate::metrics::{Success, Tally};
use crate::reason::Reason;
use asked::{Asked, Query};
use flate2::bufread::MultiGzDecoder;
use import::Progress;
use line::{Line, Outcome};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::region::Region;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

/// After so many batches in a row in which nothing happens, a run goes on to the next in which
/// something does.
pub const QUIET: u64 = 3_600;

/// What is scored.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// What was asked.
    pub queries: &'a Path,
    /// What became of it.
    pub outcomes: &'a Path,
    /// The map, if regions are to be measured; otherwise the lengths that were written count.
    pub map: Option<&'a StreetMap>,
    /// Milliseconds between two batches.
    pub batch: u64,
}

/// What it came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// All metrics but those of time.
    pub tally: Tally,
    /// How many were served among fewer people than they wanted.
    pub below_k: u64,
    /// How many were served by a set that counts somebody twice.
    pub counted_twice: u64,
}

/// Scores the files.
pub fn score(files: &Files<'_>, progress: &dyn Progress) -> Result<Score, ScoreError> {
    let mut asked = Asked::read(files.queries, progress)?;
    let mut scorer = Scorer {
        files: *files,
        streets: files.map.map(labels),
        score: Score::default(),
        batches: BTreeMap::new(),
    };
    let problem = |line, problem| ScoreError { file: files.outcomes.to_owned(), line, problem };
    let input = open(files.outcomes).map_err(|error| problem(0, error.into()))?;
    for (number, text) in input.lines().enumerate() {
        let number = number as u64 + 1;
        let scored = text.map_err(ScoreProblem::from).and_then(|text| {
            if text.trim().is_empty() { Ok(()) } else { scorer.line(&text, &mut asked) }
        });
        scored.map_err(|source| problem(number, source))?;
    }
    asked.all_ended().map_err(|source| problem(0, source))?;
    scorer.rate_batches();
    Ok(scorer.score)
}

pub(crate) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut raw = BufReader::with_capacity(1 << 18, File::open(path)?);
    if raw.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(raw))));
    }
    Ok(Box::new(raw))
}

pub(crate) fn labels(map: &StreetMap) -> FxHashMap<&str, StreetId> {
    map.streets().map(|street| (map.street_label(street), street)).collect()
}

/// What happens in a batch: accepted, succeeded, expired.
type Counts = [u64; 3];

struct Scorer<'a> {
    files: Files<'a>,
    streets: Option<FxHashMap<&'a str, StreetId>>,
    score: Score,
    batches: BTreeMap<u64, Counts>,
}

impl Scorer<'_> {
    fn line(&mut self, text: &str, asked: &mut Asked) -> Result<(), ScoreProblem> {
        let line = Line::read(text)?;
        let id = line.query.as_deref();
        match line.outcome {
            Outcome::Refused(reason) => {
                asked.refuse(id, reason)?;
                self.score.tally.refuse(reason);
            }
            Outcome::Expired => {
                let query = asked.end(id)?;
                if line.at <= query.asked_at + query.tolerance {
                    return Err(ScoreProblem::TooSoon(asked::named(id)));
                }
                self.ended(query, line.at, 2);
                self.score.tally.expired += 1;
            }
            Outcome::Succeeded(success) => {
                let query = asked.end(id)?;
                self.succeeded(id.unwrap_or(""), query, &success, asked)?;
            }
        }
        Ok(())
    }

    fn succeeded(
        &mut self,
        id: &str,
        query: Query,
        success: &line::Success,
        asked: &Asked,
    ) -> Result<(), ScoreProblem> {
        let named = || id.to_owned();
        let at = success.at;
        if at < query.asked_at || at > query.asked_at + query.tolerance {
            return Err(ScoreProblem::NotWhileWaiting(named()));
        }
        if success.delay.is_some_and(|delay| delay != at - query.asked_at) {
            return Err(ScoreProblem::Delay(named()));
        }
        if success.k.is_some_and(|k| k != query.k) {
            return Err(ScoreProblem::K(named()));
        }
        let users = asked.users(id, &success.set)?;
        self.score.counted_twice += u64::from(users < success.set.len());
        self.score.below_k += u64::from(users < query.k as usize);
        let (metres, area) = self.measure(id, success)?;
        self.ended(query, at, 1);
        self.score.tally.succeed(&Success {
            k: query.k,
            tolerance: Duration::from_millis(query.tolerance),
            delay: Duration::from_millis(at - query.asked_at),
            members: success.set.len(),
            metres,
            area,
        });
        Ok(())
    }

    /// Metres of street in a region, and its area.
    fn measure(
        &self,
        id: &str,
        success: &line::Success,
    ) -> Result<(f64, Option<f64>), ScoreProblem> {
        let shape = success.shape.clone();
        let area = shape.as_ref().and_then(Region::area);
        let (Some(map), Some(streets)) = (self.files.map, &self.streets) else {
            let written = success.length.ok_or_else(|| ScoreProblem::NoLength(id.to_owned()))?;
            return Ok((written, area));
        };
        if let Some(shape) = shape {
            return Ok((shape.metres(map), area));
        }
        let find = |label: &String| {
            let street = streets.get(label.as_str()).copied();
            street.ok_or_else(|| ScoreProblem::Street(id.to_owned(), label.clone()))
        };
        let mesh = success.mesh.iter().flatten();
        let mut mesh: Vec<StreetId> = mesh.map(find).collect::<Result<_, _>>()?;
        mesh.sort_unstable();
        if mesh.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ScoreProblem::StreetTwice(id.to_owned()));
        }
        Ok((Region::Mesh(mesh.into()).metres(map), None))
    }

    /// A query that was let in has ended, in the batch of `at`; `place` of the counts says how.
    fn ended(&mut self, query: Query, at: u64, place: usize) {
        let batch = |millis: u64| millis.div_ceil(self.files.batch);
        let (asked, ended) = (batch(query.asked_at), batch(at));
        self.batches.entry(asked).or_default()[0] += 1;
        self.batches.entry(ended).or_default()[place] += 1;
        self.score.tally.accepted += 1;
    }

    /// The printed success rate: of every batch while somebody waits.
    fn rate_batches(&mut self) {
        let (mut waiting, mut last) = (0_u64, 0);
        for (&batch, &[new, succeeded, expired]) in &self.batches {
            if waiting > 0 {
                let quiet = (batch - last - 1).min(QUIET);
                (0..quiet).for_each(|_| self.score.tally.batch(0, waiting));
            }
            waiting = (waiting + new).saturating_sub(succeeded + expired);
            self.score.tally.batch(succeeded, waiting);
            last = batch;
        }
    }
}

/// Whether an outcome of that reason belongs to a row that is no query of its own.
fn is_no_query(reason: Reason) -> bool {
    matches!(reason, Reason::DuplicateId | Reason::Malformed)
}
