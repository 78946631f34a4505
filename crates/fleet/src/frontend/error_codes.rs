//! Errors of the service on their way between frontends.

use gateway::service::ServiceError;

/// Returns the index of an error among the labels of service errors.
pub fn error_code(error: &ServiceError) -> u8 {
    let label = ServiceError::LABELS.iter().position(|label| *label == error.label());
    label.unwrap_or(0) as u8
}

/// Returns the error with this code. Details stay with the frontend that asked.
pub fn service_error(code: u8) -> ServiceError {
    match ServiceError::LABELS.get(usize::from(code)).copied() {
        Some("timed-out") => ServiceError::TimedOut,
        Some("down") => ServiceError::Down,
        Some("resting") => ServiceError::CircuitOpen,
        Some("refused") => {
            ServiceError::Refused { code: "-".into(), meaning: "see the frontend that asked" }
        }
        Some("malformed") => ServiceError::Malformed("see the frontend that asked"),
        Some("not-sent") => ServiceError::Overloaded,
        Some("held") => ServiceError::Held,
        Some("memory" | "endless") => ServiceError::Memory,
        _ => ServiceError::Internal,
    }
}
