//! What can go wrong with a service, in words that hold no place and nobody's name: what a
//! database says is not passed on, for it quotes what it was asked.

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// It took too long.
    #[error("the service did not answer in time")]
    TimedOut,
    /// It cannot be reached, or hung up.
    #[error("the service cannot be reached")]
    Down,
    /// It failed so often that it is left alone for a while.
    #[error("the service failed repeatedly and is left alone for a while")]
    Resting,
    /// It is there and refuses; its own code and what that means, never its words.
    #[error("the service refused the request: {meaning} ({code})")]
    Refused {
        /// As it said.
        code: String,
        /// In our words.
        meaning: &'static str,
    },
    /// Its answer is none.
    #[error("the service's answer makes no sense: {0}")]
    Malformed(&'static str),
    /// Its answer does not end.
    #[error("the service answered with more than {0} objects")]
    Endless(usize),
    /// It may have answered; we failed.
    #[error("the gateway failed to make an answer of what the service said")]
    Broken,
}

impl ServiceError {
    /// Whether asking again may help.
    pub fn may_pass(&self) -> bool {
        matches!(self, ServiceError::TimedOut | ServiceError::Down)
    }

    /// A short word for metrics.
    pub fn word(&self) -> &'static str {
        match self {
            ServiceError::TimedOut => "timed-out",
            ServiceError::Down => "down",
            ServiceError::Resting => "resting",
            ServiceError::Refused { .. } => "refused",
            ServiceError::Malformed(_) => "malformed",
            ServiceError::Endless(_) => "endless",
            ServiceError::Broken => "broken",
        }
    }
}
