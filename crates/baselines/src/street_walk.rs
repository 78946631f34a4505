//! A fixed walk through all streets: depth first, and on reaching a terminal first the streets
//! back to where the walk has been, so that the streets of a junction stay together.
//!
//! It depends on the map alone. One-way streets are walked like any other: the walk is an order,
//! not a drive.

use crate::network::Network;
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};

/// When each street is walked, and which way.
#[derive(Clone, Debug)]
pub(crate) struct StreetWalk {
    /// By street: the number in the walk, doubled, and one more if walked against its offsets.
    steps: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl StreetWalk {
    /// The walk through a map.
    pub(crate) fn through(map: &StreetMap) -> StreetWalk {
        let network = Network::of(map);
        let mut walk = Walker {
            map,
            network: &network,
            visited: vec![false; map.terminal_count()],
            steps: vec![UNSEEN; map.street_count()],
            taken: 0,
        };
        for terminal in map.terminals() {
            if !walk.visited[terminal.index()] {
                walk.from(terminal);
            }
        }
        StreetWalk { steps: walk.steps }
    }

    /// How far along the walk somebody is: comparable, nothing else.
    pub(crate) fn key(&self, map: &StreetMap, position: Position) -> u64 {
        let step = self.steps[position.street.index()];
        let length = map.street(position.street).length;
        let against = step % 2 == 1;
        let along = if against { length - position.offset } else { position.offset };
        u64::from(step / 2) << 32 | u64::from(along.units())
    }
}

struct Walker<'a> {
    map: &'a StreetMap,
    network: &'a Network,
    visited: Vec<bool>,
    steps: Vec<u32>,
    taken: u32,
}

impl Walker<'_> {
    /// Walks everything that hangs together with a terminal.
    fn from(&mut self, start: TerminalId) {
        self.arrive(start);
        let mut way = vec![(start, 0)];
        while let Some((terminal, next)) = way.last_mut() {
            let Some(&arm) = self.network.at(*terminal).get(*next) else {
                way.pop();
                continue;
            };
            *next += 1;
            if !self.visited[arm.terminal.index()] {
                self.take(arm.street, *terminal);
                self.arrive(arm.terminal);
                way.push((arm.terminal, 0));
            }
        }
    }

    /// Reaches a terminal for the first time.
    fn arrive(&mut self, terminal: TerminalId) {
        self.visited[terminal.index()] = true;
        for arm in self.network.at(terminal) {
            if self.visited[arm.terminal.index()] {
                self.take(arm.street, terminal);
            }
        }
    }

    /// Walks a street from one of its ends, unless it was walked before.
    fn take(&mut self, street: StreetId, from: TerminalId) {
        let step = &mut self.steps[street.index()];
        if *step == UNSEEN {
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
    fn every_street_is_walked_once_and_each_begins_where_the_walk_has_been() {
        for seed in 0..300 {
            let Town { map, .. } = &Town::random(seed);
            let walk = StreetWalk::through(map);
            let mut order: Vec<(u32, StreetId)> =
                map.streets().map(|s| (walk.steps[s.index()], s)).collect();
            order.sort_unstable();
            let mut been = vec![false; map.terminal_count()];
            let parts = order.iter().enumerate().filter(|(number, (step, street))| {
                assert_eq!(step / 2, *number as u32, "seed {seed}");
                let street = map.street(*street);
                let from = if step % 2 == 0 { street.from } else { street.to };
                let new = !been[from.index()];
                been[street.from.index()] = true;
                been[street.to.index()] = true;
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
    fn people_are_in_the_order_in_which_the_walk_meets_them() {
        //  A ── B ◀─ C     the walk begins at A, and goes along B<C against its direction
        //        ╲   │
        //          ╲ D
        let town = town("A 0,0  B 100,0  C 200,0  D 200,99 | A-B C>B C-D D-B");
        let walk = StreetWalk::through(&town.map);
        let people = [("A-B", 10.0), ("A-B", 90.0), ("C>B", 80.0), ("C>B", 5.0), ("C-D", 3.0)];
        let keys = people.map(|(street, metres)| walk.key(&town.map, town.at(street, metres)));
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!(keys[4] < walk.key(&town.map, town.at("D-B", 0.0)));
    }
}
