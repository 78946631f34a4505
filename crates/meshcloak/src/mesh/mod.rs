//! Expanding and cloaking meshes (Algorithm 3): the streets that one member, or the members of an
//! anonymity set together, can reach.

mod breadth_first;
mod pending_set;
mod stencils;

use crate::distance::{Atlas, Rows};
use crate::map::{Position, StreetId, StreetSet};
pub use crate::query::MeshKey;
use crate::units::Length;
use breadth_first::BreadthFirst;
use pending_set::PendingSet;
use std::sync::Arc;
pub use stencils::max_cache_bytes;
use stencils::{LayerRange, Stencils};

/// Which streets belong to an expanding mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshRule {
    /// The member's own street, and every street that can be entered at a terminal nearer than `dc`
    /// to an exit of it. Complete, and independent of the position on the street.
    /// Departs from Algorithm 3, which misses some of these streets and adds others; see PAPER.md.
    #[default]
    Reach,
    /// Algorithm 3 as printed: breadth first, the first visit to a terminal wins.
    Printed,
}

/// Cache hits per cached mesh below which [`MeshBuilder::evict`] empties the cache.
const MIN_HITS_PER_MESH: usize = 8;

/// Builds cloaking meshes with reused buffers and a cache of expanding meshes.
#[derive(Clone, Debug)]
pub struct MeshBuilder {
    atlas: Arc<Atlas>,
    rule: MeshRule,
    stencils: Stencils,
    /// Cache hits since the last call of `evict`.
    hits: usize,
    /// Mesh keys of the pending sets, concatenated.
    keys: Vec<MeshKey>,
    /// End of each pending set in `keys`.
    ends: Vec<u32>,
    /// Cached mesh of each key; empty if it is not cached.
    ranges: Vec<LayerRange>,
    mesh: StreetSet,
    /// Scratch buffer for the streets of the pending sets.
    streets: Vec<StreetId>,
    breadth_first: BreadthFirst,
}

impl MeshBuilder {
    /// Creates a builder for a map and a rule.
    pub fn new(atlas: Arc<Atlas>, rule: MeshRule) -> MeshBuilder {
        let mut mesh = StreetSet::default();
        mesh.reserve(atlas.map().street_count());
        MeshBuilder {
            stencils: Stencils::new(atlas.map().street_count()),
            hits: 0,
            keys: Vec::new(),
            ends: Vec::new(),
            ranges: Vec::new(),
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
        self.clear();
        let mut set = self.add_set();
        members.for_each(|member| set.push(member));
        set.finish();
        self.build(mesh, |_| ());
    }

    /// Removes the pending sets.
    pub(crate) fn clear(&mut self) {
        self.stencils.clear_if_full();
        self.keys.clear();
        self.ends.clear();
    }

    /// Adds a pending set.
    #[inline]
    pub(crate) fn add_set(&mut self) -> PendingSet<'_> {
        PendingSet::new(self)
    }

    /// Looks up the meshes of all pending keys, builds those that are missing, and prefetches all.
    fn look_up(&mut self) {
        self.ranges.clear();
        self.ranges.extend(self.keys.iter().map(|&key| self.stencils.get(key)));
        self.hits += self.ranges.iter().filter(|range| !range.is_empty()).count();
        for index in 0..self.ranges.len() {
            if self.ranges[index].is_empty() {
                self.ranges[index] = self.cache(self.keys[index]);
            }
        }
        self.stencils.prefetch(&self.ranges);
    }

    /// Appends the meshes of the pending sets to `meshes`, the streets of each set once and
    /// ascending; calls `set_end` with the end of each.
    pub(crate) fn build(&mut self, meshes: &mut Vec<StreetId>, mut set_end: impl FnMut(usize)) {
        self.look_up();
        let mut streets = std::mem::take(&mut self.streets);
        let (mut start, mut end) = (0, 0);
        for set in 0..self.ends.len() {
            let keys = start..self.ends[set] as usize;
            start = keys.end;
            for index in keys {
                let range = self.ranges[index];
                if range.is_empty() {
                    self.expand(self.keys[index]);
                } else {
                    self.mesh.lay(self.stencils.layers(range));
                }
            }
            end = self.mesh.write(&mut streets, end);
            set_end(meshes.len() + end);
        }
        meshes.extend_from_slice(&streets[..end]);
        self.streets = streets;
    }

    /// Empties the cache and frees its memory if it had too few hits since the last call.
    pub(crate) fn evict(&mut self) {
        if self.hits < MIN_HITS_PER_MESH * self.stencils.len() {
            self.stencils.reset();
        }
        self.hits = 0;
    }

    /// Builds a mesh and caches it if the cache admits it; otherwise returns an empty range.
    #[cold]
    fn cache(&mut self, key: MeshKey) -> LayerRange {
        let cached = self.stencils.get(key);
        if !cached.is_empty() || !self.stencils.admits(key) {
            return cached;
        }
        self.expand(key);
        self.stencils.insert(key, &mut self.mesh)
    }

    /// Adds `EMesh(A)` to `self.mesh`.
    fn expand(&mut self, key: MeshKey) {
        self.mesh.insert(key.street);
        match self.rule {
            MeshRule::Reach => insert_reachable(&self.atlas, key, &mut self.mesh),
            MeshRule::Printed => self.breadth_first.expand(self.atlas.map(), key, &mut self.mesh),
        }
    }
}

/// Inserts the streets that can be entered at a terminal nearer than `dc` to an exit of the street.
fn insert_reachable(atlas: &Atlas, key: MeshKey, mesh: &mut StreetSet) {
    match atlas.rows() {
        Rows::Streets(reach) => {
            for reached in reach.expanding(key.street, key.dc) {
                mesh.insert(reached.street);
            }
        }
        Rows::Terminals(rows) => {
            let map = atlas.map();
            let position = Position { street: key.street, offset: Length::ZERO };
            for (exit, _) in map.exits(position) {
                let row = rows.row(exit).iter();
                for (terminal, _) in row.take_while(|row| u32::from(row.1) < key.dc.units()) {
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
