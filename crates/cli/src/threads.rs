//! Number of threads of a command. Results do not depend on it.

use anyhow::{Context, Result};
use clap::Args;

/// Argument of all commands that compute in parallel.
#[derive(Debug, Args)]
pub struct Threads {
    /// Number of threads, 1 to 1024 [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Sets the size of the global thread pool. Call once, before any parallel work.
    pub fn apply(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().context("cannot start the threads of the pool")
    }

    /// Runs `work` inside a pool of its own: parallel sections then start without a thread switch.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R> {
        // Rayon takes 0 for one thread per core.
        let threads = self.threads.unwrap_or(0).into();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(pool.context("cannot start the threads of the pool")?.install(work))
    }
}
