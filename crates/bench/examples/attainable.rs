//! Upper bound on the success rate of any grouping under `reciprocal` and `history`, next to the
//! achieved rates.
//!
//! For the bound no query is ever served, so each batch holds every query that has not expired. A
//! query that is in no clique meeting its k (under `history`: counting only members that the user
//! can have reached) would be in none if others had been served. The bound is not tight: cliques
//! may overlap, groups may not. `HistoryUntilPublication` bounds a weaker promise, in which the
//! adversary allows travel until the batch: `v · (T − t_prev)`.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example attainable [AGENTS [SEED]]`
//! measures the queries of ten seconds on Oldenburg; without the folder in the built-in city.

use bench::{ReplayState, WorkloadConfiguration, agents_and_seed, batches, oldenburg};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::grouping::{CountingRule, Grouping};
use meshcloak::guarantee::{DEFAULT_HORIZON, Guarantee};
use meshcloak::history::Horizon;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::Query;
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::units::Time;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Promise whose success rate is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundedPromise {
    Reciprocal,
    HistoryUntilQuery,
    HistoryUntilPublication,
}

/// Scheme that publishes nothing and records which queries could have been served.
struct BoundRecorder {
    atlas: Arc<Atlas>,
    promise: BoundedPromise,
    graph: GraphBuilder,
    grouping: Grouping,
    attainable: BTreeSet<u64>,
    truncated: usize,
    published: Published,
    paper: MeshCloak,
}

/// Measured seconds: all agents are present and most have an earlier query.
const WINDOW: Range<u64> = 40..50;

fn is_measured(query: &Query) -> bool {
    WINDOW.contains(&(query.asked_at.as_millis() / 1000))
}

impl BoundRecorder {
    fn new(atlas: &Arc<Atlas>, promise: BoundedPromise) -> BoundRecorder {
        BoundRecorder {
            atlas: Arc::clone(atlas),
            promise,
            graph: GraphBuilder::default(),
            grouping: Grouping::default(),
            attainable: BTreeSet::new(),
            truncated: 0,
            published: Published::default(),
            paper: MeshCloak::new(Arc::clone(atlas), Settings::paper()),
        }
    }
}

impl Scheme for BoundRecorder {
    fn name(&self) -> &'static str {
        "bound"
    }

    fn describe(&self) -> Description {
        self.paper.describe()
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(DEFAULT_HORIZON.into())
    }

    fn cloak(&mut self, state: &State, now: Time, _: &mut dyn Observer) -> &mut Published {
        if now.as_millis() < WINDOW.start * 1000 {
            return &mut self.published;
        }
        let BoundRecorder { atlas, graph, grouping, promise, .. } = self;
        graph.build(atlas, Coverage::Own, &state.waiting);
        let query = |node: u32| &state.waiting[graph.waiting_indices()[node as usize] as usize];
        let k: Vec<u32> = (0..state.waiting.len() as u32).map(|node| query(node).k).collect();
        let mark_reachable = |node: u32, neighbours: &[u32], counts: &mut [bool]| {
            let Some(before) = state.history.previous(query(node).id) else { return true };
            let until = match promise {
                BoundedPromise::HistoryUntilPublication => now,
                _ => query(node).asked_at,
            };
            let range = query(node).speed.unwrap_or_default() * (until - before.at);
            let is_reachable = |to: &Query| {
                let length = atlas.distance(before.position, to.position);
                // Distances beyond the atlas count as reachable, so the result stays a bound.
                length.map_or(range > MAX_DC_MAX, |length| length <= range)
            };
            for (counts, &other) in counts.iter_mut().zip(neighbours) {
                *counts = is_reachable(query(other));
            }
            is_reachable(query(node))
        };
        let mut past: Vec<CountingRule<'_>> = vec![Box::new(mark_reachable)];
        past.truncate(usize::from(*promise != BoundedPromise::Reciprocal));
        grouping.survey(graph.graph(), &k, &mut past, 100_000);
        self.truncated += usize::from(grouping.truncated() || graph.truncated());
        let nodes = 0..state.waiting.len() as u32;
        let attainable = nodes.filter(|&node| grouping.could_be_grouped(node)).map(query);
        self.attainable.extend(attainable.filter(|q| is_measured(q)).map(|q| q.id.0));
        &mut self.published
    }
}

fn main() {
    let (agents, seed) = agents_and_seed(std::env::args().skip(1));
    // A waiting user can have travelled farther than `dc`.
    let atlas = Arc::new(Atlas::new(oldenburg(), MAX_DC_MAX));
    println!("setting  promise                 served or bound, and share of paper");
    for (profile, dt, max_k) in [("p1", 3, 5), ("p1", 3, 10), ("p2", 5, 5), ("p2", 5, 10)] {
        let configuration = WorkloadConfiguration::new(profile, dt, max_k);
        let recording = configuration.record(atlas.map(), agents, seed);
        measure(&atlas, &configuration.label(), &recording);
    }
}

fn measure(atlas: &Arc<Atlas>, name: &str, recording: &[Vec<Query>]) {
    let all = recording.iter().flatten().filter(|query| is_measured(query)).count() as f64;
    let mut paper = 0.0;
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let settings = Settings { guarantee, ..Settings::default() };
        let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
        let served = replay(&mut scheme, recording) as f64 / all;
        if guarantee == Guarantee::Paper {
            paper = served;
        }
        let row = format!("{guarantee:?} serves");
        println!("{name:8} {row:22} {:6.2} %  {:6.2} %", 100.0 * served, 100.0 * served / paper);
    }
    for promise in [
        BoundedPromise::Reciprocal,
        BoundedPromise::HistoryUntilQuery,
        BoundedPromise::HistoryUntilPublication,
    ] {
        let mut recorder = BoundRecorder::new(atlas, promise);
        replay(&mut recorder, recording);
        let bound = recorder.attainable.len() as f64 / all;
        println!(
            "{name:8} {:22} {:6.2} %  {:6.2} %  {} truncated",
            format!("{promise:?}"),
            100.0 * bound,
            100.0 * bound / paper,
            recorder.truncated,
        );
    }
}

/// Number of measured queries that are served.
fn replay(scheme: &mut dyn Scheme, recording: &[Vec<Query>]) -> usize {
    let mut replay = ReplayState::new(scheme);
    let mut served = 0;
    for mut batch in batches(&recording[..recording.len().min(WINDOW.end as usize + 12)]) {
        replay.record(&mut batch);
        let done = replay.turn(scheme, batch, &mut ());
        served += done.served.iter().filter(|(query, _)| is_measured(query)).count();
    }
    served
}
