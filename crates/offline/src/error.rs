//! Errors of runs over files.

use evaluation::reason::Reason;
use import::{FileLocation, ImportError};
use std::path::PathBuf;

/// Why a run over files ended early.
#[derive(Debug, thiserror::Error)]
pub enum OfflineError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A row that aborts the run.
    #[error("{}{location}: query `{query}` {}", file.display(), reason.sentence())]
    Row {
        /// File of the row.
        file: PathBuf,
        /// Location of the row.
        location: FileLocation,
        /// Id of the query.
        query: String,
        /// What is wrong with it.
        reason: Reason,
    },
}

/// Result of a step of a run.
pub type Result<T> = std::result::Result<T, OfflineError>;
