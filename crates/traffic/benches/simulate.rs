//! How fast people live: `make bench`. Seconds and peak memory of whole simulations, as one table.
//!
//! Each runs in a process of its own, so that its peak memory is its own, and counts its queries.

use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetMap};
use meshcloak::units::Point;
use std::process::Command;
use std::time::Instant;
use traffic::{Profile, Settings, Simulation};

const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

fn main() {
    if let Ok(run) = std::env::var(CHILD) {
        return child(&run);
    }
    println!(
        "{:10} {:>10} {:>12} {:>9} {:>9} {:>12} {:>9}",
        "profile", "people", "queries", "ready s", "run s", "queries/s", "peak MB"
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
    let ready = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut queries = 0;
    while let Some(batch) = simulation.step() {
        queries += batch.queries.len();
    }
    let seconds = begun.elapsed().as_secs_f64();
    assert!(name == "city" || queries == users as usize * 11);
    let (rate, memory) = (queries as f64 / seconds, peak_memory_mb());
    println!(
        "{name:10} {users:>10} {queries:>12} {ready:>9.2} {seconds:>9.2} {rate:>12.0} {memory:>9}"
    );
}

fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kb.unwrap_or(0) / 1024
}

fn map() -> StreetMap {
    let maps = std::env::var("MESHCLOAK_MAPS").expect("maps");
    let read = |end: &str| {
        std::fs::read_to_string(format!("{maps}/oldenburg/oldenburgGen.{end}.txt")).unwrap()
    };
    let mut builder = MapBuilder::new();
    for line in read("node").lines() {
        let w: Vec<&str> = line.split_whitespace().collect();
        if w.len() > 2 {
            builder
                .terminal(w[0], Point::new(w[1].parse().unwrap(), w[2].parse().unwrap()))
                .unwrap();
        }
    }
    for line in read("edge").lines() {
        let w: Vec<&str> = line.split_whitespace().collect();
        if w.len() > 3 {
            let (from, to) =
                (builder.find_terminal(w[2]).unwrap(), builder.find_terminal(w[3]).unwrap());
            let raw = RawStreet {
                label: w[0],
                from,
                to,
                written_metres: None,
                one_way: false,
                bends: &[],
                name: "",
                class: w[1],
            };
            builder.street(raw).unwrap();
        }
    }
    builder.build(Extent::LargestPart).unwrap().map
}
