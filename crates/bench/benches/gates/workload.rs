//! The counted workload: each stage of the engine on a fixed input, one thread, default settings.
//!
//! 25 seconds of profile `p1` (dt 3 s, k 2 to 5) in a small built-in city.

use crate::crowd;
use crate::meter::{Meter, TurnMeter, TurnStages};
use bench::{WorkloadConfiguration, in_pool};
use import::{MapSource, Options};
use meshcloak::cliques::LargestCliqueSearch;
use meshcloak::constraint_graph::{ConstraintGraph, Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, DistanceMatrix, Reach, Rows};
use meshcloak::engine::{Batch, RecordedPast, turn};
use meshcloak::grouping::{Demands, Grouping};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::guard::Promise;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::units::{Length, Time};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use traffic::Simulation;

/// With [`AGENTS`] a query has four neighbours on average, as on Oldenburg with 100,000 agents.
const CITY: &str = "city:700:1";
const AGENTS: u32 = 10_000;
/// The seconds with the most queries.
const SECONDS: Range<u64> = 40..65;
pub const DC_MAX: Length = Length::from_units(1_500 * 32);

const RECIPROCAL: TurnStages = TurnStages {
    grouping: "reciprocal_grouping",
    guard: "reciprocal_guard",
    rest: "reciprocal_rest",
};
const HISTORY: TurnStages =
    TurnStages { grouping: "history_grouping", guard: "history_guard", rest: "history_rest" };
const PUBLISHED: TurnStages =
    TurnStages { grouping: "published_grouping", guard: "published_guard", rest: "published_rest" };

/// Runs each stage once.
pub fn run() -> Meter {
    in_pool(1, run_all)
}

fn run_all() -> Meter {
    let source: MapSource = CITY.parse().expect("CITY names a built-in city");
    let map = import::read_map(&source, &Options::default(), &()).expect("it has streets").map;
    let batches = batches(&map, WorkloadConfiguration::new("p1", 3, 5), AGENTS, SECONDS);
    let mut meter = Meter::default();
    let atlas = Arc::new(count_preparation(&mut meter, map.clone()));
    count_stages(&mut meter, &atlas, &batches);
    let queries = batches.iter().map(|batch| batch.arrivals.len()).sum();
    let (mut paper, input) = (paper(&atlas), batches.clone());
    meter.count("turns", || replay(&mut paper, input));
    meter.divide("turns", queries, "query");
    let reciprocal = Settings::default();
    let history = Settings { guarantee: Guarantee::History, ..reciprocal };
    let published = Settings { history_clock: HistoryClock::Published, ..history };
    for (settings, stages, whole) in [
        (reciprocal, RECIPROCAL, "reciprocal_turn"),
        (history, HISTORY, "history_turn"),
        (published, PUBLISHED, "published_turn"),
    ] {
        let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
        count_turns(&mut meter, &mut scheme, stages, &batches);
        for stage in [stages.grouping, stages.guard, whole] {
            meter.divide(stage, queries, "query");
        }
    }
    crowd::count(&mut meter, &map);
    meter
}

fn paper(atlas: &Arc<Atlas>) -> MeshCloak {
    MeshCloak::new(Arc::clone(atlas), Settings::paper())
}

/// Algorithm 1, and the rows of streets within reach: all in advance, and on demand. `atlas` is what
/// precedes the first answer, `rows_on_demand` what the first batches add. Returns a filled atlas.
fn count_preparation(meter: &mut Meter, map: StreetMap) -> Atlas {
    let matrix = DistanceMatrix::new(&map, DC_MAX);
    meter.count("matrix", || matrix.fill());
    meter.divide("matrix", matrix.pair_count(), "pair");
    let streets: Vec<StreetId> = map.streets().collect();
    let copy = map.clone();
    let on_demand = meter.count("atlas", || Atlas::new(copy, DC_MAX));
    meter.divide("atlas", streets.len(), "street");
    let near = Length::from_units(DC_MAX.units() / 8);
    meter.count("rows_on_demand", || {
        let rows = rows_of_streets(&on_demand);
        for &street in &streets {
            black_box(rows.within(street, near).count());
        }
    });
    meter.divide("rows_on_demand", streets.len(), "street");
    let atlas = Atlas::new(map, DC_MAX);
    meter.count("rows_in_advance", || atlas.fill());
    meter.divide("rows_in_advance", rows_of_streets(&atlas).entry_count(), "entry");
    atlas
}

fn rows_of_streets(atlas: &Atlas) -> &Reach {
    match atlas.rows() {
        Rows::Streets(rows) => rows,
        Rows::Terminals(_) => panic!("a small city has rows of streets"),
    }
}

/// The stages of Algorithm 4, each on the inputs it has in a run under `paper`.
fn count_stages(meter: &mut Meter, atlas: &Arc<Atlas>, batches: &[Batch]) {
    let by_terminals = Atlas::with_max_bytes(atlas.map().clone(), DC_MAX, 0);
    by_terminals.fill();
    by_terminals.matrix().fill();
    let Recorder { waiting, sets, .. } = Recorder::record(paper(atlas), batches);
    let graphs = graphs(atlas, &waiting);
    let mut builder = MeshBuilder::new(Arc::clone(atlas), MeshRule::Reach);
    meter.count("graph", || build_graphs(atlas, &waiting));
    meter.count("graph_by_terminals", || build_graphs(&by_terminals, &waiting));
    meter.count("largest_cliques", || {
        let mut cliques = LargestCliqueSearch::default();
        for graph in &graphs {
            black_box(cliques.find(graph, Settings::default().budget));
        }
    });
    meter.count("all_cliques", || list_cliques(&graphs));
    meter.count("meshes", || {
        let mut streets = Vec::new();
        for set in &sets {
            streets.clear();
            builder.cloaking_mesh(set.iter().copied(), &mut streets);
            black_box(&streets);
        }
    });
    let queries = batches.iter().map(|batch| batch.arrivals.len()).sum();
    for stage in ["graph", "graph_by_terminals", "largest_cliques", "all_cliques", "meshes"] {
        meter.divide(stage, queries, "query");
    }
}

/// Builds the constraint graph of each batch (Algorithm 2).
fn build_graphs(atlas: &Atlas, waiting: &[Vec<Query>]) {
    let mut builder = GraphBuilder::default();
    for waiting in waiting {
        black_box(builder.build(atlas, Coverage::Own, waiting));
    }
}

/// Finds all maximal cliques of at least two nodes.
fn list_cliques(graphs: &[ConstraintGraph]) {
    let mut grouping = Grouping::default();
    for graph in graphs {
        let demands = Demands { k: &vec![2; graph.len()], worth: &[], roles: &[] };
        grouping.survey(graph, demands, &mut [], Settings::default().budget);
        black_box(grouping.clique_count());
    }
}

fn graphs(atlas: &Atlas, waiting: &[Vec<Query>]) -> Vec<ConstraintGraph> {
    let mut builder = GraphBuilder::default();
    let graphs = waiting.iter().map(|waiting| builder.build(atlas, Coverage::Own, waiting).clone());
    graphs.collect()
}

/// Algorithm 4 of a scheme that needs no past.
fn replay(scheme: &mut dyn Scheme, batches: Vec<Batch>) {
    let mut state = State::default();
    for batch in batches {
        black_box(turn(scheme, &mut state, batch, &mut ()));
    }
}

/// Turns of one scheme, stage by stage.
pub fn count_turns(
    meter: &mut Meter,
    scheme: &mut dyn Scheme,
    stages: TurnStages,
    batches: &[Batch],
) {
    let mut state = State::default();
    let mut past = RecordedPast::new(scheme);
    for batch in batches {
        let mut batch = batch.clone();
        past.record(&mut batch.arrivals, &mut state);
        let mut observer = TurnMeter::start(meter, stages);
        let done = black_box(turn(scheme, &mut state, batch, &mut observer));
        observer.finish();
        past.leave(&done.served);
    }
}

/// The queries of some seconds, one batch per second.
pub fn batches(
    map: &StreetMap,
    configuration: WorkloadConfiguration,
    agents: u32,
    seconds: Range<u64>,
) -> Vec<Batch> {
    let profile = configuration.profile();
    let mut simulation = Simulation::new(map, &profile, configuration.settings(agents, 1));
    let mut ids = (1..).map(QueryId);
    let mut batches = Vec::new();
    for second in 0..seconds.end {
        let simulated = simulation.step().expect("the simulation lasts longer");
        if seconds.contains(&second) {
            let queries = simulated.queries.iter().zip(&mut ids);
            batches.push(Batch {
                now: Time::from_millis(second * 1_000),
                arrivals: queries.map(|(query, id)| query.as_query(id)).collect(),
                cancelled: Vec::new(),
            });
        }
    }
    batches
}

/// Wrapper of MeshCloak that records the inputs of its stages.
struct Recorder {
    scheme: MeshCloak,
    /// Waiting queries of each batch.
    waiting: Vec<Vec<Query>>,
    /// Street and dc of the members of each published set.
    sets: Vec<Vec<MeshKey>>,
}

impl Recorder {
    fn record(scheme: MeshCloak, batches: &[Batch]) -> Recorder {
        let mut recorder = Recorder { scheme, waiting: Vec::new(), sets: Vec::new() };
        replay(&mut recorder, batches.to_vec());
        recorder
    }
}

impl Scheme for Recorder {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn describe(&self) -> Description {
        self.scheme.describe()
    }

    fn promise(&self) -> Option<Promise> {
        self.scheme.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let published = self.scheme.cloak(state, now, observer);
        let by_id: BTreeMap<QueryId, MeshKey> =
            state.waiting.iter().map(|query| (query.id, query.mesh_key())).collect();
        let sets = (0..published.set_count() as u32).map(|set| published.set(set));
        self.sets.extend(sets.map(|set| set.members.iter().map(|id| by_id[id]).collect()));
        self.waiting.push(state.waiting.clone());
        published
    }
}
