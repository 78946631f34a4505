//! Dijkstra's algorithm with a distance bound.
//!
//! The paper cuts a square around each terminal and searches inside (Algorithm 1, lines 4–6). A
//! search that stops at `dc_max` never leaves the square, so the square is not needed.

use crate::map::{Arm, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// The directed arcs of a street map in compressed sparse row form.
#[derive(Clone, Debug)]
pub struct Arcs {
    /// Start of the arcs of each terminal, and the end of the last.
    starts: Vec<u32>,
    arcs: Vec<Arc>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) to: u32,
    pub(super) length: u32,
}

impl Arcs {
    /// Returns the arcs of a map in their direction of travel.
    pub fn forward(map: &StreetMap) -> Arcs {
        Arcs::new(map, |terminal| map.leaving(terminal))
    }

    /// Returns the reversed arcs of a map: a search finds the terminals that reach its sources.
    pub fn backward(map: &StreetMap) -> Arcs {
        Arcs::new(map, |terminal| map.arriving(terminal))
    }

    fn new<'a>(map: &'a StreetMap, arms: impl Fn(TerminalId) -> &'a [Arm]) -> Arcs {
        let mut starts = Vec::with_capacity(map.terminal_count() + 1);
        let mut arcs = Vec::new();
        starts.push(0);
        for terminal in map.terminals() {
            arcs.extend(arms(terminal).iter().map(|arm| Arc {
                to: arm.terminal.0,
                length: map.street(arm.street).length.units(),
            }));
            starts.push(arcs.len() as u32);
        }
        Arcs { starts, arcs }
    }

    /// Returns the subgraph induced by `terminals`, renumbered by their index in that list.
    ///
    /// `index_of` holds these indices; entries of other terminals are arbitrary.
    pub(crate) fn among(&self, terminals: &[TerminalId], index_of: &[u32]) -> Arcs {
        let mut among = Arcs { starts: vec![0], arcs: Vec::with_capacity(3 * terminals.len()) };
        among.starts.reserve(terminals.len());
        for terminal in terminals {
            among.arcs.extend(self.from(terminal.0).iter().filter_map(|arc| {
                let to = index_of[arc.to as usize];
                (terminals.get(to as usize) == Some(&TerminalId(arc.to)))
                    .then_some(Arc { to, length: arc.length })
            }));
            among.starts.push(among.arcs.len() as u32);
        }
        among
    }

    /// Number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn from(&self, terminal: u32) -> &[Arc] {
        let terminal = terminal as usize;
        &self.arcs[self.starts[terminal] as usize..self.starts[terminal + 1] as usize]
    }
}

/// Scratch buffers of a search; reused, so that a search does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Search {
    terminals: usize,
    /// Shortest distance found so far, 1/32 m.
    pub(super) distances: Stamps<u32>,
    /// Distance in the upper half, terminal in the lower half: nearest first, ties by terminal.
    pub(super) open: BinaryHeap<Reverse<u64>>,
    /// Distance plus lower bound of the rest, distance, terminal.
    towards: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

/// Goal of a directed search.
pub(crate) struct Goal<R> {
    /// Largest distance by a visited terminal.
    pub(crate) bound: Length,
    /// Lower bound of the distance from a terminal to the goal, in units.
    pub(crate) rest: R,
}

impl Search {
    /// Returns buffers for searches over that many terminals.
    pub fn new(terminals: usize) -> Search {
        let (open, towards) = (BinaryHeap::new(), BinaryHeap::new());
        Search { terminals, distances: Stamps::default(), open, towards }
    }

    /// Calls `visit` with every terminal within `bound` of the sources, nearest first.
    ///
    /// A source is a terminal and its initial distance.
    pub fn run(
        &mut self,
        arcs: &Arcs,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        bound: Length,
        mut visit: impl FnMut(TerminalId, Length),
    ) {
        self.run_while(arcs, sources, bound, |terminal, length| {
            visit(terminal, length);
            ControlFlow::Continue(())
        });
    }

    /// As [`Search::run`], until `visit` returns [`ControlFlow::Break`].
    pub fn run_while(
        &mut self,
        arcs: &Arcs,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        bound: Length,
        mut visit: impl FnMut(TerminalId, Length) -> ControlFlow<()>,
    ) {
        self.open.clear();
        self.distances.clear(self.terminals);
        for (terminal, initial) in sources {
            self.relax(terminal.0, initial.units(), bound.units());
        }
        while let Some(Reverse(nearest)) = self.open.pop() {
            let (distance, terminal) = ((nearest >> 32) as u32, nearest as u32);
            if self.distances.get(terminal as usize).is_some_and(|best| distance > best) {
                continue; // superseded by a shorter path
            }
            if visit(TerminalId(terminal), Length::from_units(distance)).is_break() {
                return;
            }
            for arc in arcs.from(terminal) {
                self.relax(arc.to, distance.saturating_add(arc.length), bound.units());
            }
        }
    }

    /// Goal-directed search (A*): visits terminals by ascending distance plus lower bound of the
    /// rest, up to the bound of the sum. `visit` returns the bound from then on, or ends the search. A
    /// terminal is visited again when a shorter path to it is found, which happens only if the rest
    /// falls faster than the distance grows, as by rounding.
    pub(crate) fn run_towards(
        &mut self,
        arcs: &Arcs,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        goal: Goal<impl Fn(TerminalId) -> u32>,
        mut visit: impl FnMut(TerminalId, Length) -> ControlFlow<(), Length>,
    ) {
        let Goal { mut bound, rest } = goal;
        self.towards.clear();
        self.distances.clear(self.terminals);
        for (terminal, initial) in sources {
            self.relax_towards(terminal.0, initial.units(), bound, &rest);
        }
        while let Some(Reverse((sum, distance, terminal))) = self.towards.pop() {
            if sum > bound.units() {
                return;
            }
            if self.distances.get(terminal as usize).is_some_and(|best| distance > best) {
                continue; // superseded by a shorter path
            }
            match visit(TerminalId(terminal), Length::from_units(distance)) {
                ControlFlow::Break(()) => return,
                ControlFlow::Continue(smaller) => bound = bound.min(smaller),
            }
            for arc in arcs.from(terminal) {
                self.relax_towards(arc.to, distance.saturating_add(arc.length), bound, &rest);
            }
        }
    }

    fn relax_towards(
        &mut self,
        terminal: u32,
        distance: u32,
        bound: Length,
        rest: &impl Fn(TerminalId) -> u32,
    ) {
        let best = self.distances.get(terminal as usize);
        if distance > bound.units() || best.is_some_and(|best| best <= distance) {
            return;
        }
        let sum = distance.saturating_add(rest(TerminalId(terminal)));
        if sum <= bound.units() && self.distances.lower(terminal as usize, distance) {
            self.towards.push(Reverse((sum, distance, terminal)));
        }
    }

    pub(super) fn relax(&mut self, terminal: u32, distance: u32, bound: u32) {
        if distance <= bound && self.distances.lower(terminal as usize, distance) {
            self.open.push(Reverse(u64::from(distance) << 32 | u64::from(terminal)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;

    fn reached(arcs: &Arcs, from: TerminalId, bound: Length) -> Vec<(TerminalId, Length)> {
        let mut search = Search::new(arcs.terminal_count());
        let mut reached = Vec::new();
        search.run(arcs, [(from, Length::ZERO)], bound, |terminal, length| {
            reached.push((terminal, length));
        });
        reached
    }

    #[test]
    fn a_search_agrees_with_floyd_warshall_and_visits_the_nearest_first() {
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
    fn a_search_that_stops_early_has_visited_the_nearest_terminals() {
        let town = Town::random(400);
        let arcs = Arcs::forward(&town.map);
        let mut search = Search::new(arcs.terminal_count());
        let bound = Length::metres(5_000.0);
        for from in town.map.terminals() {
            let mut seen = Vec::new();
            search.run_while(&arcs, [(from, Length::ZERO)], bound, |terminal, length| {
                seen.push((terminal, length));
                if seen.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let mut all = reached(&arcs, from, bound);
            all.truncate(4);
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn a_search_ignores_the_previous_one_also_when_stamps_wrap() {
        let town = Town::random(400);
        let arcs = Arcs::forward(&town.map);
        let mut search = Search::new(arcs.terminal_count());
        search.distances.approach_wrap();
        for from in town.map.terminals().chain(town.map.terminals()) {
            let mut visited = Vec::new();
            let bound = Length::metres(900.0);
            search.run(&arcs, [(from, Length::ZERO)], bound, |t, length| visited.push((t, length)));
            assert_eq!(visited, reached(&arcs, from, bound));
        }
    }
}
