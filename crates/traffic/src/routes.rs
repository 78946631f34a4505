//! The fastest way from a place to a place, respecting one-way streets.
//!
//! By contraction hierarchies, one for each distinct own speed, or a single one if streets have no
//! limits: then fastest is shortest. A route takes 6 µs on Oldenburg and 44 µs on all of Porto,
//! where A* takes 67 and 1,100 (`benches/routes.rs`). The crate `fast_paths` is as fast, prepares
//! twice as long, and comes with a licence we do not allow.
//! The twin is `naive::cheapest`.

use crate::avoided::{Avoided, DETOUR};
use crate::contraction::Contraction;
use crate::hierarchy::{Hierarchy, Search};
use crate::leg::{Direction, Leg};
use meshcloak::map::{Position, StreetMap, TerminalId};
use meshcloak::units::Length;

/// The speed each leg allows at the moment, in millimetres per second.
pub type Paces = [u32];

/// Where a route begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Anywhere; one may leave in either direction the street allows.
    Place(Position),
    /// At a terminal.
    Terminal(TerminalId),
}

/// The fastest ways on a map for people of one own speed.
#[derive(Debug)]
pub struct Routes {
    /// In millimetres per second; `None`: by length, whatever the speed.
    speed: Option<u32>,
    avoided: Avoided,
    costs: Vec<u64>,
    hierarchy: Hierarchy,
}

/// What a search needs and leaves behind; one per thread.
pub struct Planner {
    search: Search,
    way: Vec<u32>,
}

/// A way onto or off the streets at one end of a route.
#[derive(Clone, Copy)]
struct Ramp {
    leg: Leg,
    terminal: TerminalId,
    cost: u64,
}

impl Routes {
    /// The routes at that own speed (`None`: the shortest) and these paces.
    pub fn new(map: &StreetMap, speed: Option<u32>, paces: &Paces) -> Routes {
        Routes::avoiding(map, speed, paces, Avoided::NOTHING)
    }

    /// The same for people who avoid some streets, each of which costs [`DETOUR`] times as much.
    pub fn avoiding(
        map: &StreetMap,
        speed: Option<u32>,
        paces: &Paces,
        avoided: Avoided,
    ) -> Routes {
        let costs = leg_costs(map, speed, paces, avoided);
        let hierarchy = contraction(map, &costs).run();
        Routes { speed, avoided, costs, hierarchy }
    }

    /// Follows paces that have changed; cheap if they have not.
    pub(crate) fn refresh(&mut self, map: &StreetMap, paces: &Paces) {
        let costs = leg_costs(map, self.speed, paces, self.avoided);
        if self.speed.is_none() || costs == self.costs {
            return;
        }
        self.hierarchy = contraction(map, &costs).run_in_order(&self.hierarchy.order);
        self.costs = costs;
    }

    /// Someone to search with.
    pub fn planner(&self) -> Planner {
        Planner { search: self.hierarchy.search(), way: Vec::new() }
    }

    /// What a whole leg costs: units of length, or microseconds if there is a speed.
    pub fn cost(&self, leg: Leg) -> u64 {
        self.costs[leg.index()]
    }

    /// What part of a leg costs; never more than the whole.
    pub fn part_cost(&self, map: &StreetMap, leg: Leg, part: Length) -> u64 {
        let whole = u128::from(self.cost(leg));
        let length = u128::from(map.street(leg.street()).length.units());
        (whole * u128::from(part.units())).div_ceil(length) as u64
    }

    /// Puts the cheapest way into `legs`, in order, and returns its cost; `None` if there is no
    /// way. From a place, the first leg begins on its street; the last ends on that of `to`.
    pub fn cheapest(
        &self,
        map: &StreetMap,
        planner: &mut Planner,
        (from, to): (Departure, Position),
        legs: &mut Vec<Leg>,
    ) -> Option<u64> {
        legs.clear();
        let exits = self.exits(map, from);
        let entrances = self.entrances(map, to);
        let around = self.hierarchy.cheapest(
            &mut planner.search,
            exits.iter().flatten().map(Ramp::weighted),
            entrances.iter().flatten().map(Ramp::weighted),
            &mut planner.way,
        );
        match (self.straight(map, from, to), around) {
            (Some((leg, cost)), around) if around.is_none_or(|around| cost <= around) => {
                legs.push(leg);
                Some(cost)
            }
            (_, around) => {
                let cost = around?;
                let (&first, &last) = (planner.way.first()?, planner.way.last()?);
                if let Departure::Place(_) = from {
                    legs.push(ramp_at(&exits, first)?.leg);
                }
                for pair in planner.way.windows(2) {
                    legs.push(self.between(map, pair[0], pair[1])?);
                }
                legs.push(ramp_at(&entrances, last)?.leg);
                Some(cost)
            }
        }
    }

    /// The way along one street without leaving it.
    fn straight(&self, map: &StreetMap, from: Departure, to: Position) -> Option<(Leg, u64)> {
        let Departure::Place(from) = from else { return None };
        let along = map.along(from, to)?;
        let forward = from.offset <= to.offset;
        let direction = if forward { Direction::Forward } else { Direction::Backward };
        let leg = Leg::new(from.street, direction);
        Some((leg, self.part_cost(map, leg, along)))
    }

    fn exits(&self, map: &StreetMap, from: Departure) -> [Option<Ramp>; 2] {
        match from {
            Departure::Place(place) => self.ramps(map, place, |leg| {
                let left = map.street(place.street).length - leg.along(map, place);
                (leg.head(map), left)
            }),
            Departure::Terminal(terminal) => {
                let leg = Leg::from_index(0);
                [Some(Ramp { leg, terminal, cost: 0 }), None]
            }
        }
    }

    fn entrances(&self, map: &StreetMap, to: Position) -> [Option<Ramp>; 2] {
        self.ramps(map, to, |leg| (leg.tail(map), leg.along(map, to)))
    }

    fn ramps(
        &self,
        map: &StreetMap,
        place: Position,
        end: impl Fn(Leg) -> (TerminalId, Length),
    ) -> [Option<Ramp>; 2] {
        [Direction::Forward, Direction::Backward].map(|direction| {
            let leg = Leg::new(place.street, direction);
            leg.is_allowed(map).then(|| {
                let (terminal, part) = end(leg);
                Ramp { leg, terminal, cost: self.part_cost(map, leg, part) }
            })
        })
    }

    /// The cheapest leg from one terminal to a neighbour, the first among equals.
    fn between(&self, map: &StreetMap, from: u32, to: u32) -> Option<Leg> {
        let arms = map.leaving(TerminalId(from)).iter();
        let there = arms.filter(|arm| arm.terminal.0 == to);
        there
            .map(|arm| {
                let forward = map.street(arm.street).from.0 == from;
                let direction = if forward { Direction::Forward } else { Direction::Backward };
                Leg::new(arm.street, direction)
            })
            .min_by_key(|&leg| self.cost(leg))
    }
}

impl Ramp {
    fn weighted(&self) -> (u32, u64) {
        (self.terminal.0, self.cost)
    }
}

fn ramp_at(ramps: &[Option<Ramp>; 2], terminal: u32) -> Option<Ramp> {
    let here = ramps.iter().flatten().filter(|ramp| ramp.terminal.0 == terminal);
    here.min_by_key(|ramp| ramp.cost).copied()
}

/// Micrometres over millimetres per second are milliseconds; a thousand times that is precise.
fn leg_costs(map: &StreetMap, speed: Option<u32>, paces: &Paces, avoided: Avoided) -> Vec<u64> {
    let legs = (0..2 * map.street_count()).map(Leg::from_index);
    legs.map(|leg| {
        let times = if avoided.holds(map, leg.street()) { DETOUR } else { 1 };
        let units = u64::from(map.street(leg.street()).length.units()) * times;
        speed.map_or(units, |own| {
            let pace = u64::from(own.min(paces[leg.index()]).max(1));
            (units * crate::leg::MICROMETRES * 1000).div_ceil(pace)
        })
    })
    .collect()
}

fn contraction(map: &StreetMap, costs: &[u64]) -> Contraction {
    let legs = (0..costs.len()).map(Leg::from_index).filter(|leg| leg.is_allowed(map));
    let arcs = legs.map(|leg| (leg.tail(map).0, leg.head(map).0, costs[leg.index()]));
    Contraction::new(map.terminal_count(), arcs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn a_route_costs_what_the_naive_search_says_and_its_legs_join() {
        for seed in 0..500 {
            let town = Town::random(seed);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let paces: Vec<u32> =
                (0..2 * map.street_count()).map(|_| random.random_range(500..20_000)).collect();
            for speed in [None, Some(4000), Some(30_000)] {
                let routes = Routes::new(map, speed, &paces);
                let mut planner = routes.planner();
                let (from, to) = (town.position(&mut random), town.position(&mut random));
                let mut legs = Vec::new();
                let ends = (Departure::Place(from), to);
                let cost = routes.cheapest(map, &mut planner, ends, &mut legs);
                let told = format!("seed {seed} {speed:?} {from:?} {to:?}\n{town}");
                assert_eq!(cost, naive::cheapest(map, &routes, from, to), "{told}");
                if cost.is_some() {
                    assert_eq!(cost, naive::cost_of(map, &routes, &legs, from, to), "{told}");
                }
            }
        }
    }

    #[test]
    fn routes_follow_paces_that_change() {
        let town = meshcloak::town::town("A 0,0 B 300,0 C 0,10 D 300,10 | A-B A-C C-D D-B");
        let map = &town.map;
        let mut paces = vec![10_000; 8];
        let mut routes = Routes::new(map, Some(10_000), &paces);
        let ends = (Departure::Terminal(TerminalId(0)), town.at("D-B", 10.0));
        let mut legs = Vec::new();
        let mut planner = routes.planner();
        routes.cheapest(map, &mut planner, ends, &mut legs).unwrap();
        assert_eq!(legs[0].street(), town.street("A-B"));
        paces[0] = 100;
        routes.refresh(map, &paces);
        routes.cheapest(map, &mut planner, ends, &mut legs).unwrap();
        assert_eq!(legs[0].street(), town.street("A-C"));
    }
}
