//! How fast a street is at the moment: its limit, and less if it is crowded.
//!
//! What everyone does in one second follows from how many were on each leg when it began, so
//! the order in which people are moved does not matter.

use crate::leg::Leg;
use crate::profile::{Capacity, Profile};
use meshcloak::map::StreetMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Speeds, and counts of people, of every leg.
#[derive(Debug)]
pub(crate) struct Streets {
    /// Speed each leg allows during this second, in millimetres per second.
    pub paces: Vec<u32>,
    limits: Vec<u32>,
    crowd: Option<Crowd>,
    entered: Vec<AtomicU32>,
}

#[derive(Debug)]
struct Crowd {
    slowest: u32,
    room: Vec<u32>,
    present: Vec<AtomicU32>,
}

impl Streets {
    pub(crate) fn new(map: &StreetMap, profile: &Profile) -> Streets {
        let legs = || (0..2 * map.street_count()).map(Leg::from_index);
        let limit = |leg: Leg| {
            let rank = map.rank(leg.street()).number();
            profile.limits.map_or(u32::MAX, |limits| limits[rank])
        };
        let limits: Vec<u32> = legs().map(limit).collect();
        let counters = || legs().map(|_| AtomicU32::new(0)).collect();
        let crowd = profile.capacity.map(|capacity| Crowd {
            slowest: capacity.slowest,
            room: legs().map(|leg| room(map, leg, &capacity)).collect(),
            present: counters(),
        });
        Streets { paces: limits.clone(), limits, crowd, entered: counters() }
    }

    /// Someone comes onto a leg.
    pub(crate) fn enter(&self, leg: Leg) {
        self.entered[leg.index()].fetch_add(1, Ordering::Relaxed);
        if let Some(crowd) = &self.crowd {
            crowd.present[leg.index()].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Someone who came onto a leg leaves it.
    pub(crate) fn leave(&self, leg: Leg) {
        if let Some(crowd) = &self.crowd {
            crowd.present[leg.index()].fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// How often each leg was entered so far.
    pub(crate) fn entered(&self, leg: Leg) -> u32 {
        self.entered[leg.index()].load(Ordering::Relaxed)
    }

    /// Sets the speeds of the next second by who is where now.
    pub(crate) fn update(&mut self) {
        let Some(crowd) = &self.crowd else { return };
        let rows =
            self.paces.iter_mut().zip(&self.limits).zip(crowd.room.iter().zip(&crowd.present));
        for ((pace, &limit), (&room, present)) in rows {
            *pace = crowded_pace(limit, room, present.load(Ordering::Relaxed), crowd.slowest);
        }
    }
}

/// A street with twice as many people as it has room for is half as fast, and so on.
fn crowded_pace(limit: u32, room: u32, present: u32, slowest: u32) -> u32 {
    if present <= room {
        return limit;
    }
    let pace = u64::from(limit) * u64::from(room) / u64::from(present);
    (pace as u32).max(slowest.min(limit))
}

/// How many people a leg has room for at full speed; at least one.
fn room(map: &StreetMap, leg: Leg, capacity: &Capacity) -> u32 {
    let lanes = capacity.lanes[map.rank(leg.street()).number()];
    let metres = map.street(leg.street()).length.as_metres() * f64::from(lanes);
    ((metres / capacity.metres) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_slows_but_never_stops() {
        assert_eq!(crowded_pace(10_000, 5, 5, 1000), 10_000);
        assert_eq!(crowded_pace(10_000, 5, 10, 1000), 5000);
        assert_eq!(crowded_pace(10_000, 1, 1_000_000, 1000), 1000);
        assert_eq!(crowded_pace(500, 1, 10, 1000), 500);
    }
}
