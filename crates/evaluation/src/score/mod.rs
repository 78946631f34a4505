//! Scores recorded outcomes: a query file and an outcome file (docs/SPEC.md §8) of any program give
//! every metric that does not depend on a clock, computed as for the program's own runs.
//!
//! Outcomes that contradict the queries or each other are errors with a line number.

mod batch_rows;
mod error;
mod line;
mod outcome_reader;
mod query_table;
mod streets;
#[cfg(test)]
mod tests;

pub use error::{ScoreError, ScoreProblem};
pub use line::{OutcomeLine, RecordedOutcome, SucceededOutcome};
pub use outcome_reader::OutcomeReader;
pub(crate) use streets::StreetLabels;

use crate::metrics::{Success, Tally};
use import::{Progress, QueryReader};
use meshcloak::map::StreetMap;
use meshcloak::region::Region;
use query_table::{QueryTable, ScoredQuery};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Largest number of consecutive batches without events that count in the printed success rate;
/// a run skips further ones.
pub const MAX_IDLE_BATCHES: u64 = 3_600;

/// Files to score.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// Query file.
    pub queries: &'a Path,
    /// Outcome file.
    pub outcomes: &'a Path,
    /// Map on which regions are measured; `None` uses the written lengths.
    pub map: Option<&'a StreetMap>,
    /// Batch length, in milliseconds.
    pub batch: u64,
    /// Whether a second row with an id is searched for.
    pub ids: Ids,
}

/// Whether a second row or outcome with an id is searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ids {
    /// All queries are kept, in any order.
    #[default]
    Checked,
    /// Ids differ, both files are in order of time, and the members of a set have not ended earlier:
    /// only the queries that wait are kept.
    Unique,
}

/// Score of recorded outcomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutcomeScore {
    /// All metrics except times.
    pub tally: Tally,
    /// Succeeded queries with fewer than k users in their set.
    pub below_k: u64,
    /// Succeeded queries whose set contains a user twice.
    pub counted_twice: u64,
}

/// How rows are scored.
#[derive(Clone, Copy, Debug)]
pub struct ScoreConditions<'a> {
    /// Map on which regions are measured; `None` uses the written lengths.
    pub map: Option<&'a StreetMap>,
    /// Batch length, in milliseconds.
    pub batch: u64,
    /// Whether a second row with an id is searched for.
    pub ids: Ids,
}

/// Scores the files.
pub fn score(files: &Files<'_>, progress: &dyn Progress) -> Result<OutcomeScore, ScoreError> {
    let problem = |error| ScoreError::of_import(files.queries, error);
    let queries = QueryReader::open(files.queries, progress).map_err(problem)?;
    let outcomes = OutcomeReader::open(files.outcomes)?;
    let Files { map, batch, ids, .. } = *files;
    score_rows(queries, files.queries, outcomes, ScoreConditions { map, batch, ids })
}

/// Scores rows of any source; `file` names the queries in errors.
pub fn score_rows(
    queries: QueryReader<'_>,
    file: &Path,
    mut outcomes: OutcomeReader<'_>,
    ScoreConditions { map, batch, ids }: ScoreConditions<'_>,
) -> Result<OutcomeScore, ScoreError> {
    let mut queries = QueryTable::open(queries, file, ids)?;
    let mut scorer = Scorer {
        map,
        batch,
        streets: map.map(StreetLabels::new),
        score: OutcomeScore::default(),
        batches: BTreeMap::new(),
    };
    while let Some((location, line)) = outcomes.next_line()? {
        let line = line.map_err(|problem| outcomes.error(location, problem))?;
        queries.advance(line.at)?;
        let added = scorer.add(line, &mut queries);
        added.map_err(|problem| outcomes.error(location, problem))?;
    }
    queries.finish()?;
    let ended = queries.check_all_ended();
    ended.map_err(|problem| ScoreError::of_file(outcomes.name(), problem))?;
    scorer.rate_batches();
    Ok(scorer.score)
}

/// Events of a batch.
#[derive(Clone, Copy, Default)]
struct BatchCounts {
    new: u64,
    succeeded: u64,
    /// Expired or replaced queries.
    expired: u64,
}

struct Scorer<'a> {
    map: Option<&'a StreetMap>,
    /// Batch length, in milliseconds.
    batch: u64,
    streets: Option<StreetLabels<'a>>,
    score: OutcomeScore,
    /// Counts by batch number.
    batches: BTreeMap<u64, BatchCounts>,
}

impl Scorer<'_> {
    fn add(&mut self, line: OutcomeLine, queries: &mut QueryTable<'_>) -> Result<(), ScoreProblem> {
        let id = line.query.as_deref();
        match line.outcome {
            RecordedOutcome::Refused(reason) => {
                queries.refuse(id, reason)?;
                self.score.tally.refuse(reason);
            }
            RecordedOutcome::Present => {
                let query = queries.end(id)?;
                let problem = match (query.asks, line.at < query.asked_at) {
                    (true, _) => ScoreProblem::PresentButAsks,
                    (false, true) => ScoreProblem::NotWhileWaiting,
                    (false, false) => {
                        self.score.tally.present += 1;
                        return Ok(());
                    }
                };
                return Err(problem(query_table::display(id)));
            }
            RecordedOutcome::Expired => {
                let query = queries.end_asking(id)?;
                if line.at <= query.asked_at + query.tolerance {
                    return Err(ScoreProblem::TooSoon(query_table::display(id)));
                }
                self.end(query, line.at).expired += 1;
                self.score.tally.expired += 1;
            }
            RecordedOutcome::Replaced => {
                let query = queries.end(id)?;
                if line.at < query.asked_at || query.asked_at + query.tolerance < line.at {
                    let id = query_table::display(id);
                    return Err(ScoreProblem::ReplacedWhileNotWaiting(id));
                }
                if !query.asks {
                    self.score.tally.present += 1;
                    return Ok(());
                }
                self.end(query, line.at).expired += 1;
                self.score.tally.replaced += 1;
            }
            RecordedOutcome::Succeeded(success) => {
                let query = queries.end_asking(id)?;
                self.succeed(id.unwrap_or(""), query, &success, queries)?;
            }
        }
        Ok(())
    }

    fn succeed(
        &mut self,
        id: &str,
        query: ScoredQuery,
        success: &SucceededOutcome,
        queries: &QueryTable<'_>,
    ) -> Result<(), ScoreProblem> {
        let at = success.at;
        if at < query.asked_at || at > query.asked_at + query.tolerance {
            return Err(ScoreProblem::NotWhileWaiting(id.to_owned()));
        }
        if success.delay.is_some_and(|delay| delay != at - query.asked_at) {
            return Err(ScoreProblem::Delay(id.to_owned()));
        }
        if success.k.is_some_and(|k| k != query.k) {
            return Err(ScoreProblem::K(id.to_owned()));
        }
        let users = queries.count_users(id, &success.set)?;
        self.score.counted_twice += u64::from(users < success.set.len());
        self.score.below_k += u64::from(users < query.k as usize);
        let metres = self.measure(id, success)?;
        self.end(query, at).succeeded += 1;
        self.score.tally.succeed(&Success {
            k: query.k,
            tolerance: Duration::from_millis(query.tolerance),
            delay: Duration::from_millis(at - query.asked_at),
            members: success.set.len(),
            asking: queries.count_asking(&success.set),
            metres,
            area: success.shape.as_ref().and_then(Region::area),
        });
        Ok(())
    }

    /// Returns the street length of a region in metres.
    fn measure(&self, id: &str, success: &SucceededOutcome) -> Result<f64, ScoreProblem> {
        let (Some(map), Some(streets)) = (self.map, &self.streets) else {
            return success.length.ok_or_else(|| ScoreProblem::NoLength(id.to_owned()));
        };
        if let Some(shape) = &success.shape {
            return Ok(shape.metres(map));
        }
        let mesh = streets.find_all(id, success.mesh.as_deref().unwrap_or_default())?;
        if mesh.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ScoreProblem::StreetTwice(id.to_owned()));
        }
        Ok(Region::Mesh(mesh.into()).metres(map))
    }

    /// Counts an accepted query that ended at `at`; returns the counts of that batch.
    fn end(&mut self, query: ScoredQuery, at: u64) -> &mut BatchCounts {
        self.score.tally.accepted += 1;
        self.batches.entry(query.asked_at.div_ceil(self.batch)).or_default().new += 1;
        self.batches.entry(at.div_ceil(self.batch)).or_default()
    }

    /// Computes the printed success rate over the batches with succeeded or waiting queries.
    fn rate_batches(&mut self) {
        let (mut waiting, mut last) = (0_u64, 0);
        for (&batch, &BatchCounts { new, succeeded, expired }) in &self.batches {
            if waiting > 0 {
                let idle = (batch - last - 1).min(MAX_IDLE_BATCHES);
                (0..idle).for_each(|_| self.score.tally.batch(0, waiting));
            }
            waiting = (waiting + new).saturating_sub(succeeded + expired);
            self.score.tally.batch(succeeded, waiting);
            last = batch;
        }
    }
}
