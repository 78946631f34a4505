//! Why a request has no answer. Each API gives it its own shape.

use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::outcome::Outcome;
use axum::http::StatusCode;

/// Why a request has no answer.
#[derive(Debug, PartialEq)]
pub(super) struct Problem {
    pub kind: ProblemKind,
    /// A sentence that names no position.
    pub message: String,
    /// Seconds after which a retry can succeed.
    pub retry_after: Option<u32>,
    refusal: Option<Refusal>,
}

/// Kind of a problem, as far as the APIs distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProblemKind {
    /// The request cannot be answered; it must be changed.
    Invalid,
    /// The path has no such method.
    Method,
    /// The token is missing or unknown.
    Denied,
    /// A rate limit is exceeded.
    Limited,
    /// The user could not be hidden in time; the service was not asked.
    NotHidden,
    /// The service did not answer, or not completely.
    Failed,
    /// The gateway is busy or stopping.
    Busy,
}

impl ProblemKind {
    /// Returns the HTTP status, for APIs that use it.
    pub fn status(self) -> StatusCode {
        match self {
            ProblemKind::Invalid => StatusCode::BAD_REQUEST,
            ProblemKind::Method => StatusCode::METHOD_NOT_ALLOWED,
            ProblemKind::Denied => StatusCode::UNAUTHORIZED,
            ProblemKind::Limited => StatusCode::TOO_MANY_REQUESTS,
            ProblemKind::NotHidden => StatusCode::GATEWAY_TIMEOUT,
            ProblemKind::Failed => StatusCode::BAD_GATEWAY,
            ProblemKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let kind = match refusal.status() {
            StatusCode::METHOD_NOT_ALLOWED => ProblemKind::Method,
            StatusCode::UNAUTHORIZED => ProblemKind::Denied,
            StatusCode::TOO_MANY_REQUESTS => ProblemKind::Limited,
            StatusCode::SERVICE_UNAVAILABLE => ProblemKind::Busy,
            _ => ProblemKind::Invalid,
        };
        let message = match refusal {
            Refusal::Key => "missing or unknown token of a user".to_owned(),
            _ => refusal.to_string(),
        };
        let retry_after = refusal.retry_after();
        Problem { kind, message, retry_after, refusal: Some(refusal) }
    }
}

impl Problem {
    fn new(kind: ProblemKind, message: &str) -> Problem {
        Problem { kind, message: message.to_owned(), retry_after: None, refusal: None }
    }

    /// Problem of an accepted query that ended without an answer.
    pub fn of_outcome(outcome: Outcome) -> Problem {
        match outcome {
            Outcome::Expired | Outcome::Cancelled | Outcome::Present => Problem::new(
                ProblemKind::NotHidden,
                "not enough users were near to hide this request in time; the service was not asked",
            ),
            Outcome::Refused => Problem::new(
                ProblemKind::Busy,
                "the request was refused; the service was not asked",
            ),
            Outcome::Answered | Outcome::Failed => {
                Problem::new(ProblemKind::Failed, "the service did not answer")
            }
        }
    }

    /// Problem of one of several queries of a request that ended without an answer, where the service
    /// was asked about others.
    pub fn of_part(outcome: Outcome) -> Problem {
        let problem = Problem::of_outcome(outcome);
        match problem.kind {
            ProblemKind::NotHidden => Problem::new(
                ProblemKind::NotHidden,
                "not enough users were near to hide a part of this request in time; the others were \
                 asked for a set of users",
            ),
            ProblemKind::Busy => {
                Problem::new(ProblemKind::Busy, "a part of the request was refused")
            }
            _ => problem,
        }
    }

    /// Problem of an answer that would not be exact.
    pub fn not_exact(message: &str) -> Problem {
        Problem::new(ProblemKind::Failed, message)
    }

    /// Counts the refusal in the metrics.
    pub fn count(&self, gateway: &Gateway) {
        if let Some(refusal) = &self.refusal {
            gateway.metrics().refused(refusal);
        }
    }
}
