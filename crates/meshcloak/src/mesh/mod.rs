//! What the service is asked about: the streets that somebody can reach (Algorithm 3), and those
//! that the members of a cloaking set can reach together.

mod as_printed;
mod noted;
mod stencils;

use crate::distance::{Atlas, Rows};
use crate::map::{Position, StreetId, StreetSet};
pub use crate::query::MeshKey;
use crate::units::Length;
use as_printed::BreadthFirst;
use noted::Noted;
use std::sync::Arc;
use stencils::{Run, Stencils};

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

/// A part that was asked for again so often is worth its memory.
const WORTH_KEEPING: usize = 8;

/// Builds one mesh after the other without allocating anew, and remembers the parts.
#[derive(Clone, Debug)]
pub struct MeshBuilder {
    atlas: Arc<Atlas>,
    rule: MeshRule,
    stencils: Stencils,
    /// How many parts were known when they were asked for.
    laid: usize,
    /// The members of the noted sets that matter, set by set.
    members: Vec<MeshKey>,
    /// Where those of each noted set end.
    ends: Vec<u32>,
    /// The meshes of these members, as far as they are known.
    parts: Vec<Run>,
    mesh: StreetSet,
    /// Room for the streets of the noted sets.
    streets: Vec<StreetId>,
    breadth_first: BreadthFirst,
}

impl MeshBuilder {
    /// A builder of meshes on a map, by a rule.
    pub fn new(atlas: Arc<Atlas>, rule: MeshRule) -> MeshBuilder {
        let mut mesh = StreetSet::default();
        mesh.reserve(atlas.map().street_count());
        MeshBuilder {
            stencils: Stencils::new(atlas.map().street_count()),
            laid: 0,
            members: Vec::new(),
            ends: Vec::new(),
            parts: Vec::new(),
            mesh,
            streets: Vec::new(),
            breadth_first: BreadthFirst::default(),
            atlas,
            rule,
        }
    }

    /// Appends the cloaking mesh `CMesh(U) = ⋃ EMesh(A)` to `mesh`: each street once, ascending.
    pub fn cloaking_mesh(
        &mut self,
        members: impl Iterator<Item = MeshKey>,
        mesh: &mut Vec<StreetId>,
    ) {
        self.begin();
        let mut set = self.note();
        members.for_each(|member| set.add(member));
        set.end();
        self.draw(mesh, |_| ());
    }

    /// Forgets which sets were noted.
    pub(crate) fn begin(&mut self) {
        self.stencils.make_room();
        self.members.clear();
        self.ends.clear();
    }

    /// Notes one more set: its members follow.
    #[inline]
    pub(crate) fn note(&mut self) -> Noted<'_> {
        Noted::of(self)
    }

    /// Finds the meshes of all members of noted sets, before the first is drawn.
    fn look_up(&mut self) {
        self.parts.clear();
        self.parts.extend(self.members.iter().map(|&member| self.stencils.get(member)));
        self.laid += self.parts.iter().filter(|part| !part.is_empty()).count();
        for place in 0..self.parts.len() {
            if self.parts[place].is_empty() {
                self.parts[place] = self.meet(self.members[place]);
            }
        }
        self.stencils.fetch(&self.parts);
    }

    /// Appends the meshes of the noted sets to `meshes`, set by set, the streets of each once and
    /// ascending; and says where each ends.
    pub(crate) fn draw(&mut self, meshes: &mut Vec<StreetId>, mut ends_at: impl FnMut(usize)) {
        self.look_up();
        let mut streets = std::mem::take(&mut self.streets);
        let (mut start, mut end) = (0, 0);
        for set in 0..self.ends.len() {
            let members = start..self.ends[set] as usize;
            start = members.end;
            for place in members {
                let run = self.parts[place];
                if run.is_empty() {
                    self.expand(self.members[place]);
                } else {
                    self.mesh.lay(self.stencils.layers(run));
                }
            }
            end = self.mesh.write(&mut streets, end);
            ends_at(meshes.len() + end);
        }
        meshes.extend_from_slice(&streets[..end]);
        self.streets = streets;
    }

    /// Forgets the parts if on average they were asked for too seldom since this was last called
    /// to be worth their memory.
    pub(crate) fn forget(&mut self) {
        if self.laid < WORTH_KEEPING * self.stencils.known() {
            self.stencils.forget();
        }
        self.laid = 0;
    }

    /// Builds a mesh and keeps it, if there is room.
    #[cold]
    fn meet(&mut self, member: MeshKey) -> Run {
        let known = self.stencils.get(member);
        if !known.is_empty() || !self.stencils.admits(member) {
            return known;
        }
        self.expand(member);
        self.stencils.keep(member, &mut self.mesh)
    }

    /// `EMesh(A)`: one's own street, and those that the rule adds.
    fn expand(&mut self, member: MeshKey) {
        self.mesh.insert(member.street);
        match self.rule {
            MeshRule::Reach => reach(&self.atlas, member, &mut self.mesh),
            MeshRule::Printed => {
                self.breadth_first.expand(self.atlas.map(), member, &mut self.mesh);
            }
        }
    }
}

/// The streets that can be entered at a terminal nearer than `dc` to an exit of hers.
fn reach(atlas: &Atlas, member: MeshKey, mesh: &mut StreetSet) {
    match atlas.rows() {
        Rows::Streets(reach) => {
            for reached in reach.expanding(member.street, member.dc) {
                mesh.insert(reached.street);
            }
        }
        Rows::Terminals(rows) => {
            let map = atlas.map();
            let anywhere = Position { street: member.street, offset: Length::ZERO };
            for (exit, _) in map.exits(anywhere) {
                let row = rows.row(exit).iter();
                for (terminal, _) in row.take_while(|row| u32::from(row.1) < member.dc.units()) {
                    for arm in map.leaving(*terminal) {
                        mesh.insert(arm.street);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
