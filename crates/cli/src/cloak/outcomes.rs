//! What became of every query, as NDJSON (SPEC §8). It holds the truth and is for evaluation.

use super::roster::Roster;
use super::text::{Labels, end_list, put_shape, put_text, put_thousandths, put_whole};
use anyhow::Result;
use evaluation::reason::Reason;
use import::AtomicFile;
use meshcloak::map::StreetId;
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::AnonymitySet;
use meshcloak::units::Time;
use std::path::Path;

/// The file on its way.
#[derive(Debug)]
pub struct Outcomes {
    file: AtomicFile,
    line: Vec<u8>,
}

/// Somebody who was served.
#[derive(Clone, Debug)]
pub struct Success<'a> {
    /// Her query.
    pub query: &'a Query,
    /// The batch.
    pub at: Time,
    /// Her set.
    pub set: AnonymitySet<'a>,
    /// The streets of its region.
    pub streets: &'a [StreetId],
    /// The length of street inside, in metres.
    pub metres: f64,
}

impl Outcomes {
    /// Begins the file.
    pub fn create(path: &Path) -> Result<Outcomes> {
        Ok(Outcomes { file: AtomicFile::create(path)?, line: Vec::new() })
    }

    /// A row that was refused; one without a readable id has none here either.
    pub fn refused(&mut self, id: Option<&str>, at: Time, reason: Reason) -> Result<()> {
        self.begin(id, "refused", at);
        self.field("reason");
        put_text(&mut self.line, reason.name());
        self.end()
    }

    /// A query whose patience was over.
    pub fn expired(&mut self, roster: &Roster, query: QueryId, at: Time) -> Result<()> {
        self.begin(Some(roster.name(query)), "expired", at);
        self.end()
    }

    /// A query that was served.
    pub fn succeeded(
        &mut self,
        roster: &Roster,
        labels: &Labels,
        success: &Success<'_>,
    ) -> Result<()> {
        let Success { query, at, ref set, streets, metres } = *success;
        self.begin(Some(roster.name(query.id)), "succeeded", at);
        self.field("delay");
        put_thousandths(&mut self.line, at.as_millis() - query.asked_at.as_millis());
        self.field("k");
        put_whole(&mut self.line, query.k.into());
        self.field("set");
        self.line.push(b'[');
        for &member in set.members {
            put_text(&mut self.line, roster.name(member));
            self.line.push(b',');
        }
        end_list(&mut self.line);
        self.field("mesh");
        labels.put(&mut self.line, streets);
        put_shape(&mut self.line, &set.region);
        self.field("length");
        put_thousandths(&mut self.line, (metres * 1000.0).round() as u64);
        self.end()
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish()?)
    }

    fn begin(&mut self, id: Option<&str>, outcome: &str, at: Time) {
        self.line.clear();
        self.line.extend_from_slice(b"{\"query\":");
        match id {
            Some(id) => put_text(&mut self.line, id),
            None => self.line.extend_from_slice(b"null"),
        }
        self.field("outcome");
        put_text(&mut self.line, outcome);
        self.field("at");
        put_thousandths(&mut self.line, at.as_millis());
    }

    fn field(&mut self, name: &str) {
        self.line.extend_from_slice(b",\"");
        self.line.extend_from_slice(name.as_bytes());
        self.line.extend_from_slice(b"\":");
    }

    fn end(&mut self) -> Result<()> {
        self.line.extend_from_slice(b"}\n");
        Ok(self.file.add(&self.line)?)
    }
}
