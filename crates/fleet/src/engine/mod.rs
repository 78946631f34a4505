//! The engine role: owns shards of cities, groups the queries of frontends, and appends to the log
//! before anything leaves.

mod claims;
mod divided;
mod first_record;
mod handover;
mod host;
mod inbox;
mod intake;
mod log_check;
mod metrics;
mod parts;
mod presence;
mod present_users;
mod reign;
mod remote;
mod replan;
mod routes;
mod takeover;
mod tick;
mod tickets;

pub use host::{Host, HostParts, RunningEngine};
pub use remote::Remote;
pub use routes::router;

use crate::plan::CityCells;
use crate::process::city_cells;
use gateway::config::Config;
use meshcloak::distance::Atlas;
use std::sync::Arc;

/// A city as an engine knows it.
pub struct EngineCity {
    /// Name.
    pub name: String,
    /// Map with prepared distances.
    pub atlas: Arc<Atlas>,
    /// Digest of the map.
    pub digest: u64,
    /// Number of shards.
    pub shards: u16,
    /// Cells that are divided among shards; `None` with one shard.
    pub cells: Option<CityCells>,
}

impl EngineCity {
    /// Prepares a city.
    pub fn new(name: &str, atlas: &Arc<Atlas>, digest: u64, config: &Config) -> EngineCity {
        let cells = city_cells(config, atlas.map());
        let shards = if cells.is_some() { config.cluster.shards } else { 1 };
        EngineCity { name: name.to_owned(), atlas: Arc::clone(atlas), digest, shards, cells }
    }
}
