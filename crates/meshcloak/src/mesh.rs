//! What the service is asked about: the streets that somebody can reach (Algorithm 3), and those
//! that the members of a cloaking set can reach together.

use crate::distance::{Atlas, Rows};
use crate::map::{Position, StreetId, StreetSet, TerminalId};
use crate::units::Length;
use std::collections::VecDeque;

/// Which streets belong to an expanding mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshRule {
    /// One's own street, and every street that can be entered at a terminal nearer than `dc` to
    /// an exit of it: complete, and silent about where on the street one is.
    /// Departs from Algorithm 3, which misses some of these and adds others; see PAPER.md.
    #[default]
    Reach,
    /// Algorithm 3 to the letter: breadth first, the first visit to a terminal wins.
    Printed,
}

/// Where a member of a cloaking set is, and how far she can move: all that her mesh depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standpoint {
    /// Her street.
    pub street: StreetId,
    /// Her distance constraint.
    pub dc: Length,
}

/// Builds one mesh after the other without allocating anew.
#[derive(Clone, Debug, Default)]
pub struct MeshBuilder {
    mesh: StreetSet,
    visited_in: Vec<u32>,
    walk: u32,
    queue: VecDeque<(u32, i64)>,
}

impl MeshBuilder {
    /// Appends the cloaking mesh `CMesh(U) = ⋃ EMesh(A)` to `mesh`: each street once, ascending.
    pub fn cloaking_mesh(
        &mut self,
        atlas: &Atlas,
        rule: MeshRule,
        members: impl Iterator<Item = Standpoint>,
        mesh: &mut Vec<StreetId>,
    ) {
        self.mesh.reserve(atlas.map().street_count());
        for member in members {
            self.mesh.insert(member.street);
            match rule {
                MeshRule::Reach => self.expand(atlas, member),
                MeshRule::Printed => self.expand_as_printed(atlas, member),
            }
        }
        self.mesh.drain_into(mesh);
    }

    /// The streets that can be entered at a terminal nearer than `dc` to an exit of hers.
    fn expand(&mut self, atlas: &Atlas, member: Standpoint) {
        match atlas.rows() {
            Rows::Streets(reach) => {
                for reached in reach.expanding(member.street, member.dc) {
                    self.mesh.insert(reached.street);
                }
            }
            Rows::Terminals(rows) => {
                let map = atlas.map();
                let anywhere = Position { street: member.street, offset: Length::ZERO };
                for (exit, _) in map.exits(anywhere) {
                    let row = rows.row(exit).iter();
                    for (terminal, _) in row.take_while(|row| u32::from(row.1) < member.dc.units())
                    {
                        for arm in map.leaving(*terminal) {
                            self.mesh.insert(arm.street);
                        }
                    }
                }
            }
        }
    }

    /// Algorithm 3, lines 2–15. `N(v)` is taken in street order, so of parallel streets the first.
    fn expand_as_printed(&mut self, atlas: &Atlas, member: Standpoint) {
        let map = atlas.map();
        self.visited_in.resize(map.terminal_count(), 0);
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.visited_in.fill(0);
            self.walk = 1;
        }
        self.queue.clear();
        let street = map.street(member.street);
        let ends = [Some(street.to), (!street.one_way).then_some(street.from)]; // lines 4–8
        for end in ends.into_iter().flatten() {
            self.queue.push_back((end.0, i64::from(member.dc.units())));
            self.visited_in[end.index()] = self.walk;
        }
        while let Some((terminal, left)) = self.queue.pop_front() {
            if left <= 0 {
                continue; // line 11
            }
            for arm in map.leaving(TerminalId(terminal)) {
                if self.visited_in[arm.terminal.index()] != self.walk {
                    self.visited_in[arm.terminal.index()] = self.walk;
                    self.mesh.insert(arm.street); // line 13
                    let length = i64::from(map.street(arm.street).length.units());
                    self.queue.push_back((arm.terminal.0, left - length));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::LARGEST_DC_MAX;
    use crate::naive;
    use crate::town::{Town, town};
    use rand::RngExt as _;

    #[test]
    fn a_mesh_is_the_union_of_what_its_members_can_reach() {
        let mut builder = MeshBuilder::default();
        let mut missed = 0;
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let most_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
            let atlas = Atlas::within(town.map.clone(), LARGEST_DC_MAX, most_bytes);
            let table = naive::terminal_distances(&town.map);
            let members: Vec<Standpoint> = (0..random.random_range(1..5))
                .map(|_| Standpoint {
                    street: town.position(&mut random).street,
                    dc: Length::from_units(random.random_range(1..=LARGEST_DC_MAX.units())),
                })
                .collect();
            let mut mesh = Vec::new();
            builder.cloaking_mesh(&atlas, MeshRule::Reach, members.iter().copied(), &mut mesh);
            let expected = naive::cloaking_mesh(&town.map, &table, &members);
            assert_eq!(mesh, expected, "seed {seed} {members:?}\n{town}");
            let mut printed = Vec::new();
            builder.cloaking_mesh(&atlas, MeshRule::Printed, members.iter().copied(), &mut printed);
            missed += usize::from(expected.iter().any(|street| !printed.contains(street)));
        }
        assert!(missed > 100, "Algorithm 3 as printed missed a street in {missed} of 400 towns");
    }

    #[test]
    fn algorithm_3_as_printed_misses_a_street_between_two_visited_terminals() {
        //  A ── B ── C      all within reach of someone on A-B, but A and C are both
        //   ╰────────╯      visited before the street between them is looked at
        let town = town("A 0,0  B 100,0  C 200,0  D 100,80 | A-B B-C A-C(100,-50) B-D D-C");
        let atlas = Atlas::new(town.map.clone(), LARGEST_DC_MAX);
        let member = Standpoint { street: town.street("A-B"), dc: Length::metres(1000.0) };
        let mesh = |rule| {
            let mut mesh = Vec::new();
            MeshBuilder::default().cloaking_mesh(&atlas, rule, [member].into_iter(), &mut mesh);
            let mut names: Vec<&str> =
                mesh.iter().map(|&street| town.map.street_label(street)).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(mesh(MeshRule::Reach), ["A-B", "A-C", "B-C", "B-D", "D-C"]);
        assert_eq!(mesh(MeshRule::Printed), ["A-B", "B-C", "B-D"]);
    }
}
