//! Time and memory until the first answer on a map.
//!
//! `cargo run --release -p bench --example preparing -- MAP [fill]` reads a map, prepares it for
//! distances up to 2,000 m, and serves a batch of four queries at one place on one thread. With `fill`
//! all rows are computed in advance. Prints processor time, because other load does not disturb it,
//! time on the clock, and the peak of resident memory (Linux).

use bench::in_pool;
use import::{MapSource, Options};
use meshcloak::map::Position;
use meshcloak::query::Query;
use meshcloak::units::{Length, Time};
use meshcloak::{Atlas, Engine, Settings, UserId};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().expect("the first argument is a map");
    let is_filled = arguments.next().is_some_and(|word| word == "fill");
    in_pool(1, || prepare(&name, is_filled));
}

fn prepare(name: &str, is_filled: bool) {
    let start = Instant::now();
    let source: MapSource = name.parse().expect("the argument names a map");
    let map = import::read_map(&source, &Options::default(), &()).expect("the map is readable").map;
    println!("{} terminals, {} streets", map.terminal_count(), map.street_count());
    report("map read", start);
    let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
    report("ready", start);
    if is_filled {
        atlas.fill();
        report("filled", start);
    }
    println!("{} of 4 served", serve(&atlas));
    report("first answer", start);
}

/// Serves four users in the middle of the street list; returns how many were served.
fn serve(atlas: &Arc<Atlas>) -> usize {
    let streets: Vec<_> = atlas.map().streets().collect();
    let position = Position { street: streets[streets.len() / 2], offset: Length::ZERO };
    let mut engine = Engine::new(Arc::clone(atlas), Settings::default());
    for user in 0..4 {
        let query = Query::builder(UserId(user), position).k(3);
        let query = query.dc(Length::metres(800.0)).dt(Duration::from_secs(2));
        engine.submit(query.build(atlas.dc_max()).expect("k and dc are valid")).expect("no limit");
    }
    engine.tick(Time::from_millis(1_000)).served.len()
}

fn report(stage: &str, start: Instant) {
    let (elapsed, peak) = (start.elapsed().as_secs_f64(), peak_megabytes());
    println!("{stage:13} {:6.2} s processor, {elapsed:6.2} s, peak {peak} MB", processor_seconds());
}

/// Processor time of this process, in steps of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .map_or(0, |kb: u64| kb / 1024)
}
