//! Exact filter for movements in which every leg takes one second and the target is in its middle at
//! each tick.

use super::movement::{Movement, street_of};
use meshcloak::map::StreetId;
use std::collections::BTreeMap;

/// Probability of each leg.
pub struct ExactFilter<'a> {
    movement: &'a Movement,
    legs: BTreeMap<u32, f64>,
}

impl<'a> ExactFilter<'a> {
    pub fn new(movement: &'a Movement, start: StreetId) -> ExactFilter<'a> {
        let both = [2 * start.0, 2 * start.0 + 1];
        let allowed: Vec<u32> = both.into_iter().filter(|&leg| movement.is_allowed(leg)).collect();
        let weight = 1.0 / allowed.len() as f64;
        ExactFilter { movement, legs: allowed.into_iter().map(|leg| (leg, weight)).collect() }
    }

    pub fn advance(&mut self) {
        let mut next = BTreeMap::new();
        for (&leg, &weight) in &self.legs {
            let turns = self.movement.turn_probabilities(leg);
            let turns = if turns.is_empty() { vec![(leg, 1.0)] } else { turns };
            for (to, share) in turns {
                *next.entry(to).or_insert(0.0) += weight * share;
            }
        }
        self.legs = next;
    }

    pub fn observe(&mut self, likelihood: impl Fn(StreetId) -> f64) {
        for (&leg, weight) in &mut self.legs {
            *weight *= likelihood(street_of(leg as usize));
        }
        let sum: f64 = self.legs.values().sum();
        self.legs.values_mut().for_each(|weight| *weight /= sum);
    }

    pub fn streets(&self) -> BTreeMap<StreetId, f64> {
        let mut streets = BTreeMap::new();
        for (&leg, &weight) in &self.legs {
            *streets.entry(street_of(leg as usize)).or_insert(0.0) += weight;
        }
        streets
    }
}
