//! `meshcloak neighbours`: measures systems that hide users by other means than cloaking.

mod cache;
mod cachecloak;
mod journey_args;
mod mobimix;
mod nwa;
mod output_args;
mod pir;
mod pir_users;
mod render;
mod trip_args;

use crate::progress::Console;
use anyhow::Result;
use clap::Subcommand;

/// Systems to measure.
#[derive(Debug, Subcommand)]
pub enum NeighboursCommand {
    /// Mix-zones at junctions: users leave them with a new pseudonym (MobiMix, 2011).
    Mobimix(mobimix::Mobimix),
    /// Published trajectories, each within delta of k - 1 others (Never Walk Alone, 2008).
    Nwa(nwa::Nwa),
    /// A trusted server that asks about predicted paths which join others' paths (CacheCloak, 2009).
    #[command(name = "cachecloak")]
    CacheCloak(cachecloak::CacheCloak),
    /// Regions that are fetched in advance and asked on the device (Caché, 2011).
    Cache(cache::Cache),
    /// No trust at all: download the city, private information retrieval, and MeshCloak beside them.
    Pir(pir::Pir),
}

/// Examples of the help text.
pub const EXAMPLES: &str = "Examples:
  meshcloak neighbours mobimix --users 10000 --draw zone.png
  meshcloak neighbours nwa --users 10000 --k 5 --delta 200
  meshcloak neighbours cachecloak --users 10000
  meshcloak neighbours cache --users 10000 --radius 1000,3000
  meshcloak neighbours pir --cells 1000,10000 --cell-bytes 1000,20000";

/// Runs a subcommand.
pub fn run(command: &NeighboursCommand, console: &Console) -> Result<()> {
    match command {
        NeighboursCommand::Mobimix(mobimix) => mobimix.run(console),
        NeighboursCommand::Nwa(nwa) => nwa.run(console),
        NeighboursCommand::CacheCloak(cachecloak) => cachecloak.run(console),
        NeighboursCommand::Cache(cache) => cache.run(console),
        NeighboursCommand::Pir(pir) => pir.run(console),
    }
}
