//! Goal-directed search for some path between two positions that is not longer than a bound.
//!
//! Terminals are expanded by `g + 3/2 · h`, where `g` is the length of the path so far and `h` the
//! plane distance to the goal, a lower bound of the rest. Terminals with `g + h` above the bound are
//! pruned, and a terminal is expanded again when a shorter path to it is found, so the decision does
//! not depend on the order; the order makes it cheap when the bound is generous. Memory and time
//! are proportional to the steps, not to the map.

use crate::map::{Position, StreetMap, TerminalId};
use crate::units::{Length, Point};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most terminals that one search of the `history` guarantee expands. What needs more stays undecided.
pub const REACH_STEPS: u32 = 8_000;

/// Most terminals that the searches of one batch expand under the `history` guarantee. Searches that
/// do not fit are left for the next batch; accounts take turns.
pub const BATCH_REACH_STEPS: u64 = 4_000_000;

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathProbe {
    /// Length of a path within the bound, not always the shortest; `None` if there is none or the
    /// steps did not suffice.
    pub length: Option<Length>,
    /// Number of expanded terminals.
    pub steps: u32,
    /// Whether the steps sufficed.
    pub is_complete: bool,
}

/// Searches for a path of at most `bound` in at most `max_steps` steps.
pub fn probe_path(
    map: &StreetMap,
    from: Position,
    to: Position,
    bound: Length,
    max_steps: u32,
) -> PathProbe {
    if let Some(along) = map.along(from, to).filter(|along| *along <= bound) {
        return PathProbe { length: Some(along), steps: 0, is_complete: true };
    }
    let entrances: Vec<(TerminalId, Length)> = map.entrances(to).collect();
    let (goal, mut frontier) = (map.point(to), Frontier::default());
    for (exit, length) in map.exits(from) {
        frontier.push(map, goal, (exit, length), bound);
    }
    let mut steps = 0;
    while let Some((terminal, length)) = frontier.pop() {
        if steps == max_steps {
            return PathProbe { length: None, steps, is_complete: false };
        }
        steps += 1;
        let arrived = entrances.iter().filter(|(entrance, _)| *entrance == terminal);
        let arrived = arrived.map(|(_, rest)| length + *rest).min();
        if let Some(length) = arrived.filter(|length| *length <= bound) {
            return PathProbe { length: Some(length), steps, is_complete: true };
        }
        for arm in map.leaving(terminal) {
            let next = length + map.street(arm.street).length;
            frontier.push(map, goal, (arm.terminal, next), bound);
        }
    }
    PathProbe { length: None, steps, is_complete: true }
}

/// Terminals to expand.
#[derive(Default)]
struct Frontier {
    best: FxHashMap<TerminalId, Length>,
    open: BinaryHeap<Reverse<(u64, Length, TerminalId)>>,
}

impl Frontier {
    /// Adds a terminal with the length of a path to it, unless the goal is too far from there.
    fn push(&mut self, map: &StreetMap, goal: Point, at: (TerminalId, Length), bound: Length) {
        let (terminal, length) = at;
        // One unit of tolerance: the plane distance is a floating-point number.
        let rest = Length::metres_down(map.terminal(terminal).distance(goal)).units();
        let rest = u64::from(rest.saturating_sub(1));
        let whole = u64::from(length.units()) + rest;
        let is_shorter = self.best.get(&terminal).is_none_or(|best| length < *best);
        if whole <= u64::from(bound.units()) && is_shorter {
            self.best.insert(terminal, length);
            self.open.push(Reverse((whole + rest / 2, length, terminal)));
        }
    }

    /// Removes the terminal to expand next.
    fn pop(&mut self) -> Option<(TerminalId, Length)> {
        loop {
            let Reverse((_, length, terminal)) = self.open.pop()?;
            if self.best.get(&terminal) == Some(&length) {
                return Some((terminal, length));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn a_path_is_found_exactly_if_one_is_within_the_bound() {
        let (mut yes, mut no, mut spent) = (0, 0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            for _ in 0..10 {
                let (a, b) = (town.position(&mut random), town.position(&mut random));
                let shortest = naive::distance(&town.map, &table, a, b);
                let exact = shortest.filter(|_| random.random_bool(0.3));
                let metres = random.random_range(0.0..4_000.0);
                let bound = exact.unwrap_or(Length::metres(metres));
                let found = probe_path(&town.map, a, b, bound, u32::MAX);
                let is_near = shortest.is_some_and(|length| length <= bound);
                assert_eq!(found.length.is_some(), is_near, "seed {seed} {a:?} {b:?}\n{town}");
                if let Some(length) = found.length {
                    assert!(shortest.is_some_and(|shortest| shortest <= length && length <= bound));
                    yes += 1;
                } else {
                    no += 1;
                }
                let few = probe_path(&town.map, a, b, bound, found.steps / 2);
                assert!(found.is_complete && few.steps <= found.steps / 2, "seed {seed}");
                assert!(few.is_complete || few.length.is_none(), "seed {seed}");
                if few.length.is_some() {
                    assert_eq!(few, found);
                } else if found.length.is_some() {
                    spent += 1;
                }
            }
        }
        assert!(yes > 1_000 && no > 500 && spent > 200, "{yes} yes, {no} no, {spent} cut short");
    }
}
