//! What can be wrong with a profile: which key, what it holds, what it should hold.

/// Why a text is no profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// Not TOML, an unknown key, a missing one, or a value of another kind.
    #[error("{0}")]
    Syntax(String),
    /// A value out of its range.
    #[error("`{key}` is {value}; expected {expected}")]
    Value {
        /// Its key.
        key: String,
        /// What it holds.
        value: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// Proportions that are no proportions.
    #[error("`{key}` sum to {sum}; expected 1")]
    Sum {
        /// Their key.
        key: String,
        /// Their sum.
        sum: f64,
    },
    /// As many shares as values are needed.
    #[error("`{key}` has {found} shares for {expected} values")]
    Count {
        /// Key of the shares.
        key: String,
        /// How many shares there are.
        found: usize,
        /// How many values there are.
        expected: usize,
    },
    /// One key needs another.
    #[error("`{key}` needs {needed}")]
    Needs {
        /// What is there.
        key: String,
        /// What is not.
        needed: &'static str,
    },
}
