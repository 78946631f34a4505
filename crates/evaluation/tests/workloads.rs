//! Workloads of simulated agents and of recorded taxi trips in Porto.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::experiment::Experiment;
use evaluation::grid::{Population, cells};
use evaluation::maps::MapPlan;
use evaluation::workload::{Workload, generate};
use import::{Options, read_map};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn population(text: &str, folder: Option<&Path>) -> Population {
    let experiment = Experiment::from_toml(Path::new("e"), text).unwrap();
    cells(&experiment, folder).unwrap().swap_remove(0).population
}

fn workload_of(population: &Population, folder: Option<&Path>) -> Workload {
    let MapPlan { source, .. } = &population.map;
    let map = read_map(source, &Options::default(), &()).unwrap().map;
    generate(population, &map, folder).unwrap()
}

#[test]
fn simulated_queries_are_in_order_of_time_and_have_the_given_tolerance() {
    let population =
        population("maps = \"city:500:7\"\nusers = 50\nk = \"2-10\"\nprofiles = \"p2\"", None);
    let workload = workload_of(&population, None);
    assert_eq!((workload.users, workload.queries.len()), (50, 550));
    assert!(workload.queries.is_sorted_by_key(|query| query.asked_at));
    assert!(workload.queries.iter().all(|query| (2..=10).contains(&query.k)));
    let (a, b) =
        (workload.query(7, Duration::from_secs(3)), workload.query(7, Duration::from_secs(9)));
    assert_eq!((a.id, a.position, a.k), (b.id, b.position, b.k));
    assert_eq!(b.temporal_tolerance, Duration::from_secs(9));
    assert_eq!(workload_of(&population, None), workload, "same seed, same workload");
    assert_ne!(workload_of(&Population { seed: 2, ..population }, None), workload);
}

#[test]
fn taxi_trips_begin_within_the_window_and_ask_at_their_interval() {
    let Some(folder) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set");
        return;
    };
    let text = "maps = \"porto\"\nusers = 40\nprofiles = \"taxi-p2\"\noverlay = 60";
    let population = population(text, Some(&folder));
    let workload = workload_of(&population, Some(&folder));
    assert!(workload.users >= 30, "{} users", workload.users);
    assert!(workload.queries.is_sorted_by_key(|query| query.asked_at));
    let first = |user: u32| workload.queries.iter().find(|query| query.user == user).unwrap();
    // A trip may be split; later parts begin after the window.
    let early = (0..workload.users as u32).filter(|&user| first(user).asked_at < 60_000).count();
    assert!(early >= 30, "{early} of {} begin within a minute", workload.users);
    assert!(workload.queries.iter().all(|query| [20_000, 30_000].contains(&query.query_interval)));
}
