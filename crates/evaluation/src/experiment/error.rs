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
    /// Problem on that line.
    pub problem: ExperimentProblem,
}

/// Problem of one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentProblem {
    /// Invalid TOML.
    #[error("{0}")]
    Syntax(String),
    /// Unknown field.
    #[error("unknown field `{field}` = {value}; expected {expected}")]
    Unknown {
        /// Name of the field.
        field: String,
        /// Value of the field.
        value: String,
        /// Known fields.
        expected: String,
    },
    /// Value of the wrong type or out of range.
    #[error("`{field}` is {value}; expected {expected}")]
    Value {
        /// Name of the field.
        field: String,
        /// Value of the field.
        value: String,
        /// Valid values.
        expected: String,
    },
}
