//! Messages between frontends: refined answers, and results of tickets.

use super::RoundKey;
use serde::{Deserialize, Serialize};

/// Refined answers of a batch for one frontend.
#[derive(Serialize, Deserialize)]
pub struct Answers {
    /// The batch.
    pub round: RoundKey,
    /// The items; the end of a request follows the answers of its members.
    pub items: Vec<AnswerItem>,
}

/// Answer of a member, or end of a request.
#[derive(Serialize, Deserialize)]
pub enum AnswerItem {
    /// Answer of a member.
    Refined(RefinedItem),
    /// End of a request, and the index of the error among the labels of service errors.
    End(u32, Option<u8>),
}

/// Answer of a member.
#[derive(Serialize, Deserialize)]
pub struct RefinedItem {
    /// Number of the query, as assigned by its frontend.
    pub number: u64,
    /// JSON of the objects, nearest first.
    #[serde(with = "super::byte_field")]
    pub objects: Vec<u8>,
    /// Number of objects beyond the limits of an answer.
    pub left_out: u32,
    /// Whether the answer of the service was complete.
    pub is_complete: bool,
}

/// Question for the result of a ticket.
#[derive(Serialize, Deserialize)]
pub struct Fetch {
    /// The frontend that asks.
    pub from: u64,
    /// Number of its own query.
    pub number: u64,
    /// Keyed hash of account and ticket.
    pub ticket: u64,
}

/// Result of a ticket.
#[derive(Serialize, Deserialize)]
pub struct Fetched {
    /// Number of the query of the frontend that asked.
    pub number: u64,
    /// Index of the outcome and body; `None` if the ticket is unknown.
    pub result: Option<(u8, Vec<u8>)>,
}
