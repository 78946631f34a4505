//! Messages between engines about users who arrive in a city.

use serde::{Deserialize, Serialize};

/// Users who arrive in a city, asked to all engines before the tick groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Name of the city.
    pub city: String,
    /// Keyed hashes of the users.
    pub users: Vec<u64>,
}

/// What the shards of an engine know of claimed users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimReply {
    /// City, number and epoch of each shard that was searched.
    pub shards: Vec<(String, u16, u64)>,
    /// Users who are known there.
    pub known: Vec<(u64, Elsewhere)>,
}

/// What another city knows of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Elsewhere {
    /// A query of the user waits there. It is being withdrawn: ask again at the next tick.
    Waiting,
    /// Under `history`: the user has asked there within the horizon. Seconds left.
    Past(u32),
}
