//! Properties of server and adversary on random towns.

use super::*;
use meshcloak::town::Town;
use traffic::{Profile, Simulation, SimulationSettings};

fn journeys(town: &Town, seed: u64) -> Vec<Journey> {
    let profile = Profile::named("p1").unwrap();
    let settings = SimulationSettings { users: 12, seed, ..SimulationSettings::default() };
    Simulation::new(&town.map, &profile, settings).record_journeys(150, &|| ())
}

fn settings(seed: u64) -> CacheCloakSettings {
    let lifetime = [5_000, 40_000, 600_000][seed as usize % 3];
    let max_cells = [3, 400][seed as usize % 2];
    CacheCloakSettings {
        server: ServerSettings { lifetime, max_cells },
        warm_up: 10,
        follow: 60,
        interval: 10,
        ..CacheCloakSettings::default()
    }
}

#[test]
fn the_server_requests_the_same_paths_as_by_definition() {
    let mut joined = 0;
    for seed in 0..200 {
        let town = Town::random(seed);
        let (journeys, settings) = (journeys(&town, seed), settings(seed));
        let mobility = learn(&town.map, &journeys, settings.cell);
        let events = cell_events(&town.map, mobility.cells(), &journeys);
        let (requests, _) = serve(&town.map, &journeys, &mobility, &settings).unwrap();
        let expected = naive::requests(&mobility, &events, settings.server);
        assert_eq!(requests, expected, "seed {seed}\n{town}");
        joined += requests.iter().filter(|one| one.joins_ahead && one.joins_behind).count();
    }
    assert!(joined > 500, "{joined} joined paths");
}

#[test]
fn users_are_always_in_cached_cells() {
    for seed in 0..120 {
        let town = Town::random(seed);
        let (journeys, settings) = (journeys(&town, seed), settings(seed));
        let mobility = learn(&town.map, &journeys, settings.cell);
        let (requests, _) = serve(&town.map, &journeys, &mobility, &settings).unwrap();
        for (user, journey) in journeys.iter().enumerate() {
            for at in (journey.start()..=journey.end()).step_by(777) {
                let cell = |at: u64| {
                    let passage = journey.passage(at)?;
                    let cells = mobility.cells();
                    let index = cells.index_at(&town.map, passage.leg, passage.along(at));
                    Some(cells.cell(cells.directed(passage.leg, index)))
                };
                // Times are rounded to milliseconds: the change of a cell is not exact.
                let Some(cell) = cell(at).filter(|_| cell(at - at.min(2)) == cell(at + 2)) else {
                    continue;
                };
                let until: Vec<PathRequest> =
                    requests.iter().filter(|request| request.at <= at).cloned().collect();
                let cached = naive::is_cached(&until, cell, at, settings.server);
                assert!(cached, "seed {seed} user {user} at {at}\n{town}");
                // Injected fault: without the last request that holds the cell it is not cached.
                let mut fewer = until;
                fewer.retain(|request| !request.cells.contains(&cell));
                assert!(!naive::is_cached(&fewer, cell, at, settings.server));
            }
        }
    }
}

#[test]
fn the_tracker_agrees_with_the_whole_matrix() {
    for seed in 0..60 {
        let town = Town::random(seed);
        let (journeys, settings) = (journeys(&town, seed), settings(seed));
        let mobility = learn(&town.map, &journeys, settings.cell);
        let size = 2 * mobility.cells().count();
        let mut scratch = TrackerScratch::new(size);
        let mut tracker = Tracker::new(0, 1.0);
        let mut masses = vec![0.0; size];
        masses[0] = 1.0;
        for second in 0..25_u32 {
            let is_possible = |cell: u32| !(cell + second).is_multiple_of(5);
            tracker.step(&mobility, &mut scratch, is_possible);
            masses = naive::step(&mobility, &masses, is_possible);
            for truth in 0..size as u32 {
                let state = tracker.state(&mobility, &mut scratch, truth);
                let cell = mobility.cells().cell(truth);
                let of_cell = (0..size).filter(|&at| mobility.cells().cell(at as u32) == cell);
                let expected: f64 = of_cell.map(|at| masses[at]).sum();
                assert!((state.truth - expected).abs() < 1e-3, "seed {seed} {second}\n{town}");
            }
        }
    }
}

#[test]
fn an_adversary_with_requests_knows_more_than_one_without() {
    let source = "city:500:4".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let profile = Profile::named("city").unwrap();
    let simulated = SimulationSettings { users: 400, seed: 4, ..SimulationSettings::default() };
    let journeys = Simulation::new(&map, &profile, simulated).record_journeys(900, &|| ());
    let settings = CacheCloakSettings { follow: 120, interval: 30, ..settings(1) };
    let mobility = learn(&map, &journeys, settings.cell);
    let (requests, outcome) = serve(&map, &journeys, &mobility, &settings).unwrap();
    assert!(outcome.hits.value().unwrap() > 0.3, "{outcome:?}");
    let (rows, targets) = track(&map, &journeys, &mobility, &requests, &settings);
    assert!(targets > 20);
    assert_eq!(rows[0].requests[0].value(), Some(0.0), "certain at the beginning");
    for row in &rows[1..] {
        let [seen, blind] = [row.requests[0], row.nothing[0]].map(|average| average.sum());
        assert!(seen <= blind + 1e-9, "{row:?}");
        assert!(row.nothing[0].value().unwrap() > 0.1, "{row:?}");
    }
}
