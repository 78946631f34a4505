//! How an accepted query ended, and the words in which its person is told.

use axum::http::StatusCode;
use bytes::Bytes;

/// How an accepted query ended: exactly one of these.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Hidden among others, and the service was asked.
    Answered,
    /// Her patience was over; the service was not asked.
    Expired,
    /// She took it back; the service was not asked.
    Cancelled,
    /// Hidden among others, but the service did not answer.
    Failed,
    /// She asked nothing, and others were hidden with her.
    Present,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 5] = [
        Outcome::Answered,
        Outcome::Expired,
        Outcome::Cancelled,
        Outcome::Failed,
        Outcome::Present,
    ];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Expired => "expired",
            Outcome::Cancelled => "cancelled",
            Outcome::Failed => "failed",
            Outcome::Present => "present",
        }
    }

    /// The status of a response that says so.
    pub fn status(self) -> StatusCode {
        match self {
            Outcome::Failed => StatusCode::BAD_GATEWAY,
            _ => StatusCode::OK,
        }
    }
}

/// An accepted query that has ended, and what its person is told: one JSON object, no line break.
#[derive(Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// What is said.
    pub body: Bytes,
}

/// What a person is told never gets printed.
impl std::fmt::Debug for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Finished({})", self.outcome.word())
    }
}
