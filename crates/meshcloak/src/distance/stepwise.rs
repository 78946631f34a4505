//! Dijkstra's algorithm one terminal at a time, for searches that end when a row is complete.

use super::search::{Arcs, Search};
use crate::map::TerminalId;
use std::cmp::Reverse;

impl Search {
    /// Starts a search from `source`, or from nowhere.
    pub(super) fn start(&mut self, arcs: &Arcs, source: Option<TerminalId>) {
        self.open.clear();
        self.distances.clear(arcs.terminal_count());
        if let Some(source) = source {
            self.relax(source.0, 0, u32::MAX);
        }
    }

    /// Replaces the search by the complete result of another one: terminals and distances, 1/32 m.
    pub(super) fn load(&mut self, arcs: &Arcs, found: impl Iterator<Item = (TerminalId, u16)>) {
        self.start(arcs, None);
        for (terminal, distance) in found {
            self.distances.insert(terminal.index(), distance.into());
        }
    }

    /// Returns a lower bound of the distances that are not final yet; `None` if all are.
    #[inline]
    pub(super) fn frontier(&self) -> Option<u32> {
        self.open.peek().map(|Reverse(nearest)| (nearest >> 32) as u32)
    }

    /// Expands the nearest terminal if it is not superseded, and returns it with its distance. Paths
    /// longer than `bound` are left out.
    #[inline]
    pub(super) fn step(&mut self, arcs: &Arcs, bound: u32) -> Option<(TerminalId, u32)> {
        let Reverse(nearest) = self.open.pop()?;
        let (distance, terminal) = ((nearest >> 32) as u32, nearest as u32);
        if self.distances.get(terminal as usize).is_some_and(|best| distance > best) {
            return None; // superseded by a shorter path
        }
        for arc in arcs.from(terminal) {
            self.relax(arc.to, distance.saturating_add(arc.length), bound);
        }
        Some((TerminalId(terminal), distance))
    }

    /// Advances until the distance of a terminal is final; returns it, or `None` beyond `bound`.
    ///
    /// Streets are at least one unit long, so a distance is final once no nearer terminal is open.
    #[inline]
    pub(super) fn distance(&mut self, arcs: &Arcs, to: TerminalId, bound: u32) -> Option<u32> {
        loop {
            let found = self.distances.get(to.index());
            let Some(frontier) = self.frontier() else { return found };
            match found {
                Some(distance) if distance <= frontier => return found,
                _ => self.step(arcs, bound),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;
    use crate::units::Length;

    #[test]
    fn a_search_in_steps_finds_the_distances_of_a_search_at_once() {
        let mut unreached = 0;
        for seed in 0..200 {
            let town = Town::random(seed);
            let arcs = Arcs::forward(&town.map);
            let bound = Length::metres(60.0 + 11.0 * seed as f64);
            let (mut steps, mut whole) = (Search::default(), Search::new(arcs.terminal_count()));
            for from in town.map.terminals() {
                let mut expected = vec![None; arcs.terminal_count()];
                whole.run(&arcs, [(from, Length::ZERO)], bound, |terminal, length| {
                    expected[terminal.index()] = Some(length.units());
                });
                steps.start(&arcs, Some(from));
                // Far terminals first, so that some distances are known before they are asked for.
                let mut order: Vec<TerminalId> = town.map.terminals().collect();
                order.sort_by_key(|to| (to.0.wrapping_mul(2_654_435_761) >> 7, to.0));
                for to in order {
                    let found = steps.distance(&arcs, to, bound.units());
                    assert_eq!(found, expected[to.index()], "seed {seed} {from:?} {to:?}\n{town}");
                    unreached += u32::from(found.is_none());
                }
            }
        }
        assert!(unreached > 500, "only {unreached} terminals were out of reach");
    }
}
