//! Cost of the sequential schemes on simulated traffic, compared with the batch scheme.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p baselines --example sequential_schemes [AGENTS
//! [PROFILE [DT_MILLIS [SCHEME…]]]]` measures Oldenburg with uniform places; without the folder the
//! built-in city.

use baselines::clique_cloak::{CliqueCloak, KSearch};
use baselines::i_clique_cloak::ICliqueCloak;
use baselines::sequential::Sequential;
use import::{MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::mesh_cloak::{MeshCloak, Settings as MeshCloakSettings};
use meshcloak::query::Query;
use meshcloak::scheme::{Observer, Pace, Scheme, Stage, State};
use meshcloak::units::Time;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use traffic::{Profile, Simulation, SimulationSettings};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u32>().ok());
    let agents = number(0).unwrap_or(10_000);
    let profile = Profile::named(args.get(1).map_or("p1", String::as_str));
    let profile = profile.expect("a built-in profile").with_uniform_places();
    let temporal_tolerance = number(2).unwrap_or(3_000);
    let source = match std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) {
        Some(folder) => MapSource::File(folder.join("oldenburg/oldenburgGen.node")),
        None => MapSource::default(),
    };
    let map = import::read_map(&source, &Options::default(), &()).expect("a readable map").map;
    let settings =
        SimulationSettings { users: agents, temporal_tolerance, ..SimulationSettings::default() };
    let queries: Vec<Query> =
        Simulation::new(&map, &profile, settings).record().into_iter().flatten().collect();
    let atlas = Arc::new(Atlas::new(map.clone(), profile.largest_constraint()));
    println!("{} streets, {agents} agents, {} queries", map.street_count(), queries.len());
    for mut scheme in schemes(&atlas) {
        if args.len() <= 3 || args[3..].iter().any(|name| name == scheme.name()) {
            measure(scheme.as_mut(), &queries);
        }
    }
}

fn schemes(atlas: &Arc<Atlas>) -> Vec<Box<dyn Scheme>> {
    let atlas = || Arc::clone(atlas);
    vec![
        Box::new(MeshCloak::new(atlas(), MeshCloakSettings::paper())),
        Box::new(Sequential::new(atlas())),
        Box::new(Sequential::edge_by_edge(atlas())),
        Box::new(CliqueCloak::new(atlas(), KSearch::Local)),
        Box::new(CliqueCloak::new(atlas(), KSearch::Neighbours)),
        Box::new(ICliqueCloak::new(atlas(), Default::default())),
    ]
}

/// Batches at the pace of the scheme: one per second or one per query, and empty ones at the end.
fn turns(queries: &[Query], pace: Pace) -> Vec<Batch> {
    let mut turns: Vec<Batch> = Vec::new();
    for query in queries {
        let millis = query.asked_at.as_millis();
        let now = match pace {
            Pace::Sequential => query.asked_at,
            Pace::Batch => Time::from_millis(millis.div_ceil(1_000) * 1_000),
        };
        match turns.last_mut() {
            Some(last) if pace == Pace::Batch && last.now == now => {
                last.arrivals.push(query.clone());
            }
            _ => turns.push(Batch { now, arrivals: vec![query.clone()], cancelled: Vec::new() }),
        }
    }
    let end = turns.last().map_or(0, |last| last.now.as_millis()) / 1_000;
    let rest = (end + 1..end + 12).map(|second| Time::from_millis(second * 1_000));
    turns.extend(rest.map(|now| Batch { now, ..Batch::default() }));
    turns
}

/// Time spent in each stage.
#[derive(Default)]
struct StageClock {
    since: Option<(Stage, Instant)>,
    spent: [Duration; 5],
}

impl Observer for StageClock {
    fn stage(&mut self, stage: Stage) {
        self.end();
        self.since = Some((stage, Instant::now()));
    }
}

impl StageClock {
    fn end(&mut self) {
        if let Some((stage, since)) = self.since.take() {
            self.spent[stage as usize] += since.elapsed();
        }
    }
}

fn measure(scheme: &mut dyn Scheme, queries: &[Query]) {
    let mut state = State::default();
    let (mut served, mut members, mut sets) = (0, 0, 0);
    let (mut max_waiting, mut max_cliques, mut max_steps, mut truncated) = (0, 0, 0, 0);
    let mut spent = Duration::ZERO;
    let mut stages = StageClock::default();
    let mut area = 0.0;
    for batch in turns(queries, scheme.describe().pace) {
        let start = Instant::now();
        let done = turn(scheme, &mut state, batch, &mut stages);
        spent += start.elapsed();
        stages.end();
        served += done.served.len();
        for (_, set) in &done.served {
            let anonymity_set = done.published.set(*set);
            members += anonymity_set.members.len();
            area += anonymity_set.region.area().unwrap_or(0.0) / 1e6;
        }
        sets += done.published.set_count();
        let stats = done.published.stats;
        max_waiting = max_waiting.max(stats.nodes);
        max_cliques = max_cliques.max(stats.cliques);
        max_steps = max_steps.max(stats.steps);
        truncated += usize::from(stats.truncated);
    }
    let per_query = |spent: Duration| spent.as_secs_f64() * 1e3 / queries.len() as f64;
    println!(
        "{:18} {:.5} ms a query, of it {:.5} graph, {:.5} cliques, {:.5} regions; {:.2} % served, {:.2} members, {:.3} \
         km², {sets} sets; at most {max_waiting} waiting, {max_cliques} cliques, {max_steps} \
         steps; {truncated} truncated",
        scheme.name(),
        per_query(spent),
        per_query(stages.spent[Stage::Graph as usize]),
        per_query(stages.spent[Stage::Cliques as usize]),
        per_query(stages.spent[Stage::Mesh as usize]),
        100.0 * served as f64 / queries.len() as f64,
        members as f64 / served.max(1) as f64,
        area / served.max(1) as f64,
    );
}
