//! A Parquet file, read one row group after the other.
//!
//! Text is read as views into the pages: a long text of a dictionary that many rows repeat is held
//! once. The decoder is not written for hostile files; a panic of it is an error here.

use super::MAX_ROWS;
use super::page_limits::check_row_group;
use crate::error::{FileLocation, ImportError, Problem};
use crate::progress::Progress;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open file and the row group being read.
pub(super) struct ParquetFile<'a> {
    path: PathBuf,
    file: File,
    file_len: u64,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    schema: SchemaRef,
    group: usize,
    batches: Option<ParquetRecordBatchReader>,
    progress: &'a dyn Progress,
}

impl<'a> ParquetFile<'a> {
    pub(super) fn open(
        path: &Path,
        columns: &[&str],
        progress: &'a dyn Progress,
    ) -> Result<ParquetFile<'a>, ImportError> {
        let problem = |error: std::io::Error| FileLocation::File.of(path, error);
        let file = File::open(path).map_err(problem)?;
        let facts = file.metadata().map_err(problem)?;
        // Metadata are at the end, so that the bytes are not read in order.
        if !facts.is_file() {
            let what = "Parquet from a pipe; name a file or redirect one with `<`".to_owned();
            return Err(FileLocation::File.of(path, Problem::Unsupported(what)));
        }
        let file_len = facts.len();
        let damaged = |reason| FileLocation::File.of(path, Problem::Damaged(reason));
        let metadata = guarded(|| load(&file)).map_err(damaged)?;
        if let Some(codec) = unknown_codec(&metadata) {
            let what = format!("compression with {codec}; expected none, snappy or zstd");
            return Err(FileLocation::File.of(path, Problem::Unsupported(what)));
        }
        let root = metadata.parquet_schema().root_schema();
        let wanted = |name: &str| columns.contains(&name);
        let roots = root.get_fields().iter().enumerate();
        let roots: Vec<usize> =
            roots.filter(|(_, field)| wanted(field.name())).map(|(index, _)| index).collect();
        let projection = ProjectionMask::roots(metadata.parquet_schema(), roots);
        let fields = metadata.schema().fields().iter().filter(|field| wanted(field.name()));
        let schema = Arc::new(Schema::new(fields.cloned().collect::<Vec<FieldRef>>()));
        Ok(ParquetFile {
            path: path.to_owned(),
            file,
            file_len,
            metadata,
            projection,
            schema,
            group: 0,
            batches: None,
            progress,
        })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns the next batch; `rows` rows were read before.
    pub(super) fn next_batch(&mut self, rows: u64) -> Result<Option<RecordBatch>, ImportError> {
        let location = FileLocation::Row(rows.saturating_add(1));
        loop {
            if let Some(batches) = &mut self.batches {
                let read = guarded(|| batches.next().transpose());
                let read = read.map_err(|reason| {
                    let group = self.group;
                    let reason = format!("row group {group}: {reason}");
                    location.of(&self.path, Problem::Damaged(reason))
                });
                if let Some(batch) = read? {
                    return Ok(Some(batch));
                }
                self.batches = None;
            }
            if self.group >= self.metadata.metadata().num_row_groups() {
                return Ok(None);
            }
            self.batches = Some(self.open_group().map_err(|reason| {
                let reason = format!("row group {}: {reason}", self.group.saturating_add(1));
                location.of(&self.path, Problem::Damaged(reason))
            })?);
            self.group = self.group.saturating_add(1);
        }
    }

    fn open_group(&self) -> Result<ParquetRecordBatchReader, String> {
        let group = self.metadata.metadata().row_group(self.group);
        let is_read = |leaf| self.projection.leaf_included(leaf);
        check_row_group(&self.file, self.file_len, group, is_read)?;
        self.progress.advance(group.compressed_size().try_into().unwrap_or(0));
        let file = self.file.try_clone().map_err(|error| error.to_string())?;
        guarded(|| {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_projection(self.projection.clone())
                .with_row_groups(vec![self.group])
                .with_batch_size(MAX_ROWS)
                .build()
        })
    }
}

/// Returns the name of a compression that cannot be read.
fn unknown_codec(metadata: &ArrowReaderMetadata) -> Option<String> {
    let groups = metadata.metadata().row_groups().iter();
    let codecs = groups.flat_map(RowGroupMetaData::columns).map(ColumnChunkMetaData::compression);
    let is_unknown = |codec: &Compression| {
        !matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_))
    };
    let name = |codec: Compression| {
        let name = codec.to_string();
        name.split('(').next().unwrap_or("").to_lowercase()
    };
    codecs.into_iter().find(is_unknown).map(name)
}

/// Reads the metadata; text is typed as views.
fn load(file: &File) -> Result<ArrowReaderMetadata, parquet::errors::ParquetError> {
    let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(file, options())?;
    let fields = metadata.schema().fields().iter().map(with_views);
    let schema = Arc::new(Schema::new(fields.collect::<Vec<FieldRef>>()));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options().with_schema(schema))
}

fn with_views(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Utf8 | DataType::Binary => DataType::Utf8View,
        DataType::List(item) => DataType::List(with_views(item)),
        _ => return Arc::clone(field),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Runs a step of the decoder; its errors and panics become a message.
fn guarded<T, E: std::fmt::Display>(step: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("the content violates the format".into()),
    }
}
