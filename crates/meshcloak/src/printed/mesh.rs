//! The cloaking mesh of a set, found by searching the map from every member (Algorithm 3).
//!
//! The breadth-first search is the printed one, but for its fault: a terminal is visited again
//! when somebody gets there with more length left. So it finds all that can be reached
//! ([`MeshRule::Reach`](crate::mesh::MeshRule)).

use crate::map::{StreetId, StreetMap, StreetSet, TerminalId};
use crate::mesh::MeshKey;
use crate::stamps::Stamps;

/// A street as seen from a terminal.
#[derive(Clone, Copy, Debug)]
struct Way {
    street: StreetId,
    to: TerminalId,
    length: u32,
}

/// Builds one mesh after the other without allocating anew.
#[derive(Debug)]
pub(super) struct PrintedMesh {
    /// The ways from terminal `t` begin at `starts[t]`.
    starts: Vec<u32>,
    ways: Vec<Way>,
    /// Largest remaining length with which a terminal was visited, 1/32 m.
    remaining: Stamps<u32>,
    streets: StreetSet,
    queue: Vec<(TerminalId, u32)>,
}

impl PrintedMesh {
    pub(super) fn new(map: &StreetMap) -> PrintedMesh {
        let mut starts = vec![0];
        let mut ways = Vec::new();
        for terminal in map.terminals() {
            ways.extend(map.leaving(terminal).iter().map(|arm| Way {
                street: arm.street,
                to: arm.terminal,
                length: map.street(arm.street).length.units(),
            }));
            starts.push(ways.len() as u32);
        }
        let mut streets = StreetSet::default();
        streets.reserve(map.street_count());
        PrintedMesh { starts, ways, remaining: Stamps::default(), streets, queue: Vec::new() }
    }

    /// Appends `CMesh(U) = ⋃ EMesh(A)` to `mesh`: each street once, ascending.
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

    /// Lines 9–15.
    fn expand(&mut self) {
        let PrintedMesh { starts, ways, remaining, streets, queue } = self;
        let mut first = 0;
        while let Some(&(terminal, left)) = queue.get(first) {
            first += 1;
            if remaining.get(terminal.index()).is_some_and(|largest| left < largest) {
                continue; // visited with more length remaining
            }
            let (start, end) = (starts[terminal.index()], starts[terminal.index() + 1]);
            for way in &ways[start as usize..end as usize] {
                streets.insert(way.street); // line 13
                let left = left.saturating_sub(way.length);
                let is_larger = remaining.get(way.to.index()).is_none_or(|largest| largest < left);
                if left > 0 && is_larger {
                    remaining.insert(way.to.index(), left);
                    queue.push((way.to, left)); // line 14
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
    fn a_mesh_holds_what_its_members_can_reach_though_stamps_run_over() {
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
