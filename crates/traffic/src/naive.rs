//! Slow twins: too simple to be wrong, for tests and for reading.

use crate::leg::{Direction, Leg};
use crate::routes::Routes;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;

/// Twin of [`Routes::cheapest`] from a place: costs spread over all streets until none falls.
pub fn cheapest(map: &StreetMap, routes: &Routes, from: Position, to: Position) -> Option<u64> {
    let part = |leg: Leg, length: Length| routes.part_cost(map, leg, length);
    let mut cost: Vec<Option<u64>> = vec![None; map.terminal_count()];
    for leg in ways(map, from.street) {
        let left = map.street(from.street).length - leg.along(map, from);
        lower(&mut cost[leg.head(map).index()], part(leg, left));
    }
    spread(map, &mut cost, |leg| routes.cost(leg));
    let mut best = None;
    for leg in ways(map, to.street) {
        if let Some(before) = cost[leg.tail(map).index()] {
            lower(&mut best, before + part(leg, leg.along(map, to)));
        }
    }
    if let Some(along) = map.along(from, to) {
        let forward = from.offset <= to.offset;
        let direction = if forward { Direction::Forward } else { Direction::Backward };
        lower(&mut best, part(Leg::new(from.street, direction), along));
    }
    best
}

/// Length of the shortest way from one place to another along streets (SPEC §2).
pub fn distance(map: &StreetMap, from: Position, to: Position) -> Option<u64> {
    let units = |length: Length| u64::from(length.units());
    let mut far: Vec<Option<u64>> = vec![None; map.terminal_count()];
    for (terminal, length) in map.exits(from) {
        lower(&mut far[terminal.index()], units(length));
    }
    spread(map, &mut far, |leg| units(map.street(leg.street()).length));
    let mut best = map.along(from, to).map(units);
    for (terminal, length) in map.entrances(to) {
        if let Some(before) = far[terminal.index()] {
            lower(&mut best, before + units(length));
        }
    }
    best
}

/// What the way along `legs` costs; `None` if they do not join, or go against a one-way street.
pub fn cost_of(
    map: &StreetMap,
    routes: &Routes,
    legs: &[Leg],
    from: Position,
    to: Position,
) -> Option<u64> {
    let (first, last) = (*legs.first()?, *legs.last()?);
    let joined = legs.windows(2).all(|pair| pair[0].head(map) == pair[1].tail(map));
    let allowed = legs.iter().all(|leg| leg.is_allowed(map));
    if !joined || !allowed || first.street() != from.street || last.street() != to.street {
        return None;
    }
    let (begin, end) = (first.along(map, from), last.along(map, to));
    if legs.len() == 1 {
        return end.checked_sub(begin).map(|along| routes.part_cost(map, first, along));
    }
    let left = map.street(from.street).length - begin;
    let middle: u64 = legs[1..legs.len() - 1].iter().map(|&leg| routes.cost(leg)).sum();
    Some(routes.part_cost(map, first, left) + middle + routes.part_cost(map, last, end))
}

/// Bellman and Ford: relax every leg until nothing changes.
fn spread(map: &StreetMap, costs: &mut [Option<u64>], cost: impl Fn(Leg) -> u64) {
    let mut changed = true;
    while changed {
        changed = false;
        for street in map.streets() {
            for leg in ways(map, street) {
                if let Some(before) = costs[leg.tail(map).index()] {
                    changed |= lower(&mut costs[leg.head(map).index()], before + cost(leg));
                }
            }
        }
    }
}

fn lower(best: &mut Option<u64>, found: u64) -> bool {
    let better = best.is_none_or(|known| found < known);
    if better {
        *best = Some(found);
    }
    better
}

fn ways(map: &StreetMap, street: StreetId) -> impl Iterator<Item = Leg> {
    let both = [Direction::Forward, Direction::Backward].map(|way| Leg::new(street, way));
    both.into_iter().filter(|leg| leg.is_allowed(map))
}
