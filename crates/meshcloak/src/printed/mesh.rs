//! Cloaking mesh of a set by a search of the map from every member (Algorithm 3).
//!
//! The printed breadth-first search misses reachable streets, because the first visit of a terminal
//! is final. Here a terminal is visited again if it is reached with more remaining length, so the
//! mesh is complete ([`MeshRule::Reach`](crate::mesh::MeshRule)).

use crate::map::{StreetId, StreetMap, StreetSet, TerminalId};
use crate::mesh::MeshKey;
use crate::stamps::Stamps;

/// Street that can be entered at a terminal.
#[derive(Clone, Copy, Debug)]
struct Exit {
    street: StreetId,
    to: TerminalId,
    length: u32,
}

/// Builds one mesh after the other with reused buffers.
#[derive(Debug)]
pub(super) struct PrintedMesh {
    /// Exits of terminal `t`: `exits[starts[t]..starts[t + 1]]`.
    starts: Vec<u32>,
    exits: Vec<Exit>,
    /// Largest remaining length with which a terminal was visited, 1/32 m.
    remaining: Stamps<u32>,
    streets: StreetSet,
    queue: Vec<(TerminalId, u32)>,
}

impl PrintedMesh {
    pub(super) fn new(map: &StreetMap) -> PrintedMesh {
        let mut starts = vec![0];
        let mut exits = Vec::new();
        for terminal in map.terminals() {
            exits.extend(map.leaving(terminal).iter().map(|arm| Exit {
                street: arm.street,
                to: arm.terminal,
                length: map.street(arm.street).length.units(),
            }));
            starts.push(exits.len() as u32);
        }
        let mut streets = StreetSet::default();
        streets.reserve(map.street_count());
        PrintedMesh { starts, exits, remaining: Stamps::default(), streets, queue: Vec::new() }
    }

    /// Appends `CMesh(U) = ⋃ EMesh(A)` to `mesh`, without duplicates, ascending.
    pub(super) fn cloaking_mesh(
        &mut self,
        map: &StreetMap,
        members: impl Iterator<Item = MeshKey>,
        mesh: &mut Vec<StreetId>,
    ) {
        for member in members {
            self.remaining.clear(map.terminal_count());
            let street = map.street(member.street); // Algorithm 3, line 1
            self.streets.insert(member.street); // line 2
            let ends = [Some(street.to), (!street.one_way).then_some(street.from)];
            self.queue.clear();
            for end in ends.into_iter().flatten() {
                let left = member.dc.units();
                self.remaining.insert(end.index(), left);
                self.queue.push((end, left)); // lines 4–8
            }
            self.expand();
        }
        self.streets.drain_into(mesh);
    }

    /// Expands the queue (lines 9–15).
    fn expand(&mut self) {
        let PrintedMesh { starts, exits, remaining, streets, queue } = self;
        let mut first = 0;
        while let Some(&(terminal, left)) = queue.get(first) {
            first += 1;
            if remaining.get(terminal.index()).is_some_and(|largest| left < largest) {
                continue; // visited with more length remaining
            }
            let (start, end) = (starts[terminal.index()], starts[terminal.index() + 1]);
            for exit in &exits[start as usize..end as usize] {
                streets.insert(exit.street); // line 13
                let left = left.saturating_sub(exit.length);
                let is_larger = remaining.get(exit.to.index()).is_none_or(|largest| largest < left);
                if left > 0 && is_larger {
                    remaining.insert(exit.to.index(), left);
                    queue.push((exit.to, left)); // line 14
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;
    use crate::units::Length;
    use rand::RngExt as _;

    #[test]
    fn a_mesh_holds_the_reachable_streets_when_stamps_wrap_around() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let mut builder = PrintedMesh::new(&town.map);
            builder.remaining.approach_wrap();
            for _ in 0..5 {
                let members: Vec<MeshKey> = (0..random.random_range(1..5))
                    .map(|_| MeshKey {
                        street: town.position(&mut random).street,
                        dc: Length::from_units(random.random_range(1..64_000)),
                    })
                    .collect();
                let mut mesh = Vec::new();
                builder.cloaking_mesh(&town.map, members.iter().copied(), &mut mesh);
                let expected = naive::cloaking_mesh(&town.map, &table, &members);
                assert_eq!(mesh, expected, "seed {seed} {members:?}\n{town}");
            }
        }
    }
}
