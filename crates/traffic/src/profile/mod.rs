//! Profiles of agents: classes, speeds, query intervals and destinations (Table III and more).
//!
//! A profile is a TOML text; the built-in ones are in `profiles/`. Reading validates it.

mod error;
mod raw;
mod read;

pub use error::{ProfileError, ProfileFileError};

use crate::avoided_streets::AvoidedStreets;
use crate::random::{Distribution, Probability};
use meshcloak::units::Length;

/// Movement and queries of agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Queries per agent; `None`: unlimited while present.
    pub(crate) queries: Option<u32>,
    /// End of the simulation in milliseconds; `None`: after the last query.
    pub(crate) duration: Option<u64>,
    pub(crate) appear: Appear,
    /// Milliseconds between two queries of an agent.
    pub(crate) interval: Distribution<u32>,
    pub(crate) standing: Standing,
    pub(crate) classes: Distribution<usize>,
    pub(crate) class_table: Vec<AgentClass>,
    pub(crate) places: Places,
    /// Speed limits in millimetres per second by rank of street; `None`: no limits.
    pub(crate) limits: Option<[u32; 7]>,
    pub(crate) capacity: Option<Capacity>,
    pub(crate) reroute: Option<Reroute>,
}

/// Appearance and departure of agents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Appear {
    /// Slices of whole seconds `first..=last`, each with its share of agents.
    pub slices: Distribution<(u32, u32)>,
    /// Probability of departure on arrival at a destination.
    pub leave: Probability,
}

/// Agents that do not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    pub share: Probability,
    /// Probability of departure after a query.
    pub leave: Probability,
    /// Minimum distance constraint.
    pub floor: Length,
}

/// A class of agents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentClass {
    pub name: String,
    /// Top speeds in millimetres per second.
    pub speeds: Distribution<u32>,
    /// Straight-line distance of trips; `None`: any.
    pub distances: Option<Distribution<DistanceBand>>,
    /// Avoided streets.
    pub avoided: AvoidedStreets,
}

/// Range of distances in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DistanceBand {
    pub min: f64,
    pub max: f64,
}

/// Choice of starts and destinations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Places {
    /// Uniform over streets.
    Uniform,
    /// Uniform over terminals, as in Brinkhoff's generator.
    Terminals,
    /// Weighted by street length, towards the centre and points of interest.
    Popular {
        /// Additional weight of a metre of street at the centre.
        centre: f64,
        /// Weight of a point of interest in metres of street.
        poi: f64,
    },
}

/// Capacity of streets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capacity {
    /// Metres of lane per agent at full speed.
    pub metres: f64,
    /// Minimum speed in millimetres per second.
    pub slowest: u32,
    /// Lanes per direction by rank of street.
    pub lanes: [u32; 7],
}

/// Rerouting to faster routes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reroute {
    /// Interval in seconds.
    pub every: u32,
    /// Maximum cost of a new route in thousandths of the current one's.
    pub thousandths: u64,
}

impl Profile {
    /// Names of the built-in profiles.
    pub const NAMES: [&'static str; 3] = ["p1", "p2", "city"];

    /// Returns the built-in profile of that name, or reads it from a file.
    ///
    /// # Errors
    /// If there is neither, or the file is not a profile.
    pub fn load(name: &str) -> Result<Profile, ProfileFileError> {
        if let Some(profile) = Profile::named(name) {
            return Ok(profile);
        }
        let file = |problem| ProfileFileError { name: name.to_owned(), problem };
        let text = std::fs::read_to_string(name).map_err(|_| file(None))?;
        Profile::from_toml(&text).map_err(|problem| file(Some(problem)))
    }

    /// Returns the built-in profile of that name.
    pub fn named(name: &str) -> Option<Profile> {
        let text = match name {
            "p1" => include_str!("../../profiles/p1.toml"),
            "p2" => include_str!("../../profiles/p2.toml"),
            "city" => include_str!("../../profiles/city.toml"),
            _ => return None,
        };
        Some(Profile::from_toml(text).expect("built-in profiles are valid, as a test checks"))
    }

    /// Parses and validates a TOML text.
    ///
    /// # Errors
    /// Names key, value and what was expected.
    pub fn from_toml(text: &str) -> Result<Profile, ProfileError> {
        read::read(text)
    }

    /// Replaces the choice of starts and destinations by a uniform one, as in the paper.
    #[must_use]
    pub fn with_uniform_places(mut self) -> Profile {
        self.places = Places::Uniform;
        self
    }

    /// Names of the agent classes.
    pub fn class_names(&self) -> impl Iterator<Item = &str> {
        self.class_table.iter().map(|class| class.name.as_str())
    }

    /// Upper bound of the simulated seconds.
    pub fn longest_seconds(&self) -> u64 {
        let last = self.appear.slices.values().iter().map(|slice| slice.1).max().unwrap_or(0);
        let interval = self.interval.values().iter().copied().max().unwrap_or(0);
        let query_span = |queries: u32| u64::from(interval) * u64::from(queries - 1);
        let last_query =
            self.queries.map_or(u64::MAX, |queries| u64::from(last) * 1000 + query_span(queries));
        last_query.min(self.duration.unwrap_or(u64::MAX)).div_ceil(1000) + 1
    }

    /// Upper bound of the distance constraints.
    pub fn largest_constraint(&self) -> Length {
        let interval = self.interval.values().iter().copied().max().unwrap_or(0);
        let speeds = self.class_table.iter().flat_map(|class| class.speeds.values());
        let fastest = speeds.copied().max().unwrap_or(0);
        crate::agent::constraint(fastest, interval, self.standing.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_profiles_are_valid() {
        for name in Profile::NAMES {
            let profile = Profile::named(name).expect("the profile is built in");
            assert!(profile.largest_constraint() <= Length::metres(2000.0), "{name}");
        }
        assert!(Profile::named("p3").is_none());
    }

    #[test]
    fn p1_and_p2_match_table_three() {
        let p1 = Profile::named("p1").unwrap();
        let p2 = Profile::named("p2").unwrap();
        for profile in [&p1, &p2] {
            assert_eq!(profile.queries, Some(11));
            assert_eq!(profile.appear.slices.values(), [(0, 50)]);
            assert_eq!(profile.class_table[0].speeds.values(), [10_000, 20_000, 30_000, 50_000]);
            assert!(profile.limits.is_none() && profile.capacity.is_none());
        }
        assert_eq!(p1.interval.values(), [5_000, 10_000, 20_000]);
        assert_eq!(p2.interval.values(), [20_000, 30_000]);
        assert_eq!(p1.largest_constraint(), Length::metres(1000.0));
        assert_eq!(p2.largest_constraint(), Length::metres(1500.0));
    }
}
