//! Runs recorded queries through a scheme in batches and records what became of each query.
//!
//! Rows → [`intake::Intake`] (which rows become queries) → [`batches::Batches`] (docs/SPEC.md §5) →
//! [`files::OutputFiles`]. Memory grows with the waiting queries, not with the number of rows, if
//! [`Limits::unique_ids`] is set; otherwise a hash of every id is kept, to find duplicates.

pub mod batches;
pub mod disclosures;
pub mod error;
pub mod files;
mod history_check;
pub mod intake;
#[cfg(feature = "parquet")]
mod outcome_columns;
mod outcome_lines;
pub mod outcomes;
pub mod per_batch;
pub mod registry;
pub mod text;
mod turn_writer;

pub use batches::Batches;
pub use error::OfflineError;
pub use files::OutputFiles;
pub use intake::{BadRows, Intake, Limits};
