//! Outcomes as NDJSON (docs/SPEC.md §8). They link queries to regions: for evaluation only.

use super::registry::Registry;
use super::text::{Labels, end_list, put_region, put_text, put_thousandths, put_whole};
use anyhow::Result;
use evaluation::reason::Reason;
use import::AtomicFile;
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::AnonymitySet;
use meshcloak::units::Time;
use std::path::Path;

/// File of outcomes, visible when it is complete.
#[derive(Debug)]
pub struct OutcomeFile {
    file: AtomicFile,
    line: Vec<u8>,
}

/// Query that was served.
#[derive(Clone, Debug)]
pub struct ServedQuery<'a> {
    /// Query.
    pub query: &'a Query,
    /// Time of the batch.
    pub at: Time,
    /// Anonymity set of the query.
    pub set: AnonymitySet<'a>,
    /// Street length of the region, in metres.
    pub metres: f64,
}

impl OutcomeFile {
    /// Creates the file.
    pub fn create(path: &Path) -> Result<OutcomeFile> {
        Ok(OutcomeFile { file: AtomicFile::create(path)?, line: Vec::new() })
    }

    /// Writes a refused row; `id` is `None` if it could not be parsed.
    pub fn refused(&mut self, id: Option<&str>, at: Time, reason: Reason) -> Result<()> {
        self.begin(id, "refused", at);
        self.field("reason");
        put_text(&mut self.line, reason.name());
        self.end()
    }

    /// Writes an expired query.
    pub fn expired(&mut self, registry: &Registry, query: QueryId, at: Time) -> Result<()> {
        self.begin(Some(registry.name(query)), "expired", at);
        self.end()
    }

    /// Writes a query that a newer one of the same user replaced.
    pub fn replaced(&mut self, registry: &Registry, query: QueryId, at: Time) -> Result<()> {
        self.begin(Some(registry.name(query)), "replaced", at);
        self.end()
    }

    /// Writes a presence report that was published or ran out.
    pub fn present(&mut self, registry: &Registry, query: QueryId, at: Time) -> Result<()> {
        self.begin(Some(registry.name(query)), "present", at);
        self.end()
    }

    /// Writes a served query.
    pub fn succeeded(
        &mut self,
        registry: &Registry,
        labels: &Labels,
        served: &ServedQuery<'_>,
    ) -> Result<()> {
        let ServedQuery { query, at, ref set, metres } = *served;
        self.begin(Some(registry.name(query.id)), "succeeded", at);
        self.field("delay");
        put_thousandths(&mut self.line, at.as_millis() - query.asked_at.as_millis());
        self.field("k");
        put_whole(&mut self.line, query.k.into());
        self.field("set");
        self.line.push(b'[');
        for &member in set.members {
            put_text(&mut self.line, registry.name(member));
            self.line.push(b',');
        }
        end_list(&mut self.line);
        put_region(&mut self.line, labels, &set.region);
        self.field("length");
        put_thousandths(&mut self.line, (metres * 1000.0).round() as u64);
        self.end()
    }

    /// Completes the file.
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
