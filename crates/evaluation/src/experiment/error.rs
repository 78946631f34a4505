//! What can be wrong with an experiment: where, which field, what it holds, what it should hold.

use std::path::PathBuf;

/// Why a file is no experiment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}, line {line}: {problem}", file.display())]
pub struct ExperimentError {
    /// The file.
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: ExperimentProblem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentProblem {
    /// No TOML.
    #[error("{0}")]
    Syntax(String),
    /// Nobody knows that field.
    #[error("unknown field `{field}` = {value}; expected {expected}")]
    Unknown {
        /// Its name.
        field: String,
        /// What it holds.
        value: String,
        /// What there could be instead.
        expected: String,
    },
    /// A value of another kind, or out of its range.
    #[error("`{field}` is {value}; expected {expected}")]
    Value {
        /// Its name.
        field: String,
        /// What it holds.
        value: String,
        /// What it should hold.
        expected: String,
    },
}
