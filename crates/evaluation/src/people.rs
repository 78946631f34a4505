//! Crowds become tapes: simulated people, or the trips of real taxis.

use crate::experiment::{TAXI, Trips};
use crate::grid::Crowd;
use crate::tape::Tape;
use crate::trips::{NoFrame, sightings};
use import::ImportError;
use import::traces::read_traces;
use meshcloak::map::StreetMap;
use meshcloak::units::Length;
use std::path::{Path, PathBuf};
use std::time::Duration;
use traffic::matching::{MatchSettings, Matcher};
use traffic::traces::along::{MatchedTrip, queries_along};
use traffic::traces::{TraceSettings, overlay};
use traffic::{Profile, Simulation, SimulationSettings};

/// Why there is no crowd.
#[derive(Debug, thiserror::Error)]
pub enum CrowdError {
    /// Trips that cannot be read.
    #[error(transparent)]
    Trips(#[from] ImportError),
    /// Trips in degrees on a map without.
    #[error("map {map}: {source}")]
    Frame {
        /// The map.
        map: String,
        /// What is missing.
        source: NoFrame,
    },
    /// A profile that is not built in.
    #[error("profile `{0}`; expected p1, p2 or city")]
    Profile(String),
}

/// Nobody's constraint is smaller, in metres: taxis stand still.
const LEAST_DC: f64 = 10.0;

/// What a crowd asks. `folder` is that of the maps, beside which trips lie.
pub fn tape(crowd: &Crowd, map: &StreetMap, folder: Option<&Path>) -> Result<Tape, CrowdError> {
    let name = crowd.profile.strip_prefix(TAXI).unwrap_or(&crowd.profile);
    let profile = Profile::named(name).ok_or_else(|| CrowdError::Profile(crowd.profile.clone()))?;
    match &crowd.trips {
        Some(trips) => real(crowd, map, &profile, trips, folder),
        None => Ok(simulated(crowd, map, &profile.with_uniform_places())),
    }
}

fn simulated(crowd: &Crowd, map: &StreetMap, profile: &Profile) -> Tape {
    let Crowd { users, k, seed, .. } = *crowd;
    simulate(map, profile, SimulationSettings { users, k, temporal_tolerance: 0, seed })
}

/// What simulated people ask.
pub fn simulate(map: &StreetMap, profile: &Profile, settings: SimulationSettings) -> Tape {
    let mut simulation = Simulation::new(map, profile, settings);
    let mut queries = Vec::new();
    while let Some(mut batch) = simulation.step() {
        queries.append(&mut batch.queries);
    }
    Tape { queries, users: settings.users as usize }
}

/// The first so many trips, all of which begin within a window.
fn real(
    crowd: &Crowd,
    map: &StreetMap,
    profile: &Profile,
    trips: &Trips,
    folder: Option<&Path>,
) -> Result<Tape, CrowdError> {
    let beside = |file: &PathBuf| folder.map_or_else(|| file.clone(), |folder| folder.join(file));
    let files: Vec<PathBuf> = trips.files.iter().map(beside).collect();
    let mut read = read_traces(&files, &())?;
    read.trips.truncate(crowd.users as usize);
    let mut seen = sightings(map, &read)
        .map_err(|source| CrowdError::Frame { map: crowd.map.name.clone(), source })?;
    overlay(seen.iter_mut(), Duration::from_millis(trips.overlay.into()));
    let matched = Matcher::match_all(map, MatchSettings::default(), &seen, &|_| ());
    let mut asking = TraceSettings::new(profile);
    asking.floor = asking.floor.max(Length::metres(LEAST_DC));
    (asking.k, asking.seed) = (crowd.k, crowd.seed);
    let rows = read.trips.iter().zip(&seen).zip(&matched);
    let asked = queries_along(
        rows.map(|((trip, sightings), matched)| MatchedTrip { name: &trip.id, sightings, matched }),
        &asking,
    );
    Ok(Tape { queries: asked.queries, users: asked.names.len() })
}
