//! Distances from a user's previous position to the terminals around the present one, for the
//! `history` guarantee (docs/SPEC.md §6).
//!
//! A neighbour `b` of a query `a` has `d(a, b) ≤ dc_a`. So with the previous position `p`:
//! `d(p, b) ≤ d(p, a) + dc_a`, and `b` lies within `dc_a` of `a` in the plane. A search from `p`
//! can therefore end at `d(p, a) + dc_a`, is directed towards the circle around `a`, and only
//! terminals near `a` are kept. None of this depends on which neighbours there are: the result stays
//! valid as long as the query waits.

use super::search::{Arcs, Goal, Search};
use crate::map::{Position, StreetMap, TerminalId};
use crate::units::Length;
use std::fmt;
use std::ops::ControlFlow;

/// Input of a search. It does not change while a query waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReachTask {
    /// Previous position of the user.
    pub(crate) from: Position,
    /// Position of the query.
    pub(crate) around: Position,
    /// Distance constraint of the query.
    pub(crate) distance_constraint: Length,
    /// Longest distance travelled since the previous position, at the latest time at which the query
    /// waits.
    pub(crate) limit: Length,
}

/// Distances from [`ReachTask::from`] to the terminals at which streets near
/// [`ReachTask::around`] can be entered.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ReachedTerminals {
    task: ReachTask,
    /// By ascending terminal.
    terminals: Box<[(TerminalId, Length)]>,
    steps: u32,
    is_complete: bool,
}

impl ReachedTerminals {
    /// Searches in at most `max_steps` steps. What is not found then counts as unreachable.
    pub(crate) fn search(
        search: &mut Search,
        arcs: &Arcs,
        map: &StreetMap,
        task: ReachTask,
        max_steps: u32,
    ) -> ReachedTerminals {
        let ReachTask { from, around, distance_constraint, limit } = task;
        let entrances: Vec<(TerminalId, Length)> = map.entrances(around).collect();
        let bound_of = |travelled: Length| limit.min(travelled + distance_constraint);
        let bound = map.along(from, around).map_or(limit, bound_of);
        let goal = map.point(around);
        // Two units of tolerance: the plane distance is a floating-point number.
        let margin = distance_constraint + Length::UNIT + Length::UNIT;
        let rest = |terminal: TerminalId| {
            let plane = Length::metres_down(map.terminal(terminal).distance(goal));
            plane.units().saturating_sub(margin.units())
        };
        let (mut terminals, mut steps, mut is_complete) = (Vec::new(), 0, true);
        search.run_towards(arcs, map.exits(from), Goal { bound, rest }, |terminal, length| {
            if steps == max_steps {
                is_complete = false;
                return ControlFlow::Break(());
            }
            steps += 1;
            if can_enter_near(map, terminal, around, distance_constraint) {
                terminals.push((terminal, length));
            }
            let arrived = entrances.iter().filter(|(entrance, _)| *entrance == terminal);
            let bounds = arrived.map(|(_, rest)| bound_of(length + *rest));
            ControlFlow::Continue(bounds.min().unwrap_or(limit))
        });
        terminals.sort_unstable();
        terminals.dedup_by_key(|entry| entry.0);
        let terminals = terminals.into_boxed_slice();
        ReachedTerminals { task, terminals, steps, is_complete }
    }

    /// Input of the search.
    pub(crate) fn task(&self) -> ReachTask {
        self.task
    }

    /// Whether a neighbour's position is within `limit`, at most that of the search.
    pub(crate) fn contains(&self, map: &StreetMap, to: Position, limit: Length) -> bool {
        let at = |(terminal, arrive): (TerminalId, Length)| {
            let found = self.terminals.binary_search_by_key(&terminal, |entry| entry.0).ok()?;
            Some(self.terminals[found].1 + arrive)
        };
        let lengths = map.entrances(to).filter_map(at).chain(map.along(self.task.from, to));
        lengths.min().is_some_and(|length| length <= limit.min(self.task.limit))
    }

    /// Number of terminals that the search expanded.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether the steps sufficed.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// Whether a street that can be entered at `terminal` may hold a position within `radius` of
/// `around`.
fn can_enter_near(map: &StreetMap, terminal: TerminalId, around: Position, radius: Length) -> bool {
    let plane = map.terminal(terminal).distance(map.point(around));
    let longest = map.leaving(terminal).iter().map(|arm| map.street(arm.street).length).max();
    // One unit of tolerance: the plane distance is a floating-point number.
    longest.is_some_and(|longest| Length::metres_down(plane) <= longest + radius + Length::UNIT)
}

/// Hides the positions.
impl fmt::Debug for ReachTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReachTask(…)")
    }
}

/// Hides the position and what is near it.
impl fmt::Debug for ReachedTerminals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReachedTerminals({} steps)", self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn neighbours_are_reached_exactly_if_they_are_within_the_limit() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let distance = |a, b| naive::distance(&town.map, &table, a, b);
            let arcs = Arcs::forward(&town.map);
            let mut search = Search::new(town.map.terminal_count());
            for _ in 0..8 {
                let [from, around] = [town.position(&mut random), town.position(&mut random)];
                let Some(travelled) = distance(from, around) else { continue };
                let distance_constraint = Length::metres(random.random_range(10.0..600.0));
                // Below, near and beyond the distance at which all neighbours are reachable.
                let slack = Length::metres(random.random_range(0.0..900.0));
                let limit = if random.random_bool(0.2) { slack } else { travelled + slack };
                let task = ReachTask { from, around, distance_constraint, limit };
                let reached =
                    ReachedTerminals::search(&mut search, &arcs, &town.map, task, u32::MAX);
                assert!(reached.is_complete());
                let others = (0..12).map(|_| town.position(&mut random)).chain([around]);
                let is_neighbour = |to: &Position| {
                    distance(around, *to).is_some_and(|length| length <= distance_constraint)
                };
                for to in others.filter(is_neighbour) {
                    let expected = distance(from, to).is_some_and(|length| length <= limit);
                    let found = reached.contains(&town.map, to, limit);
                    assert_eq!(found, expected, "seed {seed} {from:?} {to:?}\n{town}");
                    let less = Length::from_units(limit.units() / 3 * 2);
                    let expected = distance(from, to).is_some_and(|length| length <= less);
                    assert_eq!(reached.contains(&town.map, to, less), expected, "seed {seed}");
                    *(if found { &mut yes } else { &mut no }) += 1;
                    let half = reached.steps() / 2;
                    let few = ReachedTerminals::search(&mut search, &arcs, &town.map, task, half);
                    assert!(few.steps() == half && (half == reached.steps() || !few.is_complete()));
                    assert!(
                        found || !few.contains(&town.map, to, limit),
                        "seed {seed}: fails closed"
                    );
                }
            }
        }
        assert!(yes > 2_000 && no > 300, "{yes} yes, {no} no");
    }
}
