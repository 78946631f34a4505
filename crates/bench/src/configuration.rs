//! Workload configurations of the paper (Table III).

use meshcloak::map::StreetMap;
use meshcloak::presence::DEFAULT_PATIENCE;
use meshcloak::query::Query;
use traffic::{AskShare, Profile, Simulation, SimulationSettings};

/// Queries of a simulation, one list per second.
pub type Recording = Vec<Vec<Query>>;

/// A workload of the paper. Streets are chosen uniformly as start and destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkloadConfiguration {
    /// Name of a built-in profile.
    pub profile: &'static str,
    /// Temporal tolerance in seconds.
    pub dt: u32,
    /// Largest k; the smallest is 2.
    pub max_k: u32,
}

/// The configurations of the paper's speed comparison.
pub const CONFIGURATIONS: [WorkloadConfiguration; 5] = [
    WorkloadConfiguration::new("p1", 3, 5),
    WorkloadConfiguration::new("p1", 5, 5),
    WorkloadConfiguration::new("p1", 3, 10),
    WorkloadConfiguration::new("p2", 3, 5),
    WorkloadConfiguration::new("p2", 10, 10),
];

impl WorkloadConfiguration {
    /// A profile with its temporal tolerance in seconds and its largest k.
    pub const fn new(profile: &'static str, dt: u32, max_k: u32) -> WorkloadConfiguration {
        WorkloadConfiguration { profile, dt, max_k }
    }

    /// Label in tables: `P1-3-5` is profile p1, dt 3 s, k up to 5.
    pub fn label(self) -> String {
        format!("{}-{}-{}", self.profile.to_uppercase(), self.dt, self.max_k)
    }

    /// The profile with uniform starts and destinations.
    pub fn profile(self) -> Profile {
        Profile::named(self.profile).expect("the profile is built in").with_uniform_places()
    }

    /// Simulates the agents until all have departed.
    pub fn record(self, map: &StreetMap, agents: u32, seed: u64) -> Recording {
        Simulation::new(map, &self.profile(), self.settings(agents, seed)).record()
    }

    /// Settings of the simulation.
    pub fn settings(self, agents: u32, seed: u64) -> SimulationSettings {
        let k = (2, self.max_k);
        SimulationSettings { users: agents, k, temporal_tolerance: self.dt * 1_000, seed }
    }
}

/// Makes the queries of users who do not ask presence reports, as `present-SHARE` of `evaluate` does:
/// k = 1 and the default patience.
pub fn report_presence(recording: &mut Recording, share: AskShare) {
    for query in recording.iter_mut().flatten().filter(|query| !share.asks(query.user.0)) {
        (query.asks, query.k, query.temporal_tolerance) = (false, 1, DEFAULT_PATIENCE);
    }
}
