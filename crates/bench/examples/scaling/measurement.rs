//! Replay of recorded queries under one guarantee.

use crate::clock::{Clock, STAGES};
use bench::{ReplayState, batches};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::Query;
use meshcloak::region::Region;
use std::sync::Arc;

/// Costs and outcomes of a replay.
#[derive(Default)]
pub struct Measurement {
    /// Seconds in turns.
    pub seconds: f64,
    stages: [f64; STAGES.len()],
    worst: f64,
    queries: usize,
    served: usize,
    expired: usize,
    replaced: usize,
    /// Members of the sets of all served queries.
    members: usize,
    largest_set: usize,
    batches: usize,
    truncated: usize,
    rejected: usize,
    edges: usize,
    checksum: u64,
}

impl Measurement {
    /// Head of [`Measurement::row`].
    pub const HEADER: &str =
        "worst ms  success  truncated  mean set  largest  most edges  rejected  checksum";

    /// Returns the microseconds for each query.
    pub fn micros(&self) -> f64 {
        self.seconds * 1e6 / self.queries as f64
    }

    /// Returns the columns after the time for each query.
    pub fn row(&self) -> String {
        let ended = (self.served + self.expired + self.replaced).max(1);
        format!(
            "{:8.1} {:6.2} %  {:4}/{:4} {:9.1} {:8} {:11} {:9}  {:016x}",
            self.worst * 1e3,
            100.0 * self.served as f64 / ended as f64,
            self.truncated,
            self.batches,
            self.members as f64 / self.served.max(1) as f64,
            self.largest_set,
            self.edges,
            self.rejected,
            self.checksum
        )
    }

    /// Returns the microseconds of each stage for each query.
    pub fn stages(&self) -> String {
        let micros = self.stages.map(|spent| spent * 1e6 / self.queries as f64);
        let stages = STAGES.iter().zip(micros).map(|(name, micros)| format!("{name} {micros:.3}"));
        stages.collect::<Vec<_>>().join(", ")
    }

    /// Adds a number to the checksum.
    fn hash(&mut self, number: u64) {
        self.checksum =
            (self.checksum ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }
}

/// How a recording is replayed.
#[derive(Clone, Copy)]
pub struct Replay<'a> {
    pub recording: &'a [Vec<Query>],
    /// Whether other memory is read between two turns, as much as evicts the caches.
    pub is_cold: bool,
}

/// Replays the queries in batches of one second.
pub fn measure(atlas: &Arc<Atlas>, replay: Replay<'_>, settings: Settings) -> Measurement {
    let Replay { recording, is_cold } = replay;
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut replay = ReplayState::new(&scheme);
    let mut all = Measurement::default();
    let mut other = vec![1_u8; if is_cold { OTHER_BYTES } else { 0 }];
    for (second, mut batch) in batches(recording).take(recording.len()).enumerate() {
        all.queries += batch.arrivals.len();
        replay.record(&mut batch);
        other.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
        let mut clock = Clock::start();
        let done = replay.turn(&mut scheme, batch, &mut clock);
        let spent = clock.stop();
        all.stages.iter_mut().zip(clock.spent).for_each(|(sum, spent)| *sum += spent);
        all.seconds += spent;
        all.worst = all.worst.max(spent);
        all.batches += 1;
        all.served += done.served.len();
        all.expired += done.expired.len();
        all.replaced += done.replaced.len();
        let stats = done.published.stats;
        all.edges = all.edges.max(stats.edges);
        all.truncated += usize::from(stats.truncated);
        all.rejected += stats.rejected.total();
        for (query, set) in &done.served {
            let members = done.published.set(*set).members;
            all.members += members.len();
            all.largest_set = all.largest_set.max(members.len());
            all.hash(query.id.0 << 12 ^ second as u64);
        }
        for set in 0..done.published.set_count() as u32 {
            let set = done.published.set(set);
            set.members.iter().for_each(|id| all.hash(id.0));
            if let Region::Mesh(streets) = set.region {
                streets.iter().for_each(|street| all.hash(street.index() as u64));
            }
        }
    }
    all
}

/// Bytes that are read between two turns, more than a processor's share of the last cache.
const OTHER_BYTES: usize = 64 << 20;

/// Describes the later neighbours of the queries of one second, without earlier ones that wait.
pub fn degrees(atlas: &Atlas, recording: &[Vec<Query>]) -> String {
    let Some(waiting) = recording.iter().max_by_key(|queries| queries.len()) else {
        return String::new();
    };
    let mut builder = GraphBuilder::default();
    let graph = builder.build(atlas, Coverage::Own, waiting);
    let mut later: Vec<usize> = (0..graph.len() as u32).map(|n| graph.later(n).len()).collect();
    let mut all = later.clone();
    for node in 0..graph.len() as u32 {
        graph.later(node).iter().for_each(|&other| all[other as usize] += 1);
    }
    later.sort_unstable();
    all.sort_unstable();
    let at = |list: &[usize], share: f64| list[(list.len() as f64 * share) as usize % list.len()];
    let shares = [0.5, 0.9, 0.99, 0.9999];
    let [later, all] = [later, all].map(|list| shares.map(|share| at(&list, share)));
    format!("{} nodes; later {later:?}, all {all:?} (shares {shares:?})", graph.len())
}
