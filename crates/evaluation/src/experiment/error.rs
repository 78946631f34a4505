//! Errors of experiment files: file, line, field, value and what was expected.

use std::path::PathBuf;

/// Why an experiment file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}, line {line}: {problem}", file.display())]
pub struct ExperimentError {
    /// Path of the file.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Problem on that line: field, value and what was expected.
    pub problem: String,
}
