//! One tape through one scheme, and what came of it.

use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::history::LastPositions;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme as _, State};
use meshcloak::units::Time;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The length of what is shown is looked at for one of so many who are served.
const EVERY: usize = 20;

/// What came of a tape.
#[derive(Default)]
pub struct Outcome {
    succeeded: usize,
    expired: usize,
    delay: Duration,
    spent: Duration,
    worst: Duration,
    metres: f64,
    looked_at: usize,
    suppressed: usize,
    truncated: usize,
}

impl Outcome {
    /// Of those who asked.
    pub fn success(&self) -> f64 {
        self.succeeded as f64 / (self.succeeded + self.expired).max(1) as f64
    }

    /// Success, truncated batches, microseconds of a query, milliseconds of the longest batch.
    pub fn as_csv(&self) -> String {
        let asked = (self.succeeded + self.expired) as f64;
        format!(
            "{:.4},{},{:.2},{:.0}",
            self.success(),
            self.truncated,
            self.spent.as_secs_f64() * 1e6 / asked,
            self.worst.as_secs_f64() * 1e3,
        )
    }

    /// As a row of the table of guarantees.
    pub fn print(&self, setting: &str, what: &str, paper: &Outcome) {
        let asked = (self.succeeded + self.expired) as f64;
        println!(
            "{setting:8} {what:16} {:7.2} % {:6.2} % {:5.2} s {:6.2} {:5.2}× {:8.1} {:8.0} {:6}{}",
            100.0 * self.success(),
            100.0 * self.success() / paper.success(),
            self.delay.as_secs_f64() / self.succeeded.max(1) as f64,
            self.spent.as_secs_f64() * 1e6 / asked,
            self.spent.as_secs_f64() / paper.spent.as_secs_f64(),
            self.worst.as_secs_f64() * 1e3,
            self.metres / self.looked_at.max(1) as f64,
            self.suppressed,
            if self.truncated > 0 {
                format!("  {} truncated", self.truncated)
            } else {
                String::new()
            }
        );
    }
}

/// Runs batches of one second until nobody waits.
pub fn run(atlas: &Arc<Atlas>, tape: &[Vec<Query>], settings: Settings) -> Outcome {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut state = State::default();
    let mut positions = scheme.history_horizon().map(LastPositions::new);
    let mut outcome = Outcome::default();
    for second in 0..tape.len() + 12 {
        let now = Time::from_millis(second as u64 * 1000);
        let arrivals = tape.get(second).cloned().unwrap_or_default();
        let begun = Instant::now();
        if let Some(positions) = &mut positions {
            positions.record_all(&arrivals, &mut state.history);
        }
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        let spent = begun.elapsed();
        outcome.spent += spent;
        outcome.worst = outcome.worst.max(spent);
        outcome.succeeded += done.served.len();
        outcome.expired += done.expired.len();
        outcome.delay +=
            done.served.iter().map(|(query, _)| now - query.asked_at).sum::<Duration>();
        outcome.suppressed += done.published.stats.rejected.total();
        outcome.truncated += usize::from(done.published.stats.truncated);
        for (_, set) in done.served.iter().step_by(EVERY) {
            outcome.metres += done.published.set(*set).region.metres(atlas.map());
            outcome.looked_at += 1;
        }
    }
    outcome
}
