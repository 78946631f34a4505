//! Replay of recorded queries through one scheme, and its outcome.

use bench::{ReplayState, batches};
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::Query;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The region of every n-th served query is measured.
const SAMPLING: usize = 20;

/// Outcome of a replay.
#[derive(Default)]
pub struct Outcome {
    succeeded: usize,
    expired: usize,
    delay: Duration,
    spent: Duration,
    worst: Duration,
    metres: f64,
    sampled: usize,
    rejected: usize,
    truncated: usize,
}

impl Outcome {
    /// Success rate.
    pub fn success(&self) -> f64 {
        self.succeeded as f64 / (self.succeeded + self.expired).max(1) as f64
    }

    /// Success rate, truncated batches, microseconds per query, milliseconds of the slowest batch.
    pub fn as_csv(&self) -> String {
        let queries = (self.succeeded + self.expired) as f64;
        format!(
            "{:.4},{},{:.2},{:.0}",
            self.success(),
            self.truncated,
            self.spent.as_secs_f64() * 1e6 / queries,
            self.worst.as_secs_f64() * 1e3,
        )
    }

    /// Prints a row of the table of guarantees.
    pub fn print(&self, setting: &str, row: &str, paper: &Outcome) {
        let queries = (self.succeeded + self.expired) as f64;
        println!(
            "{setting:8} {row:17} {:7.2} % {:6.2} % {:5.2} s {:6.2} {:5.2}× {:8.1} {:8.0} {:6}{}",
            100.0 * self.success(),
            100.0 * self.success() / paper.success(),
            self.delay.as_secs_f64() / self.succeeded.max(1) as f64,
            self.spent.as_secs_f64() * 1e6 / queries,
            self.spent.as_secs_f64() / paper.spent.as_secs_f64(),
            self.worst.as_secs_f64() * 1e3,
            self.metres / self.sampled.max(1) as f64,
            self.rejected,
            if self.truncated > 0 {
                format!("  {} truncated", self.truncated)
            } else {
                String::new()
            }
        );
    }
}

/// Replays the queries in batches of one second.
pub fn replay(atlas: &Arc<Atlas>, recording: &[Vec<Query>], settings: Settings) -> Outcome {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut replay = ReplayState::new(&scheme);
    let mut outcome = Outcome::default();
    for mut batch in batches(recording) {
        replay.record(&mut batch);
        let (now, start) = (batch.now, Instant::now());
        let done = replay.turn(&mut scheme, batch, &mut ());
        let spent = start.elapsed();
        outcome.spent += spent;
        outcome.worst = outcome.worst.max(spent);
        outcome.succeeded += done.served.len();
        outcome.expired += done.expired.len();
        outcome.delay +=
            done.served.iter().map(|(query, _)| now - query.asked_at).sum::<Duration>();
        outcome.rejected += done.published.stats.rejected.total();
        outcome.truncated += usize::from(done.published.stats.truncated);
        for (_, set) in done.served.iter().step_by(SAMPLING) {
            outcome.metres += done.published.set(*set).region.metres(atlas.map());
            outcome.sampled += 1;
        }
    }
    outcome
}
