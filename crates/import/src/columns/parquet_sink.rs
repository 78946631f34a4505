//! A Parquet file being written, compressed with Snappy.

use super::BatchSink;
use crate::atomic_file::AtomicFile;
use crate::error::{FileLocation, ImportError, Problem};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::path::{Path, PathBuf};

/// Size of a row group in memory after which it is written, in bytes.
const MAX_GROUP_LEN: usize = 32 << 20;
/// Largest number of rows of a row group.
const MAX_GROUP_ROWS: usize = 1 << 17;

/// A Parquet file that appears under its name when it is complete.
pub struct ParquetSink {
    path: PathBuf,
    writer: ArrowWriter<AtomicFile>,
}

impl ParquetSink {
    /// Creates the future file.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, schema: SchemaRef) -> Result<ParquetSink, ImportError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(MAX_GROUP_ROWS))
            .set_created_by("meshcloak".to_owned())
            .build();
        let file = AtomicFile::create(path)?;
        let writer = ArrowWriter::try_new(file, schema, Some(properties))
            .map_err(|error| failed(path, error))?;
        Ok(ParquetSink { path: path.to_owned(), writer })
    }
}

impl BatchSink for ParquetSink {
    fn write(&mut self, batch: RecordBatch) -> Result<(), ImportError> {
        let mut written = self.writer.write(&batch);
        if written.is_ok() && self.writer.in_progress_size() > MAX_GROUP_LEN {
            written = self.writer.flush();
        }
        written.map_err(|error| failed(&self.path, error))
    }

    fn finish(self: Box<Self>) -> Result<(), ImportError> {
        let ParquetSink { path, writer } = *self;
        writer.into_inner().map_err(|error| failed(&path, error))?.finish()
    }
}

fn failed(path: &Path, error: ParquetError) -> ImportError {
    let problem = match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => Problem::from(*source),
            Err(source) => Problem::Io(std::io::Error::other(source.to_string())),
        },
        other => Problem::Io(std::io::Error::other(other.to_string())),
    };
    FileLocation::File.of(path, problem)
}
