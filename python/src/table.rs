//! An Arrow table that is returned to Python.

use crate::cells::cell;
use crate::error::failed;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::SchemaRef;
use import::ImportError;
use import::columns::{BatchSink, ParquetSink};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::PyRecordBatchReader;
use std::path::PathBuf;
use std::sync::Arc;

/// An Arrow table. Any library that reads `__arrow_c_stream__` can take it.
#[pyclass(frozen, module = "meshcloak")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Builds a table of batches with one schema.
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __repr__(&self) -> String {
        format!("<meshcloak.Table: {} rows of {}>", self.__len__(), self.column_names().join(", "))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let reader = Bound::new(py, PyRecordBatchReader::new(Box::new(reader)))?;
        let capsule = reader.call_method1("__arrow_c_stream__", (requested_schema,))?;
        Ok(capsule.cast_into::<PyCapsule>()?)
    }

    /// Returns the rows as dictionaries.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let fields = PyDict::new(py);
                for (field, array) in self.schema.fields().iter().zip(batch.columns()) {
                    fields.set_item(field.name(), cell(py, array, row)?)?;
                }
                rows.append(fields)?;
            }
        }
        Ok(rows)
    }

    /// Writes the table to a Parquet file.
    fn write_parquet(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut sink = Box::new(ParquetSink::create(&path, Arc::clone(&self.schema))?);
            self.batches.iter().try_for_each(|batch| sink.write(batch.clone()))?;
            sink.finish()
        })
        .map_err(failed)
    }
}

/// Collects the batches of a run into a table.
#[derive(Clone, Default)]
pub(crate) struct TableSink {
    batches: Arc<Mutex<Vec<RecordBatch>>>,
}

impl TableSink {
    /// Returns the table, after the run.
    pub(crate) fn into_table(self) -> PyResult<Table> {
        let batches = std::mem::take(&mut *self.batches.lock());
        let schema = batches.first().map(RecordBatch::schema);
        Ok(Table { schema: schema.ok_or_else(|| failed("the run wrote no table"))?, batches })
    }
}

impl BatchSink for TableSink {
    fn write(&mut self, batch: RecordBatch) -> Result<(), ImportError> {
        self.batches.lock().push(batch);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), ImportError> {
        Ok(())
    }
}
