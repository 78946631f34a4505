//! Fixed depth-first walk through all streets. At a new terminal the streets to visited terminals
//! come first, so the streets of a junction stay close in the order.
//!
//! The order depends on the map only and ignores one-way restrictions.

use crate::undirected_streets::UndirectedStreets;
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};

/// Position and direction of each street in the walk.
#[derive(Clone, Debug)]
pub(crate) struct StreetWalk {
    /// By street: twice its position in the walk, plus 1 if walked from `to` to `from`.
    steps: Vec<u32>,
}

const UNVISITED: u32 = u32::MAX;

impl StreetWalk {
    /// Computes the walk of a map.
    pub(crate) fn new(map: &StreetMap) -> StreetWalk {
        let network = UndirectedStreets::new(map);
        let mut walk = DepthFirstWalk {
            map,
            network: &network,
            visited: vec![false; map.terminal_count()],
            steps: vec![UNVISITED; map.street_count()],
            taken: 0,
        };
        for terminal in map.terminals() {
            if !walk.visited[terminal.index()] {
                walk.walk_from(terminal);
            }
        }
        StreetWalk { steps: walk.steps }
    }

    /// Sort key of a position along the walk.
    pub(crate) fn key(&self, map: &StreetMap, position: Position) -> u64 {
        let step = self.steps[position.street.index()];
        let length = map.street(position.street).length;
        let against = step % 2 == 1;
        let along = if against { length - position.offset } else { position.offset };
        u64::from(step / 2) << 32 | u64::from(along.units())
    }
}

/// Depth-first search.
struct DepthFirstWalk<'a> {
    map: &'a StreetMap,
    network: &'a UndirectedStreets,
    visited: Vec<bool>,
    steps: Vec<u32>,
    /// Number of streets walked so far.
    taken: u32,
}

impl DepthFirstWalk<'_> {
    /// Walks the connected component of a terminal.
    fn walk_from(&mut self, start: TerminalId) {
        self.arrive(start);
        let mut stack = vec![(start, 0)];
        while let Some((terminal, next)) = stack.last_mut() {
            let Some(&arm) = self.network.at(*terminal).get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if !self.visited[arm.terminal.index()] {
                self.take(arm.street, *terminal);
                self.arrive(arm.terminal);
                stack.push((arm.terminal, 0));
            }
        }
    }

    /// Marks a terminal as visited and walks its streets to visited terminals.
    fn arrive(&mut self, terminal: TerminalId) {
        self.visited[terminal.index()] = true;
        for arm in self.network.at(terminal) {
            if self.visited[arm.terminal.index()] {
                self.take(arm.street, terminal);
            }
        }
    }

    /// Appends a street, walked from one of its ends, unless it was walked before.
    fn take(&mut self, street: StreetId, from: TerminalId) {
        let step = &mut self.steps[street.index()];
        if *step == UNVISITED {
            *step = self.taken * 2 + u32::from(self.map.street(street).from != from);
            self.taken += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::{Town, town};

    #[test]
    fn every_street_is_walked_once_from_a_visited_terminal() {
        for seed in 0..300 {
            let Town { map, .. } = &Town::random(seed);
            let walk = StreetWalk::new(map);
            let mut order: Vec<(u32, StreetId)> =
                map.streets().map(|s| (walk.steps[s.index()], s)).collect();
            order.sort_unstable();
            let mut visited = vec![false; map.terminal_count()];
            let parts = order.iter().enumerate().filter(|(number, (step, street))| {
                assert_eq!(step / 2, *number as u32, "seed {seed}");
                let street = map.street(*street);
                let from = if step % 2 == 0 { street.from } else { street.to };
                let new = !visited[from.index()];
                visited[street.from.index()] = true;
                visited[street.to.index()] = true;
                new
            });
            let parts = parts.count();
            assert_eq!(parts, parts_with_a_street(map), "seed {seed}");
        }
    }

    fn parts_with_a_street(map: &StreetMap) -> usize {
        let mut part: Vec<usize> = (0..map.terminal_count()).collect();
        for street in map.streets().map(|street| map.street(street)) {
            let (a, b) = (part[street.from.index()], part[street.to.index()]);
            part.iter_mut().filter(|part| **part == b).for_each(|part| *part = a);
        }
        let mut used: Vec<usize> =
            map.streets().map(|street| part[map.street(street).from.index()]).collect();
        used.sort_unstable();
        used.dedup();
        used.len()
    }

    #[test]
    fn keys_ascend_along_the_walk() {
        //  A ── B ◀─ C     the walk begins at A, and goes along B<C against its direction
        //        ╲   │
        //          ╲ D
        let town = town("A 0,0  B 100,0  C 200,0  D 200,99 | A-B C>B C-D D-B");
        let walk = StreetWalk::new(&town.map);
        let positions = [("A-B", 10.0), ("A-B", 90.0), ("C>B", 80.0), ("C>B", 5.0), ("C-D", 3.0)];
        let keys = positions.map(|(street, metres)| walk.key(&town.map, town.at(street, metres)));
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!(keys[4] < walk.key(&town.map, town.at("D-B", 0.0)));
    }
}
