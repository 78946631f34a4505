//! Movement of users between directed cells, learned from past journeys.
//!
//! In one second a user stays in a directed cell or moves to a next one, with the mean speed of the
//! street and the frequencies of turns. The server predicts paths with the most frequent turns; the
//! adversary knows the same model.

use super::street_cells::StreetCells;
use crate::junction_legs::{arriving_legs, leaving_legs};
use meshcloak::map::StreetMap;
use traffic::TrafficModel;
use traffic::{Journey, Leg};

/// Markov chain over directed cells, and the most likely next and previous leg of each leg.
#[derive(Clone, Debug)]
pub struct Mobility {
    cells: StreetCells,
    /// Directed cells that a user of mean speed passes in one second, by leg.
    rates: Vec<f64>,
    /// Next legs and their probabilities, by leg.
    turns: Vec<Vec<(Leg, f64)>>,
    next: Vec<Option<Leg>>,
    previous: Vec<Option<Leg>>,
}

impl Mobility {
    /// Builds the chain; `model` is learned from past journeys.
    pub fn new(map: &StreetMap, cells: StreetCells, model: &TrafficModel) -> Mobility {
        let legs = || (0..2 * map.street_count()).map(Leg::from_index);
        let rate = |leg: Leg| model.speed(leg).mean / cells.metres(map, leg.street());
        let rates = legs().map(rate).collect();
        let turns: Vec<Vec<(Leg, f64)>> = legs().map(|leg| turns(map, model, leg)).collect();
        // Ties by leg: `max_by` takes the last of equals, so the order is reversed.
        let next = |options: &Vec<(Leg, f64)>| {
            options.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|turn| turn.0)
        };
        let next = turns.iter().map(next).collect();
        let previous = legs().map(|leg| previous(map, model, leg)).collect();
        Mobility { cells, rates, turns, next, previous }
    }

    /// Division into cells.
    pub fn cells(&self) -> &StreetCells {
        &self.cells
    }

    /// Probabilities of the directed cells one second after `directed`: itself first. `pace` is the
    /// speed of the user relative to the mean of each street.
    pub fn step(&self, directed: u32, pace: f64, mut each: impl FnMut(u32, f64)) {
        let (leg, index) = self.cells.leg(directed);
        let leaves = (self.rates[leg.index()] * pace).min(1.0);
        let turns = &self.turns[leg.index()];
        if index + 1 < self.cells.of_street(leg.street()) {
            each(directed, 1.0 - leaves);
            each(directed + 1, leaves);
        } else if turns.is_empty() {
            each(directed, 1.0);
        } else {
            each(directed, 1.0 - leaves);
            for &(next, probability) in turns {
                each(self.cells.directed(next, 0), leaves * probability);
            }
        }
    }

    /// Speed of a journey relative to the mean of the streets that it passes.
    pub fn pace(&self, map: &StreetMap, journey: &Journey) -> f64 {
        let (mut expected, mut taken) = (0.0, 0.0);
        for passage in journey.passages() {
            let metres = (passage.to - passage.from).as_metres();
            let cells = metres / self.cells.metres(map, passage.leg.street());
            expected += cells / self.rates[passage.leg.index()];
            taken += (passage.left - passage.entered) as f64 / 1000.0;
        }
        if taken > 0.0 { expected / taken } else { 1.0 }
    }

    /// Most likely directed cell after this one; `None` at the end of a road.
    pub fn next(&self, directed: u32) -> Option<u32> {
        let (leg, index) = self.cells.leg(directed);
        if index + 1 < self.cells.of_street(leg.street()) {
            return Some(directed + 1);
        }
        self.next[leg.index()].map(|next| self.cells.directed(next, 0))
    }

    /// Most likely directed cell before this one; `None` at the beginning of a road.
    pub fn previous(&self, directed: u32) -> Option<u32> {
        let (leg, index) = self.cells.leg(directed);
        if index > 0 {
            return Some(directed - 1);
        }
        let previous = self.previous[leg.index()]?;
        Some(self.cells.directed(previous, self.cells.of_street(previous.street()) - 1))
    }
}

/// Next legs of a leg and their probabilities. A turn back needs to have been observed, or to be the
/// only way.
fn turns(map: &StreetMap, model: &TrafficModel, leg: Leg) -> Vec<(Leg, f64)> {
    let all = leaving_legs(map, leg.head(map));
    let is_back = |next: Leg| next.street() == leg.street() && next != leg;
    let forward: Vec<Leg> = all
        .iter()
        .copied()
        .filter(|&next| !is_back(next) || model.turn_count(leg, next) > 0)
        .collect();
    let options = if forward.is_empty() { all } else { forward };
    let weights: Vec<f64> =
        options.iter().map(|&next| model.turn(leg, next, options.len())).collect();
    let total: f64 = weights.iter().sum();
    options.into_iter().zip(weights).map(|(next, weight)| (next, weight / total)).collect()
}

/// Leg from which a leg was most often entered; without observations the first that does not turn
/// back.
fn previous(map: &StreetMap, model: &TrafficModel, leg: Leg) -> Option<Leg> {
    let options = arriving_legs(map, leg.tail(map));
    let rank = |before: &Leg| {
        let is_back = before.street() == leg.street() && *before != leg;
        (model.turn_count(*before, leg), !is_back)
    };
    options.iter().rev().copied().max_by_key(rank)
}
