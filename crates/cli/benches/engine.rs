//! How fast people are cloaked: `make bench`. The fast pipeline against the one as printed, in one
//! run, on the same people; then scaling with people, the distance matrix, and maximal cliques.
//!
//! `us_per_query` is time inside `turn` over accepted queries (SPEC §11). Each pair of runs must
//! serve the same people with sets of the same size, or nothing is printed.

use import::{MapSource, Options};
use meshcloak::cliques::maximal_cliques;
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, DistanceMatrix, Rows};
use meshcloak::engine::{Batch, turn};
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Scheme, Stage, State, Watch};
use meshcloak::units::{Length, Time};
use petgraph::algo::maximal_cliques as petgraph_cliques;
use petgraph::graph::UnGraph;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use traffic::{Profile, Simulation};

const DC_MAX: f64 = 1_500.0;

/// What `MESHCLOAK_BENCH` names, as in `MESHCLOAK_BENCH="pipelines Oldenburg"`; all if it names no
/// such thing.
fn wanted(name: &str, all: &[&str]) -> bool {
    let only = std::env::var("MESHCLOAK_BENCH").unwrap_or_default();
    only.contains(name) || !all.iter().any(|other| only.contains(other))
}

fn main() {
    let wanted = |name| wanted(name, &["stages", "pipelines", "scaling", "matrix", "cliques"]);
    if wanted("stages") {
        stages();
    }
    if wanted("pipelines") {
        pipelines();
    }
    if wanted("scaling") {
        scaling();
    }
    if wanted("matrix") {
        matrix();
    }
    if wanted("cliques") {
        cliques();
    }
}

fn maps() -> Vec<(&'static str, MapSource)> {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        println!("(MESHCLOAK_MAPS is not set: the built-in city stands for real ones)");
        return vec![("built-in city", MapSource::default())];
    };
    [
        ("Oldenburg", "oldenburg/oldenburgGen.node"),
        ("Paris", "paris/paris.nodes.csv.gz"),
        ("Porto", "porto/porto-city.osm.pbf"),
    ]
    .into_iter()
    .filter(|(name, _)| wanted(name, &["Oldenburg", "Paris", "Porto"]))
    .map(|(name, path)| (name, MapSource::File(maps.join(path))))
    .collect()
}

fn read(source: &MapSource) -> StreetMap {
    import::read_map(source, &Options::default(), &()).expect("the map can be read").map
}

/// Profile, largest k and patience in seconds, as the paper names its configurations.
const CONFIGURATIONS: [(&str, u32, u32); 5] =
    [("p1", 5, 3), ("p1", 5, 5), ("p1", 10, 3), ("p2", 5, 3), ("p2", 10, 10)];

fn label((profile, k, dt): (&str, u32, u32)) -> String {
    format!("{}-{dt}-{k}", profile.to_uppercase())
}

/// What people ask, second by second; the uniform places of the paper.
fn tape(map: &StreetMap, users: u32, (profile, k, dt): (&str, u32, u32)) -> Vec<Vec<Query>> {
    let profile = Profile::named(profile).expect("built in").with_uniform_places();
    let settings = traffic::Settings { users, k: (2, k), temporal_tolerance: dt * 1_000, seed: 1 };
    Simulation::new(map, &profile, settings).tape()
}

#[derive(Default)]
struct Report {
    seconds: f64,
    worst: f64,
    stages: [f64; 5],
    queries: usize,
    served: usize,
    /// Of every served query its id, its time and the size of its set, mixed into one number.
    checksum: u64,
    nodes: usize,
    edges: usize,
    mesh_streets: usize,
    most_steps: u64,
    truncated: usize,
}

/// A clock for the stages of a batch.
struct Clock {
    since: Instant,
    stage: usize,
    spent: [f64; 5],
}

impl Watch for Clock {
    fn stage(&mut self, stage: Stage) {
        self.spent[self.stage] += self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        self.stage = stage as usize;
    }
}

fn run(scheme: &mut dyn Scheme, tape: &[Vec<Query>]) -> Report {
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
    fn micros(&self) -> f64 {
        self.seconds * 1e6 / self.queries as f64
    }

    fn stage_micros(&self) -> String {
        let micros = self.stages.map(|spent| spent * 1e6 / self.queries as f64);
        let [collect, graph, cliques, mesh, settle] = micros;
        format!("{:.2}  {graph:.2}  {cliques:.2}  {mesh:.2}", collect + settle)
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(work)
}

/// What a prepared map takes, and how much the process held at most meanwhile.
fn memory(atlas: &Atlas) -> String {
    let (kind, rows) = match atlas.rows() {
        Rows::Streets(rows) => ("streets", rows.bytes()),
        Rows::Terminals(rows) => ("terminals", rows.bytes()),
    };
    let (matrix, rows) = (megabytes(atlas.matrix().bytes()), megabytes(rows));
    let peak = peak_memory_mb();
    format!("matrix {matrix:.1} MB, rows of {kind} {rows:.1} MB, peak {peak} MB")
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The most this process has held since `reset_peak`.
fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// Lets the peak begin anew at what is held now, where the system can (Linux).
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The fast pipeline alone, the best of several runs: what to look at while changing it.
fn stages() {
    let (name, source) = maps().swap_remove(0);
    let atlas = Arc::new(Atlas::new(read(&source), Length::metres(DC_MAX)));
    println!("\n{name}, fast, microseconds per query, best of {RUNS} runs");
    for setting in [CONFIGURATIONS[0], CONFIGURATIONS[4]] {
        if !wanted(&label(setting), &["P1-3-5", "P2-10-10"]) {
            continue;
        }
        let tape = tape(atlas.map(), 100_000, setting);
        for threads in [1, 2] {
            let runs = (0..RUNS).map(|_| {
                let mut scheme = MeshCloak::new(Arc::clone(&atlas), Settings::default());
                in_pool(threads, || run(&mut scheme, &tape))
            });
            let best = runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("some runs");
            println!(
                "{}, {threads} thread(s): {:.3}   (collect graph cliques mesh: {}), {:016x}",
                label(setting),
                best.micros(),
                best.stage_micros(),
                best.checksum,
            );
        }
    }
}

const RUNS: usize = 5;

/// Fast against printed, one thread each; fast with two threads beside it.
fn pipelines() {
    println!("\nMicroseconds per query; 100,000 people; one thread unless said otherwise");
    println!(
        "{:12} {:9} {:>8} {:>8} {:>6} {:>8}   {:26} {:26} {:>8} {:>8} {:>9}",
        "map",
        "setting",
        "fast",
        "printed",
        "ratio",
        "2 thr.",
        "collect graph cliques mesh",
        "the same of printed",
        "success",
        "streets",
        "worst ms"
    );
    for (name, source) in maps() {
        reset_peak();
        let map = read(&source);
        let atlas = Arc::new(Atlas::new(map, Length::metres(DC_MAX)));
        println!("{name:12} prepared: {}", memory(&atlas));
        reset_peak();
        for setting in CONFIGURATIONS {
            if !wanted(&label(setting), &CONFIGURATIONS.map(label).each_ref().map(String::as_str)) {
                continue;
            }
            let tape = tape(atlas.map(), 100_000, setting);
            let fast = |threads| {
                let atlas = Arc::clone(&atlas);
                let tape = &tape;
                in_pool(threads, move || {
                    let mut scheme = MeshCloak::new(atlas, Settings::default());
                    run(&mut scheme, tape)
                })
            };
            let (one, two) = (fast(1), fast(2));
            let mut scheme = Printed::new(Arc::clone(&atlas), Settings::default());
            let printed = run(&mut scheme, &tape);
            assert_eq!(one.checksum, printed.checksum, "the pipelines disagree");
            assert_eq!(one.checksum, two.checksum, "threads disagree");
            assert_eq!(one.truncated, 0);
            println!(
                "{name:12} {:9} {:8.3} {:8.3} {:5.1}× {:8.3}   {:26} {:26} {:8.3} {:8.2} {:9.1}",
                label(setting),
                one.micros(),
                printed.micros(),
                printed.micros() / one.micros(),
                two.micros(),
                one.stage_micros(),
                printed.stage_micros(),
                one.served as f64 / one.queries as f64,
                one.mesh_streets as f64 / one.served as f64,
                one.worst * 1e3,
            );
        }
        println!("{name:12} peak of these runs: {} MB", peak_memory_mb());
    }
}

/// One thread, P1-3-5 and P2-3-5, with ever more people.
fn scaling() {
    let (name, source) = maps().swap_remove(0);
    reset_peak();
    let atlas = Arc::new(Atlas::new(read(&source), Length::metres(DC_MAX)));
    println!("\n{name}, fast, one thread; {}", memory(&atlas));
    println!(
        "{:9} {:>9} {:>9} {:>12} {:>10} {:>10} {:>12} {:>10} {:>10} {:>8}",
        "setting",
        "people",
        "µs/query",
        "queries/s",
        "worst ms",
        "nodes",
        "edges",
        "truncated",
        "tape MB",
        "peak MB"
    );
    for setting in [("p1", 5, 3), ("p2", 5, 3)] {
        for users in [10_000, 100_000, 300_000, 1_000_000] {
            let tape = tape(atlas.map(), users, setting);
            let queries: usize = tape.iter().map(Vec::capacity).sum();
            reset_peak();
            let mut scheme = MeshCloak::new(Arc::clone(&atlas), Settings::default());
            let report = in_pool(1, || run(&mut scheme, &tape));
            println!(
                "{:9} {users:9} {:9.3} {:12.0} {:10.1} {:10} {:12} {:10} {:10.0} {:8}",
                label(setting),
                report.micros(),
                1e6 / report.micros(),
                report.worst * 1e3,
                report.nodes,
                report.edges,
                report.truncated,
                megabytes(queries * size_of::<Query>()),
                peak_memory_mb(),
            );
        }
    }
}

/// M(dc_max), one thread: Algorithm 1.
fn matrix() {
    println!("\nDistance matrix, one thread");
    for (name, source) in maps() {
        let map = read(&source);
        for metres in [1_000.0, 2_000.0] {
            let (mut best, mut pairs) = (f64::MAX, 0);
            for _ in 0..5 {
                let begun = Instant::now();
                pairs =
                    in_pool(1, || DistanceMatrix::new(&map, Length::metres(metres))).pair_count();
                best = best.min(begun.elapsed().as_secs_f64());
            }
            println!("{name:12} M({metres} m): {:8.1} ms, {pairs} pairs", best * 1e3);
        }
    }
}

/// All maximal cliques of the largest constraint graph of P2-10-10, against petgraph.
fn cliques() {
    let (name, source) = maps().swap_remove(0);
    let atlas = Arc::new(Atlas::new(read(&source), Length::metres(DC_MAX)));
    println!("\nAll maximal cliques, one thread, {name}");
    for setting in [("p1", 5, 3), ("p2", 10, 10)] {
        let tape = tape(atlas.map(), 100_000, setting);
        let waiting: Vec<Query> = tape.iter().skip(50).take(2).flatten().cloned().collect();
        let mut builder = GraphBuilder::default();
        let graph = builder.build(&atlas, Coverage::Own, &waiting).clone();
        let begun = Instant::now();
        let mut ours = 0;
        maximal_cliques(&graph, |_| ours += 1);
        let spent = begun.elapsed().as_secs_f64();
        let mut other = UnGraph::<(), ()>::new_undirected();
        let nodes: Vec<_> = (0..graph.len()).map(|_| other.add_node(())).collect();
        for node in 0..graph.len() as u32 {
            for &later in graph.later(node) {
                other.add_edge(nodes[node as usize], nodes[later as usize], ());
            }
        }
        let begun = Instant::now();
        let theirs = petgraph_cliques(&other).len();
        let petgraph = begun.elapsed().as_secs_f64();
        assert_eq!(ours, theirs);
        println!(
            "{}: {} nodes, {} edges, {ours} cliques: {:.1} ms, petgraph {:.1} ms, {:.0}×",
            label(setting),
            graph.len(),
            graph.edge_count(),
            spent * 1e3,
            petgraph * 1e3,
            petgraph / spent
        );
    }
}
