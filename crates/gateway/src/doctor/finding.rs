//! A finding: what was examined, the result, and what to do.

use serde::Serialize;
use std::fmt;

/// One result of an examination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was examined: `map`, `service`, `keys`, `tls`, `files`, `app`, `clock`, `limits`, `memory` or
    /// `sockets`.
    pub topic: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// What was found.
    pub message: String,
    /// What to do; empty if nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub advice: String,
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As it should be.
    Ok,
    /// The gateway runs, but with a risk.
    Warning,
    /// The gateway does not start, or does not answer.
    Problem,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Ok => "ok",
            Severity::Warning => "warning",
            Severity::Problem => "problem",
        })
    }
}

impl Finding {
    /// A result that is as it should be.
    pub fn ok(topic: &'static str, message: impl Into<String>) -> Finding {
        Finding { topic, severity: Severity::Ok, message: message.into(), advice: String::new() }
    }

    /// A risk, and what to do about it.
    pub fn warning(
        topic: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Finding {
        let (message, advice) = (message.into(), advice.into());
        Finding { topic, severity: Severity::Warning, message, advice }
    }

    /// A problem, and what to do about it.
    pub fn problem(
        topic: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Finding {
        Finding { severity: Severity::Problem, ..Finding::warning(topic, message, advice) }
    }
}
