//! One replay of recorded queries and its costs.

use bench::{ReplayState, batches};
use meshcloak::engine::Turn;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Observer, Scheme, Stage};
use std::time::Instant;

/// Number of stages of a turn.
const STAGES: usize = 5;

/// Costs of a replay.
#[derive(Default)]
pub struct Report {
    /// Seconds inside `turn`.
    pub seconds: f64,
    /// Seconds of the slowest turn.
    pub worst: f64,
    stages: [f64; STAGES],
    pub queries: usize,
    pub served: usize,
    /// Hash of id, time and set size of each served query; independent of their order.
    pub checksum: u64,
    /// Nodes of the largest constraint graph.
    pub nodes: usize,
    /// Edges of the densest constraint graph.
    pub edges: usize,
    /// Streets of all published regions, counted per served query.
    pub mesh_streets: usize,
    /// Batches in which a search exhausted its budget.
    pub truncated: usize,
}

/// Seconds spent in each stage of a turn.
struct StageClock {
    since: Instant,
    stage: usize,
    spent: [f64; STAGES],
}

impl Observer for StageClock {
    fn stage(&mut self, stage: Stage) {
        self.spent[self.stage] += self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        self.stage = stage as usize;
    }
}

/// Replays the queries and measures each turn.
pub fn replay(scheme: &mut dyn Scheme, recording: &[Vec<Query>]) -> Report {
    let mut report = Report::default();
    let mut replay = ReplayState::new(scheme);
    for (second, mut batch) in batches(recording).enumerate() {
        report.queries += batch.arrivals.len();
        replay.record(&mut batch);
        let start = Instant::now();
        let mut clock = StageClock { since: start, stage: 0, spent: [0.0; STAGES] };
        let done = replay.turn(scheme, batch, &mut clock);
        let spent = start.elapsed().as_secs_f64();
        clock.stage(Stage::Collect);
        report.seconds += spent;
        report.worst = report.worst.max(spent);
        for (sum, spent) in report.stages.iter_mut().zip(clock.spent) {
            *sum += spent;
        }
        report.add(second as u64, &done);
    }
    report
}

impl Report {
    fn add(&mut self, second: u64, done: &Turn<'_>) {
        self.served += done.served.len();
        for (query, set) in &done.served {
            let set = done.published.set(*set);
            let Region::Mesh(streets) = &set.region else {
                unreachable!("MeshCloak publishes meshes")
            };
            self.mesh_streets += streets.len();
            let hash = (query.id.0 << 20 ^ second << 8 ^ set.members.len() as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.checksum = self.checksum.wrapping_add(hash);
        }
        let stats = done.published.stats;
        self.nodes = self.nodes.max(stats.nodes);
        self.edges = self.edges.max(stats.edges);
        self.truncated += usize::from(stats.truncated);
    }

    /// Microseconds per query.
    pub fn micros(&self) -> f64 {
        self.seconds * 1e6 / self.queries as f64
    }

    /// Microseconds per query of collecting and settling, graph, cliques, and meshes.
    pub fn stage_micros(&self) -> String {
        let micros = self.stages.map(|spent| spent * 1e6 / self.queries as f64);
        let [collect, graph, cliques, mesh, settle] = micros;
        format!("{:.2}  {graph:.2}  {cliques:.2}  {mesh:.2}", collect + settle)
    }
}
