//! Errors of profiles.

/// Reason why a text is not a valid profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// Invalid TOML, unknown or missing key, or value of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// Value out of range.
    #[error("`{key}` is {value}; expected {expected}")]
    Value {
        /// Key.
        key: String,
        /// Value.
        value: String,
        /// Valid values.
        expected: String,
    },
    /// Shares that do not sum to 1.
    #[error("`{key}` sum to {sum}; expected 1")]
    Sum {
        /// Key.
        key: String,
        /// Sum.
        sum: f64,
    },
    /// Number of shares differs from the number of values.
    #[error("`{key}` has {found} shares for {expected} values")]
    Count {
        /// Key of the shares.
        key: String,
        /// Number of shares.
        found: usize,
        /// Number of values.
        expected: usize,
    },
    /// Key that requires another one.
    #[error("`{key}` needs {needed}")]
    Needs {
        /// Present key.
        key: String,
        /// Missing key.
        needed: &'static str,
    },
}

/// A name that is neither a built-in profile nor a file with one.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileFileError {
    /// The name.
    pub name: String,
    /// Problem of the file; `None` if it cannot be read.
    pub problem: Option<ProfileError>,
}

impl std::error::Error for ProfileFileError {}

impl std::fmt::Display for ProfileFileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ProfileFileError { name, problem } = self;
        let known = super::Profile::NAMES.join(", ");
        match problem {
            Some(problem) => write!(f, "{name}: {problem}"),
            None => write!(f, "{name}: no such profile; expected {known} or a file"),
        }
    }
}
