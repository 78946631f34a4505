//! Length of some path between distant positions, for the guard: best-first search with a limit of
//! steps. Shares no code with [`crate::distance::probe_path`], but expands terminals by the same
//! key, so that both find the same path.

use crate::map::{Position, StreetMap, TerminalId};
use crate::units::Length;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most terminals that a search of the guard expands.
pub(super) const MAX_STEPS: usize = 8_000;

/// Returns the length of a path of at most `bound`, if the search finds one.
pub(super) fn path_length(
    map: &StreetMap,
    from: Position,
    to: Position,
    bound: Length,
) -> Option<Length> {
    if let Some(along) = map.along(from, to).filter(|along| *along <= bound) {
        return Some(along);
    }
    let goal = map.point(to);
    // Lower bound of the distance to the goal, in 1/32 m, less one for rounding.
    let remaining = |terminal: TerminalId| -> u64 {
        let plane = (map.terminal(terminal).distance(goal) * 32.0).floor() as u64;
        plane.saturating_sub(1)
    };
    let limit = u64::from(bound.units());
    let (mut shortest, mut open) = (FxHashMap::default(), BinaryHeap::new());
    let mut reached: Vec<(TerminalId, Length)> = map.exits(from).collect();
    for _ in 0..=MAX_STEPS {
        for (terminal, length) in reached.drain(..) {
            let (so_far, rest) = (u64::from(length.units()), remaining(terminal));
            let known = shortest.entry(terminal).or_insert(u64::MAX);
            if so_far + rest <= limit && so_far < *known {
                *known = so_far;
                open.push(Reverse((so_far + rest + rest / 2, length, terminal)));
            }
        }
        let (terminal, length) = loop {
            let Reverse((_, length, terminal)) = open.pop()?;
            if shortest.get(&terminal) == Some(&u64::from(length.units())) {
                break (terminal, length);
            }
        };
        let ends = map.entrances(to).filter(|(entrance, _)| *entrance == terminal);
        let whole = ends.map(|(_, rest)| length + rest).min().filter(|whole| *whole <= bound);
        if whole.is_some() {
            return whole;
        }
        let arms = map.leaving(terminal).iter();
        reached.extend(arms.map(|arm| (arm.terminal, length + map.street(arm.street).length)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{REACH_STEPS, probe_path};
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn the_guard_finds_the_path_that_admission_found() {
        let mut found_count = 0;
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            for _ in 0..10 {
                let (a, b) = (town.position(&mut random), town.position(&mut random));
                let bound = Length::metres(random.random_range(0.0..4_000.0));
                let found = path_length(&town.map, a, b, bound);
                let expected = probe_path(&town.map, a, b, bound, REACH_STEPS).length;
                assert_eq!(found, expected, "seed {seed} {a:?} {b:?}\n{town}");
                found_count += usize::from(found.is_some());
            }
        }
        assert!(found_count > 1_000, "only {found_count} paths");
    }
}
