//! How many threads a command may use. The answer never depends on it.

use anyhow::{Context, Result};
use clap::Args;

/// Arguments of every command that computes in parallel.
#[derive(Debug, Args)]
pub struct Threads {
    /// Threads to compute with; as many as there are cores unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Keeps to them from now on; to be called once, before anything is computed.
    pub fn keep(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().with_context(|| format!("--threads {threads}"))
    }
}
