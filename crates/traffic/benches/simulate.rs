//! Time and peak memory of whole simulations: `make bench`. Each runs in its own process.

use import::{MapSource, Options};
use meshcloak::map::StreetMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use traffic::{Profile, Simulation, SimulationSettings};

const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

fn main() {
    if let Ok(run) = std::env::var(CHILD) {
        return child(&run);
    }
    let oldenburg = std::env::var_os("MESHCLOAK_MAPS").is_some();
    println!("on {}", if oldenburg { "Oldenburg" } else { "the built-in city" });
    println!(
        "{:10} {:>10} {:>12} {:>9} {:>9} {:>12} {:>9}",
        "profile", "agents", "queries", "run s", "cpu s", "queries/s", "peak MB"
    );
    for run in ["p1 100000", "p2 100000", "p1 1000000", "p2 1000000", "city 20000", "city 100000"] {
        let program = std::env::current_exe().expect("the program has a path");
        let output = Command::new(program).env(CHILD, run).output().expect("the child starts");
        assert!(output.status.success(), "{run}: {}", String::from_utf8_lossy(&output.stderr));
        print!("{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn child(run: &str) {
    let (name, users) = run.split_once(' ').expect("a profile and a number");
    let users: u32 = users.parse().expect("a number of agents");
    let map = map();
    let profile = Profile::named(name).expect("a built-in profile");
    let start = Instant::now();
    let mut simulation = Simulation::new(
        &map,
        &profile,
        SimulationSettings { users, ..SimulationSettings::default() },
    );
    let mut queries = 0;
    while let Some(batch) = simulation.step() {
        queries += batch.queries.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(name == "city" || queries == users as usize * 11);
    let (rate, cpu, memory) = (queries as f64 / seconds, cpu_seconds(), peak_memory_mb());
    println!(
        "{name:10} {users:>10} {queries:>12} {seconds:>9.2} {cpu:>9.2} {rate:>12.0} {memory:>9}"
    );
}

/// CPU time of all threads of this process (Linux).
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kb.unwrap_or(0) / 1024
}

/// Oldenburg in the folder `MESHCLOAK_MAPS`, or the built-in city.
fn map() -> StreetMap {
    let source = match std::env::var_os("MESHCLOAK_MAPS") {
        Some(maps) => MapSource::File(PathBuf::from(maps).join("oldenburg/oldenburgGen.node")),
        None => MapSource::default(),
    };
    import::read_map(&source, &Options::default(), &()).expect("the map can be read").map
}
