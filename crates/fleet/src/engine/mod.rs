//! The engine role: owns shards of cities, groups the queries of frontends, and appends to the log
//! before anything leaves.

mod divided;
mod handover;
mod host;
mod inbox;
mod intake;
mod metrics;
mod parts;
mod reign;
mod remote;
mod routes;
mod tick;
mod tickets;

pub use host::{Host, HostParts, RunningEngine};
pub use remote::Remote;
pub use routes::router;

use crate::plan::Plan;
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
    /// Division into shards.
    pub plan: Plan,
}
