//! The door: which rows of a file become queries, and why the others are refused.
//!
//! Of several reasons the first of these is given: malformed, known id, out of order, `k`, `dt`,
//! `dc`, `speed`, off the map, faster than declared.

use super::roster::as_query;
use anyhow::{Result, bail};
use evaluation::reason::Reason;
use import::{BadQuery, Coordinates, FileLocation, ImportError, Problem, QueryRecord, QueryRow};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, AdmissionError};
use meshcloak::history::PastPosition;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::{Length, Point};
use rustc_hash::FxHashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::Duration;

/// What is let in.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest distance constraint.
    pub dc_max: Length,
    /// How far from a street one may be, in metres; `None`: any distance.
    pub snap: Option<f64>,
    /// For how long it matters where people were; `None`: not at all.
    pub horizon: Option<Duration>,
    /// What happens to a file that is not as it should be.
    pub rows: Rows,
}

/// What happens to rows that are malformed, out of order, or have a known id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// They are refused.
    Forgiven,
    /// They stop the run.
    Strict,
}

/// A row as the engine sees it.
#[derive(Debug)]
pub struct Arrival {
    /// Its id, if it could be read.
    pub id: Option<String>,
    /// When it was asked, in milliseconds, if that is not before an earlier row.
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
    /// Previous position of the user, under `history`.
    pub previous: Option<PastPosition>,
}

/// Examines one row after the other.
#[derive(Debug)]
pub struct Intake<'a> {
    atlas: &'a Atlas,
    door: Option<Admission>,
    file: &'a Path,
    limits: Limits,
    /// 64-bit hashes of all ids so far: 8 bytes each, however long the ids are. Two ids of a
    /// million share one with a chance of 1 in 37 million; the second would be refused.
    seen: FxHashSet<u64>,
    latest: u64,
}

impl<'a> Intake<'a> {
    /// The door to a map for the rows of `file`.
    pub fn new(atlas: &'a Atlas, file: &'a Path, limits: Limits) -> Intake<'a> {
        let door = limits.horizon.map(|horizon| Admission::new(atlas, horizon));
        Intake { atlas, door, file, limits, seen: FxHashSet::default(), latest: 0 }
    }

    /// What becomes of a row. An error if the run cannot or may not go on.
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
        let fault = self.fault(&id, asked_at);
        if let (Some(fault), Rows::Strict) = (fault, self.limits.rows) {
            bail!("{}, line {line}: query `{id}` {}", self.file.display(), fault.sentence());
        }
        let verdict = match (fault, record) {
            (Some(fault), _) => Err(fault),
            (None, Err(reason)) => Err(reason),
            (None, Ok(record)) => self.place(line, record)?,
        };
        let in_order = asked_at >= self.latest;
        self.latest = self.latest.max(asked_at);
        Ok(Arrival { id: Some(id), asked_at: in_order.then_some(asked_at), verdict })
    }

    /// Its own time, should it have one, is not to be trusted.
    fn malformed(&mut self, line: u64, bad: BadQuery) -> Result<Arrival> {
        if self.limits.rows == Rows::Strict {
            return Err(self.error(line, bad.problem).into());
        }
        if let Some(id) = &bad.id {
            self.seen.insert(hash(id));
        }
        Ok(Arrival { id: bad.id, asked_at: None, verdict: Err(Reason::Malformed) })
    }

    fn fault(&mut self, id: &str, asked_at: u64) -> Option<Reason> {
        if !self.seen.insert(hash(id)) {
            Some(Reason::DuplicateId)
        } else if asked_at < self.latest {
            Some(Reason::OutOfOrder)
        } else {
            None
        }
    }

    fn map(&self) -> &'a StreetMap {
        self.atlas.map()
    }

    fn place(&mut self, line: u64, record: QueryRecord) -> Result<Result<Accepted, Reason>> {
        let dc = record.distance_constraint;
        if record.k < 2 {
            return Ok(Err(Reason::K));
        }
        if dc == Length::ZERO || dc > self.limits.dc_max {
            return Ok(Err(Reason::Dc));
        }
        if self.door.is_some() && record.speed.is_none() {
            return Ok(Err(Reason::Speed));
        }
        let point = self.point(line, record.coordinates)?;
        let Some(snapped) = self.map().snap(point, self.limits.snap) else {
            return Ok(Err(Reason::OffMap));
        };
        let position = snapped.position;
        Ok(self.pass(&record, position).map(|previous| Accepted { record, position, previous }))
    }

    /// Through the door of the `history` guarantee, if there is one.
    fn pass(
        &mut self,
        record: &QueryRecord,
        position: Position,
    ) -> Result<Option<PastPosition>, Reason> {
        let Some(door) = &mut self.door else { return Ok(None) };
        let query = as_query(record, QueryId(0), lasting(&record.user), position);
        door.admit(self.atlas, &query).map_err(|refusal| match refusal {
            AdmissionError::Speed => Reason::Speed,
            AdmissionError::FasterThanDeclared => Reason::FasterThanDeclared,
        })
    }

    fn point(&self, line: u64, coordinates: Coordinates) -> Result<Point, ImportError> {
        match (coordinates, self.map().frame()) {
            (Coordinates::Metres(point), _) => Ok(point),
            (Coordinates::Degrees(place), Some(frame)) => Ok(frame.point(place)),
            (Coordinates::Degrees(_), None) => {
                Err(self.error(line, Problem::NoFrame("a query in degrees")))
            }
        }
    }

    fn error(&self, line: u64, problem: Problem) -> ImportError {
        ImportError { file: self.file.to_owned(), location: FileLocation::Line(line), problem }
    }
}

/// A number for a user that stays the same when she comes back. Two people of a million share one
/// with a chance of 1 in 37 million; they would be taken for one.
pub fn lasting(user: &str) -> UserId {
    UserId(hash(user))
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
