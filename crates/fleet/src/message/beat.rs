//! Signs of life.

use super::Seen;
use serde::{Deserialize, Serialize};

/// Sign of life of the owner of a shard, after every tick.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beat {
    /// Name of the city.
    pub city: String,
    /// Number of the shard.
    pub shard: u16,
    /// Number of shards of the city.
    pub shards: u16,
    /// Epoch of the owner.
    pub epoch: u64,
    /// Epoch from which the waiting queries were taken over in an orderly move; 0 if none.
    pub moved_from: u64,
    /// The owner.
    pub engine: u64,
    /// Name of the owner's machine.
    pub name: String,
    /// State of the log.
    pub seen: Seen,
    /// City time from which on the log is complete, in milliseconds; 0 if it always was.
    pub complete_since: u64,
    /// Division of the city that the owner uses from the next tick on.
    pub plan: PlanItem,
    /// Digest of the map.
    pub map: u64,
    /// Name of the guarantee.
    pub guarantee: String,
    /// City time.
    pub at: u64,
    /// Waiting queries, rounded to tens.
    pub waiting: u64,
    /// Milliseconds from the due time of the tick to its end.
    pub lag_ms: u32,
    /// Seconds for which `history` is refused.
    pub unknown_seconds: u32,
}

/// Division of a city.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    /// Revision; 0 without a division.
    pub revision: u64,
    /// Length of cells in units; 0 without a division.
    pub cell_length: u32,
    /// First cell of each shard.
    pub starts: Vec<u32>,
}

/// Sign of life of an engine process, every second.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineBeat {
    /// The engine.
    pub engine: u64,
    /// Name of its machine.
    pub name: String,
    /// Number of shards that it owns.
    pub owned: u32,
}

/// Sign of life of a frontend, every second.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FrontendBeat {
    /// The frontend.
    pub frontend: u64,
    /// Name of its machine.
    pub name: String,
    /// Address of its client API.
    pub address: String,
    /// Records that it has seen of the logs, by city.
    pub seen: Vec<(String, Seen)>,
    /// Whether it will stop and takes no more requests.
    pub is_stopping: bool,
}
