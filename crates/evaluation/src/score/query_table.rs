//! Queries of a file by id, with their completion.

use super::Ids;
use super::error::{ScoreError, ScoreProblem};
use crate::reason::Reason;
use import::{QueryReader, QueryRecord};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

/// Scored fields of a query; times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoredQuery {
    pub asked_at: u64,
    pub tolerance: u64,
    pub k: u32,
    pub asks: bool,
}

#[derive(Debug)]
struct Entry {
    query: ScoredQuery,
    user: Arc<str>,
    /// Number of the row.
    number: u64,
    ended: bool,
}

/// Queries of a file: all of them, or with [`Ids::Unique`] those that wait or end now.
///
/// Outcomes and queries in order of time are merged: [`QueryTable::advance`] reads the queries up to
/// the time of an outcome, and removes those that ended before.
pub(super) struct QueryTable<'a> {
    rows: QueryReader<'a>,
    file: &'a Path,
    ids: Ids,
    /// Row that is read ahead.
    next: Option<QueryRecord>,
    row_count: u64,
    /// Time of the last outcome.
    now: u64,
    /// Valid queries; of rows with the same id the first.
    queries: FxHashMap<String, Entry>,
    users: FxHashSet<Arc<str>>,
    /// Ids of malformed rows.
    malformed: FxHashSet<String>,
    /// Ids that ended at `now`; not used with [`Ids::Checked`].
    ended: Vec<String>,
}

/// Formats an id for a message.
pub(super) fn display(id: Option<&str>) -> String {
    id.unwrap_or("null").to_owned()
}

impl<'a> QueryTable<'a> {
    /// Begins a file, which `file` names in errors. Reads all queries, unless their ids are unique.
    pub(super) fn open(
        rows: QueryReader<'a>,
        file: &'a Path,
        ids: Ids,
    ) -> Result<QueryTable<'a>, ScoreError> {
        let mut table = QueryTable {
            rows,
            file,
            ids,
            next: None,
            row_count: 0,
            now: 0,
            queries: FxHashMap::default(),
            users: FxHashSet::default(),
            malformed: FxHashSet::default(),
            ended: Vec::new(),
        };
        if ids == Ids::Checked {
            table.read_until(u64::MAX)?;
        }
        Ok(table)
    }

    /// Prepares for an outcome at a time in milliseconds. Does nothing with [`Ids::Checked`].
    pub(super) fn advance(&mut self, at: u64) -> Result<(), ScoreError> {
        if self.ids == Ids::Checked {
            return Ok(());
        }
        if at > self.now {
            self.now = at;
            for id in std::mem::take(&mut self.ended) {
                self.remove(&id);
            }
        }
        self.read_until(at)
    }

    /// Reads the remaining queries.
    pub(super) fn finish(&mut self) -> Result<(), ScoreError> {
        self.read_until(u64::MAX)
    }

    /// Reads queries until one is asked after `time`.
    fn read_until(&mut self, time: u64) -> Result<(), ScoreError> {
        loop {
            match self.next.take_if(|record| record.asked_at <= time) {
                Some(record) => self.add(record),
                None if self.next.is_some() => return Ok(()),
                None => {}
            }
            let row = self.rows.next_row();
            let Some(row) = row.map_err(|error| ScoreError::of_import(self.file, error))? else {
                return Ok(());
            };
            match row.query {
                Ok(record) => self.next = Some(record),
                Err(bad) => {
                    self.malformed.insert(bad.id.unwrap_or_default());
                }
            }
        }
    }

    fn add(&mut self, record: QueryRecord) {
        let number = self.row_count;
        self.row_count += 1;
        if self.queries.contains_key(&record.query) {
            return;
        }
        let user = self.users.get(&*record.user).map(Arc::clone).unwrap_or_else(|| {
            let user: Arc<str> = record.user.into();
            self.users.insert(Arc::clone(&user));
            user
        });
        let query = ScoredQuery {
            asked_at: record.asked_at,
            tolerance: record.temporal_tolerance,
            k: record.k,
            asks: record.asks,
        };
        self.queries.insert(record.query, Entry { query, user, number, ended: false });
    }

    /// Removes a query, and its user with the last of its queries.
    fn remove(&mut self, id: &str) {
        if let Some(entry) = self.queries.remove(id)
            && Arc::strong_count(&entry.user) == 2
        {
            self.users.remove(&entry.user);
        }
    }

    /// Marks a query as ended; fails if it is unknown or ended before.
    pub(super) fn end(&mut self, id: Option<&str>) -> Result<ScoredQuery, ScoreProblem> {
        let Some((id, entry)) = id.and_then(|id| Some((id, self.queries.get_mut(id)?))) else {
            return Err(match self.ids {
                Ids::Checked => ScoreProblem::Unknown(display(id)),
                Ids::Unique => ScoreProblem::NotOpen(display(id)),
            });
        };
        if std::mem::replace(&mut entry.ended, true) {
            return Err(ScoreProblem::Twice(id.to_owned()));
        }
        if self.ids == Ids::Unique {
            self.ended.push(id.to_owned());
        }
        Ok(entry.query)
    }

    /// The same for a query with a question; fails if it is a presence report.
    pub(super) fn end_asking(&mut self, id: Option<&str>) -> Result<ScoredQuery, ScoreProblem> {
        let query = self.end(id)?;
        if query.asks { Ok(query) } else { Err(ScoreProblem::NotPresent(display(id))) }
    }

    /// Marks a row as refused. A malformed row and a row with a duplicate id do not end the query
    /// of that id.
    pub(super) fn refuse(&mut self, id: Option<&str>, reason: Reason) -> Result<(), ScoreProblem> {
        let is_known = id.is_some_and(|id| self.queries.contains_key(id));
        let is_malformed = self.malformed.contains(id.unwrap_or(""));
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
        let mut members: Vec<(&str, u64)> = Vec::with_capacity(set.len());
        for member in set {
            let unknown = || match self.ids {
                Ids::Checked => ScoreProblem::UnknownMember(id.to_owned(), member.clone()),
                Ids::Unique => ScoreProblem::MemberNotOpen(id.to_owned(), member.clone()),
            };
            let entry = self.queries.get(member).ok_or_else(unknown)?;
            if members.iter().any(|&(_, number)| number == entry.number) {
                return Err(ScoreProblem::MemberTwice(id.to_owned(), member.clone()));
            }
            members.push((&*entry.user, entry.number));
        }
        members.sort_unstable();
        members.dedup_by_key(|member| member.0);
        Ok(members.len())
    }

    /// Counts the members of a set that ask.
    pub(super) fn count_asking(&self, set: &[String]) -> usize {
        let asks = |id: &&String| self.queries.get(*id).is_some_and(|entry| entry.query.asks);
        set.iter().filter(asks).count()
    }

    /// Fails if a query has no outcome.
    pub(super) fn check_all_ended(&self) -> Result<(), ScoreProblem> {
        let open = || self.queries.iter().filter(|(_, entry)| !entry.ended);
        match open().min_by_key(|(_, entry)| entry.number) {
            Some((id, _)) => Err(ScoreProblem::NoOutcome(open().count(), id.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Queries and users that are kept after 2,000 queries, of which two wait at a time.
    fn kept(ids: Ids) -> (usize, usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.csv");
        let row = |number: u64| format!("q{number},u{number},{number},0,0,2,2,50\n");
        let rows: String = (0..2_000).map(row).collect();
        std::fs::write(&path, format!("query,user,t,x,y,k,dt,dc\n{rows}")).unwrap();
        let reader = QueryReader::open(&path, &()).unwrap();
        let mut table = QueryTable::open(reader, &path, ids).unwrap();
        for number in 0..1_000 {
            table.advance((number + 1) * 1_000).unwrap();
            table.end(Some(&format!("q{number}"))).unwrap();
        }
        (table.queries.len(), table.users.len())
    }

    #[test]
    fn with_unique_ids_only_waiting_queries_and_their_users_are_kept() {
        assert_eq!(kept(Ids::Checked), (2_000, 2_000));
        assert_eq!(kept(Ids::Unique), (2, 2));
    }
}
