//! Users who never exceed their declared speed are never refused by `history`, although their
//! positions are sent as coordinates and snapped again (docs/SPEC.md §6).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use import::{MapSource, Options};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, QueryId};
use meshcloak::units::{Length, Point};
use meshcloak::{Admission, Atlas, HistoryClock};
use std::path::PathBuf;
use std::time::Duration;
use traffic::{Profile, Simulation, SimulationSettings};

/// Returns the position to which a user's coordinates snap, with six decimals as in files.
fn sent(map: &StreetMap, position: Position) -> Position {
    let round = |metres: f64| (metres * 1e6).round() / 1e6;
    let Point { x, y } = map.point(position);
    map.snap(Point::new(round(x), round(y)), Some(50.0)).unwrap().position
}

/// Returns the path of a real map below `MESHCLOAK_MAPS`; `None` if the variable is not set.
fn real_map(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MESHCLOAK_MAPS");
    if folder.is_none() {
        eprintln!("skipped {name}: MESHCLOAK_MAPS is not set");
    }
    Some(PathBuf::from(folder?).join(name))
}

/// Counts of a run.
#[derive(Debug, Default)]
struct Counts {
    queries: usize,
    /// Queries that snap to another street than the user's.
    moved: usize,
    /// Queries whose path from the previous position needs more steps than a search has.
    undecided: usize,
    refused: usize,
}

/// Whether a query is published: the first of each user, and one in nine of those of every other
/// user. So the others travel from their first position until the end.
fn leaves(query: &Query, is_first: bool) -> bool {
    is_first || query.user.0.is_multiple_of(2) && query.id.0.is_multiple_of(9)
}

/// Admits the queries of simulated users.
fn admit_all(map: &StreetMap, clock: HistoryClock, profile: &str, users: u32) -> Counts {
    let profile = Profile::named(profile).unwrap();
    let atlas = Atlas::new(map.clone(), Length::metres(2_000.0));
    let mut admission = Admission::new(clock, Duration::from_secs(600));
    let settings = SimulationSettings { users, seed: 1, ..SimulationSettings::default() };
    let mut simulation = Simulation::new(map, &profile, settings);
    let mut counts = Counts::default();
    while let Some(batch) = simulation.step() {
        for simulated in batch.queries {
            let mut query = simulated.as_query(QueryId(counts.queries as u64));
            query.position = sent(map, query.position);
            counts.queries += 1;
            counts.moved += usize::from(query.position.street != simulated.position.street);
            match admission.admit(&atlas, &mut query) {
                Ok(previous) => {
                    let is_undecided = previous.is_some_and(|past| past.travelled.is_none());
                    counts.undecided += usize::from(is_undecided);
                    if leaves(&query, previous.is_none()) {
                        admission.leave(&query);
                    }
                }
                Err(_) => counts.refused += 1,
            }
        }
    }
    counts
}

#[test]
fn simulated_users_are_never_refused() {
    for clock in [HistoryClock::Asked, HistoryClock::Published] {
        let mut all = Counts::default();
        let built_in = MapSource::City(import::CityPlan::new(5, 3_000).unwrap());
        let files = ["oldenburg/oldenburgGen.node", "porto/porto-city.osm.pbf"];
        let sources = files.iter().filter_map(|file| real_map(file)).map(MapSource::File);
        let sources: Vec<MapSource> = std::iter::once(built_in).chain(sources).collect();
        let has_real_maps = sources.len() > 1;
        for source in sources {
            let map = import::read_map(&source, &Options::default(), &()).unwrap().map;
            for profile in ["p1", "p2"] {
                let found = admit_all(&map, clock, profile, 3_000);
                assert_eq!(found.refused, 0, "{clock:?} {source:?} {profile}: {found:?}");
                all.queries += found.queries;
                all.moved += found.moved;
                all.undecided += found.undecided;
            }
        }
        // The built-in city has few streets near enough to one another to change a position's street,
        // and no path that is too long for a search.
        let moved = if has_real_maps { 25 } else { 5 };
        assert!(all.queries > 50_000 && all.moved >= moved, "{clock:?}: {all:?}");
        if has_real_maps && clock == HistoryClock::Published {
            assert!(all.undecided > 0, "{all:?}");
        }
    }
}
