//! What the gateway says, as far as it matters here.

use serde::Deserialize;
use std::borrow::Cow;

/// A result or a refusal.
#[derive(Debug, Deserialize)]
pub struct Told<'a> {
    /// How it ended.
    pub outcome: &'a str,
    /// Why it was refused.
    pub reason: Option<&'a str>,
    /// What was done.
    pub receipt: Option<Receipt>,
}

/// What was done.
#[derive(Debug, Deserialize)]
pub struct Receipt {
    /// Seconds until she was hidden.
    pub delay: f64,
    /// Whether the answer is said to be exact.
    pub exact: bool,
}

/// The answer alone.
#[derive(Debug, Deserialize)]
pub struct AnswerOf<'a> {
    /// What was found.
    #[serde(borrow)]
    pub answer: Vec<FoundOf<'a>>,
}

/// Something that was found.
#[derive(Debug, Deserialize)]
pub struct FoundOf<'a> {
    /// What it is.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// How far it is said to be.
    pub metres: f64,
}
