//! Arguments shared by all commands that simulate traffic or derive queries from traces.

use crate::parse::{k_range, millis};
use anyhow::Result;
use clap::Args;
use std::path::Path;
use traffic::{Profile, SimulationSettings};

/// How agents move and what they ask.
#[derive(Debug, Args)]
pub struct TrafficArgs {
    /// Movement and query intervals: p1, p2, city, or a TOML file.
    #[arg(long, value_name = "PROFILE", default_value = "p1")]
    pub profile: String,
    /// Range of k from 2; drawn uniformly for each query unless a trace states it.
    #[arg(long, value_name = "MIN-MAX", default_value = "2-5", value_parser = k_range)]
    pub k: (u32, u32),
    /// Temporal tolerance of every query, in seconds; 0: a single batch.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = millis)]
    pub dt: u32,
    /// Random seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

impl TrafficArgs {
    /// Returns the settings of a simulation of `users` agents.
    pub fn settings(&self, users: u32) -> SimulationSettings {
        SimulationSettings { users, k: self.k, temporal_tolerance: self.dt, seed: self.seed }
    }

    /// Returns the configuration as the paper names it: `P1-3-5` is profile, dt, largest k.
    pub fn configuration(&self, profile: &str) -> String {
        let name = Path::new(profile).file_stem().unwrap_or_default().to_string_lossy();
        format!("{}-{}-{}", name.to_uppercase(), f64::from(self.dt) / 1000.0, self.k.1)
    }

    /// Reads the profile.
    pub fn profile(&self) -> Result<Profile> {
        profile(&self.profile)
    }
}

/// Returns the built-in profile of that name, or reads it from a file.
pub fn profile(name: &str) -> Result<Profile> {
    Ok(Profile::load(name)?)
}
