//! How users move, by leg: a street in one direction, numbered 2 × street + direction.

use meshcloak::map::{StreetId, StreetMap, TerminalId};

/// Speed of users on a leg, in metres per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegPace {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// Speeds and turns on every leg.
#[derive(Clone, Debug)]
pub struct Movement {
    legs: Vec<LegMovement>,
    /// Turns of all legs; each leg owns a range.
    turns: Vec<Turn>,
}

#[derive(Clone, Copy, Debug)]
struct LegMovement {
    metres: f64,
    pace: LegPace,
    first_turn: u32,
    is_allowed: bool,
}

/// A turn, with the probability of this one or an earlier one of the same leg.
#[derive(Clone, Copy, Debug)]
struct Turn {
    leg: u32,
    up_to: f64,
}

/// Smallest length of a leg in metres: a user passes finitely many legs in a second.
const MIN_METRES: f64 = 0.5;
/// Slowest speed, as a share of the mean of the leg.
const MIN_PACE: f64 = 0.2;

impl Movement {
    /// Builds the model of a map. `pace` is the speed on a leg; `turn` is the relative probability
    /// of continuing from a leg by another, one of the given number of legs.
    pub fn new(
        map: &StreetMap,
        pace: impl Fn(usize) -> LegPace,
        turn: impl Fn(usize, usize, usize) -> f64,
    ) -> Movement {
        let mut movement = Movement { legs: Vec::new(), turns: Vec::new() };
        for leg in 0..2 * map.street_count() {
            let street = map.street(street_of(leg));
            let is_allowed = leg & 1 == 0 || !street.one_way;
            movement.legs.push(LegMovement {
                metres: street.length.as_metres().max(MIN_METRES),
                pace: pace(leg),
                first_turn: movement.turns.len() as u32,
                is_allowed,
            });
            if is_allowed {
                movement.add_turns(map, leg, &turn);
            }
        }
        movement
    }

    fn add_turns(
        &mut self,
        map: &StreetMap,
        leg: usize,
        turn: impl Fn(usize, usize, usize) -> f64,
    ) {
        let options = options(map, leg);
        let weights: Vec<f64> = options.iter().map(|&to| turn(leg, to, options.len())).collect();
        let sum: f64 = weights.iter().sum();
        let mut up_to = 0.0;
        for (&to, weight) in options.iter().zip(weights) {
            up_to += weight / sum;
            self.turns.push(Turn { leg: to as u32, up_to });
        }
    }

    /// Length of a leg in metres.
    pub(super) fn metres(&self, leg: u32) -> f64 {
        self.legs[leg as usize].metres
    }

    /// Whether a leg may be travelled.
    pub(super) fn is_allowed(&self, leg: u32) -> bool {
        self.legs[leg as usize].is_allowed
    }

    /// Speed on a leg of a user who differs from the mean by `haste` standard deviations.
    pub(super) fn speed(&self, leg: u32, haste: f64) -> f64 {
        let LegPace { mean, deviation } = self.legs[leg as usize].pace;
        (mean + haste * deviation).max(MIN_PACE * mean)
    }

    /// Leg after `leg` for a number drawn uniformly from 0 to 1; `None` where no leg begins.
    pub(super) fn turn(&self, leg: u32, drawn: f64) -> Option<u32> {
        let turns = self.turns_of(leg);
        let index = turns.partition_point(|turn| turn.up_to < drawn);
        turns.get(index).or(turns.last()).map(|turn| turn.leg)
    }

    /// Probabilities of all turns from a leg.
    #[cfg(test)]
    pub(super) fn turn_probabilities(&self, leg: u32) -> Vec<(u32, f64)> {
        let mut before = 0.0;
        let one = |turn: &Turn| (turn.leg, turn.up_to - std::mem::replace(&mut before, turn.up_to));
        self.turns_of(leg).iter().map(one).collect()
    }

    fn turns_of(&self, leg: u32) -> &[Turn] {
        let end = self.legs.get(leg as usize + 1).map_or(self.turns.len() as u32, |l| l.first_turn);
        &self.turns[self.legs[leg as usize].first_turn as usize..end as usize]
    }
}

pub(super) fn street_of(leg: usize) -> StreetId {
    StreetId((leg / 2) as u32)
}

/// Terminal at the end of a leg.
fn head(map: &StreetMap, leg: usize) -> TerminalId {
    let street = map.street(street_of(leg));
    if leg & 1 == 0 { street.to } else { street.from }
}

/// Legs that continue a leg: all that begin at its end, turning back only in a dead end.
fn options(map: &StreetMap, leg: usize) -> Vec<usize> {
    let terminal = head(map, leg);
    let mut all: Vec<usize> = Vec::new();
    for arm in map.leaving(terminal) {
        let street = map.street(arm.street);
        let forward = 2 * arm.street.index();
        if street.from == terminal {
            all.push(forward);
        }
        if street.to == terminal && !street.one_way {
            all.push(forward + 1);
        }
    }
    all.sort_unstable();
    all.dedup();
    if all.len() > 1 {
        all.retain(|&option| option != leg ^ 1);
    }
    all
}
