//! Current speed of each leg: its limit, reduced by congestion.
//!
//! Speeds of a second follow from the occupancy at its start, so the order in which agents are moved
//! does not matter.

use crate::leg::Leg;
use crate::profile::{Capacity, Profile};
use meshcloak::map::StreetMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Speed and occupancy of each leg.
#[derive(Debug)]
pub(crate) struct StreetLoad {
    /// Speed of each leg in this second, in millimetres per second.
    pub speeds: Vec<u32>,
    limits: Vec<u32>,
    occupancy: Option<Occupancy>,
    entered: Vec<AtomicU32>,
}

/// Agents on each leg, counted if the profile has capacities.
#[derive(Debug)]
struct Occupancy {
    min_speed: u32,
    capacity: Vec<u32>,
    present: Vec<AtomicU32>,
}

impl StreetLoad {
    pub(crate) fn new(map: &StreetMap, profile: &Profile) -> StreetLoad {
        let legs = || (0..2 * map.street_count()).map(Leg::from_index);
        let limit = |leg: Leg| {
            let rank = map.rank(leg.street()).number();
            profile.limits.map_or(u32::MAX, |limits| limits[rank])
        };
        let limits: Vec<u32> = legs().map(limit).collect();
        let counters = || legs().map(|_| AtomicU32::new(0)).collect();
        let occupancy = profile.capacity.map(|capacity| Occupancy {
            min_speed: capacity.slowest,
            capacity: legs().map(|leg| leg_capacity(map, leg, &capacity)).collect(),
            present: counters(),
        });
        StreetLoad { speeds: limits.clone(), limits, occupancy, entered: counters() }
    }

    /// Counts an agent that enters a leg.
    pub(crate) fn enter(&self, leg: Leg) {
        self.entered[leg.index()].fetch_add(1, Ordering::Relaxed);
        if let Some(occupancy) = &self.occupancy {
            occupancy.present[leg.index()].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an agent that leaves a leg.
    pub(crate) fn leave(&self, leg: Leg) {
        if let Some(occupancy) = &self.occupancy {
            occupancy.present[leg.index()].fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Number of times a leg was entered so far.
    pub(crate) fn entered(&self, leg: Leg) -> u32 {
        self.entered[leg.index()].load(Ordering::Relaxed)
    }

    /// Sets the speeds of the next second from the current occupancy.
    pub(crate) fn update(&mut self) {
        let Some(occupancy) = &self.occupancy else { return };
        let rows = self
            .speeds
            .iter_mut()
            .zip(&self.limits)
            .zip(occupancy.capacity.iter().zip(&occupancy.present));
        for ((speed, &limit), (&capacity, present)) in rows {
            let present = present.load(Ordering::Relaxed);
            *speed = congested_speed(limit, capacity, present, occupancy.min_speed);
        }
    }
}

/// Speed is inversely proportional to occupancy beyond the capacity, but not below `min_speed`.
fn congested_speed(limit: u32, capacity: u32, present: u32, min_speed: u32) -> u32 {
    if present <= capacity {
        return limit;
    }
    let speed = u64::from(limit) * u64::from(capacity) / u64::from(present);
    (speed as u32).max(min_speed.min(limit))
}

/// Number of agents at which a leg still has full speed; at least one.
fn leg_capacity(map: &StreetMap, leg: Leg, capacity: &Capacity) -> u32 {
    let lanes = capacity.lanes[map.rank(leg.street()).number()];
    let metres = map.street(leg.street()).length.as_metres() * f64::from(lanes);
    ((metres / capacity.metres) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn congestion_slows_down_to_the_minimum_speed() {
        assert_eq!(congested_speed(10_000, 5, 5, 1000), 10_000);
        assert_eq!(congested_speed(10_000, 5, 10, 1000), 5000);
        assert_eq!(congested_speed(10_000, 1, 1_000_000, 1000), 1000);
        assert_eq!(congested_speed(500, 1, 10, 1000), 500);
    }
}
