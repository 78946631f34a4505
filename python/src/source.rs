//! Tables that a caller passes: any object with `__arrow_c_stream__` or `__arrow_c_array__`, or the
//! path of a file.

use crate::call::Reports;
use crate::error::failed;
use arrow_array::RecordBatchReader;
use evaluation::score::OutcomeReader;
use import::QueryReader;
use import::columns::BatchSource;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use std::path::{Path, PathBuf};

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
    pub(crate) fn queries(self, reports: &Reports) -> PyResult<QueryReader<'_>> {
        match self {
            Source::File(path) => QueryReader::open(&path, reports).map_err(failed),
            Source::Stream { name, batches } => {
                QueryReader::of_batches(BatchSource::of_stream(name, batches)).map_err(failed)
            }
        }
    }

    /// Reads outcomes.
    pub(crate) fn outcomes(self) -> PyResult<OutcomeReader<'static>> {
        match self {
            Source::File(path) => OutcomeReader::open(&path).map_err(failed),
            Source::Stream { name, batches } => {
                OutcomeReader::of_batches(BatchSource::of_stream(name, batches)).map_err(failed)
            }
        }
    }
}
