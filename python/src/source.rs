//! Tables that a caller passes: any object with `__arrow_c_stream__` or `__arrow_c_array__`, or the
//! path of a file.

use crate::call::Reports;
use crate::error::failed;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use evaluation::score::OutcomeReader;
use import::columns::BatchSource;
use import::{Progress as _, QueryReader};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table before it is read.
pub(crate) enum Source {
    File(PathBuf),
    Stream { name: &'static str, batches: Box<dyn RecordBatchReader + Send> },
}

impl Source {
    /// Accepts an argument; `name` is that of the parameter.
    pub(crate) fn of(name: &'static str, object: &Bound<'_, PyAny>) -> PyResult<Source> {
        if object.hasattr("__arrow_c_stream__")? || object.hasattr("__arrow_c_array__")? {
            let batches = object.extract::<AnyRecordBatch>()?.into_reader()?;
            return Ok(Source::Stream { name, batches });
        }
        object.extract::<PathBuf>().map(Source::File).map_err(|_| {
            PyTypeError::new_err(format!(
                "{name}: expected an Arrow table (an object with `__arrow_c_stream__`) or a path"
            ))
        })
    }

    /// Returns the name for errors.
    pub(crate) fn name(&self) -> PathBuf {
        match self {
            Source::File(path) => path.clone(),
            Source::Stream { name, .. } => Path::new(name).to_owned(),
        }
    }

    /// Reads queries.
    pub(crate) fn queries(self, reports: &Arc<Reports>) -> PyResult<QueryReader<'_>> {
        match self {
            Source::File(path) => QueryReader::open(&path, &**reports).map_err(failed),
            Source::Stream { name, batches } => {
                let batches = Interruptible::boxed(batches, reports);
                QueryReader::of_batches(BatchSource::of_stream(name, batches)).map_err(failed)
            }
        }
    }

    /// Reads outcomes.
    pub(crate) fn outcomes(self, reports: &Arc<Reports>) -> PyResult<OutcomeReader<'static>> {
        let reader = match self {
            Source::File(path) => OutcomeReader::open(&path),
            Source::Stream { name, batches } => {
                let batches = Interruptible::boxed(batches, reports);
                OutcomeReader::of_batches(BatchSource::of_stream(name, batches))
            }
        };
        Ok(reader.map_err(failed)?.with_checkpoint(reports.checkpoint()))
    }
}

/// A stream in batches of at most [`MAX_ROWS`] rows, a table being often one batch, with a check for an
/// interrupt before each. The rows are progress.
struct Interruptible {
    batches: Box<dyn RecordBatchReader + Send>,
    rest: Option<RecordBatch>,
    reports: Arc<Reports>,
}

/// Rows between two checks.
const MAX_ROWS: usize = 1 << 12;

impl Interruptible {
    fn boxed(
        batches: Box<dyn RecordBatchReader + Send>,
        reports: &Arc<Reports>,
    ) -> Box<dyn RecordBatchReader + Send> {
        Box::new(Interruptible { batches, rest: None, reports: Arc::clone(reports) })
    }
}

impl Iterator for Interruptible {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reports.check();
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        let more = batch.num_rows().saturating_sub(MAX_ROWS);
        if more > 0 {
            self.rest = Some(batch.slice(MAX_ROWS, more));
        }
        let batch = batch.slice(0, batch.num_rows().min(MAX_ROWS));
        self.reports.advance(batch.num_rows() as u64);
        Some(Ok(batch))
    }
}

impl RecordBatchReader for Interruptible {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}
