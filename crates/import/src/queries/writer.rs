//! Streaming writer of queries in any format.

use super::QueryRecord;
#[cfg(feature = "parquet")]
use super::column_writer::QueryColumns;
use super::text_writer::{QueryFormat, TextQueries};
use crate::atomic_file::AtomicFile;
#[cfg(feature = "parquet")]
use crate::columns::BatchSink;
use crate::error::{FileLocation, ImportError, Problem};
use std::path::Path;

/// Writes queries; the file appears under its name after [`QueryWriter::finish`].
#[derive(Debug)]
pub struct QueryWriter {
    output: Output,
}

#[derive(Debug)]
enum Output {
    Text(TextQueries),
    #[cfg(feature = "parquet")]
    Columns(Box<QueryColumns>),
}

impl QueryWriter {
    /// Creates a file: Parquet for the extension `.parquet`, NDJSON for `.ndjson`, `.jsonl` and
    /// `.json`, otherwise CSV; CSV and NDJSON are gzipped if `.gz` follows.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be created.
    pub fn create(path: &Path) -> Result<QueryWriter, ImportError> {
        let name = path.to_string_lossy().to_lowercase();
        if name.ends_with(".parquet") {
            return QueryWriter::of_parquet(path);
        }
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        if name.ends_with(".parquet") {
            let problem = Problem::Unsupported("gzipped Parquet; leave out `.gz`".into());
            return Err(FileLocation::File.of(path, problem));
        }
        let json = [".ndjson", ".jsonl", ".json"].iter().any(|ending| name.ends_with(ending));
        let format = if json { QueryFormat::Ndjson } else { QueryFormat::Csv };
        let file = AtomicFile::create(path)?;
        Ok(QueryWriter { output: Output::Text(TextQueries::new(file, format)) })
    }

    #[cfg(feature = "parquet")]
    fn of_parquet(path: &Path) -> Result<QueryWriter, ImportError> {
        Ok(QueryWriter { output: Output::Columns(Box::new(QueryColumns::to_file(path))) })
    }

    #[cfg(not(feature = "parquet"))]
    fn of_parquet(path: &Path) -> Result<QueryWriter, ImportError> {
        Err(FileLocation::File.of(path, Problem::NoParquet))
    }

    /// Writes record batches to a sink.
    #[cfg(feature = "parquet")]
    pub fn to_sink(sink: Box<dyn BatchSink>) -> QueryWriter {
        QueryWriter { output: Output::Columns(Box::new(QueryColumns::to_sink(sink))) }
    }

    /// Sets whether the column `asks` is written. Without it all queries ask.
    #[must_use]
    pub fn with_asks(mut self, has_asks: bool) -> QueryWriter {
        match &mut self.output {
            Output::Text(text) => text.has_asks = has_asks,
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.set_asks(has_asks),
        }
        self
    }

    /// Appends a query. All queries of a CSV file must use the same kind of coordinates.
    ///
    /// # Errors
    /// [`ImportError`] if writing fails.
    pub fn write(&mut self, query: &QueryRecord) -> Result<(), ImportError> {
        match &mut self.output {
            Output::Text(text) => text.write(query),
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.write(query),
        }
    }

    /// Completes the file and renames it to its final name.
    ///
    /// # Errors
    /// [`ImportError`] if writing or renaming fails.
    pub fn finish(self) -> Result<(), ImportError> {
        match self.output {
            Output::Text(text) => text.finish(),
            #[cfg(feature = "parquet")]
            Output::Columns(columns) => columns.finish(),
        }
    }
}
