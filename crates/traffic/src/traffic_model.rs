//! What an observer knows of the traffic: speeds on each leg and turns at each junction, learned
//! from past journeys.

use crate::journey::{Journey, Passage};
use crate::leg::Leg;
use meshcloak::map::{StreetMap, TerminalId};
use meshcloak::units::Length;
use rustc_hash::FxHashMap;

/// Number of observations that the average of the whole map counts for on every leg.
const PRIOR_WEIGHT: f64 = 4.0;
/// Number of observations that each possible turn has in advance.
const TURN_PRIOR: f64 = 0.5;
/// Smallest standard deviation of speeds, as a share of the mean.
const MIN_DEVIATION: f64 = 0.05;
/// Passages shorter than this are no measurement of speed, in metres.
const MIN_METRES: f64 = 5.0;

/// Mean and standard deviation of the speeds on a leg, in metres per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSpeed {
    /// Mean.
    pub mean: f64,
    /// Standard deviation; at least 5 % of the mean.
    pub deviation: f64,
}

/// Mean and standard deviation of the time for a way, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TravelTime {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// A user who is fast on one street is fast on the next: deviations add up.
impl std::ops::AddAssign for TravelTime {
    fn add_assign(&mut self, other: TravelTime) {
        self.mean += other.mean;
        self.deviation += other.deviation;
    }
}

/// Statistics of past journeys.
#[derive(Clone, Debug)]
pub struct TrafficModel {
    legs: Vec<Sums>,
    all: Sums,
    turns: FxHashMap<(Leg, Leg), u32>,
    /// Turns from each leg.
    departures: Vec<u32>,
    /// Crossings of each terminal.
    crossings: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn plus(self, prior: Sums, weight: f64) -> Sums {
        let factor = if prior.count > 0.0 { weight / prior.count } else { 0.0 };
        Sums {
            count: self.count + factor * prior.count,
            sum: self.sum + factor * prior.sum,
            squares: self.squares + factor * prior.squares,
        }
    }
}

impl TrafficModel {
    /// Learns from journeys on `map`.
    pub fn learn<'a>(
        map: &StreetMap,
        journeys: impl IntoIterator<Item = &'a Journey>,
    ) -> TrafficModel {
        let mut model = TrafficModel {
            legs: vec![Sums::default(); 2 * map.street_count()],
            all: Sums::default(),
            turns: FxHashMap::default(),
            departures: vec![0; 2 * map.street_count()],
            crossings: vec![0; map.terminal_count()],
        };
        for journey in journeys {
            for passage in journey.passages() {
                if let Some(speed) = speed(passage) {
                    model.legs[passage.leg.index()].add(speed);
                    model.all.add(speed);
                }
            }
            for crossing in journey.crossings(map) {
                *model.turns.entry((crossing.from, crossing.to)).or_default() += 1;
                model.departures[crossing.from.index()] += 1;
                model.crossings[crossing.terminal.index()] += 1;
            }
        }
        model
    }

    /// Speeds on a leg; legs with few observations tend to the average of the map.
    pub fn speed(&self, leg: Leg) -> LegSpeed {
        let sums = self.legs[leg.index()].plus(self.all, PRIOR_WEIGHT);
        if sums.count == 0.0 {
            return LegSpeed { mean: 10.0, deviation: 3.0 };
        }
        let mean = sums.sum / sums.count;
        let variance = (sums.squares / sums.count - mean * mean).max(0.0);
        LegSpeed { mean, deviation: variance.sqrt().max(MIN_DEVIATION * mean) }
    }

    /// Time for the first `length` of a leg. A speed with mean μ and deviation σ gives a time with
    /// mean `length / μ` and deviation `length σ / μ²`.
    pub fn travel_time(&self, leg: Leg, length: Length) -> TravelTime {
        let LegSpeed { mean, deviation } = self.speed(leg);
        let seconds = length.as_metres() / mean;
        TravelTime { mean: seconds, deviation: seconds * deviation / mean }
    }

    /// Length of a leg after which its travel times spread by `seconds`, rounded up; `None` if it is
    /// beyond the largest length.
    pub fn spread_end(&self, leg: Leg, seconds: f64) -> Option<Length> {
        let LegSpeed { mean, deviation } = self.speed(leg);
        let end = Length::metres(seconds.max(0.0) * mean * mean / deviation);
        (end < Length::MAX).then_some(end)
    }

    /// Probability that a user who arrives by `from` continues by `to`, one of `options` legs.
    pub fn turn(&self, from: Leg, to: Leg, options: usize) -> f64 {
        let count = f64::from(self.turn_count(from, to));
        let total = f64::from(self.departures[from.index()]);
        (count + TURN_PRIOR) / (total + TURN_PRIOR * options.max(1) as f64)
    }

    /// Number of observed turns.
    pub fn turn_count(&self, from: Leg, to: Leg) -> u32 {
        self.turns.get(&(from, to)).copied().unwrap_or(0)
    }

    /// Number of crossings of a terminal.
    pub fn crossings(&self, terminal: TerminalId) -> u32 {
        self.crossings[terminal.index()]
    }
}

/// Speed of a passage in metres per second; `None` if it is too short to tell.
fn speed(passage: &Passage) -> Option<f64> {
    let metres = (passage.to - passage.from).as_metres();
    let seconds = (passage.left - passage.entered) as f64 / 1000.0;
    (metres >= MIN_METRES && seconds > 0.0).then(|| metres / seconds)
}
