//! What can be wrong with files of outcomes.

use import::ImportError;
use std::io;
use std::path::PathBuf;

/// Why files cannot be scored.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", file.display(), place(*line))]
pub struct ScoreError {
    /// The file.
    pub file: PathBuf,
    /// Counted from 1; 0: the file as a whole.
    pub line: u64,
    /// What is wrong there.
    #[source]
    pub problem: ScoreProblem,
}

fn place(line: u64) -> String {
    if line == 0 { String::new() } else { format!(", line {line}") }
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ScoreProblem {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Queries(#[from] Box<ImportError>),
    #[error("no outcome: {0}")]
    Json(String),
    #[error("`{field}` is {value}; expected {expected}")]
    Field { field: &'static str, value: String, expected: &'static str },
    #[error("no `{0}`")]
    Missing(&'static str),
    #[error("query `{0}` is not in the file of queries")]
    Unknown(String),
    #[error("query `{0}` has an outcome already")]
    Twice(String),
    #[error("the set of query `{0}` does not hold the query itself")]
    WithoutItself(String),
    #[error("the set of query `{0}` holds `{1}`, which is not in the file of queries")]
    UnknownMember(String, String),
    #[error("the set of query `{0}` holds `{1}` twice")]
    MemberTwice(String, String),
    #[error("query `{0}` was served before it was asked, or after its patience was over")]
    NotWhileWaiting(String),
    #[error("query `{0}` expired before its patience was over")]
    TooSoon(String),
    #[error("the delay of query `{0}` is not the time from question to outcome")]
    Delay(String),
    #[error("the k of query `{0}` is not the one it asked for")]
    K(String),
    #[error("the region of query `{0}` has no `length`, and there is no map to measure it on")]
    NoLength(String),
    #[error("the region of query `{0}` holds `{1}`, which is no street of the map")]
    Street(String, String),
    #[error("the region of query `{0}` holds a street twice")]
    StreetTwice(String),
    #[error("queries without an outcome: {0}; the first is `{1}`")]
    NoOutcome(usize, String),
}
