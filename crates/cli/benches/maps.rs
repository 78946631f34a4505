//! Benchmark of map import (`make bench`): medians of the wall time of several runs.
//!
//! Each measurement also checks its result. Import and opening are measured repeatedly in one
//! process, and once each in fresh processes, where all memory pages are new.

use import::{Imported, MapSource, Options};
use meshcloak::map::{Extent, StreetMap};
use meshcloak::naive;
use meshcloak::town::Town;
use meshcloak::units::Point;
use rand::RngExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

fn main() {
    if let Ok(source) = std::env::var(CHILD) {
        let source = source.parse().expect("the parent passes a map");
        let start = Instant::now();
        let streets = read(&source).map.street_count();
        let millis = start.elapsed().as_secs_f64() * 1e3;
        println!("{streets} {millis} {}", peak_memory_mb());
        return;
    }
    row("what", "measured", "of");
    let big = big_city();
    import_and_open(&big);
    snapping(&read(&big).map);
    for streets in [7_000, 200_000] {
        building_a_city(streets);
    }
}

/// Returns the metropolitan area of Porto if real maps are available, else the largest built-in city.
fn big_city() -> MapSource {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS") else {
        println!("(MESHCLOAK_MAPS is not set: using the built-in city)");
        return "city:200000:1".parse().expect("a valid size");
    };
    MapSource::File(PathBuf::from(maps).join("porto/porto_portugal.osm.pbf"))
}

fn read(source: &MapSource) -> Imported {
    import::read_map(source, &Options::default(), &()).expect("the map can be read")
}

fn import_and_open(source: &MapSource) {
    let imported = read(source);
    let streets = imported.map.street_count();
    let of = format!("{source}: {streets} streets, {} nodes", imported.provenance.nodes);
    let import = median(15, || assert_eq!(read(source).map.street_count(), streets));
    row("import", &millis(import), &of);
    let rate = streets as f64 / import.as_secs_f64();
    row("import, streets per second", &format!("{rate:.0}"), &of);
    let first = in_children(15, source, streets);
    row("import, fresh process", &format!("{:.1} ms", first.millis), &of);
    row("import, peak memory of the process", &format!("{} MB", first.megabytes), &of);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let prepared = folder.path().join("big.meshmap");
    let target = prepared.display().to_string().parse().expect("the extension of a prepared map");
    import::write_map(&imported, Extent::LargestPart, &target).expect("the file is written");
    let prepared = MapSource::File(prepared);
    assert_eq!(read(&prepared), imported);
    let open = median(101, || assert_eq!(read(&prepared).map.street_count(), streets));
    row("open the prepared file", &millis(open), &of);
    let share = |open: f64, import: f64| format!("{:.2} %", 100.0 * open / import);
    row("open, share of import", &share(open.as_secs_f64(), import.as_secs_f64()), &of);
    let opened = in_children(51, &prepared, streets);
    row("open, fresh process", &format!("{:.1} ms", opened.millis), &of);
    row("open, share of import, fresh process", &share(opened.millis, first.millis), &of);
    row("open, peak memory of the process", &format!("{} MB", opened.megabytes), &of);
}

fn snapping(map: &StreetMap) {
    let count = 1_000_000;
    let mut random = Town::generator(1);
    let bounds = map.bounds();
    let anywhere = |random: &mut rand_pcg::Pcg64Mcg| {
        let x = random.random_range(bounds.min.x..bounds.max.x);
        Point::new(x, random.random_range(bounds.min.y..bounds.max.y))
    };
    let near = |random: &mut rand_pcg::Pcg64Mcg| {
        let shape = &map.tables().shape_points;
        let point = shape[random.random_range(0..shape.len())];
        let mut shift = || random.random_range(-30.0..30.0);
        Point::new(point.x + shift(), point.y + shift())
    };
    let near: Vec<Point> = (0..count).map(|_| near(&mut random)).collect();
    let anywhere: Vec<Point> = (0..count).map(|_| anywhere(&mut random)).collect();
    for (what, points, limit) in [
        ("snap, 30 m around streets, limit 50 m", &near, Some(50.0)),
        ("snap, anywhere, limit 50 m", &anywhere, Some(50.0)),
        ("snap, anywhere, no limit", &anywhere, None),
    ] {
        for point in &points[..40] {
            assert_eq!(map.snap(*point, limit), naive::snap(map, *point, limit));
        }
        let mut snapped = 0;
        let time = median(3, || {
            snapped = points.iter().filter(|point| map.snap(**point, limit).is_some()).count();
        });
        let nanos = time.as_secs_f64() * 1e9 / count as f64;
        row(what, &format!("{nanos:.0} ns"), &format!("{snapped} of {count} points on a street"));
    }
}

fn building_a_city(streets: usize) {
    let source: MapSource = format!("city:{streets}:1").parse().expect("a valid size");
    let built = read(&source).map.street_count();
    let time = median(3, || assert_eq!(read(&source).map.street_count(), built));
    row("build the built-in city", &millis(time), &format!("{built} streets"));
}

fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

fn row(what: &str, measured: &str, of: &str) {
    println!("{what:44} {measured:>12}   {of}");
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Time and memory of a process that reads the map once.
struct ChildRun {
    millis: f64,
    megabytes: u64,
}

/// Returns the median of `runs` fresh processes.
fn in_children(runs: usize, source: &MapSource, streets: usize) -> ChildRun {
    let program = std::env::current_exe().expect("the path of the program is known");
    let mut children: Vec<ChildRun> = (0..runs)
        .map(|_| {
            let child = Command::new(&program).env(CHILD, source.to_string()).output();
            let output = child.expect("the benchmark can start itself").stdout;
            let text = String::from_utf8_lossy(&output);
            let words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(words[0], streets.to_string());
            let number = |word: usize| words[word].parse::<f64>().expect("a child prints numbers");
            ChildRun { millis: number(1), megabytes: number(2) as u64 }
        })
        .collect();
    children.sort_by(|a, b| a.millis.total_cmp(&b.millis));
    children.swap_remove(runs / 2)
}

fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
