//! The fast pipeline alone, against the one as printed, and with ever more people.

use crate::memory::{megabytes, memory, peak_memory_mb, reset_peak};
use crate::people::{CONFIGURATIONS, DC_MAX, label, maps, read, settings, tape, wanted};
use crate::run::{Report, in_pool, run};
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::query::Query;
use meshcloak::units::Length;
use std::sync::Arc;

/// The fast pipeline alone, the best of several runs: what to look at while changing it.
pub fn stages() {
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
                let mut scheme = MeshCloak::new(Arc::clone(&atlas), Settings::paper());
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

/// So often the pipelines take turns, for other programs may be about during one of them.
const TURNS: usize = 3;

/// Runs of so many seconds are long enough for that to even out.
const LONG: f64 = 20.0;

/// Fast against printed, one thread each; fast with two threads beside it.
pub fn compare() {
    println!(
        "\nMicroseconds per query, best of {TURNS} runs in turn (of 1, if long); 100,000 people; one thread unless \
         said otherwise"
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
        for setting in settings() {
            let tape = tape(atlas.map(), 100_000, setting);
            let [one, printed, two] = take_turns(&atlas, &tape);
            assert_eq!(one.checksum, two.checksum, "threads disagree");
            assert_eq!(one.truncated, 0);
            // In the built-in city people of P2 stand so close that Tomita spends its budget.
            match printed.truncated {
                0 => assert_eq!(one.checksum, printed.checksum, "the pipelines disagree"),
                cut => println!("{name:12} printed was cut short by its budget in {cut} batches:"),
            }
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

/// The best runs of fast, of printed, and of fast on two threads.
fn take_turns(atlas: &Arc<Atlas>, tape: &[Vec<Query>]) -> [Report; 3] {
    let fast = |threads| {
        in_pool(threads, || {
            let mut scheme = MeshCloak::new(Arc::clone(atlas), Settings::paper());
            run(&mut scheme, tape)
        })
    };
    let printed = || run(&mut Printed::new(Arc::clone(atlas), Settings::paper()), tape);
    let mut turns: [Vec<Report>; 3] = Default::default();
    while turns[0].len() < TURNS && turns[1].iter().all(|run| run.seconds < LONG) {
        for (runs, run) in turns.iter_mut().zip([fast(1), printed(), fast(2)]) {
            runs.push(run);
        }
    }
    turns.map(|runs| {
        let best = runs.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        best.expect("there is at least one run")
    })
}

/// One thread, P1-3-5 and P2-3-5, with ever more people.
pub fn scaling() {
    let (name, source) = maps().swap_remove(0);
    reset_peak();
    let atlas = Arc::new(Atlas::new(read(&source), Length::metres(DC_MAX)));
    println!("\n{name}, fast, one thread; {}", memory(&atlas));
    println!(
        "{:9} {:>9} {:>9} {:26} {:>12} {:>10} {:>10} {:>12} {:>10} {:>10} {:>8}",
        "setting",
        "people",
        "µs/query",
        "collect graph cliques mesh",
        "queries/s",
        "worst ms",
        "nodes",
        "edges",
        "truncated",
        "tape MB",
        "peak MB"
    );
    for setting in [("p1", 5, 3), ("p2", 5, 3)] {
        let crowds = [("10k", 10_000), ("100k", 100_000), ("300k", 300_000), ("1M", 1_000_000)];
        for (name, users) in crowds {
            if !wanted(&format!("{} {name}", label(setting)), &["P1-3-5 ", "P2-3-5 "]) {
                continue;
            }
            let tape = tape(atlas.map(), users, setting);
            let queries: usize = tape.iter().map(Vec::capacity).sum();
            reset_peak();
            let mut scheme = MeshCloak::new(Arc::clone(&atlas), Settings::paper());
            let report = in_pool(1, || run(&mut scheme, &tape));
            println!(
                "{:9} {users:9} {:9.3} {:26} {:12.0} {:10.1} {:10} {:12} {:10} {:10.0} {:8}",
                label(setting),
                report.micros(),
                report.stage_micros(),
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
