//! Time of routes between random positions compared with A*: `make bench`.

use import::{MapSource, Options};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::town::Town;
use meshcloak::units::Length;
use rand::RngExt as _;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::time::Instant;
use traffic::{RouteEnds, RouteStart, Routes};

const ROUTES: usize = 20_000;

fn main() {
    println!(
        "{:24} {:>9} {:>11} {:>11} {:>11}",
        "map", "streets", "prepare ms", "route µs", "A* µs"
    );
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        return measure("built-in city", &MapSource::default());
    };
    measure("Oldenburg", &MapSource::File(maps.join("oldenburg/oldenburgGen.node")));
    measure("Paris", &MapSource::File(maps.join("paris/paris.nodes.csv.gz")));
    measure("Porto, metropolitan", &MapSource::File(maps.join("porto/porto_portugal.osm.pbf")));
}

fn measure(name: &str, source: &MapSource) {
    let map = import::read_map(source, &Options::default(), &()).expect("the map can be read").map;
    let mut random = Town::generator(1);
    let mut position = || {
        let street = StreetId(random.random_range(0..map.street_count() as u32));
        Position { street, offset: map.street(street).length.part(0.5) }
    };
    let pairs: Vec<(Position, Position)> = (0..ROUTES).map(|_| (position(), position())).collect();
    let start = Instant::now();
    let routes = Routes::new(&map, None, &[]);
    let prepare = start.elapsed().as_secs_f64() * 1e3;
    let mut planner = routes.planner();
    let mut legs = Vec::new();
    let start = Instant::now();
    let costs: Vec<u64> = pairs
        .iter()
        .map(|&(from, to)| {
            let trip = RouteEnds { from: RouteStart::Position(from), to };
            routes.cheapest(&map, &mut planner, trip, &mut legs).expect("the map is connected")
        })
        .collect();
    let route = start.elapsed().as_secs_f64() * 1e6 / ROUTES as f64;
    let start = Instant::now();
    let sample = ROUTES / 50;
    for (&(from, to), &cost) in pairs.iter().zip(&costs).take(sample) {
        let found = a_star(&map, from, to);
        let along = map.along(from, to).map_or(u64::MAX, |length| length.units().into());
        assert_eq!(found.min(along), cost, "{from:?} {to:?}");
    }
    let plain = start.elapsed().as_secs_f64() * 1e6 / sample as f64;
    let streets = map.street_count();
    println!("{name:24} {streets:>9} {prepare:>11.0} {route:>11.1} {plain:>11.1}");
}

/// Length of the shortest path by A* with straight-line distance as heuristic.
fn a_star(map: &StreetMap, from: Position, to: Position) -> u64 {
    let goal = map.point(to);
    let bound = |t: TerminalId| Length::metres_down(map.terminal(t).distance(goal)).units();
    let mut best = u64::MAX;
    let mut cost = vec![u64::MAX; map.terminal_count()];
    let mut queue = BinaryHeap::new();
    for (terminal, length) in map.exits(from) {
        let length = u64::from(length.units());
        cost[terminal.index()] = cost[terminal.index()].min(length);
        queue.push(Reverse((length + u64::from(bound(terminal)), length, terminal)));
    }
    while let Some(Reverse((estimate, here, terminal))) = queue.pop() {
        if estimate >= best {
            break;
        }
        if here > cost[terminal.index()] {
            continue;
        }
        for (entrance, length) in map.entrances(to).filter(|entrance| entrance.0 == terminal) {
            debug_assert_eq!(entrance, terminal);
            best = best.min(here + u64::from(length.units()));
        }
        for arm in map.leaving(terminal) {
            let there = here + u64::from(map.street(arm.street).length.units());
            if there < cost[arm.terminal.index()] {
                cost[arm.terminal.index()] = there;
                queue.push(Reverse((there + u64::from(bound(arm.terminal)), there, arm.terminal)));
            }
        }
    }
    best
}
