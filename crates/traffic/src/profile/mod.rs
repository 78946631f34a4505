//! How people are: who they are, how fast, how often they ask, where they go (Table III and more).
//!
//! A profile is written in TOML; the built-in ones too (`profiles/`). What can be read is valid.

mod error;
mod raw;
mod read;

pub use error::ProfileError;

use crate::avoided::Avoided;
use crate::chance::{Choice, Share};
use meshcloak::units::Length;

/// How people move and ask. Made from TOML or by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// How often each person asks; `None`: as long as they are there.
    pub(crate) queries: Option<u32>,
    /// When everything ends, in milliseconds; `None`: when everyone has asked.
    pub(crate) duration: Option<u64>,
    pub(crate) appear: Appear,
    /// Milliseconds between two queries of a person.
    pub(crate) interval: Choice<u32>,
    pub(crate) standing: Standing,
    pub(crate) classes: Choice<usize>,
    pub(crate) class_table: Vec<Class>,
    pub(crate) places: Places,
    /// Millimetres per second by rank of street; `None`: no limits.
    pub(crate) limits: Option<[u32; 7]>,
    pub(crate) capacity: Option<Capacity>,
    pub(crate) reroute: Option<Reroute>,
}

/// When people come and whether they go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Appear {
    /// Runs of whole seconds `first..=last`, each with its share of the people.
    pub slices: Choice<(u32, u32)>,
    /// Share of arrivals after which a person disappears.
    pub leave: Share,
}

/// People who do not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    pub share: Share,
    /// Share of their queries after which they disappear.
    pub leave: Share,
    /// No distance constraint is smaller.
    pub floor: Length,
}

/// A class of people.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Class {
    pub name: String,
    /// Own top speeds in millimetres per second.
    pub speeds: Choice<u32>,
    /// How far trips go in metres, from and to; `None`: anywhere.
    pub distances: Option<Choice<(f64, f64)>>,
    /// Streets not to start from, go to or travel on.
    pub avoided: Avoided,
}

/// Where people start and go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Places {
    /// Every street alike.
    Uniform,
    /// Every terminal alike, as in Brinkhoff's generator.
    Terminals,
    /// By length of street, more in the centre, more where points of interest are.
    Popular {
        /// How many times more a metre of street weighs in the middle than at the rim.
        centre: f64,
        /// A point of interest weighs as much as this many metres.
        poi: f64,
    },
}

/// When a street is crowded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capacity {
    /// Of lane per person.
    pub metres: f64,
    /// In millimetres per second, even in a jam.
    pub slowest: u32,
    /// Each way, by rank of street.
    pub lanes: [u32; 7],
}

/// When people look for a faster route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reroute {
    /// Seconds between two looks.
    pub every: u32,
    /// A new route must take less than this many thousandths of the old one's time.
    pub thousandths: u64,
}

impl Profile {
    /// The names of the built-in profiles.
    pub const NAMES: [&'static str; 3] = ["p1", "p2", "city"];

    /// The built-in profile of that name.
    pub fn named(name: &str) -> Option<Profile> {
        let text = match name {
            "p1" => include_str!("../../profiles/p1.toml"),
            "p2" => include_str!("../../profiles/p2.toml"),
            "city" => include_str!("../../profiles/city.toml"),
            _ => return None,
        };
        Some(Profile::from_toml(text).expect("built-in profiles are valid, as a test checks"))
    }

    /// The profile that `text` describes in TOML.
    pub fn from_toml(text: &str) -> Result<Profile, ProfileError> {
        read::read(text)
    }

    /// The same profile, with every street alike as start and destination, as in the paper.
    #[must_use]
    pub fn with_uniform_places(mut self) -> Profile {
        self.places = Places::Uniform;
        self
    }

    /// The names of its classes of people.
    pub fn class_names(&self) -> impl Iterator<Item = &str> {
        self.class_table.iter().map(|class| class.name.as_str())
    }

    /// After how many seconds it is over at the latest.
    pub fn longest_seconds(&self) -> u64 {
        let last = self.appear.slices.values().iter().map(|slice| slice.1).max().unwrap_or(0);
        let interval = self.interval.values().iter().copied().max().unwrap_or(0);
        let asking = |queries: u32| u64::from(interval) * u64::from(queries - 1);
        let asked =
            self.queries.map_or(u64::MAX, |queries| u64::from(last) * 1000 + asking(queries));
        asked.min(self.duration.unwrap_or(u64::MAX)).div_ceil(1000) + 1
    }

    /// The highest distance constraint anyone can have.
    pub fn largest_constraint(&self) -> Length {
        let interval = self.interval.values().iter().copied().max().unwrap_or(0);
        let speeds = self.class_table.iter().flat_map(|class| class.speeds.values());
        let fastest = speeds.copied().max().unwrap_or(0);
        crate::person::constraint(fastest, interval, self.standing.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profiles_are_valid() {
        for name in Profile::NAMES {
            let profile = Profile::named(name).expect("it is built in");
            assert!(profile.largest_constraint() <= Length::metres(2000.0), "{name}");
        }
        assert!(Profile::named("p3").is_none());
    }

    #[test]
    fn p1_and_p2_are_those_of_table_three() {
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
