//! Queries of a file by id, with their completion.

use super::error::{ScoreError, ScoreProblem};
use crate::reason::Reason;
use import::QueryReader;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Scored fields of a query; times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoredQuery {
    pub asked_at: u64,
    pub tolerance: u64,
    pub k: u32,
    pub asks: bool,
    user: u32,
    ended: bool,
}

/// All queries of a file.
#[derive(Debug, Default)]
pub(super) struct QueryTable {
    /// Valid queries; of rows with the same id the first.
    queries: Vec<(String, ScoredQuery)>,
    index_of: FxHashMap<String, usize>,
    /// Number of malformed rows by id.
    malformed: FxHashMap<String, u32>,
}

/// Formats an id for a message.
pub(super) fn display(id: Option<&str>) -> String {
    id.unwrap_or("null").to_owned()
}

impl QueryTable {
    /// Reads all queries; `file` names them in errors.
    pub(super) fn read(mut reader: QueryReader<'_>, file: &Path) -> Result<QueryTable, ScoreError> {
        let problem = |error| ScoreError::of_import(file, error);
        let mut table = QueryTable::default();
        let mut users: FxHashMap<String, u32> = FxHashMap::default();
        while let Some(row) = reader.next_row().map_err(problem)? {
            match row.query {
                Ok(record) => {
                    let next = users.len() as u32;
                    let query = ScoredQuery {
                        asked_at: record.asked_at,
                        tolerance: record.temporal_tolerance,
                        k: record.k,
                        asks: record.asks,
                        user: *users.entry(record.user).or_insert(next),
                        ended: false,
                    };
                    table.add(record.query, query);
                }
                Err(bad) => {
                    *table.malformed.entry(bad.id.unwrap_or_default()).or_default() += 1;
                }
            }
        }
        Ok(table)
    }

    fn add(&mut self, id: String, query: ScoredQuery) {
        if !self.index_of.contains_key(&id) {
            self.index_of.insert(id.clone(), self.queries.len());
            self.queries.push((id, query));
        }
    }

    /// Marks a query as ended; fails if it is unknown or ended before.
    pub(super) fn end(&mut self, id: Option<&str>) -> Result<ScoredQuery, ScoreProblem> {
        let index = id.and_then(|id| self.index_of.get(id).copied());
        let index = index.ok_or_else(|| ScoreProblem::Unknown(display(id)))?;
        let query = &mut self.queries[index].1;
        if std::mem::replace(&mut query.ended, true) {
            return Err(ScoreProblem::Twice(display(id)));
        }
        Ok(*query)
    }

    /// The same for a query with a question; fails if it is a presence report.
    pub(super) fn end_asking(&mut self, id: Option<&str>) -> Result<ScoredQuery, ScoreProblem> {
        let query = self.end(id)?;
        if query.asks { Ok(query) } else { Err(ScoreProblem::NotPresent(display(id))) }
    }

    /// Marks a row as refused. A malformed row and a row with a duplicate id do not end the query
    /// of that id.
    pub(super) fn refuse(&mut self, id: Option<&str>, reason: Reason) -> Result<(), ScoreProblem> {
        let is_known = id.is_some_and(|id| self.index_of.contains_key(id));
        let is_malformed = self.malformed.contains_key(id.unwrap_or(""));
        let is_other_row = matches!(reason, Reason::DuplicateId | Reason::Malformed);
        if is_malformed && !is_known || is_known && is_other_row {
            return Ok(());
        }
        self.end(id).map(|_| ())
    }

    /// Counts the distinct users of the set of query `id`; fails if a member is unknown or repeated.
    pub(super) fn count_users(&self, id: &str, set: &[String]) -> Result<usize, ScoreProblem> {
        if !set.iter().any(|member| member == id) {
            return Err(ScoreProblem::WithoutItself(id.to_owned()));
        }
        let mut members: Vec<(u32, usize)> = Vec::with_capacity(set.len());
        for member in set {
            let unknown = || ScoreProblem::UnknownMember(id.to_owned(), member.clone());
            let index = *self.index_of.get(member).ok_or_else(unknown)?;
            if members.iter().any(|&(_, known)| known == index) {
                return Err(ScoreProblem::MemberTwice(id.to_owned(), member.clone()));
            }
            members.push((self.queries[index].1.user, index));
        }
        members.sort_unstable();
        members.dedup_by_key(|member| member.0);
        Ok(members.len())
    }

    /// Counts the members of a set that ask.
    pub(super) fn count_asking(&self, set: &[String]) -> usize {
        let asks = |id: &&String| self.index_of.get(*id).is_some_and(|&i| self.queries[i].1.asks);
        set.iter().filter(asks).count()
    }

    /// Fails if a query has no outcome.
    pub(super) fn check_all_ended(&self) -> Result<(), ScoreProblem> {
        let open = || self.queries.iter().filter(|(_, query)| !query.ended);
        match open().next() {
            Some((id, _)) => Err(ScoreProblem::NoOutcome(open().count(), id.clone())),
            None => Ok(()),
        }
    }
}
