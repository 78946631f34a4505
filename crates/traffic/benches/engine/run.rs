//! A run over what people ask, and what it took.

use meshcloak::engine::{Batch, turn};
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Observer, Scheme, Stage, State};
use meshcloak::units::Time;
use std::time::Instant;

#[derive(Default)]
pub struct Report {
    pub seconds: f64,
    pub worst: f64,
    stages: [f64; 5],
    pub queries: usize,
    pub served: usize,
    /// Of every served query its id, its time and the size of its set, mixed into one number.
    pub checksum: u64,
    pub nodes: usize,
    pub edges: usize,
    pub mesh_streets: usize,
    most_steps: u64,
    pub truncated: usize,
}

/// A clock for the stages of a batch.
struct Clock {
    since: Instant,
    stage: usize,
    spent: [f64; 5],
}

impl Observer for Clock {
    fn stage(&mut self, stage: Stage) {
        self.spent[self.stage] += self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        self.stage = stage as usize;
    }
}

pub fn run(scheme: &mut dyn Scheme, tape: &[Vec<Query>]) -> Report {
    let mut report = Report::default();
    let mut state = State::default();
    let mut second = 0;
    while second < tape.len() || !state.waiting.is_empty() {
        let arrivals = tape.get(second).cloned().unwrap_or_default();
        report.queries += arrivals.len();
        let now = Time::from_millis(second as u64 * 1_000);
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let begun = Instant::now();
        let mut clock = Clock { since: begun, stage: 0, spent: [0.0; 5] };
        let done = turn(scheme, &mut state, batch, &mut clock);
        let spent = begun.elapsed().as_secs_f64();
        clock.stage(Stage::Collect);
        report.seconds += spent;
        report.worst = report.worst.max(spent);
        for (sum, spent) in report.stages.iter_mut().zip(clock.spent) {
            *sum += spent;
        }
        report.served += done.served.len();
        for (query, set) in &done.served {
            let set = done.published.set(*set);
            let size = set.members.len() as u64;
            let Region::Mesh(streets) = &set.region else {
                unreachable!("MeshCloak publishes meshes")
            };
            report.mesh_streets += streets.len();
            let mixed = (query.id.0 << 20 ^ (second as u64) << 8 ^ size)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            report.checksum = report.checksum.wrapping_add(mixed);
        }
        let stats = done.published.stats;
        report.nodes = report.nodes.max(stats.nodes);
        report.edges = report.edges.max(stats.edges);
        report.most_steps = report.most_steps.max(stats.steps);
        report.truncated += usize::from(stats.truncated);
        second += 1;
    }
    report
}

impl Report {
    pub fn micros(&self) -> f64 {
        self.seconds * 1e6 / self.queries as f64
    }

    pub fn stage_micros(&self) -> String {
        let micros = self.stages.map(|spent| spent * 1e6 / self.queries as f64);
        let [collect, graph, cliques, mesh, settle] = micros;
        format!("{:.2}  {graph:.2}  {cliques:.2}  {mesh:.2}", collect + settle)
    }
}

pub fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(work)
}
