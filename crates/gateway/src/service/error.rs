//! Errors of a service. No variant holds a position or a user. Messages of a database or server
//! are not passed on because they quote the request.

/// Reason why a service gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// The time-out passed.
    #[error("the service did not answer in time")]
    TimedOut,
    /// The connection failed or was closed.
    #[error("the service cannot be reached")]
    Down,
    /// The service is there and does not work at present.
    #[error("the service is not available at present: {meaning} ({code})")]
    Unavailable {
        /// SQLSTATE.
        code: String,
        /// Explanation in the gateway's words.
        meaning: &'static str,
    },
    /// The circuit breaker is open after repeated failures, and the trial request failed or none was
    /// due in time.
    #[error("the service failed repeatedly for this kind of question; this request was not sent")]
    CircuitOpen,
    /// The service rejected the request.
    #[error("the service refused the request: {meaning} ({code})")]
    Refused {
        /// HTTP status or SQLSTATE.
        code: String,
        /// Explanation in the gateway's words.
        meaning: &'static str,
    },
    /// The answer violates the protocol.
    #[error("the service sent an invalid answer: {0}")]
    Malformed(&'static str),
    /// The answer exceeds the limit on objects.
    #[error("the service answered with more than {0} objects")]
    TooManyObjects(usize),
    /// The request waited too long for a free slot and was not sent.
    #[error("too many requests wait for the service; this one was not sent")]
    Overloaded,
    /// The answer does not fit into the memory for answers that wait for refinement.
    #[error("the answers that wait for refinement exceed `service.held_megabytes`")]
    Held,
    /// The answer does not fit into the memory for answers.
    #[error("the answers of the service exceed the memory of the setting `max_memory`")]
    Memory,
    /// The gateway itself failed.
    #[error("the gateway failed while it processed the answer of the service")]
    Internal,
}

impl ServiceError {
    /// All labels, in the order of [`ServiceError::label`].
    pub const LABELS: [&'static str; 10] = [
        "timed-out",
        "down",
        "resting",
        "refused",
        "malformed",
        "endless",
        "not-sent",
        "held",
        "memory",
        "broken",
    ];

    /// Returns whether a retry may succeed.
    pub fn is_transient(&self) -> bool {
        use ServiceError::{Down, TimedOut, Unavailable};
        matches!(self, TimedOut | Down | Unavailable { .. })
    }

    /// Label in metrics.
    pub fn label(&self) -> &'static str {
        match self {
            ServiceError::TimedOut => "timed-out",
            ServiceError::Down | ServiceError::Unavailable { .. } => "down",
            ServiceError::CircuitOpen => "resting",
            ServiceError::Refused { .. } => "refused",
            ServiceError::Malformed(_) => "malformed",
            ServiceError::TooManyObjects(_) => "endless",
            ServiceError::Overloaded => "not-sent",
            ServiceError::Held => "held",
            ServiceError::Memory => "memory",
            ServiceError::Internal => "broken",
        }
    }
}
