//! Messages between engines: an orderly move of a shard.

use super::{Place, QuestionItem};
use serde::{Deserialize, Serialize};

/// A step of an orderly move of a shard.
#[derive(Serialize, Deserialize)]
pub struct Handover {
    /// Name of the city.
    pub city: String,
    /// Number of the shard.
    pub shard: u16,
    /// Epoch of the present owner.
    pub epoch: u64,
    /// The step.
    pub step: HandoverStep,
}

/// Step of a move.
#[derive(Serialize, Deserialize)]
pub enum HandoverStep {
    /// The target keeps the messages of frontends from now on. Digest of the map.
    Prepare(u64),
    /// Some of the waiting queries.
    Queries(Vec<WaitingItem>),
    /// The owner leaves. Sequence of its last record.
    Leave(u64),
}

/// A waiting query.
#[derive(Serialize, Deserialize)]
pub struct WaitingItem {
    /// Keyed hash of the user.
    pub user: u64,
    /// Position of the user.
    pub place: Place,
    /// Time of the query, in city time.
    pub asked_at: u64,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Temporal tolerance in milliseconds.
    pub dt_ms: u32,
    /// Distance constraint in units of [`Length`](meshcloak::units::Length).
    pub dc: u32,
    /// Top speed in metres per second.
    pub speed: Option<f64>,
    /// Previous position: time, place, and length of the path from there.
    pub previous: Option<(u64, Place, Option<u32>)>,
    /// Questions that the query carries; the last is its own.
    pub pendings: Vec<PendingItem>,
}

/// A question that a waiting query carries.
#[derive(Serialize, Deserialize)]
pub struct PendingItem {
    /// The frontend.
    pub frontend: u64,
    /// Number assigned by the frontend.
    pub number: u64,
    /// Account of the user.
    pub account: u32,
    /// The question; `None` for a presence report.
    pub question: Option<QuestionItem>,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Time of the query, in city time.
    pub asked_at: u64,
    /// End of its temporal tolerance, in city time.
    pub deadline: u64,
}
