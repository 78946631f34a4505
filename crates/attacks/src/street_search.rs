//! Bounded shortest-path search of the adversary. It shares no search with the implementation or
//! the guard of a guarantee.
//!
//! Sources are intervals of streets instead of points, so that "from anywhere in that region" is one
//! exact search.

use crate::posterior::Piece;
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use meshcloak::stamps::Stamps;
use meshcloak::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// SearchDirection of travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchDirection {
    /// Destinations reachable from the sources.
    Forward,
    /// Origins from which the sources can be reached.
    Backward,
}

/// An interval of a street, ends included, in units of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreetInterval {
    /// The street.
    pub street: StreetId,
    /// Start offset.
    pub from: u32,
    /// End offset.
    pub to: u32,
}

impl From<&Piece> for StreetInterval {
    fn from(piece: &Piece) -> StreetInterval {
        StreetInterval { street: piece.street, from: piece.from.units(), to: piece.to.units() }
    }
}

/// Reusable search buffers with the result of the last search.
#[derive(Debug, Default)]
pub struct StreetSearch {
    /// Distance of each reached terminal, in units of length.
    reached: Stamps<u32>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    sources: Vec<StreetInterval>,
    bound: u32,
    parts: Vec<(u32, u32)>,
}

impl StreetSearch {
    /// Searches from intervals up to a bound.
    pub fn search(
        &mut self,
        map: &StreetMap,
        from: &[StreetInterval],
        bound: Length,
        direction: SearchDirection,
    ) {
        self.reached.clear(map.terminal_count());
        self.open.clear();
        self.bound = bound.units();
        self.sources.clear();
        self.sources.extend_from_slice(from);
        self.sources.sort_unstable();
        for index in 0..self.sources.len() {
            let StreetInterval { street, from, to } = self.sources[index];
            let found = map.street(street);
            // A one-way street is left only at its end (backwards: only at its start).
            let ahead = found.length.units() - to;
            if direction == SearchDirection::Forward || !found.one_way {
                self.reach(found.to, ahead);
            }
            if direction == SearchDirection::Backward || !found.one_way {
                self.reach(found.from, from);
            }
        }
        while let Some(Reverse((length, terminal))) = self.open.pop() {
            if self.reached.get(terminal as usize) != Some(length) {
                continue;
            }
            let arms = match direction {
                SearchDirection::Forward => map.leaving(TerminalId(terminal)),
                SearchDirection::Backward => map.arriving(TerminalId(terminal)),
            };
            for arm in arms {
                let more = map.street(arm.street).length.units();
                self.reach(arm.terminal, length.saturating_add(more));
            }
        }
    }

    fn reach(&mut self, terminal: TerminalId, length: u32) {
        if length <= self.bound && self.reached.lower(terminal.index(), length) {
            self.open.push(Reverse((length, terminal.0)));
        }
    }

    /// Returns the distance of a terminal from the sources; `None` beyond the bound.
    pub fn to(&self, terminal: TerminalId) -> Option<Length> {
        self.reached.get(terminal.index()).map(Length::from_units)
    }

    /// Returns the remaining distance budget at a terminal.
    fn budget(&self, terminal: TerminalId) -> Option<u32> {
        self.to(terminal).map(|length| self.bound - length.units())
    }

    /// Calls `emit` for each disjoint part of an interval within the bound, in ascending order.
    pub fn clip(
        &mut self,
        map: &StreetMap,
        StreetInterval { street, from, to }: StreetInterval,
        direction: SearchDirection,
        mut emit: impl FnMut(StreetInterval),
    ) {
        let found = map.street(street);
        let length = found.length.units();
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        // A street is entered at its start and, if two-way, at its end; backwards the roles swap.
        if (direction == SearchDirection::Forward || !found.one_way)
            && let Some(budget) = self.budget(found.from)
        {
            parts.push((0, budget.min(length)));
        }
        if (direction == SearchDirection::Backward || !found.one_way)
            && let Some(budget) = self.budget(found.to)
        {
            parts.push((length - budget.min(length), length));
        }
        let first = self.sources.partition_point(|source| source.street < street);
        for source in self.sources[first..].iter().take_while(|source| source.street == street) {
            let (before, after) = match (found.one_way, direction) {
                (false, _) => (self.bound, self.bound),
                (true, SearchDirection::Forward) => (0, self.bound),
                (true, SearchDirection::Backward) => (self.bound, 0),
            };
            parts.push((
                source.from.saturating_sub(before),
                source.to.saturating_add(after).min(length),
            ));
        }
        parts.sort_unstable();
        let mut open: Option<StreetInterval> = None;
        for &(start, end) in &parts {
            let (start, end) = (start.max(from), end.min(to));
            match &mut open {
                _ if start > end => {}
                Some(last) if start <= last.to.saturating_add(1) => last.to = last.to.max(end),
                _ => {
                    let next = StreetInterval { street, from: start, to: end };
                    open.replace(next).into_iter().for_each(&mut emit);
                }
            }
        }
        open.into_iter().for_each(emit);
        self.parts = parts;
    }

    /// Returns whether any part of an interval is within the bound.
    pub fn touches(
        &mut self,
        map: &StreetMap,
        interval: StreetInterval,
        direction: SearchDirection,
    ) -> bool {
        let mut any = false;
        self.clip(map, interval, direction, |_| any = true);
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::map::Position;
    use meshcloak::naive;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn the_bound_agrees_with_floyd_warshall() {
        let (mut near, mut far) = (0, 0);
        let mut search = StreetSearch::default();
        for seed in 0..600 {
            let town = Town::random(seed);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(map);
            let bound = Length::metres(random.random_range(0.0..900.0));
            let (a, b) = (town.position(&mut random), town.position(&mut random));
            for (direction, from, to) in
                [(SearchDirection::Forward, a, b), (SearchDirection::Backward, b, a)]
            {
                let point = |at: Position| {
                    let units = at.offset.units();
                    StreetInterval { street: at.street, from: units, to: units }
                };
                search.search(map, &[point(from)], bound, direction);
                let found = search.touches(map, point(to), direction);
                let expected = naive::distance(map, &table, a, b).is_some_and(|d| d <= bound);
                assert_eq!(
                    found, expected,
                    "seed {seed} {direction:?} {a:?} {b:?} {bound}\n{town}"
                );
                if expected { near += 1 } else { far += 1 }
            }
        }
        assert!(near > 200 && far > 200, "{near} near, {far} far");
    }

    #[test]
    fn an_interval_source_covers_each_of_its_points() {
        for seed in 0..200 {
            let town = Town::random(seed * 3);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let (a, b) = (town.position(&mut random), town.position(&mut random));
            let bound = Length::metres(random.random_range(0.0..400.0));
            let end = random.random_range(a.offset.units()..=map.street(a.street).length.units());
            let whole = StreetInterval { street: a.street, from: a.offset.units(), to: end };
            let goal =
                StreetInterval { street: b.street, from: b.offset.units(), to: b.offset.units() };
            for direction in [SearchDirection::Forward, SearchDirection::Backward] {
                let (mut one, mut many) = (StreetSearch::default(), StreetSearch::default());
                one.search(map, &[whole], bound, direction);
                let step = ((end - whole.from) / 60).max(1);
                let offsets = (whole.from..=end).step_by(step as usize).chain([end]);
                let any = offsets.map(|at| StreetInterval { from: at, to: at, ..whole });
                let mut any = any.map(|point| {
                    many.search(map, &[point], bound, direction);
                    many.touches(map, goal, direction)
                });
                let found = one.touches(map, goal, direction);
                // Sampled sources suffice unless the goal lies on the interval itself.
                assert!(found || !any.any(|found| found), "seed {seed}\n{town}");
            }
        }
    }
}
