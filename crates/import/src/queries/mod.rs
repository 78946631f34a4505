//! Files of queries (docs/SPEC.md §8): CSV or NDJSON, in order of time.
//!
//! Whoever writes knows `dc`, `speed` and `interval`, and writes all three.

mod csv;
mod decimal;
mod fields;
mod json;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use reader::{BadQuery, QueryReader, QueryRow};
pub use writer::QueryWriter;

use crate::coordinates::Coordinates;
use meshcloak::units::Length;

/// A query as a file holds it: not snapped, nothing refused.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRecord {
    /// Its id.
    pub query: String,
    /// Who asks.
    pub user: String,
    /// When, in milliseconds.
    pub asked_at: u64,
    /// Where.
    pub coordinates: Coordinates,
    /// Among how many the person wants to be.
    pub k: u32,
    /// How long the person waits, in milliseconds.
    pub temporal_tolerance: u64,
    /// How far the person can have come.
    pub distance_constraint: Length,
    /// Top speed in millimetres per second.
    pub speed: Option<u32>,
    /// Milliseconds between two queries of this person.
    pub query_interval: Option<u32>,
}
