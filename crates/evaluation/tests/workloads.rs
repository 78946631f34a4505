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

/// Writes reports (object, time stamp, x, y) as a trace of Brinkhoff's generator.
fn write_reports(file: &Path, reports: impl Iterator<Item = (u32, u32, f64, f64)>) -> usize {
    let line = |(object, stamp, x, y): (u32, u32, f64, f64)| {
        let kind = if stamp == 0 { "newpoint" } else { "point" };
        format!("{kind}\t{object}\t{stamp}\t0\t{stamp}\t{x}\t{y}\t100\t{x}\t{y}\n")
    };
    let lines: Vec<String> = reports.map(line).collect();
    std::fs::write(file, lines.concat()).unwrap();
    lines.len()
}

#[test]
fn a_time_stamp_of_brinkhoff_is_a_query_interval() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reports.txt");
    let agents = population("maps = \"city:500:7\"\nusers = 30\nprofiles = \"p1\"", None);
    let map = agents.map.read().unwrap().map;
    let agents = workload_of(&agents, None);
    let mut queries: Vec<_> = agents.queries.iter().collect();
    queries.sort_by_key(|query| query.number);
    let reports = write_reports(
        &file,
        queries.iter().map(|query| {
            let point = map.point(query.position);
            (query.user, query.number, point.x, point.y)
        }),
    );
    let text = format!(
        "maps = \"city:500:7\"\nusers = 30\nprofiles = \"taxi-p1\"\ntrips = \"{}\"",
        file.display()
    );
    let workload = workload_of(&population(&text, None), None);
    assert_eq!(workload.queries.len(), reports, "each report is a query");
    assert!(workload.queries.iter().all(|query| query.query_interval == 5_000));
    let last = workload.queries.iter().map(|query| query.asked_at).max().unwrap();
    assert!(last >= 10 * 5_000, "eleven time stamps last {last} ms");
}

#[test]
fn trips_are_matched_on_the_whole_map() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    // A two-way triangle, and a street that leads away from its corner at the origin.
    let nodes = "id,x,y\n0,0,0\n1,500,0\n2,250,400\n3,0,-300\n";
    std::fs::write(file("t.nodes.csv"), nodes).unwrap();
    let streets = "id,from,to,oneway\n0,0,1,0\n1,1,2,0\n2,2,0,0\n3,0,3,1\n";
    std::fs::write(file("t.streets.csv"), streets).unwrap();
    // The last report is 30 m down that street, near enough to the triangle to be moved there.
    let places = [(300.0, 0.0), (200.0, 0.0), (100.0, 0.0), (0.0, -30.0)];
    let reports = places.iter().zip(0..).map(|(&(x, y), stamp)| (1, stamp, x, y));
    write_reports(&file("trip.txt"), reports);
    let text = format!(
        "maps = \"{}\"\nusers = 1\nprofiles = \"taxi-p1\"\ntrips = \"{}\"",
        file("t.nodes.csv").display(),
        file("trip.txt").display()
    );
    let population = population(&text, None);
    let map = population.map.read().unwrap().map;
    assert_eq!(map.street_count(), 3, "schemes run on the triangle");
    let workload = generate(&population, &map, None).unwrap();
    assert_eq!((workload.queries.len(), workload.left_out), (3, 1));
    let label =
        |query: &traffic::SimulatedQuery| map.street_label(query.position.street).to_owned();
    assert!(workload.queries.iter().all(|query| label(query) == "0"));
}
