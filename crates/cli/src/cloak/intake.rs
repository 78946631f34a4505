//! Intake: decides which rows of a file become queries and why the others are refused.
//!
//! The first of these reasons that applies is reported: malformed, duplicate id, out of order, `k`,
//! `dt`, `dc`, `speed`, off the map, faster than declared.

use anyhow::{Result, bail};
use evaluation::reason::Reason;
use import::{BadQuery, Coordinates, FileLocation, ImportError, Problem, QueryRecord, QueryRow};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Point};
use rustc_hash::FxHashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

/// Limits of accepted queries.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest distance constraint.
    pub dc_max: Length,
    /// Largest snapping distance in metres; `None` disables the limit.
    pub snap: Option<f64>,
    /// Whether the guarantee needs the top speed of users.
    pub needs_speed: bool,
    /// Treatment of bad rows.
    pub bad_rows: BadRows,
}

/// Treatment of rows that are malformed, out of order, or have a duplicate id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRows {
    /// Refuse the row.
    Refuse,
    /// Abort the run.
    Abort,
}

/// Checked row.
#[derive(Debug)]
pub struct Arrival {
    /// Id, if it could be parsed.
    pub id: Option<String>,
    /// Time of the query in milliseconds, unless it is before that of an earlier row.
    pub asked_at: Option<u64>,
    /// The accepted query, or the reason for its refusal.
    pub verdict: Result<Accepted, Reason>,
}

/// A row that becomes a query.
#[derive(Debug)]
pub struct Accepted {
    /// The row.
    pub record: QueryRecord,
    /// Snapped position.
    pub position: Position,
}

/// Checks one row after the other.
#[derive(Debug)]
pub struct Intake<'a> {
    map: &'a StreetMap,
    file: &'a Path,
    limits: Limits,
    /// 64-bit hashes of all ids so far. Among a million ids a collision has a probability of 1 in
    /// 37 million; it would refuse the second query.
    seen: FxHashSet<u64>,
    latest: u64,
    /// The first malformed rows.
    first_malformed: Vec<ImportError>,
}

/// Number of malformed rows whose errors are kept.
const KEPT_MALFORMED: usize = 5;

impl<'a> Intake<'a> {
    /// Builds the intake for the rows of `file`.
    pub fn new(map: &'a StreetMap, file: &'a Path, limits: Limits) -> Intake<'a> {
        let (seen, first_malformed) = (FxHashSet::default(), Vec::new());
        Intake { map, file, limits, seen, latest: 0, first_malformed }
    }

    /// Checks a row. Fails if the row must abort the run.
    pub fn examine(&mut self, row: QueryRow) -> Result<Arrival> {
        let line = row.line;
        let (id, asked_at, record) = match row.query {
            Ok(record) => (record.query.clone(), record.asked_at, Ok(record)),
            Err(bad) => match (Reason::of_range(&bad.problem), &bad) {
                (Some(reason), BadQuery { id: Some(id), asked_at: Some(asked_at), .. }) => {
                    (id.clone(), *asked_at, Err(reason))
                }
                _ => return self.malformed(line, bad),
            },
        };
        let order_error = self.order_error(&id, asked_at);
        if let (Some(reason), BadRows::Abort) = (order_error, self.limits.bad_rows) {
            bail!("{}, line {line}: query `{id}` {}", self.file.display(), reason.sentence());
        }
        let verdict = match (order_error, record) {
            (Some(reason), _) => Err(reason),
            (None, Err(reason)) => Err(reason),
            (None, Ok(record)) => self.check(line, record)?,
        };
        let in_order = asked_at >= self.latest;
        self.latest = self.latest.max(asked_at);
        Ok(Arrival { id: Some(id), asked_at: in_order.then_some(asked_at), verdict })
    }

    /// Returns line and error of the first rows that were refused as malformed.
    pub fn first_malformed(&self) -> &[ImportError] {
        &self.first_malformed
    }

    /// Refuses a malformed row or aborts the run. The time of such a row is ignored.
    fn malformed(&mut self, line: u64, bad: BadQuery) -> Result<Arrival> {
        if self.limits.bad_rows == BadRows::Abort {
            return Err(self.error(line, bad.problem).into());
        }
        if let Some(id) = &bad.id {
            self.seen.insert(hash(id));
        }
        if self.first_malformed.len() < KEPT_MALFORMED {
            let error = self.error(line, bad.problem);
            self.first_malformed.push(error);
        }
        Ok(Arrival { id: bad.id, asked_at: None, verdict: Err(Reason::Malformed) })
    }

    /// Returns the reason if the id is a duplicate or the time descends.
    fn order_error(&mut self, id: &str, asked_at: u64) -> Option<Reason> {
        if !self.seen.insert(hash(id)) {
            Some(Reason::DuplicateId)
        } else if asked_at < self.latest {
            Some(Reason::OutOfOrder)
        } else {
            None
        }
    }

    /// Checks limits and position of a query.
    fn check(&mut self, line: u64, record: QueryRecord) -> Result<Result<Accepted, Reason>> {
        let dc = record.distance_constraint;
        if record.k < if record.asks { 2 } else { 1 } {
            return Ok(Err(Reason::K));
        }
        if dc == Length::ZERO || dc > self.limits.dc_max {
            return Ok(Err(Reason::Dc));
        }
        if self.limits.needs_speed && record.speed.is_none() {
            return Ok(Err(Reason::Speed));
        }
        let point = self.point(line, record.coordinates)?;
        let Some(snapped) = self.map.snap(point, self.limits.snap) else {
            return Ok(Err(Reason::OffMap));
        };
        Ok(Ok(Accepted { record, position: snapped.position }))
    }

    fn point(&self, line: u64, coordinates: Coordinates) -> Result<Point, ImportError> {
        match (coordinates, self.map.frame()) {
            (Coordinates::Metres(point), _) => Ok(point),
            (Coordinates::Degrees(lon_lat), Some(frame)) => Ok(frame.point(lon_lat)),
            (Coordinates::Degrees(_), None) => {
                Err(self.error(line, Problem::NoFrame("a query in degrees")))
            }
        }
    }

    fn error(&self, line: u64, problem: Problem) -> ImportError {
        ImportError { file: self.file.to_owned(), location: FileLocation::Line(line), problem }
    }
}

/// Returns an id that depends on the name of the user alone. Among a million users a collision has a
/// probability of 1 in 37 million; it would merge the two users.
pub fn hashed_user(user: &str) -> UserId {
    UserId(hash(user))
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
