//! Outcomes as lines of NDJSON.

use crate::error::Result;
use crate::outcomes::ServedQuery;
use crate::registry::Registry;
use crate::text::{Labels, end_list, put_region, put_text, put_thousandths, put_whole};
use evaluation::reason::Reason;
use import::AtomicFile;
use meshcloak::units::Time;
use std::path::Path;

/// A file of lines, visible when it is complete.
#[derive(Debug)]
pub(crate) struct OutcomeLines {
    file: AtomicFile,
    line: Vec<u8>,
}

impl OutcomeLines {
    /// Creates the file.
    pub(crate) fn create(path: &Path) -> Result<OutcomeLines> {
        Ok(OutcomeLines { file: AtomicFile::create(path)?, line: Vec::new() })
    }

    /// Writes a refused row; `id` is `None` if it could not be parsed.
    pub(crate) fn refused(&mut self, id: Option<&str>, at: Time, reason: Reason) -> Result<()> {
        self.begin(id, "refused", at);
        self.field("reason");
        put_text(&mut self.line, reason.name());
        self.end()
    }

    /// Writes a query that ended without a region.
    pub(crate) fn ended(&mut self, id: &str, outcome: &str, at: Time) -> Result<()> {
        self.begin(Some(id), outcome, at);
        self.end()
    }

    /// Writes a served query.
    pub(crate) fn succeeded(
        &mut self,
        registry: &Registry,
        labels: &Labels,
        served: &ServedQuery<'_>,
    ) -> Result<()> {
        let ServedQuery { query, at, ref set, metres, .. } = *served;
        self.begin(Some(registry.name(query.id)), "succeeded", at);
        self.field("delay");
        put_thousandths(&mut self.line, at.as_millis() - query.asked_at.as_millis());
        self.field("k");
        put_whole(&mut self.line, query.k.into());
        if let Some(first) = served.like {
            self.field("like");
            put_text(&mut self.line, registry.name(first));
            return self.end();
        }
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
    pub(crate) fn finish(self) -> Result<()> {
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
