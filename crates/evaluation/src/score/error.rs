//! Errors of outcome files.

use import::{FileLocation, ImportError};
use std::io;
use std::path::{Path, PathBuf};

/// Why a file cannot be scored.
#[derive(Debug, thiserror::Error)]
#[error("{}{location}: {problem}", file.display())]
pub struct ScoreError {
    /// Path of the file.
    pub file: PathBuf,
    /// Location in the file.
    pub location: FileLocation,
    /// Problem at that location; part of the message, and so not a source.
    pub problem: ScoreProblem,
}

impl ScoreError {
    /// Returns a problem of a whole file.
    pub(super) fn of_file(file: &Path, problem: ScoreProblem) -> ScoreError {
        ScoreError { file: file.to_owned(), location: FileLocation::File, problem }
    }

    /// Returns an error of the reader of columns, which names file and row itself.
    pub(super) fn of_import(file: &Path, error: ImportError) -> ScoreError {
        match error.file == file {
            true => ScoreError {
                file: error.file,
                location: error.location,
                problem: ScoreProblem::Content(error.problem.to_string()),
            },
            false => ScoreError::of_file(file, Box::new(error).into()),
        }
    }
}

/// Problem of an outcome.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ScoreProblem {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Queries(#[from] Box<ImportError>),
    #[error("{0}")]
    Content(String),
    #[error("invalid outcome: {0}")]
    Json(String),
    #[error("`{field}` is {value}; expected {expected}")]
    Field { field: &'static str, value: String, expected: &'static str },
    #[error("missing field `{0}`")]
    Missing(&'static str),
    #[error("query `{0}` is not in the query file")]
    Unknown(String),
    #[error(
        "query `{0}` is not waiting: it is not in the query file, it has ended, or one of the files is not \
         in order of time"
    )]
    NotOpen(String),
    #[error("query `{0}` has a second outcome")]
    Twice(String),
    #[error("the set of query `{0}` does not contain the query itself")]
    WithoutItself(String),
    #[error("the set of query `{0}` contains `{1}`, which is not in the query file")]
    UnknownMember(String, String),
    #[error(
        "the set of query `{0}` contains `{1}`, which is not waiting: it is not in the query file, or it \
         ended before"
    )]
    MemberNotOpen(String, String),
    #[error("the set of query `{0}` contains `{1}` twice")]
    MemberTwice(String, String),
    #[error("query `{0}` succeeded before its time or after its deadline")]
    NotWhileWaiting(String),
    #[error("query `{0}` was replaced before its time or after its deadline")]
    ReplacedWhileNotWaiting(String),
    #[error("query `{0}` asks and ended as `present`, which is the outcome of presence reports")]
    PresentButAsks(String),
    #[error("presence report `{0}` ended as a query; expected the outcome present or replaced")]
    NotPresent(String),
    #[error("query `{0}` expired before its deadline")]
    TooSoon(String),
    #[error("the delay of query `{0}` differs from the time between query and outcome")]
    Delay(String),
    #[error("the k of query `{0}` differs from the query file")]
    K(String),
    #[error("the region of query `{0}` has no `length`, and no map is given to measure it")]
    NoLength(String),
    #[error("the region of query `{0}` contains `{1}`, which is not a street of the map")]
    Street(String, String),
    #[error("the region of query `{0}` contains a street twice")]
    StreetTwice(String),
    #[error("queries without an outcome: {0}; the first is `{1}`")]
    NoOutcome(usize, String),
}
