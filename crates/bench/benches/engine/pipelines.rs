//! The fast pipeline alone, compared with the printed one, and with growing numbers of agents.

use crate::filter::{configurations, is_selected, maps};
use crate::memory::{megabytes, memory, peak_memory_mb, reset_peak};
use crate::report::{Report, replay};
use bench::{CONFIGURATIONS, WorkloadConfiguration, in_pool};
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::query::Query;
use meshcloak::units::Length;
use std::sync::Arc;

/// Largest `dc` of the measured profiles in metres.
pub const DC_MAX: f64 = 1_500.0;

/// Simulated agents unless the table says otherwise.
pub const AGENTS: u32 = 100_000;

/// Runs of [`stages`].
const RUNS: usize = 5;

/// Alternating runs of [`compare`]; alternating evens out the load of other programs.
const ALTERNATIONS: usize = 3;

/// Runs longer than this are not repeated, in seconds.
const LONG: f64 = 20.0;

fn prepare(map: StreetMap) -> Arc<Atlas> {
    let atlas = Atlas::new(map, Length::metres(DC_MAX));
    atlas.fill();
    Arc::new(atlas)
}

fn replay_fast(atlas: &Arc<Atlas>, threads: usize, recording: &[Vec<Query>]) -> Report {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), Settings::paper());
    in_pool(threads, || replay(&mut scheme, recording))
}

fn fastest(reports: impl IntoIterator<Item = Report>) -> Report {
    let best = reports.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    best.expect("there is at least one run")
}

/// Stages of the fast pipeline on the first map.
pub fn stages() {
    let named = maps().swap_remove(0);
    let (name, atlas) = (named.name, prepare(named.read()));
    println!("\n{name}, fast, microseconds per query, best of {RUNS} runs");
    for configuration in [CONFIGURATIONS[0], CONFIGURATIONS[4]] {
        let label = configuration.label();
        if !is_selected(&label, &["P1-3-5", "P2-10-10"]) {
            continue;
        }
        let recording = configuration.record(atlas.map(), AGENTS, 1);
        for threads in [1, 2] {
            let best = fastest((0..RUNS).map(|_| replay_fast(&atlas, threads, &recording)));
            println!(
                "{label}, {threads} thread(s): {:.3}   (collect graph cliques mesh: {}), {:016x}",
                best.micros(),
                best.stage_micros(),
                best.checksum,
            );
        }
    }
}

/// Fast and printed pipeline on one thread, and fast on two.
pub fn compare() {
    println!(
        "\nMicroseconds per query, best of {ALTERNATIONS} alternating runs (of 1, if long); {AGENTS} agents; one \
         thread unless stated"
    );
    println!(
        "{:12} {:9} {:>8} {:>8} {:>6} {:>8}   {:26} {:26} {:>8} {:>8} {:>9}",
        "map",
        "setting",
        "fast",
        "printed",
        "ratio",
        "2 thr.",
        "collect graph cliques mesh",
        "printed, same stages",
        "success",
        "streets",
        "worst ms"
    );
    for named in maps() {
        reset_peak();
        let (name, atlas) = (named.name, prepare(named.read()));
        println!("{name:12} prepared: {}", memory(&atlas));
        reset_peak();
        for configuration in configurations() {
            let recording = configuration.record(atlas.map(), AGENTS, 1);
            let [one, printed, two] = alternate(&atlas, &recording);
            assert_eq!(one.checksum, two.checksum, "threads disagree");
            assert_eq!(one.truncated, 0);
            // In the dense built-in city the printed search exhausts its budget under P2.
            match printed.truncated {
                0 => assert_eq!(one.checksum, printed.checksum, "the pipelines disagree"),
                cut => println!("{name:12} printed exhausted its budget in {cut} batches:"),
            }
            println!(
                "{name:12} {:9} {:8.3} {:8.3} {:5.1}× {:8.3}   {:26} {:26} {:8.3} {:8.2} {:9.1}",
                configuration.label(),
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

/// The best runs of fast, of printed, and of fast on two threads.
fn alternate(atlas: &Arc<Atlas>, recording: &[Vec<Query>]) -> [Report; 3] {
    let fast = |threads| replay_fast(atlas, threads, recording);
    let printed = || replay(&mut Printed::new(Arc::clone(atlas), Settings::paper()), recording);
    let mut reports: [Vec<Report>; 3] = Default::default();
    while reports[0].len() < ALTERNATIONS && reports[1].iter().all(|run| run.seconds < LONG) {
        for (runs, run) in reports.iter_mut().zip([fast(1), printed(), fast(2)]) {
            runs.push(run);
        }
    }
    reports.map(fastest)
}

/// P1-3-5 and P2-3-5 on one thread with growing numbers of agents.
pub fn scaling() {
    let named = maps().swap_remove(0);
    reset_peak();
    let (name, atlas) = (named.name, prepare(named.read()));
    println!("\n{name}, fast, one thread; {}", memory(&atlas));
    println!(
        "{:9} {:>9} {:>9} {:26} {:>12} {:>10} {:>10} {:>12} {:>10} {:>10} {:>8}",
        "setting",
        "agents",
        "µs/query",
        "collect graph cliques mesh",
        "queries/s",
        "worst ms",
        "nodes",
        "edges",
        "truncated",
        "input MB",
        "peak MB"
    );
    for configuration in
        [WorkloadConfiguration::new("p1", 3, 5), WorkloadConfiguration::new("p2", 3, 5)]
    {
        let label = configuration.label();
        for (name, agents) in
            [("10k", 10_000), ("100k", 100_000), ("300k", 300_000), ("1M", 1_000_000)]
        {
            if !is_selected(&format!("{label} {name}"), &["P1-3-5 ", "P2-3-5 "]) {
                continue;
            }
            let recording = configuration.record(atlas.map(), agents, 1);
            let capacity: usize = recording.iter().map(Vec::capacity).sum();
            reset_peak();
            let report = replay_fast(&atlas, 1, &recording);
            println!(
                "{label:9} {agents:9} {:9.3} {:26} {:12.0} {:10.1} {:10} {:12} {:10} {:10.0} {:8}",
                report.micros(),
                report.stage_micros(),
                1e6 / report.micros(),
                report.worst * 1e3,
                report.nodes,
                report.edges,
                report.truncated,
                megabytes(capacity * size_of::<Query>()),
                peak_memory_mb(),
            );
        }
    }
}
