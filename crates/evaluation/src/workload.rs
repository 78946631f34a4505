//! Query workloads of a population, simulated or taken from recorded trips.
//!
//! Users, positions and times do not depend on `dt`, so one workload serves every `dt` and every
//! scheme.

use crate::experiment::TAXI;
use crate::grid::Population;
use crate::trip_workload::TripWorkload;
use crate::trips::NoFrame;
use import::ImportError;
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, QueryId};
use std::path::Path;
use std::time::Duration;
use traffic::{Journey, Profile, Simulation, SimulationSettings};

/// All queries of a population.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Queries in order of time, then of user.
    pub queries: Vec<traffic::SimulatedQuery>,
    /// Number of users.
    pub users: usize,
    /// Paths of the users, whose names are the numbers of [`Self::queries`]; empty unless they are
    /// recorded by [`record_journeys`].
    pub journeys: Vec<Journey>,
    /// Number of queries of recorded trips that are left out because their streets are outside the
    /// largest strongly connected component of the map.
    pub left_out: usize,
}

impl Workload {
    /// Returns the query at `index` with the given temporal tolerance.
    pub fn query(&self, index: usize, tolerance: Duration) -> Query {
        let mut query = self.queries[index].as_query(QueryId(index as u64));
        query.temporal_tolerance = tolerance;
        query
    }

    /// Returns the memory of a workload of `queries` queries, in bytes.
    pub fn bytes(queries: usize) -> usize {
        queries * size_of::<traffic::SimulatedQuery>()
    }
}

/// Why a workload cannot be generated.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The trip files cannot be read.
    #[error(transparent)]
    Trips(#[from] ImportError),
    /// The trips are in degrees and the map has no projection.
    #[error("map {map}: {source}")]
    Frame {
        /// Name of the map.
        map: String,
        /// The missing projection.
        source: NoFrame,
    },
    /// The profile is not built in.
    #[error("unknown profile `{0}`; expected p1, p2 or city")]
    Profile(String),
}

/// Generates the workload of a population. `folder` is the map folder; relative trip paths start
/// there.
pub fn generate(
    population: &Population,
    map: &StreetMap,
    folder: Option<&Path>,
) -> Result<Workload, WorkloadError> {
    let name = population.profile.strip_prefix(TAXI).unwrap_or(&population.profile);
    let profile =
        Profile::named(name).ok_or_else(|| WorkloadError::Profile(population.profile.clone()))?;
    match &population.trips {
        Some(trips) => TripWorkload { population, map, profile: &profile, folder }.follow(trips),
        None => {
            let Population { users, k, seed, .. } = *population;
            let settings = SimulationSettings { users, k, temporal_tolerance: 0, seed };
            Ok(simulate(map, &profile.with_uniform_places(), settings))
        }
    }
}

/// Generates the queries of simulated agents.
pub fn simulate(map: &StreetMap, profile: &Profile, settings: SimulationSettings) -> Workload {
    let mut simulation = Simulation::new(map, profile, settings);
    let mut queries = Vec::new();
    while let Some(mut batch) = simulation.step() {
        queries.append(&mut batch.queries);
    }
    Workload { queries, users: settings.users as usize, ..Workload::default() }
}

/// Paths of the agents whose queries [`simulate`] generates with the same arguments.
pub fn record_journeys(
    map: &StreetMap,
    profile: &Profile,
    settings: SimulationSettings,
) -> Vec<Journey> {
    Simulation::new(map, profile, settings).record_journeys(u32::MAX, &|| ())
}
