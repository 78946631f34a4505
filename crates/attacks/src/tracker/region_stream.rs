//! All regions of a run by tick, as street densities: what a service sees if nothing links two
//! disclosures.

use meshcloak::map::{StreetId, StreetMap};
use meshcloak::region::Region;
use meshcloak::units::Time;
use std::time::Duration;

/// Density of a street that is never covered, as a share of the mean over the map; keeps quotients
/// finite.
const MIN_USUAL: f64 = 1e-3;

/// Regions of a run. Each distinct region of a tick spreads a weight of one evenly over its streets.
#[derive(Clone, Debug)]
pub struct RegionStream {
    tick: u64,
    /// For each tick the density of every street; empty if nothing was published.
    densities: Vec<Vec<f32>>,
    /// Mean density of every street over all ticks.
    usual: Vec<f64>,
}

impl RegionStream {
    /// Creates an empty stream with ticks of that length.
    pub fn new(tick: Duration) -> RegionStream {
        let tick = (tick.as_millis() as u64).max(1);
        RegionStream { tick, densities: Vec::new(), usual: Vec::new() }
    }

    /// Adds the distinct regions that are published at one time.
    pub fn add(&mut self, map: &StreetMap, at: Time, mut regions: Vec<Region<'_>>) {
        regions.sort_by(Region::total_cmp);
        regions.dedup();
        let number = at.as_millis().div_ceil(self.tick) as usize;
        if self.densities.len() <= number {
            self.densities.resize(number + 1, Vec::new());
        }
        let densities = &mut self.densities[number];
        if !regions.is_empty() {
            densities.resize(map.street_count(), 0.0);
        }
        for region in &regions {
            let streets = region.streets(map);
            let metres: f64 = streets.iter().map(|&street| map.metres(street)).sum();
            let density = 1.0 / metres.max(1.0);
            streets.iter().for_each(|street| densities[street.index()] += density as f32);
        }
    }

    /// Computes the usual densities; call it after the last region.
    pub fn finish(&mut self, map: &StreetMap) {
        let mut sums = vec![0.0; map.street_count()];
        for densities in &self.densities {
            sums.iter_mut().zip(densities).for_each(|(sum, &density)| *sum += f64::from(density));
        }
        let ticks = self.densities.len().max(1) as f64;
        let mean = sums.iter().sum::<f64>() / ticks / sums.len().max(1) as f64;
        let least = (MIN_USUAL * mean).max(f64::MIN_POSITIVE);
        self.usual = sums.iter().map(|sum| (sum / ticks).max(least)).collect();
    }

    /// Number of ticks.
    pub fn tick_count(&self) -> usize {
        self.densities.len()
    }

    /// Length of a tick.
    pub fn tick(&self) -> Duration {
        Duration::from_millis(self.tick)
    }

    /// Number of the first tick at or after a time.
    pub fn tick_after(&self, at: Time) -> usize {
        at.as_millis().div_ceil(self.tick) as usize
    }

    /// Time of a tick.
    pub fn time(&self, tick: usize) -> Time {
        Time::from_millis(tick as u64 * self.tick)
    }

    /// Likelihood of the regions of a tick if the target is on a street, relative to the target
    /// being elsewhere; `asks` is the probability that a user is published in a tick.
    ///
    /// A target that is not published says nothing. A published one is on a covered street, which is
    /// the more telling the less that street is usually covered.
    pub fn likelihood(&self, tick: usize, street: StreetId, asks: f64) -> f64 {
        let densities = self.densities.get(tick).map_or(&[][..], Vec::as_slice);
        let density = densities.get(street.index()).map_or(0.0, |&density| f64::from(density));
        (1.0 - asks) + asks * density / self.usual[street.index()]
    }
}
