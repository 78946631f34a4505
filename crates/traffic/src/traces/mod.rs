//! Other people's traces become queries.
//!
//! A trip that a receiver recorded is matched to the map first, and asks at an interval along the
//! way it was found to take ([`along`]); a report of Brinkhoff's generator is a query by itself
//! ([`reports`]). Either way a person's `dc` is their top speed × interval, and the top speed is
//! what their own queries need: nobody is ever farther from their last query than `dc`.

pub mod along;
mod overlay;
pub mod reports;
#[cfg(test)]
mod tests;

pub use overlay::overlay;

use crate::chance::{Choice, generator};
use crate::profile::Profile;
use crate::tape::Query;
use meshcloak::units::Length;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// What the people of a trace ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Their names, by [`Query::user`]: the trip's, with `#2`, `#3` for its further pieces if it
    /// broke.
    pub people: Vec<String>,
    /// In order of time, then of person.
    pub queries: Vec<Query>,
}

/// How people of a trace ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    intervals: Choice<u32>,
    /// No `dc` is smaller, so that people who stand still have one.
    pub floor: Length,
    /// Smallest and largest `k`, drawn uniformly for each query where the trace has none.
    pub k: (u32, u32),
    /// How long everyone waits, in milliseconds.
    pub temporal_tolerance: u32,
    /// What intervals and k are drawn from.
    pub seed: u64,
}

/// Speeds are rounded up to whole multiples of this, in millimetres per second: a reader that
/// snaps a written point again may find it a hair off.
const SPEED_STEP: u64 = 100;

impl Asking {
    /// As often as the profile says, with its floor; otherwise as simulated people by default.
    pub fn new(profile: &Profile) -> Asking {
        let intervals = profile.interval.clone();
        let floor = profile.standing.floor;
        Asking { intervals, floor, k: (2, 5), temporal_tolerance: 3000, seed: 1 }
    }

    /// The same, but everyone asks every so many milliseconds, at least one.
    #[must_use]
    pub fn every(self, milliseconds: u32) -> Asking {
        let only = Choice::new(vec![milliseconds.max(1)], &[1.0]);
        Asking { intervals: only.unwrap_or(self.intervals), ..self }
    }

    /// What one time stamp of a trace stands for: the first of the intervals, in milliseconds.
    pub fn stamp(&self) -> u32 {
        self.intervals.values().first().copied().unwrap_or(1).max(1)
    }

    fn generator(&self, person: usize) -> Pcg64Mcg {
        generator(self.seed, person as u32)
    }

    fn interval(&self, random: &mut Pcg64Mcg) -> u32 {
        self.intervals.draw(random).max(1)
    }

    fn k(&self, random: &mut Pcg64Mcg) -> u32 {
        let (smallest, largest) = self.k;
        random.random_range(smallest..=largest.max(smallest))
    }

    /// The lowest rounded speed at which `needed`, and the least `dc`, are done in `interval`
    /// milliseconds; and the `dc` that follows from it.
    fn pace(&self, needed: Length, interval: u32) -> (u32, Length) {
        let micrometres = u64::from(needed.max(self.floor).max(Length::UNIT).units()) * 31_250;
        let exact = micrometres.div_ceil(u64::from(interval));
        let speed = exact.div_ceil(SPEED_STEP) * SPEED_STEP;
        let units = u128::from(speed) * u128::from(interval) * 32 / 1_000_000;
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        (u32::try_from(speed).unwrap_or(u32::MAX), Length::from_units(units))
    }
}

impl Asked {
    /// Puts all queries in order.
    fn sorted(mut self) -> Asked {
        self.queries.sort_by_key(|query| (query.asked_at, query.user));
        self
    }
}

/// The name of a trip's piece, counted from 0.
fn name_of(trip: &str, piece: usize) -> String {
    if piece == 0 { trip.to_owned() } else { format!("{trip}#{}", piece + 1) }
}
