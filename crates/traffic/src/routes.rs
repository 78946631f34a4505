//! Fastest routes between positions, respecting one-way streets.
//!
//! Uses one contraction hierarchy per distinct top speed, or a single one without speed limits, where
//! the fastest route is the shortest. A route takes 6 µs on Oldenburg and 44 µs on metropolitan
//! Porto, where A* takes 67 and 1,100 µs (`benches/routes.rs`). The crate `fast_paths` is as fast but
//! depends on licences that `deny.toml` excludes. Reference: `naive::cheapest`.

use crate::avoided_streets::{AVOIDANCE_FACTOR, AvoidedStreets};
use crate::contraction::Contraction;
use crate::hierarchy::{Hierarchy, HierarchySearch};
use crate::leg::{Direction, Leg};
use meshcloak::map::{Arm, Position, StreetMap, TerminalId};
use meshcloak::units::Length;

/// Current speed of each leg in millimetres per second.
pub type StreetSpeeds = [u32];

/// Start of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteStart {
    /// A position; the route may leave it in any direction that the street allows.
    Position(Position),
    /// A terminal.
    Terminal(TerminalId),
}

/// Start and destination of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteEnds {
    /// Start.
    pub from: RouteStart,
    /// Destination.
    pub to: Position,
}

/// Fastest routes on a map for one top speed.
#[derive(Debug)]
pub struct Routes {
    /// Top speed in millimetres per second; `None` for shortest routes.
    speed: Option<u32>,
    avoided: AvoidedStreets,
    costs: Vec<u64>,
    hierarchy: Hierarchy,
}

/// Buffers of route searches, one per thread.
pub struct Planner {
    search: HierarchySearch,
    path: Vec<u32>,
}

/// Connection of a route's start or destination with a terminal.
#[derive(Clone, Copy)]
struct Ramp {
    leg: Leg,
    terminal: TerminalId,
    cost: u64,
}

impl Routes {
    /// Prepares routes for a top speed (`None`: shortest) and current street speeds.
    pub fn new(map: &StreetMap, speed: Option<u32>, speeds: &StreetSpeeds) -> Routes {
        Routes::avoiding(map, speed, speeds, AvoidedStreets::NONE)
    }

    /// Prepares routes that avoid some streets, which cost [`AVOIDANCE_FACTOR`] times as much.
    pub fn avoiding(
        map: &StreetMap,
        speed: Option<u32>,
        speeds: &StreetSpeeds,
        avoided: AvoidedStreets,
    ) -> Routes {
        let costs = leg_costs(map, speed, speeds, avoided);
        let hierarchy = contraction(map, &costs).run();
        Routes { speed, avoided, costs, hierarchy }
    }

    /// Updates to changed street speeds; cheap if nothing changed.
    pub(crate) fn refresh(&mut self, map: &StreetMap, speeds: &StreetSpeeds) {
        let costs = leg_costs(map, self.speed, speeds, self.avoided);
        if self.speed.is_none() || costs == self.costs {
            return;
        }
        self.hierarchy = contraction(map, &costs).run_in_order(&self.hierarchy.order);
        self.costs = costs;
    }

    /// Creates search buffers.
    pub fn planner(&self) -> Planner {
        Planner { search: self.hierarchy.search(), path: Vec::new() }
    }

    /// Cost of a leg: microseconds, or units of length for shortest routes.
    pub fn cost(&self, leg: Leg) -> u64 {
        self.costs[leg.index()]
    }

    /// Cost of a part of a leg, rounded up; at most that of the leg.
    pub fn part_cost(&self, map: &StreetMap, leg: Leg, part: Length) -> u64 {
        let whole = u128::from(self.cost(leg));
        let length = u128::from(map.street(leg.street()).length.units());
        (whole * u128::from(part.units())).div_ceil(length) as u64
    }

    /// Stores the cheapest route in `legs` and returns its cost; `None` if there is no route. From a
    /// position the first leg is on its street; the last leg is on the street of the destination.
    pub fn cheapest(
        &self,
        map: &StreetMap,
        planner: &mut Planner,
        trip: RouteEnds,
        legs: &mut Vec<Leg>,
    ) -> Option<u64> {
        let RouteEnds { from, to } = trip;
        legs.clear();
        let exits = self.exits(map, from);
        let entrances = self.entrances(map, to);
        let around = self.hierarchy.cheapest(
            &mut planner.search,
            exits.iter().flatten().map(Ramp::weighted),
            entrances.iter().flatten().map(Ramp::weighted),
            &mut planner.path,
        );
        match (self.straight(map, from, to), around) {
            (Some((leg, cost)), around) if around.is_none_or(|around| cost <= around) => {
                legs.push(leg);
                Some(cost)
            }
            (_, around) => {
                let cost = around?;
                let (&first, &last) = (planner.path.first()?, planner.path.last()?);
                if let RouteStart::Position(_) = from {
                    legs.push(ramp_at(&exits, first)?.leg);
                }
                for pair in planner.path.windows(2) {
                    legs.push(self.between(map, pair[0], pair[1])?);
                }
                legs.push(ramp_at(&entrances, last)?.leg);
                Some(cost)
            }
        }
    }

    /// Route along one street without leaving it.
    fn straight(&self, map: &StreetMap, from: RouteStart, to: Position) -> Option<(Leg, u64)> {
        let RouteStart::Position(from) = from else { return None };
        let along = map.along(from, to)?;
        let leg = Leg::between(from, to);
        Some((leg, self.part_cost(map, leg, along)))
    }

    fn exits(&self, map: &StreetMap, from: RouteStart) -> [Option<Ramp>; 2] {
        match from {
            RouteStart::Position(position) => self.ramps(map, position, |leg| {
                let rest = map.street(position.street).length - leg.along(map, position);
                (leg.head(map), rest)
            }),
            RouteStart::Terminal(terminal) => {
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
        position: Position,
        end: impl Fn(Leg) -> (TerminalId, Length),
    ) -> [Option<Ramp>; 2] {
        Leg::both(position.street).map(|leg| {
            leg.is_allowed(map).then(|| {
                let (terminal, part) = end(leg);
                Ramp { leg, terminal, cost: self.part_cost(map, leg, part) }
            })
        })
    }

    /// Cheapest leg from a terminal to a neighbour; ties by street order.
    fn between(&self, map: &StreetMap, from: u32, to: u32) -> Option<Leg> {
        let arms = map.leaving(TerminalId(from)).iter().filter(|arm| arm.terminal.0 == to);
        let leg = |arm: &Arm| {
            let is_forward = map.street(arm.street).from.0 == from;
            let direction = if is_forward { Direction::Forward } else { Direction::Backward };
            Leg::new(arm.street, direction)
        };
        arms.map(leg).min_by_key(|&leg| self.cost(leg))
    }
}

impl Ramp {
    fn weighted(&self) -> (u32, u64) {
        (self.terminal.0, self.cost)
    }
}

fn ramp_at(ramps: &[Option<Ramp>; 2], terminal: u32) -> Option<Ramp> {
    let matching = ramps.iter().flatten().filter(|ramp| ramp.terminal.0 == terminal);
    matching.min_by_key(|ramp| ramp.cost).copied()
}

/// Cost of each leg. Micrometres / (mm/s) are milliseconds, here in microseconds.
fn leg_costs(
    map: &StreetMap,
    speed: Option<u32>,
    speeds: &StreetSpeeds,
    avoided: AvoidedStreets,
) -> Vec<u64> {
    let legs = (0..2 * map.street_count()).map(Leg::from_index);
    legs.map(|leg| {
        let factor = if avoided.contains(map, leg.street()) { AVOIDANCE_FACTOR } else { 1 };
        let units = u64::from(map.street(leg.street()).length.units()) * factor;
        speed.map_or(units, |own| {
            let speed = u64::from(own.min(speeds[leg.index()]).max(1));
            (units * crate::leg::MICROMETRES * 1000).div_ceil(speed)
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
    fn routes_agree_with_the_reference_and_their_legs_join() {
        for seed in 0..500 {
            let town = Town::random(seed);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let speeds: Vec<u32> =
                (0..2 * map.street_count()).map(|_| random.random_range(500..20_000)).collect();
            for speed in [None, Some(4000), Some(30_000)] {
                let routes = Routes::new(map, speed, &speeds);
                let mut planner = routes.planner();
                let (from, to) = (town.position(&mut random), town.position(&mut random));
                let mut legs = Vec::new();
                let trip = RouteEnds { from: RouteStart::Position(from), to };
                let cost = routes.cheapest(map, &mut planner, trip, &mut legs);
                let context = format!("seed {seed} {speed:?} {from:?} {to:?}\n{town}");
                assert_eq!(cost, naive::cheapest(map, &routes, from, to), "{context}");
                if cost.is_some() {
                    assert_eq!(cost, naive::cost_of(map, &routes, &legs, from, to), "{context}");
                }
            }
        }
    }

    #[test]
    fn refresh_follows_changed_speeds() {
        let town = meshcloak::town::town("A 0,0 B 300,0 C 0,10 D 300,10 | A-B A-C C-D D-B");
        let map = &town.map;
        let mut speeds = vec![10_000; 8];
        let mut routes = Routes::new(map, Some(10_000), &speeds);
        let trip =
            RouteEnds { from: RouteStart::Terminal(TerminalId(0)), to: town.at("D-B", 10.0) };
        let mut legs = Vec::new();
        let mut planner = routes.planner();
        routes.cheapest(map, &mut planner, trip, &mut legs).unwrap();
        assert_eq!(legs[0].street(), town.street("A-B"));
        speeds[0] = 100;
        routes.refresh(map, &speeds);
        routes.cheapest(map, &mut planner, trip, &mut legs).unwrap();
        assert_eq!(legs[0].street(), town.street("A-C"));
    }
}
