//! Errors of the cluster. No message quotes a secret, a user or a position.

use std::path::PathBuf;
use std::time::Duration;

/// Reason why an operation of the cluster failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A city has an invalid name.
    #[error("city {name:?}: expected 1 to 32 characters of a-z, 0-9 and -")]
    CityName {
        /// The name, cut to 40 characters.
        name: String,
    },
    /// The number of a process has an invalid form.
    #[error("engine {text:?}: expected 16 hexadecimal digits")]
    NodeId {
        /// The text, cut to 40 characters.
        text: String,
    },
    /// The operating system gave no random numbers.
    #[error("no random numbers from the operating system: {0}")]
    Randomness(String),
    /// A setting is invalid.
    #[error("{0}")]
    Setting(String),
    /// A file with a certificate, key or credentials is unusable.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// No server accepted the connection.
    #[error("cannot connect to NATS at {servers}: {problem}")]
    Connect {
        /// Addresses without user names and passwords.
        servers: String,
        /// What is wrong.
        problem: String,
    },
    /// The server lacks a needed function.
    #[error("NATS server {version} is too old: key expiry needs 2.11 or newer")]
    ServerTooOld {
        /// Version of the server.
        version: String,
    },
    /// No answer in time. A write may or may not have been done.
    #[error("no answer from NATS within {} ms: {action}", limit.as_millis())]
    Timeout {
        /// What was tried.
        action: String,
        /// The time-out.
        limit: Duration,
    },
    /// The server cannot be reached, or has no JetStream leader.
    #[error("NATS is unavailable: {action}: {problem}")]
    Unavailable {
        /// What was tried.
        action: String,
        /// What is wrong.
        problem: String,
    },
    /// The server refused an operation; nothing was written.
    #[error("NATS refused: {action}: {problem}")]
    Refused {
        /// What was tried.
        action: String,
        /// Reason of the server.
        problem: String,
    },
    /// A stream exists with settings under which the promises do not hold.
    #[error(
        "stream {stream}: {field} is {found}, expected {expected}; change or delete the stream"
    )]
    StreamSettings {
        /// Name of the stream.
        stream: String,
        /// The setting.
        field: &'static str,
        /// Its value.
        found: String,
        /// The required value.
        expected: String,
    },
    /// A stored value cannot be read.
    #[error("{place}: {problem}")]
    Damaged {
        /// Key or sequence.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

impl ClusterError {
    /// Whether the same operation may succeed later: there was no answer, or no leader.
    pub fn is_temporary(&self) -> bool {
        matches!(self, ClusterError::Timeout { .. } | ClusterError::Unavailable { .. })
    }
}
