//! Outcome of an accepted query, and its result as JSON.

use axum::http::StatusCode;
use bytes::Bytes;

/// Outcome of an accepted query. Every accepted query has exactly one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Part of a published anonymity set; the service has answered.
    Answered,
    /// The temporal tolerance was exceeded; the service was not asked.
    Expired,
    /// Cancelled by the client; the service was not asked.
    Cancelled,
    /// Part of a published anonymity set, but the service did not answer; or the engine failed.
    Failed,
    /// Without a question: part of a published anonymity set, replaced by a newer query, or the
    /// temporal tolerance was exceeded.
    Present,
    /// Refused by the engine of a cluster after a frontend had accepted it; the service was not
    /// asked.
    Refused,
}

impl Outcome {
    /// All outcomes, in order of declaration.
    pub const ALL: [Outcome; 6] = [
        Outcome::Answered,
        Outcome::Expired,
        Outcome::Cancelled,
        Outcome::Failed,
        Outcome::Present,
        Outcome::Refused,
    ];

    /// Returns the name in JSON and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Expired => "expired",
            Outcome::Cancelled => "cancelled",
            Outcome::Failed => "failed",
            Outcome::Present => "present",
            Outcome::Refused => "refused",
        }
    }

    /// Returns the HTTP status of a response with this outcome.
    pub fn status(self) -> StatusCode {
        match self {
            Outcome::Failed => StatusCode::BAD_GATEWAY,
            Outcome::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::OK,
        }
    }
}

/// Result of an accepted query.
#[derive(Clone, PartialEq, Eq)]
pub struct Finished {
    /// Outcome.
    pub outcome: Outcome,
    /// One JSON object without line breaks.
    pub body: Bytes,
}

/// Prints no body: it holds the ticket and distances from the user.
impl std::fmt::Debug for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Finished({})", self.outcome.name())
    }
}
