//! What is counted: the stages of the fast engine, one after the other, each on an input that never
//! changes: some seconds of `p1` in a small built-in city, one thread, the default settings.

use crate::stages;
use import::{MapSource, Options};
use meshcloak::constraint_graph::{ConstraintGraph, Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, Rows};
use meshcloak::engine::Batch;
use meshcloak::guard::Promise;
use meshcloak::map::StreetMap;
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::units::{Length, Time};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use traffic::{Profile, Simulation};

/// At its fullest, a query has as many neighbours here as on Oldenburg with 100,000 people: four.
const CITY: &str = "city:700:1";
const PEOPLE: u32 = 10_000;
/// The seconds in which most people ask.
const SECONDS: Range<u64> = 40..65;
const DC_MAX: Length = Length::from_units(1_500 * 32);

/// Runs every stage of [`stages::ALL`] once; gives how many pairs, entries or queries each had.
pub fn run() -> [usize; stages::ALL.len()] {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread can be started").install(run_all)
}

fn run_all() -> [usize; stages::ALL.len()] {
    let source: MapSource = CITY.parse().expect("a built-in city");
    let map = import::read_map(&source, &Options::default(), &()).expect("it has streets").map;
    let tape = tape(&map);
    let queries = tape.iter().map(|batch| batch.arrivals.len()).sum();
    let atlas = Arc::new(Atlas::new(map.clone(), DC_MAX));
    assert!(matches!(atlas.rows(), Rows::Streets(_)), "a small city has rows of streets");
    let by_terminals = Atlas::within(map.clone(), DC_MAX, 0);
    let cloak = || MeshCloak::new(Arc::clone(&atlas), Settings::paper());
    let Recorder { crowds, sets, .. } = Recorder::record(cloak(), &tape);
    let graphs = graphs(&atlas, &crowds);
    let meshes = MeshBuilder::new(Arc::clone(&atlas), MeshRule::Reach);
    let mut scheme = cloak();

    // One after the other with nothing in between, for that would count.
    let matrix = stages::matrix(&map, DC_MAX);
    let rows = stages::rows(&map, &matrix);
    stages::graph(&atlas, &crowds);
    stages::graph_by_terminals(&by_terminals, &crowds);
    stages::largest_cliques(&graphs, Settings::paper().budget);
    stages::all_cliques(&graphs);
    stages::meshes(meshes, &sets);
    stages::turns(&mut scheme, tape);
    let (pairs, entries) = (matrix.pair_count(), rows.entry_count());
    [pairs, entries, queries, queries, queries, queries, queries, queries]
}

/// What people ask, second by second.
fn tape(map: &StreetMap) -> Vec<Batch> {
    let profile = Profile::named("p1").expect("built in").with_uniform_places();
    let settings =
        traffic::Settings { users: PEOPLE, k: (2, 5), temporal_tolerance: 3_000, seed: 1 };
    let mut simulation = Simulation::new(map, &profile, settings);
    let mut ids = (1..).map(QueryId);
    let mut tape = Vec::new();
    for second in 0..SECONDS.end {
        let asked = simulation.step().expect("people ask for longer than that");
        if SECONDS.contains(&second) {
            let queries = asked.queries.iter().zip(&mut ids);
            tape.push(Batch {
                now: Time::from_millis(second * 1_000),
                arrivals: queries.map(|(query, id)| query.as_query(id)).collect(),
                cancelled: Vec::new(),
            });
        }
    }
    tape
}

fn graphs(atlas: &Atlas, crowds: &[Vec<Query>]) -> Vec<ConstraintGraph> {
    let mut builder = GraphBuilder::default();
    let graphs = crowds.iter().map(|crowd| builder.build(atlas, Coverage::Own, crowd).clone());
    graphs.collect()
}

/// MeshCloak, and what its stages were given, batch by batch.
struct Recorder {
    scheme: MeshCloak,
    /// Who waited.
    crowds: Vec<Vec<Query>>,
    /// Where the members of each published set were.
    sets: Vec<Vec<MeshKey>>,
}

impl Recorder {
    fn record(scheme: MeshCloak, tape: &[Batch]) -> Recorder {
        let mut recorder = Recorder { scheme, crowds: Vec::new(), sets: Vec::new() };
        stages::all_turns(&mut recorder, tape.to_vec());
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

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &mut Published {
        let published = self.scheme.cloak(state, now, watch);
        let by_id: BTreeMap<QueryId, MeshKey> =
            state.waiting.iter().map(|query| (query.id, query.mesh_key())).collect();
        let sets = (0..published.set_count() as u32).map(|set| published.set(set));
        self.sets.extend(sets.map(|set| set.members.iter().map(|id| by_id[id]).collect()));
        self.crowds.push(state.waiting.clone());
        published
    }
}
