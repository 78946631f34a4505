//! The fastest way from a place to a place, respecting one-way streets.
//!
//! Contraction hierarchies (`fast_paths`): 12 µs a route on Oldenburg and 53 µs on Paris, where
//! A* takes 167 and 317 µs and a tree per destination 0.6 and 2.1 ms. One hierarchy for each
//! distinct own speed, or a single one if streets have no limits: then fastest is shortest.
//! The twin is `naive::cheapest`.

use crate::leg::{Direction, Leg};
use fast_paths::{FastGraph, InputGraph, PathCalculator};
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
    costs: Vec<u64>,
    order: Vec<usize>,
    graph: FastGraph,
}

/// What a search needs and leaves behind; one per thread.
pub struct Planner {
    calculator: PathCalculator,
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
        let costs = leg_costs(map, speed, paces);
        let graph = fast_paths::prepare(&input_graph(map, &costs));
        Routes { speed, order: graph.get_node_ordering(), costs, graph }
    }

    /// Follows paces that have changed; cheap if they have not.
    pub(crate) fn refresh(&mut self, map: &StreetMap, paces: &Paces) {
        let costs = leg_costs(map, self.speed, paces);
        if self.speed.is_none() || costs == self.costs {
            return;
        }
        let input = input_graph(map, &costs);
        self.graph = fast_paths::prepare_with_order(&input, &self.order)
            .expect("the order is that of the same terminals");
        self.costs = costs;
    }

    /// Someone to search with.
    pub fn planner(&self) -> Planner {
        Planner { calculator: fast_paths::create_calculator(&self.graph) }
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
        let around = planner.calculator.calc_path_multiple_sources_and_targets(
            &self.graph,
            exits.iter().flatten().map(Ramp::weighted).collect(),
            entrances.iter().flatten().map(Ramp::weighted).collect(),
        );
        let straight = self.straight(map, from, to);
        match (straight, around) {
            (Some((leg, cost)), around)
                if around.as_ref().is_none_or(|path| cost <= path.get_weight() as u64) =>
            {
                legs.push(leg);
                Some(cost)
            }
            (_, Some(path)) => {
                let nodes = path.get_nodes();
                if let Departure::Place(_) = from {
                    legs.push(ramp_at(&exits, nodes[0])?.leg);
                }
                for pair in nodes.windows(2) {
                    legs.push(self.between(map, pair[0], pair[1])?);
                }
                legs.push(ramp_at(&entrances, nodes[nodes.len() - 1])?.leg);
                Some(path.get_weight() as u64)
            }
            (_, None) => None,
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
    fn between(&self, map: &StreetMap, from: usize, to: usize) -> Option<Leg> {
        let arms = map.leaving(TerminalId(from as u32)).iter();
        let there = arms.filter(|arm| arm.terminal.index() == to);
        there
            .map(|arm| {
                let forward = map.street(arm.street).from.index() == from;
                let direction = if forward { Direction::Forward } else { Direction::Backward };
                Leg::new(arm.street, direction)
            })
            .min_by_key(|&leg| self.cost(leg))
    }
}

impl Ramp {
    fn weighted(&self) -> (usize, usize) {
        (self.terminal.index(), self.cost as usize)
    }
}

fn ramp_at(ramps: &[Option<Ramp>; 2], terminal: usize) -> Option<Ramp> {
    let here = ramps.iter().flatten().filter(|ramp| ramp.terminal.index() == terminal);
    here.min_by_key(|ramp| ramp.cost).copied()
}

/// Micrometres over millimetres per second are milliseconds; a thousand times that is precise.
fn leg_costs(map: &StreetMap, speed: Option<u32>, paces: &Paces) -> Vec<u64> {
    let legs = (0..2 * map.street_count()).map(Leg::from_index);
    legs.map(|leg| {
        let units = u64::from(map.street(leg.street()).length.units());
        speed.map_or(units, |own| {
            let pace = u64::from(own.min(paces[leg.index()]).max(1));
            (units * crate::leg::MICROMETRES * 1000).div_ceil(pace)
        })
    })
    .collect()
}

/// All legs but loops, and two terminals more than there are, so that every terminal counts even
/// if no street leads there.
fn input_graph(map: &StreetMap, costs: &[u64]) -> InputGraph {
    let mut input = InputGraph::new();
    for leg in (0..costs.len()).map(Leg::from_index).filter(|leg| leg.is_allowed(map)) {
        let (tail, head) = (leg.tail(map), leg.head(map));
        if head != tail {
            input.add_edge(tail.index(), head.index(), costs[leg.index()] as usize);
        }
    }
    input.add_edge(map.terminal_count(), map.terminal_count() + 1, 1);
    input.freeze();
    input
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
