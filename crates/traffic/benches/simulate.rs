//! How fast people live: `make bench`. Seconds and peak memory of whole simulations, as one table.
//!
//! Each runs in a process of its own, so that its peak memory is its own, and counts its queries.

use import::{MapSource, Options};
use meshcloak::map::StreetMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use traffic::{Profile, Settings, Simulation};

const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

fn main() {
    if let Ok(run) = std::env::var(CHILD) {
        return child(&run);
    }
    let oldenburg = std::env::var_os("MESHCLOAK_MAPS").is_some();
    println!("on {}", if oldenburg { "Oldenburg" } else { "the built-in city" });
    println!(
        "{:10} {:>10} {:>12} {:>9} {:>9} {:>12} {:>9}",
        "profile", "people", "queries", "run s", "cpu s", "queries/s", "peak MB"
    );
    for run in ["p1 100000", "p2 100000", "p1 1000000", "p2 1000000", "city 20000", "city 100000"] {
        let program = std::env::current_exe().expect("this program has a file");
        let output = Command::new(program).env(CHILD, run).output().expect("it starts again");
        assert!(output.status.success(), "{run}: {}", String::from_utf8_lossy(&output.stderr));
        print!("{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn child(run: &str) {
    let (name, users) = run.split_once(' ').expect("a profile and a number");
    let users: u32 = users.parse().expect("a number of people");
    let map = map();
    let profile = Profile::named(name).expect("a built-in profile");
    let begun = Instant::now();
    let mut simulation = Simulation::new(&map, &profile, Settings { users, ..Settings::default() });
    let mut queries = 0;
    while let Some(batch) = simulation.step() {
        queries += batch.queries.len();
    }
    let seconds = begun.elapsed().as_secs_f64();
    assert!(name == "city" || queries == users as usize * 11);
    let (rate, cpu, memory) = (queries as f64 / seconds, cpu_seconds(), peak_memory_mb());
    println!(
        "{name:10} {users:>10} {queries:>12} {seconds:>9.2} {cpu:>9.2} {rate:>12.0} {memory:>9}"
    );
}

/// Of all threads of this process, as Linux counts them: in hundredths.
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

/// Oldenburg if real maps are there, otherwise the built-in city.
fn map() -> StreetMap {
    let source = match std::env::var_os("MESHCLOAK_MAPS") {
        Some(maps) => MapSource::File(PathBuf::from(maps).join("oldenburg/oldenburgGen.node")),
        None => MapSource::default(),
    };
    import::read_map(&source, &Options::default(), &()).expect("the map can be read").map
}
