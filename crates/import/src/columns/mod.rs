//! Rows as Arrow record batches: Parquet files, and streams of other programs.
//!
//! A batch is read and written in the schema of the CSV and NDJSON files (docs/SPEC.md §8): ids are
//! text, times and metres doubles, sets lists of text. Reading holds one batch of at most
//! [`MAX_ROWS`] rows, whatever the file states about itself (`page_limits`).

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod batch_source;
mod json_rows;
mod lists;
mod numbers;
mod page_header;
mod page_limits;
mod parquet_file;
mod parquet_sink;
mod texts;

pub use batch_source::BatchSource;
pub use json_rows::{JsonColumn, JsonKind, JsonRow, JsonRows};
pub(crate) use numbers::{booleans, numbers};
pub use parquet_sink::ParquetSink;
pub(crate) use texts::TextColumn;

use crate::error::ImportError;
use arrow_array::RecordBatch;

/// Largest number of rows of a batch that is read or written.
pub const MAX_ROWS: usize = 4096;

/// Receives the batches of a table, all of one schema.
pub trait BatchSink: Send {
    /// Appends a batch.
    ///
    /// # Errors
    /// If the batch cannot be written.
    fn write(&mut self, batch: RecordBatch) -> Result<(), ImportError>;

    /// Completes the table.
    ///
    /// # Errors
    /// If the table cannot be completed.
    fn finish(self: Box<Self>) -> Result<(), ImportError>;
}
