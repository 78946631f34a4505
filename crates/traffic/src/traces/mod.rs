//! Queries from recorded traces.
//!
//! A recorded trip is matched to the map and submits queries at an interval along its route
//! ([`along`]); a report of Brinkhoff's generator is a query by itself ([`reports`]). In both cases
//! `dc` is top speed × interval, and the top speed is what the trace needs, so consecutive queries are
//! never farther apart than `dc`.

pub mod along;
mod overlay;
pub mod reports;
#[cfg(test)]
mod tests;

pub use overlay::overlay;

use crate::leg::MICROMETRES;
use crate::profile::Profile;
use crate::random::{Distribution, generator};
use crate::simulated_query::SimulatedQuery;
use meshcloak::units::Length;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// Queries of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceQueries {
    /// Names by [`SimulatedQuery::user`]: that of the trip, with `#2`, `#3` for further pieces.
    pub names: Vec<String>,
    /// Ordered by time, then by user.
    pub queries: Vec<SimulatedQuery>,
}

/// Settings of queries from traces.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceSettings {
    intervals: Distribution<u32>,
    /// Minimum `dc`, for standing users.
    pub floor: Length,
    /// Smallest and largest `k`, drawn uniformly for each query where the trace has none.
    pub k: (u32, u32),
    /// dt of all queries in milliseconds.
    pub temporal_tolerance: u32,
    /// Random seed of intervals and k.
    pub seed: u64,
}

/// Speeds are rounded up to multiples of this, in millimetres per second, to allow for the rounding
/// of written points.
const SPEED_STEP: u64 = 100;

impl TraceSettings {
    /// Takes interval and minimum dc from a profile; other values as in a simulation.
    pub fn new(profile: &Profile) -> TraceSettings {
        let intervals = profile.interval.clone();
        let floor = profile.standing.floor;
        TraceSettings { intervals, floor, k: (2, 5), temporal_tolerance: 3000, seed: 1 }
    }

    /// Sets a fixed interval in milliseconds, at least 1.
    #[must_use]
    pub fn every(self, milliseconds: u32) -> TraceSettings {
        let only = Distribution::new(vec![milliseconds.max(1)], &[1.0]);
        TraceSettings { intervals: only.unwrap_or(self.intervals), ..self }
    }

    /// Duration of a time stamp: the first interval, in milliseconds.
    pub fn stamp(&self) -> u32 {
        self.intervals.values().first().copied().unwrap_or(1).max(1)
    }

    fn generator(&self, user: usize) -> Pcg64Mcg {
        generator(self.seed, user as u32)
    }

    fn interval(&self, random: &mut Pcg64Mcg) -> u32 {
        self.intervals.draw(random).max(1)
    }

    fn k(&self, random: &mut Pcg64Mcg) -> u32 {
        let (smallest, largest) = self.k;
        random.random_range(smallest..=largest.max(smallest))
    }

    /// Returns the lowest rounded speed that covers `needed` and the minimum dc in `interval`
    /// milliseconds, and the resulting dc.
    fn speed_and_dc(&self, needed: Length, interval: u32) -> (u32, Length) {
        let micrometres = u64::from(needed.max(self.floor).max(Length::UNIT).units()) * MICROMETRES;
        let exact = micrometres.div_ceil(u64::from(interval));
        let speed = exact.div_ceil(SPEED_STEP) * SPEED_STEP;
        let units = u128::from(speed) * u128::from(interval) * 32 / 1_000_000;
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        (u32::try_from(speed).unwrap_or(u32::MAX), Length::from_units(units))
    }
}

impl TraceQueries {
    /// Sorts the queries.
    fn sorted(mut self) -> TraceQueries {
        self.queries.sort_by_key(|query| (query.asked_at, query.user));
        self
    }
}

/// Name of a piece of a trip, counted from 0.
fn name_of(trip: &str, piece: usize) -> String {
    if piece == 0 { trip.to_owned() } else { format!("{trip}#{}", piece + 1) }
}
