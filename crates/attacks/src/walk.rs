//! How far it is along streets, by a search of the adversary's own: none of the code that makes or
//! checks a guarantee is used to attack it.
//!
//! Searches begin on stretches of street rather than at points, so "from anywhere in that region"
//! is one search, and exact.

use crate::posterior::Piece;
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which way time runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Where can one get to from there?
    Forward,
    /// From where can one have come there?
    Backward,
}

/// A stretch of street, both ends included, in units of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    /// The street.
    pub street: StreetId,
    /// From here.
    pub from: u32,
    /// To here.
    pub to: u32,
}

impl From<&Piece> for Stretch {
    fn from(piece: &Piece) -> Stretch {
        Stretch { street: piece.street, from: piece.from.units(), to: piece.to.units() }
    }
}

/// Room for searches, reused from one to the next, and what the last one found.
#[derive(Debug, Default)]
pub struct Walk {
    best: Vec<u32>,
    stamp: Vec<u32>,
    now: u32,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    sources: Vec<Stretch>,
    bound: u32,
    parts: Vec<(u32, u32)>,
}

impl Walk {
    /// Searches from stretches up to a bound.
    pub fn search(&mut self, map: &StreetMap, from: &[Stretch], bound: Length, way: Way) {
        self.begin(map.terminal_count(), bound);
        self.sources.clear();
        self.sources.extend_from_slice(from);
        self.sources.sort_unstable();
        for place in 0..self.sources.len() {
            let Stretch { street, from, to } = self.sources[place];
            let found = map.street(street);
            // Out by the end ahead; where both ways are allowed, by the other end too.
            let ahead = found.length.units() - to;
            if way == Way::Forward || !found.one_way {
                self.reach(found.to, ahead);
            }
            if way == Way::Backward || !found.one_way {
                self.reach(found.from, from);
            }
        }
        while let Some(Reverse((length, terminal))) = self.open.pop() {
            if length > self.best[terminal as usize] {
                continue;
            }
            let arms = match way {
                Way::Forward => map.leaving(TerminalId(terminal)),
                Way::Backward => map.arriving(TerminalId(terminal)),
            };
            for arm in arms {
                let more = map.street(arm.street).length.units();
                self.reach(arm.terminal, length.saturating_add(more));
            }
        }
    }

    fn begin(&mut self, terminals: usize, bound: Length) {
        if self.stamp.len() != terminals || self.now == u32::MAX {
            (self.best, self.stamp) = (vec![0; terminals], vec![0; terminals]);
            self.now = 0;
        }
        self.now += 1;
        self.open.clear();
        self.bound = bound.units();
    }

    fn reach(&mut self, terminal: TerminalId, length: u32) {
        let here = terminal.index();
        let nearer = self.stamp[here] != self.now || length < self.best[here];
        if length <= self.bound && nearer {
            (self.stamp[here], self.best[here]) = (self.now, length);
            self.open.push(Reverse((length, terminal.0)));
        }
    }

    /// How far a terminal is from where the last search began; `None` beyond its bound.
    pub fn to(&self, terminal: TerminalId) -> Option<Length> {
        let found = self.stamp[terminal.index()] == self.now;
        found.then(|| Length::from_units(self.best[terminal.index()]))
    }

    /// How much of its way a walker has left at a terminal.
    fn left(&self, terminal: TerminalId) -> Option<u32> {
        self.to(terminal).map(|length| self.bound - length.units())
    }

    /// Hands over the parts of a piece within the bound of the last search, ascending and apart.
    pub fn clip(
        &mut self,
        map: &StreetMap,
        Stretch { street, from, to }: Stretch,
        way: Way,
        mut part: impl FnMut(Stretch),
    ) {
        let found = map.street(street);
        let length = found.length.units();
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        // Walkers come in at the beginning of a street and at the end of one that is two-way;
        // backwards it is the other way round.
        if (way == Way::Forward || !found.one_way)
            && let Some(left) = self.left(found.from)
        {
            parts.push((0, left.min(length)));
        }
        if (way == Way::Backward || !found.one_way)
            && let Some(left) = self.left(found.to)
        {
            parts.push((length - left.min(length), length));
        }
        let first = self.sources.partition_point(|source| source.street < street);
        for source in self.sources[first..].iter().take_while(|source| source.street == street) {
            let (back, on) = match (found.one_way, way) {
                (false, _) => (self.bound, self.bound),
                (true, Way::Forward) => (0, self.bound),
                (true, Way::Backward) => (self.bound, 0),
            };
            parts
                .push((source.from.saturating_sub(back), source.to.saturating_add(on).min(length)));
        }
        parts.sort_unstable();
        let mut open: Option<Stretch> = None;
        for &(start, end) in &parts {
            let (start, end) = (start.max(from), end.min(to));
            match &mut open {
                _ if start > end => {}
                Some(last) if start <= last.to.saturating_add(1) => last.to = last.to.max(end),
                _ => {
                    let next = Stretch { street, from: start, to: end };
                    open.replace(next).into_iter().for_each(&mut part);
                }
            }
        }
        open.into_iter().for_each(part);
        self.parts = parts;
    }

    /// Whether anything of a piece is within the bound of the last search.
    pub fn touches(&mut self, map: &StreetMap, piece: Stretch, way: Way) -> bool {
        let mut any = false;
        self.clip(map, piece, way, |_| any = true);
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
    fn a_place_is_within_the_bound_exactly_if_floyd_and_warshall_say_so() {
        let (mut near, mut far) = (0, 0);
        let mut walk = Walk::default();
        for seed in 0..600 {
            let town = Town::random(seed);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(map);
            let bound = Length::metres(random.random_range(0.0..900.0));
            let (a, b) = (town.position(&mut random), town.position(&mut random));
            for (way, from, to) in [(Way::Forward, a, b), (Way::Backward, b, a)] {
                let point = |at: Position| {
                    let units = at.offset.units();
                    Stretch { street: at.street, from: units, to: units }
                };
                walk.search(map, &[point(from)], bound, way);
                let found = walk.touches(map, point(to), way);
                let expected = naive::distance(map, &table, a, b).is_some_and(|d| d <= bound);
                assert_eq!(found, expected, "seed {seed} {way:?} {a:?} {b:?} {bound}\n{town}");
                if expected { near += 1 } else { far += 1 }
            }
        }
        assert!(near > 200 && far > 200, "{near} near, {far} far");
    }

    #[test]
    fn from_a_stretch_is_from_any_place_of_it() {
        for seed in 0..200 {
            let town = Town::random(seed * 3);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let (a, b) = (town.position(&mut random), town.position(&mut random));
            let bound = Length::metres(random.random_range(0.0..400.0));
            let end = random.random_range(a.offset.units()..=map.street(a.street).length.units());
            let whole = Stretch { street: a.street, from: a.offset.units(), to: end };
            let goal = Stretch { street: b.street, from: b.offset.units(), to: b.offset.units() };
            for way in [Way::Forward, Way::Backward] {
                let (mut one, mut many) = (Walk::default(), Walk::default());
                one.search(map, &[whole], bound, way);
                let step = ((end - whole.from) / 60).max(1);
                let places = (whole.from..=end).step_by(step as usize).chain([end]);
                let any = places.map(|at| Stretch { from: at, to: at, ..whole });
                let mut any = any.map(|place| {
                    many.search(map, &[place], bound, way);
                    many.touches(map, goal, way)
                });
                let found = one.touches(map, goal, way);
                // Ends decide but where the goal lies on the stretch itself.
                assert!(found || !any.any(|found| found), "seed {seed}\n{town}");
            }
        }
    }
}
