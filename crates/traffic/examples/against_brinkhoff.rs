//! Simulated traffic compared with a trace of Brinkhoff's generator on Oldenburg.
//!
//! `MESHCLOAK_MAPS=… cargo run --release -p traffic --example against_brinkhoff`
//!
//! The first rows are our profiles; the others adopt Brinkhoff's rules one after the other.
//! `docs/TRAFFIC.md` explains the table.

use import::Coordinates;
use import::traces::read_traces;
use import::{MapSource, Options};
use meshcloak::map::{Position, StreetMap};
use std::path::{Path, PathBuf};
use traffic::{Profile, RouteEnds, RouteStart, Routes, Simulation, SimulationSettings};

const AGENTS: u32 = 5000;
const STAMPS: usize = 21;

/// Positions of each agent or object by time stamp.
type Tracks = Vec<Vec<Position>>;

fn main() {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        println!("skipped: MESHCLOAK_MAPS is not set, so there is neither map nor trace");
        return;
    };
    let source = MapSource::File(maps.join("oldenburg/oldenburgGen.node"));
    let imported = import::read_map(&source, &Options::default(), &());
    let map = imported.expect("Oldenburg can be read").map;
    println!("{AGENTS} agents on Oldenburg at {STAMPS} moments");
    println!(
        "{:44} {:>7} {:>20} {:>7} {:>31} {:>8}",
        "", "streets", "points on busiest", "main", "path between moments", "at a"
    );
    println!(
        "{:44} {:>7} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8}",
        "", "used", "1 %", "10 %", "25 %", "roads", "mean m", "p10", "p50", "p90", "terminal"
    );
    print_row(&map, "Brinkhoff's trace", &brinkhoff(&map, &maps));
    for (name, text, start) in variants() {
        let profile = Profile::from_toml(&text).expect("a valid profile");
        print_row(&map, &name, &ours(&map, &profile, start));
    }
}

fn brinkhoff(map: &StreetMap, maps: &Path) -> Tracks {
    let file = maps.join("../traces/brinkhoff-oldenburg/objects-5000.txt.gz");
    let trips = read_traces(&[file], &()).expect("the trace can be read").trips;
    let position = |coordinates: Coordinates| match coordinates {
        Coordinates::Metres(point) => map.snap(point, None).map(|snapped| snapped.position),
        Coordinates::Degrees(_) => None,
    };
    trips
        .iter()
        .map(|trip| trip.points.iter().filter_map(|point| position(point.coordinates)).collect())
        .collect()
}

/// Name, profile and first observed second of each variant.
fn variants() -> Vec<(String, String, u32)> {
    let p1 = include_str!("../profiles/p1.toml").replace("to = 50", "to = 0");
    let p1 = p1.replace("queries = 11 ", "queries = 1000 ");
    let popular = "choose = \"popular\"\ncentre = 3.0\npoi = 150.0";
    let uniform = p1.replace(popular, "choose = \"uniform\"");
    let terminals = p1.replace(popular, "choose = \"terminals\"");
    let city = include_str!("../profiles/city.toml").replace("to = 2400", "to = 0");
    let city = city.replacen("leave = 0.4", "leave = 0.0", 1);
    let city = city.replace("[0.1, 0.15, 0.25, 0.25, 0.15, 0.1]", "[1.0]");
    let classes = |text: &str| {
        let (before, after) = (text.find("[[class]]"), text.find("[places]"));
        let (before, after) = (before.unwrap_or(0), after.unwrap_or(0));
        format!("{}{}{}", &text[..before], brinkhoff_classes(), &text[after..])
    };
    let limits = |text: &str| classes(text) + LIMITS;
    let full = limits(&terminals) + CAPACITY;
    let named = |name: &str, text: &str, start| (name.to_owned(), text.to_owned(), start);
    vec![
        named("ours, p1, uniform streets", &uniform, 0),
        named("ours, p1, popular places", &p1, 0),
        named("ours, city", &city, 0),
        named("ours, city, from second 600 on", &city, 600),
        named("uniform streets, from second 300 on", &uniform, 300),
        named("uniform terminals", &terminals, 0),
        named("uniform terminals, from second 300 on", &terminals, 300),
        named("terminals, Brinkhoff's own speeds", &classes(&terminals), 0),
        named("terminals, speeds, limits by class", &limits(&terminals), 0),
        named("terminals, speeds, limits, crowds", &full, 0),
        named("terminals, speeds, limits, crowds, from 300", &full, 300),
    ]
}

/// Classes of the trace: each has half the objects and half the speed of the previous one.
fn brinkhoff_classes() -> String {
    let class = |number: i32| {
        let share = 0.5_f64.powi(number.min(9) + 1);
        let share = if number == 9 { 2.0 * share } else { share };
        let speed = 201.0 * 0.5_f64.powi(number);
        format!(
            "[[class]]\nname = \"{number}\"\nshare = {share}\nspeeds = [{speed}]\n\
             speed_shares = [1.0]\n"
        )
    };
    (0..10).map(class).collect()
}

/// 201, 134, 89, 59, 39, 26 and 17 metres per time stamp of one second, from the trace.
const LIMITS: &str = "
[limits]
motorway = 723.6
trunk = 482.4
primary = 320.4
secondary = 212.4
tertiary = 140.4
residential = 93.6
service = 61.2
";

/// Low capacity: about 40 % of the trace's reports are at half speed or less.
const CAPACITY: &str = "
[capacity]
metres = 60.0
slowest = 4.0
lanes = [3, 2, 2, 1, 1, 1, 1]
";

fn ours(map: &StreetMap, profile: &Profile, start: u32) -> Tracks {
    let settings = SimulationSettings { users: AGENTS, ..SimulationSettings::default() };
    let mut simulation = Simulation::new(map, profile, settings);
    let mut tracks: Tracks = vec![Vec::new(); AGENTS as usize];
    while let Some(batch) = simulation.step() {
        if batch.second < start {
            continue;
        }
        for agent in simulation.agents() {
            tracks[agent.agent as usize].push(agent.position);
        }
        if batch.second as usize + 1 == start as usize + STAMPS {
            break;
        }
    }
    tracks
}

fn print_row(map: &StreetMap, name: &str, tracks: &Tracks) {
    let mut counts = vec![0_u32; map.street_count()];
    let (mut main, mut at_end, mut all) = (0_u32, 0_u32, 0_u32);
    for position in tracks.iter().flatten() {
        counts[position.street.index()] += 1;
        main += u32::from(map.rank(position.street).number() <= 2);
        let length = map.street(position.street).length;
        at_end += u32::from(position.offset.units() == 0 || position.offset == length);
        all += 1;
    }
    let percent = |part: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
    let used = counts.iter().filter(|&&count| count > 0).count();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let busiest = |hundredths: usize| -> f64 {
        percent(counts.iter().take(counts.len() * hundredths / 100).sum())
    };
    let (mean, lengths) = relative_lengths(map, tracks);
    let quantile = |tenths: usize| lengths[(lengths.len() - 1) * tenths / 10];
    println!(
        "{name:44} {:>6.1}% {:>5.1}% {:>5.1}% {:>5.1}% {:>6.1}% {mean:>7.1} {:>7.2} {:>7.2} {:>7.2} \
         {:>7.1}%",
        100.0 * used as f64 / counts.len() as f64,
        busiest(1),
        busiest(10),
        busiest(25),
        percent(main),
        quantile(1),
        quantile(5),
        quantile(9),
        percent(at_end),
    );
}

/// Mean path length between two moments in metres, and all lengths divided by it, ascending.
fn relative_lengths(map: &StreetMap, tracks: &Tracks) -> (f64, Vec<f64>) {
    let routes = Routes::new(map, None, &[]);
    let (mut planner, mut legs) = (routes.planner(), Vec::new());
    let mut lengths: Vec<f64> = Vec::new();
    for pair in tracks.iter().flat_map(|track| track.windows(2)) {
        let trip = RouteEnds { from: RouteStart::Position(pair[0]), to: pair[1] };
        let length = routes.cheapest(map, &mut planner, trip, &mut legs);
        lengths.extend(length.map(|units| units as f64 / 32.0));
    }
    let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    lengths.iter_mut().for_each(|length| *length /= mean);
    lengths.sort_by(f64::total_cmp);
    (mean, lengths)
}
