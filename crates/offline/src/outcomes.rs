//! Outcomes (docs/SPEC.md §8). They link queries to regions: for evaluation only.

use crate::error::Result;
#[cfg(feature = "parquet")]
use crate::outcome_columns::OutcomeColumns;
use crate::outcome_lines::OutcomeLines;
use crate::registry::Registry;
use crate::text::Labels;
use evaluation::reason::Reason;
#[cfg(feature = "parquet")]
use import::columns::{BatchSink, ParquetSink};
use import::{FileLocation, ImportError, Problem};
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::AnonymitySet;
use meshcloak::units::Time;
use std::path::Path;

/// Outcomes being written; a file is visible when it is complete.
#[derive(Debug)]
pub struct OutcomeFile {
    output: Output,
}

#[derive(Debug)]
enum Output {
    Lines(OutcomeLines),
    #[cfg(feature = "parquet")]
    Columns(Box<OutcomeColumns>),
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
    /// Map of the streets of the region.
    pub map: &'a StreetMap,
    /// Query of the same batch whose row has the set and the region; `None` writes them.
    pub like: Option<QueryId>,
}

/// How often the region of a set is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meshes {
    /// In the row of each member.
    #[default]
    Each,
    /// In the row of the first member; the others name that row. NDJSON only.
    Once,
}

impl OutcomeFile {
    /// Creates a file: Parquet for the extension `.parquet`, otherwise NDJSON, gzipped for `.gz`.
    /// CSV is refused: outcomes have lists.
    pub fn create(path: &Path) -> Result<OutcomeFile> {
        let name = path.to_string_lossy().to_lowercase();
        if name.ends_with(".parquet") {
            return OutcomeFile::of_parquet(path);
        }
        if name.ends_with(".parquet.gz") {
            let problem = Problem::Unsupported("gzipped Parquet; leave out `.gz`".into());
            return Err(error(path, problem).into());
        }
        if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            let problem = Problem::Unsupported("outcomes as CSV; use .ndjson or .parquet".into());
            return Err(error(path, problem).into());
        }
        Ok(OutcomeFile { output: Output::Lines(OutcomeLines::create(path)?) })
    }

    #[cfg(feature = "parquet")]
    fn of_parquet(path: &Path) -> Result<OutcomeFile> {
        let sink = ParquetSink::create(path, OutcomeColumns::schema())?;
        Ok(OutcomeFile::to_sink(Box::new(sink)))
    }

    #[cfg(not(feature = "parquet"))]
    fn of_parquet(path: &Path) -> Result<OutcomeFile> {
        Err(error(path, Problem::NoParquet).into())
    }

    /// Writes record batches to a sink.
    #[cfg(feature = "parquet")]
    pub fn to_sink(sink: Box<dyn BatchSink>) -> OutcomeFile {
        OutcomeFile { output: Output::Columns(Box::new(OutcomeColumns::new(sink))) }
    }

    /// Writes a refused row; `id` is `None` if it could not be parsed.
    pub fn refused(&mut self, id: Option<&str>, at: Time, reason: Reason) -> Result<()> {
        match &mut self.output {
            Output::Lines(lines) => lines.refused(id, at, reason),
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.refused(id, at, reason),
        }
    }

    /// Writes an expired query.
    pub fn expired(&mut self, registry: &Registry, query: QueryId, at: Time) -> Result<()> {
        self.ended(registry.name(query), "expired", at)
    }

    /// Writes a query that a newer one of the same user replaced.
    pub fn replaced(&mut self, registry: &Registry, query: QueryId, at: Time) -> Result<()> {
        self.ended(registry.name(query), "replaced", at)
    }

    /// Writes a presence report that was published or ran out.
    pub fn present(&mut self, registry: &Registry, query: QueryId, at: Time) -> Result<()> {
        self.ended(registry.name(query), "present", at)
    }

    fn ended(&mut self, id: &str, outcome: &str, at: Time) -> Result<()> {
        match &mut self.output {
            Output::Lines(lines) => lines.ended(id, outcome, at),
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.ended(id, outcome, at),
        }
    }

    /// Writes a served query.
    pub fn succeeded(
        &mut self,
        registry: &Registry,
        labels: &Labels,
        served: &ServedQuery<'_>,
    ) -> Result<()> {
        match &mut self.output {
            Output::Lines(lines) => lines.succeeded(registry, labels, served),
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.succeeded(registry, served),
        }
    }

    /// Whether rows can refer to other rows.
    pub(crate) fn has_references(&self) -> bool {
        matches!(self.output, Output::Lines(_))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        match self.output {
            Output::Lines(lines) => lines.finish(),
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.finish(),
        }
    }
}

fn error(path: &Path, problem: Problem) -> ImportError {
    ImportError { file: path.to_owned(), location: FileLocation::File, problem }
}
