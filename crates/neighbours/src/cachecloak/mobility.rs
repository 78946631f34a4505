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

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use meshcloak::units::Length;
    use traffic::{Crossing, Profile, Simulation, SimulationSettings};

    fn journeys(town: &Town, seed: u64) -> Vec<Journey> {
        let profile = Profile::named("p1").unwrap();
        let settings = SimulationSettings { users: 30, seed, ..SimulationSettings::default() };
        Simulation::new(&town.map, &profile, settings).record_journeys(300, &|| ())
    }

    fn learn(town: &Town, journeys: &[Journey]) -> (TrafficModel, Mobility) {
        let model = TrafficModel::learn(&town.map, journeys);
        let cells = StreetCells::new(&town.map, Length::metres(50.0));
        let mobility = Mobility::new(&town.map, cells, &model);
        (model, mobility)
    }

    #[test]
    fn a_path_is_predicted_by_the_most_frequent_turns_forward_and_backward() {
        let mut compared = 0;
        for seed in 0..150 {
            let town = Town::random(seed);
            let (map, journeys) = (&town.map, journeys(&town, seed));
            let (_, mobility) = learn(&town, &journeys);
            let crossings: Vec<Crossing> =
                journeys.iter().flat_map(|journey| journey.crossings(map)).collect();
            let count = |from: Leg, to: Leg| {
                crossings.iter().filter(|one| (one.from, one.to) == (from, to)).count()
            };
            let first = |leg: Leg| mobility.cells().directed(leg, 0);
            let last = |leg: Leg| first(leg) + mobility.cells().of_street(leg.street()) - 1;
            let legs = (0..2 * map.street_count()).map(Leg::from_index);
            for leg in legs.filter(|leg| leg.is_allowed(map)) {
                let at = format!("seed {seed} {leg:?}\n{town}");
                let next = leaving_legs(map, leg.head(map));
                let most = next.iter().map(|&next| count(leg, next)).max();
                let found = mobility.next(last(leg)).map(|cell| mobility.cells().leg(cell));
                assert_eq!(found.map(|found| count(leg, found.0)), most, "{at}");
                assert!(found.is_none_or(|found| found.1 == 0), "{at}");
                let before = arriving_legs(map, leg.tail(map));
                let most = before.iter().map(|&before| count(before, leg)).max();
                let found = mobility.previous(first(leg));
                let from = found.map(|cell| mobility.cells().leg(cell).0);
                assert_eq!(from.map(|from| count(from, leg)), most, "{at}");
                assert_eq!(found, from.map(last), "{at}");
                compared += usize::from(most > Some(0));
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn one_second_moves_a_user_by_speed_and_frequency_of_turns() {
        let (mut turned, mut excluded) = (0, 0);
        for seed in 0..150 {
            let town = Town::random(seed);
            let map = &town.map;
            let (model, mobility) = learn(&town, &journeys(&town, seed));
            let cells = mobility.cells();
            for directed in 0..2 * cells.count() as u32 {
                let (leg, index) = cells.leg(directed);
                let mut moves = Vec::new();
                mobility.step(directed, 0.5, |next, mass| moves.push((next, mass)));
                let (same, stays) = moves.remove(0);
                assert_eq!(same, directed);
                let sum = stays + moves.iter().map(|one| one.1).sum::<f64>();
                assert!((sum - 1.0).abs() < 1e-9, "seed {seed}\n{town}");
                let is_last = index + 1 == cells.of_street(leg.street());
                if !is_last {
                    let leaves = 0.5 * model.speed(leg).mean / cells.metres(map, leg.street());
                    assert!((1.0 - stays - leaves.min(1.0)).abs() < 1e-9, "seed {seed}\n{town}");
                    assert_eq!(moves.iter().map(|one| one.0).collect::<Vec<_>>(), [directed + 1]);
                    continue;
                }
                // Shares of turns are as those of the model; no user turns back unless that was seen.
                for &(a, mass) in &moves {
                    for &(b, other) in &moves {
                        let turn = |cell: u32| model.turn(leg, cells.leg(cell).0, 1);
                        assert!((mass * turn(b) - other * turn(a)).abs() < 1e-9, "seed {seed}");
                        turned += usize::from(a != b);
                    }
                }
                let mut expected = leaving_legs(map, leg.head(map));
                let all = expected.len();
                if all > 1 {
                    let is_seen = |next: Leg| model.turn_count(leg, next) > 0;
                    expected.retain(|&next| {
                        next == leg || next.street() != leg.street() || is_seen(next)
                    });
                }
                let mut found: Vec<Leg> = moves.iter().map(|one| cells.leg(one.0).0).collect();
                found.sort_unstable();
                assert_eq!(found, expected, "seed {seed} {leg:?}\n{town}");
                excluded += all - expected.len();
            }
        }
        assert!(turned > 1_000 && excluded > 500, "{turned} {excluded}");
    }

    #[test]
    fn the_pace_is_the_expected_time_of_a_journey_by_the_true_one() {
        let mut uneven = 0;
        for seed in 0..60 {
            let town = Town::random(seed);
            let journeys = journeys(&town, seed);
            let (model, mobility) = learn(&town, &journeys);
            for journey in &journeys {
                let (mut expected, mut taken) = (0.0, 0.0);
                for one in journey.passages() {
                    expected += model.travel_time(one.leg, one.to - one.from).mean;
                    taken += (one.left - one.entered) as f64 / 1000.0;
                }
                let pace = mobility.pace(&town.map, journey);
                assert!((pace * taken - expected).abs() < 1e-6 * expected.max(1.0) || taken == 0.0);
                uneven += usize::from((pace - 1.0).abs() > 0.1);
            }
        }
        assert!(uneven > 100, "{uneven}");
    }
}
