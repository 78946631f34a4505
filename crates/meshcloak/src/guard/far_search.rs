//! Which positions around a distant goal are within a bound, for the guard: best-first search with a
//! limit of steps. Shares no code with `crate::distance::reached`, but expands terminals by the same
//! key, so that both end after about the same steps.

use super::path::MAX_STEPS;
use crate::map::{Position, StreetMap, TerminalId};
use crate::units::Length;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Start, goal and bound of a search.
#[derive(Clone, Copy)]
pub(super) struct FarSearch {
    pub(super) from: Position,
    /// Positions within `radius` of it are searched for.
    pub(super) goal: Position,
    pub(super) radius: Length,
    pub(super) bound: Length,
}

impl FarSearch {
    /// Returns for each position, all of them near the goal, whether it is within the bound. What is
    /// not found within the steps is not.
    pub(super) fn reached(
        &self,
        map: &StreetMap,
        positions: impl Iterator<Item = Position>,
    ) -> Vec<bool> {
        let shortest = self.terminals(map);
        let is_reached = |to: Position| {
            let by = map.entrances(to).filter_map(|(terminal, rest)| {
                shortest.get(&terminal).map(|length| *length + u64::from(rest.units()))
            });
            let along = map.along(self.from, to).map(|length| u64::from(length.units()));
            by.chain(along).min().is_some_and(|length| length <= u64::from(self.bound.units()))
        };
        positions.map(is_reached).collect()
    }

    /// Returns the distances of the terminals from which a position near the goal may be within the
    /// bound, in 1/32 m.
    fn terminals(&self, map: &StreetMap) -> FxHashMap<TerminalId, u64> {
        let FarSearch { from, goal, radius, bound } = *self;
        let goal = map.point(goal);
        // Lower bound of the distance to the circle around the goal, less two units for rounding.
        let remaining = |terminal: TerminalId| {
            let plane = (map.terminal(terminal).distance(goal) * 32.0).floor() as u64;
            plane.saturating_sub(u64::from(radius.units()) + 2)
        };
        let (mut shortest, mut open) = (FxHashMap::default(), BinaryHeap::new());
        let mut found: Vec<(TerminalId, u64)> = map
            .exits(from)
            .map(|(terminal, length)| (terminal, u64::from(length.units())))
            .collect();
        for _ in 0..=MAX_STEPS {
            for (terminal, length) in found.drain(..) {
                let whole = length + remaining(terminal);
                let is_shorter = shortest.get(&terminal).is_none_or(|known| length < *known);
                if whole <= u64::from(bound.units()) && is_shorter {
                    shortest.insert(terminal, length);
                    open.push(Reverse((whole, length, terminal)));
                }
            }
            let Some(Reverse((_, length, terminal))) = open.pop() else { break };
            if shortest.get(&terminal) == Some(&length) {
                let arms = map.leaving(terminal).iter();
                let next = |street| length + u64::from(map.street(street).length.units());
                found.extend(arms.map(|arm| (arm.terminal, next(arm.street))));
            }
        }
        shortest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn positions_near_the_goal_are_reached_exactly_if_they_are_within_the_bound() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let distance = |a, b| naive::distance(&town.map, &table, a, b);
            for _ in 0..8 {
                let [from, goal] = [town.position(&mut random), town.position(&mut random)];
                let radius = Length::metres(random.random_range(10.0..600.0));
                let bound = Length::metres(random.random_range(0.0..2_000.0));
                let near: Vec<Position> = (0..12)
                    .map(|_| town.position(&mut random))
                    .filter(|&to| distance(goal, to).is_some_and(|length| length <= radius))
                    .collect();
                let found = FarSearch { from, goal, radius, bound }
                    .reached(&town.map, near.iter().copied());
                for (&to, found) in near.iter().zip(found) {
                    let expected = distance(from, to).is_some_and(|length| length <= bound);
                    assert_eq!(found, expected, "seed {seed} {from:?} {to:?}\n{town}");
                    *(if found { &mut yes } else { &mut no }) += 1;
                }
            }
        }
        assert!(yes > 2_000 && no > 1_000, "{yes} yes, {no} no");
    }
}
