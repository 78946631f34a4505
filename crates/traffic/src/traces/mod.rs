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

use meshcloak::map::Position;
use meshcloak::units::Length;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A question of a person of a trace, without the patience that all of them share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The person: a row of [`Asked::people`].
    pub person: u32,
    /// When, in milliseconds.
    pub asked_at: u64,
    /// Where.
    pub position: Position,
    /// Among how many.
    pub k: u32,
    /// Top speed in millimetres per second: of the person, not of the moment.
    pub speed: u32,
    /// Between two queries of this person, in milliseconds.
    pub query_interval: u32,
    /// `speed × query_interval`, rounded down.
    pub distance_constraint: Length,
}

/// What the people of a trace ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Their names: the trip's, with `#2`, `#3` for its further pieces if it broke.
    pub people: Vec<String>,
    /// In order of time, then of person.
    pub asks: Vec<Ask>,
}

/// How people of a trace ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// How often: intervals, each with its share of the people; never empty.
    pub intervals: Vec<(Duration, f64)>,
    /// Levels of k drawn for each query, all alike, where the trace has none.
    pub k: RangeInclusive<u32>,
    /// No `dc` is smaller, so that people who stand still have one.
    pub least: Length,
    /// What intervals and k are drawn from.
    pub seed: u64,
}

/// Speeds are rounded up to whole multiples of this, in millimetres per second: a reader that
/// snaps a written point again may find it a hair off.
const SPEED_STEP: u64 = 100;

impl Asking {
    /// The generator of one person: depends on seed and person alone.
    fn generator(&self, person: usize) -> Pcg64Mcg {
        let own = (person as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Pcg64Mcg::seed_from_u64(self.seed ^ own)
    }

    /// One of the intervals by share, in milliseconds and at least one.
    fn interval(&self, random: &mut Pcg64Mcg) -> u32 {
        let total: f64 = self.intervals.iter().map(|&(_, share)| share).sum();
        let mut left = f64::from(random.random::<u32>()) / 4_294_967_296.0 * total;
        let chosen = self.intervals.iter().find(|&&(_, share)| {
            left -= share;
            left < 0.0
        });
        let chosen = chosen.or(self.intervals.last()).map_or(Duration::ZERO, |&(span, _)| span);
        u32::try_from(chosen.as_millis()).unwrap_or(u32::MAX).max(1)
    }

    fn k(&self, random: &mut Pcg64Mcg) -> u32 {
        if self.k.is_empty() { *self.k.start() } else { random.random_range(self.k.clone()) }
    }

    /// The lowest rounded speed at which `needed`, and the least `dc`, are done in `interval`
    /// milliseconds; and the `dc` that follows from it.
    fn pace(&self, needed: Length, interval: u32) -> (u32, Length) {
        let micrometres = u64::from(needed.max(self.least).units()) * 31_250;
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
        self.asks.sort_by_key(|ask| (ask.asked_at, ask.person));
        self
    }
}

/// The name of a trip's piece, counted from 0.
fn name_of(trip: &str, piece: usize) -> String {
    if piece == 0 { trip.to_owned() } else { format!("{trip}#{}", piece + 1) }
}
