//! Workloads shared by the engine's benchmarks, instruction gates and measurement examples.
//!
//! - `benches/engine`: times per query, stage and map (`make bench`).
//! - `benches/gates`: instruction counts against committed ones (`make gates`).
//! - `examples`: effect of guarantees, regions and departures from the paper.

mod bound;
mod configuration;
mod maps;
mod replay;

pub use bound::{BoundRecorder, is_measured};
pub use configuration::{CONFIGURATIONS, Recording, WorkloadConfiguration, report_presence};
pub use maps::{NamedMap, maps, oldenburg};
pub use replay::{ReplayState, batches, in_pool};

/// The first two arguments of an example as numbers: agents (default 100,000) and seed (default 1).
pub fn agents_and_seed(mut arguments: impl Iterator<Item = String>) -> (u32, u64) {
    let mut next = || arguments.next().and_then(|text| text.parse::<u32>().ok());
    (next().unwrap_or(100_000), next().unwrap_or(1).into())
}
