//! Record batches of a Parquet file or of a stream in memory.

use super::MAX_ROWS;
use super::parquet_file::ParquetFile;
use crate::error::{FileLocation, ImportError, Problem};
use crate::progress::Progress;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use std::path::{Path, PathBuf};

/// Batches of at most [`MAX_ROWS`] rows.
pub struct BatchSource<'a> {
    name: PathBuf,
    batches: Batches<'a>,
    /// Rest of a batch of the stream.
    rest: Option<RecordBatch>,
    rows: u64,
}

enum Batches<'a> {
    File(Box<ParquetFile<'a>>),
    Stream(Box<dyn RecordBatchReader + Send + 'a>),
}

impl<'a> BatchSource<'a> {
    /// Opens a Parquet file and reads the columns of these names.
    ///
    /// # Errors
    /// If the file cannot be opened or its metadata is damaged.
    pub fn open(
        path: &Path,
        columns: &[&str],
        progress: &'a dyn Progress,
    ) -> Result<BatchSource<'a>, ImportError> {
        let file = ParquetFile::open(path, columns, progress)?;
        let batches = Batches::File(Box::new(file));
        Ok(BatchSource { name: path.to_owned(), batches, rest: None, rows: 0 })
    }

    /// Reads a stream of another program; `name` is used in errors.
    pub fn of_stream(
        name: &str,
        stream: Box<dyn RecordBatchReader + Send + 'a>,
    ) -> BatchSource<'a> {
        BatchSource { name: name.into(), batches: Batches::Stream(stream), rest: None, rows: 0 }
    }

    /// Returns the name for errors.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns the schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        match &self.batches {
            Batches::File(file) => file.schema(),
            Batches::Stream(stream) => stream.schema(),
        }
    }

    /// Returns the next batch; `None` after the last.
    ///
    /// # Errors
    /// If the source cannot be read further.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, ImportError> {
        let read = match self.rest.take() {
            Some(batch) => Some(batch),
            None => match &mut self.batches {
                Batches::File(file) => file.next_batch(self.rows)?,
                Batches::Stream(stream) => {
                    let location = FileLocation::Row(self.rows.saturating_add(1));
                    let failed = |error| location.of(&self.name, stream_problem(error));
                    stream.next().transpose().map_err(failed)?
                }
            },
        };
        let Some(mut batch) = read else { return Ok(None) };
        if let Some(more) = batch.num_rows().checked_sub(MAX_ROWS).filter(|&more| more > 0) {
            self.rest = Some(batch.slice(MAX_ROWS, more));
            batch = batch.slice(0, MAX_ROWS);
        }
        self.rows = self.rows.saturating_add(batch.num_rows() as u64);
        Ok(Some(batch))
    }

    /// Returns the error for a column of an unexpected type.
    pub(crate) fn bad_type(
        &self,
        column: &str,
        found: &DataType,
        expected: &'static str,
    ) -> ImportError {
        let reason = format!("column `{column}` has the type {found}; expected {expected}");
        FileLocation::File.of(&self.name, Problem::Unsupported(reason))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used by `map_err`")]
fn stream_problem(error: ArrowError) -> Problem {
    Problem::Damaged(error.to_string())
}
