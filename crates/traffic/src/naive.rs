//! Simple reference implementations for tests.

use crate::leg::Leg;
use crate::routes::Routes;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;

/// Reference of [`Routes::cheapest`] from a position, by Bellman–Ford.
pub fn cheapest(map: &StreetMap, routes: &Routes, from: Position, to: Position) -> Option<u64> {
    let part = |leg: Leg, length: Length| routes.part_cost(map, leg, length);
    let mut cost: Vec<Option<u64>> = vec![None; map.terminal_count()];
    for leg in allowed_legs(map, from.street) {
        let rest = map.street(from.street).length - leg.along(map, from);
        lower(&mut cost[leg.head(map).index()], part(leg, rest));
    }
    relax_all(map, &mut cost, |leg| routes.cost(leg));
    let mut best = None;
    for leg in allowed_legs(map, to.street) {
        if let Some(before) = cost[leg.tail(map).index()] {
            lower(&mut best, before + part(leg, leg.along(map, to)));
        }
    }
    if let Some(along) = map.along(from, to) {
        lower(&mut best, part(Leg::between(from, to), along));
    }
    best
}

/// Length of the shortest path along streets in units (docs/SPEC.md §2).
pub fn distance(map: &StreetMap, from: Position, to: Position) -> Option<u64> {
    let units = |length: Length| u64::from(length.units());
    let mut distance: Vec<Option<u64>> = vec![None; map.terminal_count()];
    for (terminal, length) in map.exits(from) {
        lower(&mut distance[terminal.index()], units(length));
    }
    relax_all(map, &mut distance, |leg| units(map.street(leg.street()).length));
    let mut best = map.along(from, to).map(units);
    for (terminal, length) in map.entrances(to) {
        if let Some(before) = distance[terminal.index()] {
            lower(&mut best, before + units(length));
        }
    }
    best
}

/// Cost of the path along `legs`; `None` if they do not join or violate a one-way street.
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
    let rest = map.street(from.street).length - begin;
    let middle: u64 = legs[1..legs.len() - 1].iter().map(|&leg| routes.cost(leg)).sum();
    Some(routes.part_cost(map, first, rest) + middle + routes.part_cost(map, last, end))
}

/// Bellman–Ford: relaxes all legs until nothing changes.
fn relax_all(map: &StreetMap, costs: &mut [Option<u64>], cost: impl Fn(Leg) -> u64) {
    let mut changed = true;
    while changed {
        changed = false;
        for street in map.streets() {
            for leg in allowed_legs(map, street) {
                if let Some(before) = costs[leg.tail(map).index()] {
                    changed |= lower(&mut costs[leg.head(map).index()], before + cost(leg));
                }
            }
        }
    }
}

/// Lowers `best` to `found`; returns whether it changed.
fn lower(best: &mut Option<u64>, found: u64) -> bool {
    let better = best.is_none_or(|known| found < known);
    if better {
        *best = Some(found);
    }
    better
}

fn allowed_legs(map: &StreetMap, street: StreetId) -> impl Iterator<Item = Leg> {
    Leg::both(street).into_iter().filter(|leg| leg.is_allowed(map))
}
