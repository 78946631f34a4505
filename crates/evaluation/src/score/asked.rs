//! What was asked, by id, and what has ended.

use super::error::{ScoreError, ScoreProblem};
use super::is_no_query;
use crate::reason::Reason;
use import::{Progress, QueryReader};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A query as far as it matters here; times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Query {
    pub asked_at: u64,
    pub tolerance: u64,
    pub k: u32,
    user: u32,
    ended: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Those that could be read; of rows with one id the first.
    queries: Vec<(String, Query)>,
    places: FxHashMap<String, usize>,
    /// Ids of rows that are no queries.
    broken: FxHashMap<String, u32>,
}

/// An id for a message.
pub(super) fn named(id: Option<&str>) -> String {
    id.unwrap_or("null").to_owned()
}

impl Asked {
    pub(super) fn read(path: &Path, progress: &dyn Progress) -> Result<Asked, ScoreError> {
        let problem = |error: import::ImportError| ScoreError {
            file: path.to_owned(),
            line: 0,
            problem: Box::new(error).into(),
        };
        let mut asked = Asked::default();
        let mut users: FxHashMap<String, u32> = FxHashMap::default();
        let mut reader = QueryReader::open(path, progress).map_err(problem)?;
        while let Some(row) = reader.next_row().map_err(problem)? {
            match row.query {
                Ok(record) => {
                    let next = users.len() as u32;
                    let query = Query {
                        asked_at: record.asked_at,
                        tolerance: record.temporal_tolerance,
                        k: record.k,
                        user: *users.entry(record.user).or_insert(next),
                        ended: false,
                    };
                    asked.add(record.query, query);
                }
                Err(bad) => {
                    *asked.broken.entry(bad.id.unwrap_or_default()).or_default() += 1;
                }
            }
        }
        Ok(asked)
    }

    fn add(&mut self, id: String, query: Query) {
        if !self.places.contains_key(&id) {
            self.places.insert(id.clone(), self.queries.len());
            self.queries.push((id, query));
        }
    }

    /// A query that was let in has ended.
    pub(super) fn end(&mut self, id: Option<&str>) -> Result<Query, ScoreProblem> {
        let place = id.and_then(|id| self.places.get(id).copied());
        let place = place.ok_or_else(|| ScoreProblem::Unknown(named(id)))?;
        let query = &mut self.queries[place].1;
        if std::mem::replace(&mut query.ended, true) {
            return Err(ScoreProblem::Twice(named(id)));
        }
        Ok(*query)
    }

    /// A row was refused; one that is no query of its own leaves the query of its id alone.
    pub(super) fn refuse(&mut self, id: Option<&str>, reason: Reason) -> Result<(), ScoreProblem> {
        let known = id.is_some_and(|id| self.places.contains_key(id));
        let broken = self.broken.contains_key(id.unwrap_or(""));
        if broken && !known || known && is_no_query(reason) {
            return Ok(());
        }
        self.end(id).map(|_| ())
    }

    /// How many different people are in the set of a query, all of whose members must be known.
    pub(super) fn users(&self, id: &str, set: &[String]) -> Result<usize, ScoreProblem> {
        if !set.iter().any(|member| member == id) {
            return Err(ScoreProblem::WithoutItself(id.to_owned()));
        }
        let mut members: Vec<(u32, usize)> = Vec::with_capacity(set.len());
        for member in set {
            let unknown = || ScoreProblem::UnknownMember(id.to_owned(), member.clone());
            let place = *self.places.get(member).ok_or_else(unknown)?;
            if members.iter().any(|&(_, known)| known == place) {
                return Err(ScoreProblem::MemberTwice(id.to_owned(), member.clone()));
            }
            members.push((self.queries[place].1.user, place));
        }
        members.sort_unstable();
        members.dedup_by_key(|member| member.0);
        Ok(members.len())
    }

    /// Nobody may have been forgotten.
    pub(super) fn all_ended(&self) -> Result<(), ScoreProblem> {
        let forgotten = || self.queries.iter().filter(|(_, query)| !query.ended);
        match forgotten().next() {
            Some((id, _)) => Err(ScoreProblem::NoOutcome(forgotten().count(), id.clone())),
            None => Ok(()),
        }
    }
}
