//! Success, region length and engine time of region `cell` by the length of cells (docs/SPEC.md §7).
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example cell [AGENTS [SEED [WORD]…]]` measures
//! Oldenburg, Paris, Porto and the built-in city; without the folder the built-in city alone. Uniform
//! places, one thread. µs are CPU time of the thread, those of stages wall time. Words: names of maps (only these), `history`, labels such as `P2-5-10`
//! (instead of P1-3-5).

use bench::{Recording, ReplayState, WorkloadConfiguration, agents_and_seed, batches, in_pool};
use meshcloak::cells::Cells;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::scheme::{Observer, Stage};
use meshcloak::units::Length;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Measured cell lengths in metres.
const LENGTHS: [f64; 7] = [600.0, 1_200.0, 2_000.0, 3_000.0, 4_500.0, 6_000.0, 8_000.0];

const CONFIGURATIONS: [WorkloadConfiguration; 3] = [
    WorkloadConfiguration::new("p1", 3, 5),
    WorkloadConfiguration::new("p2", 5, 5),
    WorkloadConfiguration::new("p2", 5, 10),
];

/// The region of every n-th served query is measured.
const SAMPLING: usize = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (agents, seed) = agents_and_seed(arguments.iter().cloned());
    let words: Vec<&str> = arguments.iter().skip(2).map(String::as_str).collect();
    let is_history = words.contains(&"history");
    let guarantee = if is_history { Guarantee::History } else { Guarantee::Reciprocal };
    let labels = CONFIGURATIONS.map(WorkloadConfiguration::label);
    let selected = |label: &String| words.contains(&label.as_str());
    let default = !labels.iter().any(selected);
    let names: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| *word != "history" && !labels.iter().any(|label| label == word))
        .collect();
    println!("{agents} agents, seed {seed}, {guarantee:?}, one thread");
    println!(
        "setting  map            region   cells  success  metres    µs  graph  group  worst ms"
    );
    let mut maps = bench::maps();
    if maps.len() > 1 {
        maps.push(bench::NamedMap::built_in());
    }
    for map in maps.iter().filter(|map| names.is_empty() || names.contains(&map.name)) {
        let streets = map.read();
        for (number, configuration) in CONFIGURATIONS.into_iter().enumerate() {
            if if default { number == 0 } else { selected(&configuration.label()) } {
                let recording = configuration.record(&streets, agents, seed);
                in_pool(1, || measure(map.name, &streets, configuration, &recording, guarantee));
            }
        }
    }
}

/// Prints one row for sets without cells, and one for each length of cells.
fn measure(
    name: &str,
    map: &StreetMap,
    configuration: WorkloadConfiguration,
    recording: &Recording,
    guarantee: Guarantee,
) {
    let dc_max = configuration.profile().largest_constraint();
    let atlas = Arc::new(Atlas::new(map.clone(), dc_max));
    let cells = LENGTHS.map(|metres| RegionRule::Cell(Length::metres(metres)));
    for region in [RegionRule::default()].into_iter().chain(cells) {
        let outcome =
            replay(&atlas, recording, Settings { guarantee, region, ..Settings::default() });
        let length = region.cell_length();
        let cells = length.map(|length| Cells::new(map, length).count());
        println!(
            "{:8} {name:13} {:>7}  {:>6}  {:5.2} %  {:6.0}  {:4.2}   {:4.2}   {:4.2}  {:8.1}",
            configuration.label(),
            length.map_or("reach".to_owned(), |length| format!("{} m", length.as_metres())),
            cells.map_or("–".to_owned(), |count| count.to_string()),
            outcome.success,
            outcome.metres,
            outcome.micros,
            outcome.graph,
            outcome.grouping,
            outcome.worst.as_secs_f64() * 1e3,
        );
    }
}

/// Result of one replay; times in µs per query.
struct Outcome {
    success: f64,
    metres: f64,
    micros: f64,
    graph: f64,
    grouping: f64,
    worst: Duration,
}

/// Sums up the time of two stages.
struct StageTimes {
    graph: Duration,
    grouping: Duration,
    current: Option<(Stage, Instant)>,
}

impl StageTimes {
    fn end(&mut self) {
        match self.current.take() {
            Some((Stage::Graph, start)) => self.graph += start.elapsed(),
            Some((Stage::Cliques, start)) => self.grouping += start.elapsed(),
            _ => {}
        }
    }
}

impl Observer for StageTimes {
    fn stage(&mut self, stage: Stage) {
        self.end();
        self.current = Some((stage, Instant::now()));
    }
}

/// CPU time that this thread has used (Linux).
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

fn replay(atlas: &Arc<Atlas>, recording: &Recording, settings: Settings) -> Outcome {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut replay = ReplayState::new(&scheme);
    let (mut served, mut expired, mut metres, mut sampled) = (0, 0, 0.0, 0);
    let (mut spent, mut worst) = (Duration::ZERO, Duration::ZERO);
    let mut times = StageTimes { graph: Duration::ZERO, grouping: Duration::ZERO, current: None };
    for mut batch in batches(recording) {
        replay.record(&mut batch);
        let start = (Instant::now(), cpu_time());
        let done = replay.turn(&mut scheme, batch, &mut times);
        worst = worst.max(start.0.elapsed());
        spent += cpu_time().saturating_sub(start.1);
        times.end();
        served += done.served.len();
        expired += done.expired.len();
        assert_eq!(done.published.stats.rejected.total(), 0, "the guard rejected a set");
        for (_, set) in done.served.iter().step_by(SAMPLING) {
            metres += done.published.set(*set).region.metres(atlas.map());
            sampled += 1;
        }
    }
    let queries = (served + expired).max(1) as f64;
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / queries;
    Outcome {
        success: 100.0 * served as f64 / queries,
        metres: metres / f64::from(sampled.max(1)),
        micros: micros(spent),
        graph: micros(times.graph),
        grouping: micros(times.grouping),
        worst,
    }
}
