//! Dijkstra's algorithm that stops at a bound: which terminals can be reached, and how far it is.
//!
//! The paper cuts a square around each terminal and searches that (Algorithm 1, lines 4–6). A
//! search that stops at `dc_max` never leaves the square, so the square is not needed.

use crate::map::{StreetMap, TerminalId};
use crate::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// The map as a search sees it: for each terminal, where one can go and how far that is.
#[derive(Clone, Debug)]
pub struct Arcs {
    starts: Vec<u32>,
    ways: Vec<Way>,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    to: u32,
    length: u32,
}

impl Arcs {
    /// The ways of a map in their direction of travel.
    pub fn forward(map: &StreetMap) -> Arcs {
        Arcs::new(map, |terminal| map.leaving(terminal))
    }

    /// The ways of a map against their direction: searches find who can reach, not who is reached.
    pub fn backward(map: &StreetMap) -> Arcs {
        Arcs::new(map, |terminal| map.arriving(terminal))
    }

    fn new<'a>(map: &'a StreetMap, arms: impl Fn(TerminalId) -> &'a [crate::map::Arm]) -> Arcs {
        let mut starts = Vec::with_capacity(map.terminal_count() + 1);
        let mut ways = Vec::new();
        starts.push(0);
        for terminal in map.terminals() {
            ways.extend(arms(terminal).iter().map(|arm| Way {
                to: arm.terminal.0,
                length: map.street(arm.street).length.units(),
            }));
            starts.push(ways.len() as u32);
        }
        Arcs { starts, ways }
    }

    /// The ways among some terminals, which are numbered anew by their place in the list;
    /// `place_of` holds these places, and anything for terminals that are not in it.
    pub(crate) fn among(&self, terminals: &[TerminalId], place_of: &[u32]) -> Arcs {
        let mut among = Arcs { starts: vec![0], ways: Vec::with_capacity(3 * terminals.len()) };
        among.starts.reserve(terminals.len());
        for terminal in terminals {
            among.ways.extend(self.from(terminal.0).iter().filter_map(|way| {
                let to = place_of[way.to as usize];
                (terminals.get(to as usize) == Some(&TerminalId(way.to)))
                    .then_some(Way { to, length: way.length })
            }));
            among.starts.push(among.ways.len() as u32);
        }
        among
    }

    /// How many terminals there are.
    pub fn terminal_count(&self) -> usize {
        self.starts.len() - 1
    }

    fn from(&self, terminal: u32) -> &[Way] {
        let terminal = terminal as usize;
        &self.ways[self.starts[terminal] as usize..self.starts[terminal + 1] as usize]
    }
}

/// Room for one search at a time; reused, so that a search allocates nothing.
#[derive(Clone, Debug)]
pub struct Search {
    /// Best distance known so far; of this search if the stamp is.
    distance: Vec<u32>,
    stamp: Vec<u32>,
    now: u32,
    /// Distance in the upper half, terminal in the lower: the nearest first, then the first.
    open: BinaryHeap<Reverse<u64>>,
}

impl Search {
    /// Room for searches over that many terminals.
    pub fn new(terminals: usize) -> Search {
        Search {
            distance: vec![0; terminals],
            stamp: vec![0; terminals],
            now: 0,
            open: BinaryHeap::new(),
        }
    }

    /// Calls `visit` with every terminal within `bound` of the sources, nearest first.
    ///
    /// A source is a terminal and the way already behind on reaching it.
    pub fn run(
        &mut self,
        ways: &Arcs,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        bound: Length,
        mut visit: impl FnMut(TerminalId, Length),
    ) {
        self.run_while(ways, sources, bound, |terminal, length| {
            visit(terminal, length);
            ControlFlow::Continue(())
        });
    }

    /// As [`Search::run`], until `visit` has had enough.
    pub fn run_while(
        &mut self,
        ways: &Arcs,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        bound: Length,
        mut visit: impl FnMut(TerminalId, Length) -> ControlFlow<()>,
    ) {
        self.begin();
        for (terminal, behind) in sources {
            self.reach(terminal.0, behind.units(), bound.units());
        }
        while let Some(Reverse(nearest)) = self.open.pop() {
            let (distance, terminal) = ((nearest >> 32) as u32, nearest as u32);
            if distance > self.distance[terminal as usize] {
                continue; // a shorter way was found since
            }
            if visit(TerminalId(terminal), Length::from_units(distance)).is_break() {
                return;
            }
            for way in ways.from(terminal) {
                self.reach(way.to, distance.saturating_add(way.length), bound.units());
            }
        }
    }

    fn begin(&mut self) {
        self.open.clear();
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.stamp.fill(0);
            self.now = 1;
        }
    }

    fn reach(&mut self, terminal: u32, distance: u32, bound: u32) {
        let here = terminal as usize;
        let known = self.stamp[here] == self.now;
        if distance <= bound && (!known || distance < self.distance[here]) {
            self.stamp[here] = self.now;
            self.distance[here] = distance;
            self.open.push(Reverse(u64::from(distance) << 32 | u64::from(terminal)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;

    fn reached(ways: &Arcs, from: TerminalId, bound: Length) -> Vec<(TerminalId, Length)> {
        let mut search = Search::new(ways.terminal_count());
        let mut reached = Vec::new();
        search.run(ways, [(from, Length::ZERO)], bound, |terminal, length| {
            reached.push((terminal, length));
        });
        reached
    }

    #[test]
    fn a_search_finds_what_floyd_and_warshall_find_nearest_first() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let table = naive::terminal_distances(&town.map);
            let (forward, backward) = (Arcs::forward(&town.map), Arcs::backward(&town.map));
            let bound = Length::metres(100.0 + 7.0 * seed as f64);
            for from in town.map.terminals() {
                let found = reached(&forward, from, bound);
                assert!(found.is_sorted_by_key(|&(_, length)| length), "seed {seed}\n{town}");
                let mut sorted = found;
                sorted.sort();
                let within = |length: &Length| *length <= bound;
                let expected: Vec<_> = town
                    .map
                    .terminals()
                    .filter_map(|to| Some((to, table[from.index()][to.index()].filter(within)?)))
                    .collect();
                assert_eq!(sorted, expected, "seed {seed} from {from:?}\n{town}");
                let mut back = reached(&backward, from, bound);
                back.sort();
                let expected: Vec<_> = town
                    .map
                    .terminals()
                    .filter_map(|to| Some((to, table[to.index()][from.index()].filter(within)?)))
                    .collect();
                assert_eq!(back, expected, "seed {seed} to {from:?}\n{town}");
            }
        }
    }

    #[test]
    fn a_search_stops_when_told_and_has_seen_the_nearest_by_then() {
        let town = Town::random(400);
        let ways = Arcs::forward(&town.map);
        let mut search = Search::new(ways.terminal_count());
        let bound = Length::metres(5_000.0);
        for from in town.map.terminals() {
            let mut seen = Vec::new();
            search.run_while(&ways, [(from, Length::ZERO)], bound, |terminal, length| {
                seen.push((terminal, length));
                if seen.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let mut all = reached(&ways, from, bound);
            all.truncate(4);
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn a_search_does_not_remember_the_one_before() {
        let town = Town::random(400);
        let ways = Arcs::forward(&town.map);
        let mut search = Search::new(ways.terminal_count());
        search.now = u32::MAX - 3; // the stamp runs over on the way
        for from in town.map.terminals().chain(town.map.terminals()) {
            let mut again = Vec::new();
            let bound = Length::metres(900.0);
            search.run(&ways, [(from, Length::ZERO)], bound, |t, length| again.push((t, length)));
            assert_eq!(again, reached(&ways, from, bound));
        }
    }
}
