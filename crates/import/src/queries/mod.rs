//! Files of queries (docs/SPEC.md §8): CSV, NDJSON or Parquet, in order of time.
//!
//! The writer stores `dc`, `speed` and `interval`; a reader needs `dc` or the other two. `asks` is
//! optional, and written on request only.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

#[cfg(feature = "parquet")]
mod column_reader;
#[cfg(test)]
#[cfg(feature = "parquet")]
mod column_tests;
#[cfg(feature = "parquet")]
mod column_writer;
mod csv;
mod decimal;
mod fields;
mod json;
mod reader;
#[cfg(test)]
mod tests;
mod text_writer;
mod writer;

pub use reader::{BadQuery, QueryReader, QueryRow};
pub use writer::QueryWriter;

use crate::coordinates::Coordinates;
use meshcloak::units::Length;

/// A query of a file, before snapping and admission.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRecord {
    /// Id of the query.
    pub query: String,
    /// Id of the user.
    pub user: String,
    /// Time of the query, in milliseconds.
    pub asked_at: u64,
    /// Position of the user.
    pub coordinates: Coordinates,
    /// Minimum size of the anonymity set.
    pub k: u32,
    /// Temporal tolerance dt, in milliseconds.
    pub temporal_tolerance: u64,
    /// Distance constraint dc.
    pub distance_constraint: Length,
    /// Maximum speed in millimetres per second.
    pub speed: Option<u32>,
    /// Time between two queries of the user, in milliseconds.
    pub query_interval: Option<u32>,
    /// Whether the user has a question; otherwise the row is a presence report, and its temporal
    /// tolerance is how long it counts.
    pub asks: bool,
}
