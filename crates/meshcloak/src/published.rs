//! The sets of a batch in flat arrays, and what leaves for the service.
//!
//! A batch has thousands of sets, so members and streets of all sets share one array each, with the
//! end of each set in a second array:
//!
//! ```text
//! set_ends    3     5        10         set 1 has members[3..5]
//! members     a b c d e      f g h i j  ascending within a set
//! mesh_ends   2     6        9          set 1 has meshes[2..6]
//! meshes      s t   s u v w  x y z      ascending within a set
//! served      (index in the waiting list, set), by ascending index
//! ```
//!
//! Only a [`Disclosure`] may leave for the service. It has neither users nor positions.

pub use crate::stats::Stats;

use crate::distance::ReachedTerminals;
use crate::history::Publication;
use crate::map::StreetId;
use crate::query::{QueryId, UserId};
use crate::region::{Disc, Region};
use crate::service_odds::QueryClass;
use crate::sort_network::{NETWORK_LEN, sort_eight};
use crate::units::{Rectangle, Time};
use crate::violation::Violation;
use std::borrow::Cow;
use std::mem::take;
use std::sync::Arc;

/// Anonymity sets of a batch, and which queries they serve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    set_ends: Vec<u32>,
    members: Vec<QueryId>,
    mesh_ends: Vec<u32>,
    meshes: Vec<StreetId>,
    /// Shapes of the sets whose region is not a mesh, by ascending set.
    shapes: Vec<(u32, Shape)>,
    served: Vec<Served>,
    /// Class of each query of the waiting list; empty if the scheme does not use service odds.
    pub classes: Vec<QueryClass>,
    /// What new searches found, for the state of the engine.
    pub(crate) reached: Vec<(QueryId, Arc<ReachedTerminals>)>,
    /// What the scheme remembers of served queries.
    pub(crate) remembered: Vec<(QueryId, Arc<Publication>)>,
    /// Visits that the scheme records.
    pub(crate) visits: Vec<(u64, UserId)>,
    /// Sizes and counts of the batch.
    pub stats: Stats,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Rectangle(Rectangle),
    Disc(Disc),
}

/// A served query and its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Index in [`State::waiting`](crate::scheme::State::waiting).
    pub index: u32,
    /// Number of the set.
    pub set: u32,
}

/// A set that the guard rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Number of the proposed set.
    pub set: u32,
    /// The first check that it fails.
    pub violation: Violation,
}

/// Users published together, with their region.
#[derive(Clone, Debug, PartialEq)]
pub struct AnonymitySet<'a> {
    /// Queries of distinct users, ascending.
    pub members: &'a [QueryId],
    /// Region that the service is asked about.
    pub region: Region<'a>,
}

impl Published {
    /// Removes everything and keeps the buffers.
    pub fn clear(&mut self) {
        self.set_ends.clear();
        self.members.clear();
        self.mesh_ends.clear();
        self.meshes.clear();
        self.shapes.clear();
        self.served.clear();
        self.classes.clear();
        self.reached.clear();
        self.remembered.clear();
        self.visits.clear();
        self.stats = Stats::default();
    }

    /// Keeps what is published for a query in [`State::history`](crate::scheme::State::history), if
    /// the query is served and the scheme has a history horizon.
    pub fn remember(&mut self, query: QueryId, publication: Arc<Publication>) {
        self.remembered.push((query, publication));
    }

    /// Records a visit in [`State::history`](crate::scheme::State::history), if the scheme has a
    /// history horizon. Places are numbers of the scheme.
    pub fn visit(&mut self, place: u64, user: UserId) {
        self.visits.push((place, user));
    }

    /// Adds a set with its region and returns its number.
    pub fn add(&mut self, members: impl Iterator<Item = QueryId>, region: &Region<'_>) -> u32 {
        let set = self.set_ends.len() as u32;
        match region {
            Region::Mesh(streets) => {
                return self.add_mesh(members, |mesh| mesh.extend_from_slice(streets));
            }
            Region::Rectangle(rectangle) => self.shapes.push((set, Shape::Rectangle(*rectangle))),
            Region::Disc(disc) => self.shapes.push((set, Shape::Disc(*disc))),
        }
        self.add_mesh(members, |_| ())
    }

    /// Adds a set and returns its number. `mesh` appends the streets of the region, each once and
    /// ascending, so that the order carries no information.
    pub fn add_mesh(
        &mut self,
        members: impl Iterator<Item = QueryId>,
        mesh: impl FnOnce(&mut Vec<StreetId>),
    ) -> u32 {
        self.add_members(members);
        self.add_regions(|meshes, ends| {
            mesh(meshes);
            ends.push(meshes.len() as u32);
        });
        self.set_ends.len() as u32 - 1
    }

    /// Adds the members of a set; its region must follow.
    #[inline]
    pub(crate) fn add_members(&mut self, members: impl Iterator<Item = QueryId>) {
        let start = self.members.len();
        self.members.extend(members);
        let end = self.members.len();
        if end - start > NETWORK_LEN {
            self.members[start..].sort_unstable();
        } else {
            self.members.extend_from_slice(&[QueryId(u64::MAX); NETWORK_LEN]);
            if let Some(members) = self.members[start..].first_chunk_mut() {
                sort_eight(members);
            }
            self.members.truncate(end);
        }
        self.set_ends.push(self.members.len() as u32);
    }

    /// Adds the regions of all sets without one. `regions` appends their streets and the end of
    /// each.
    pub(crate) fn add_regions(&mut self, regions: impl FnOnce(&mut Vec<StreetId>, &mut Vec<u32>)) {
        let first = self.mesh_ends.len();
        regions(&mut self.meshes, &mut self.mesh_ends);
        debug_assert!(self.mesh_ends.len() == self.set_ends.len());
        debug_assert!((first as u32..self.set_count() as u32).all(|set| {
            let Region::Mesh(mesh) = self.set(set).region else { return true };
            mesh.is_sorted_by(|a, b| a < b)
        }));
    }

    /// Appends the sets of `other`, whose regions must be meshes.
    pub(crate) fn append_sets(&mut self, other: &Published) {
        debug_assert!(other.shapes.is_empty(), "{:?}", other.shapes);
        let [members, meshes] = [self.members.len() as u32, self.meshes.len() as u32];
        self.set_ends.extend(other.set_ends.iter().map(|end| members + end));
        self.mesh_ends.extend(other.mesh_ends.iter().map(|end| meshes + end));
        self.members.extend_from_slice(&other.members);
        self.meshes.extend_from_slice(&other.meshes);
    }

    /// Serves the waiting query at `index` with a set.
    ///
    /// # Panics
    /// If `index` is not above that of the previous call: the engine walks the waiting list and
    /// the served queries side by side.
    pub fn serve(&mut self, index: u32, set: u32) {
        let ascends = self.served.last().is_none_or(|last| last.index < index);
        assert!(ascends, "serve queries by ascending index, each once: {index} comes too late");
        self.served.push(Served { index, set });
    }

    /// Serves every waiting query that has a set; `sets` is indexed like the waiting list.
    ///
    /// Branchless compaction: every entry is stored, the length advances only for served queries.
    pub(crate) fn serve_all(&mut self, sets: &[Option<u32>]) {
        let start = self.served.len();
        self.served.resize(start + sets.len(), Served { index: 0, set: 0 });
        let mut end = start;
        for (index, set) in (0..).zip(sets) {
            self.served[end] = Served { index, set: set.unwrap_or_default() };
            end += usize::from(set.is_some());
        }
        self.served.truncate(end);
    }

    /// Removes the rejected sets, given by ascending number, with the queries they serve.
    pub(crate) fn reject(&mut self, rejected: &[Rejection]) {
        self.retain(|set| rejected.binary_search_by_key(&set, |rejection| rejection.set).is_err());
        rejected.iter().for_each(|rejection| self.stats.rejected.add(rejection.violation));
    }

    /// Keeps the sets for which `stays` holds, with the queries they serve.
    pub(crate) fn retain(&mut self, stays: impl Fn(u32) -> bool) {
        let (classes, reached) = (take(&mut self.classes), take(&mut self.reached));
        let (remembered, visits) = (take(&mut self.remembered), take(&mut self.visits));
        let mut kept = Published { classes, reached, remembered, visits, ..Published::default() };
        let mut number_of = Vec::with_capacity(self.set_count());
        for set in 0..self.set_count() as u32 {
            let AnonymitySet { members, region } = self.set(set);
            number_of.push(stays(set).then(|| kept.add(members.iter().copied(), &region)));
        }
        for served in &self.served {
            if let Some(&Some(set)) = number_of.get(served.set as usize) {
                kept.serve(served.index, set);
            }
        }
        kept.stats = self.stats;
        *self = kept;
    }

    /// Returns the served queries, in order of the waiting list.
    pub fn served(&self) -> &[Served] {
        &self.served
    }

    /// Returns the number of sets.
    pub fn set_count(&self) -> usize {
        self.set_ends.len()
    }

    /// Returns a set by its number.
    pub fn set(&self, set: u32) -> AnonymitySet<'_> {
        let run = |ends: &[u32]| {
            let start = if set == 0 { 0 } else { ends[set as usize - 1] };
            start as usize..ends[set as usize] as usize
        };
        let shape = self.shapes.binary_search_by_key(&set, |(set, _)| *set);
        let region = match shape.map(|index| self.shapes[index].1) {
            Ok(Shape::Rectangle(rectangle)) => Region::Rectangle(rectangle),
            Ok(Shape::Disc(disc)) => Region::Disc(disc),
            Err(_) => Region::Mesh(Cow::Borrowed(&self.meshes[run(&self.mesh_ends)])),
        };
        AnonymitySet { members: &self.members[run(&self.set_ends)], region }
    }
}

/// Everything that the service, and so any adversary, learns of a published set (§III-F,
/// docs/SPEC.md §9). Streets are ascending, so that their order carries no information.
#[derive(Clone, Debug, PartialEq)]
pub struct Disclosure {
    /// Time of the batch.
    pub at: Time,
    /// Region that the service is asked about.
    pub region: Region<'static>,
}

impl Published {
    /// Returns what leaves for the service: one disclosure for each distinct region, in an order
    /// that depends on the regions alone. One per set would reveal the number of sets.
    pub fn disclosures(&self, at: Time) -> Vec<Disclosure> {
        let regions = (0..self.set_count() as u32).map(|set| self.set(set).region.into_owned());
        let mut disclosures: Vec<Disclosure> =
            regions.map(|region| Disclosure { at, region }).collect();
        disclosures.sort_by(|a, b| a.region.total_cmp(&b.region));
        disclosures.dedup();
        disclosures
    }
}

#[cfg(test)]
mod tests;
