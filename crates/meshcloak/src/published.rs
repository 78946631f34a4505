//! What a scheme publishes: sets, their regions, and who is served by them.

use super::Stats;
use crate::map::StreetId;
use crate::query::QueryId;
use crate::region::{Disc, Region};
use crate::service_odds::QueryClass;
use crate::sort_network::{NETWORK_LEN, sort_eight};
use crate::units::{Rectangle, Time};
use std::borrow::Cow;

/// The sets of a batch and who is served by them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    set_ends: Vec<u32>,
    members: Vec<QueryId>,
    mesh_ends: Vec<u32>,
    meshes: Vec<StreetId>,
    /// The shapes of sets whose region is no mesh, by ascending set.
    shapes: Vec<(u32, Shape)>,
    served: Vec<Served>,
    /// Class of each query of the waiting list; empty if the scheme does not use service odds.
    pub classes: Vec<QueryClass>,
    /// What the batch looked like.
    pub stats: Stats,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Rectangle(Rectangle),
    Disc(Disc),
}

/// Somebody who is served: her place in the waiting list, and her set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Her place in [`State::waiting`](super::State::waiting).
    pub index: u32,
    /// The number of her set.
    pub set: u32,
}

/// One published set.
#[derive(Clone, Debug, PartialEq)]
pub struct AnonymitySet<'a> {
    /// Who is in it, ascending; distinct users.
    pub members: &'a [QueryId],
    /// What the service is asked about.
    pub region: Region<'a>,
}

impl Published {
    /// Forgets everything, keeping its room.
    pub fn clear(&mut self) {
        self.set_ends.clear();
        self.members.clear();
        self.mesh_ends.clear();
        self.meshes.clear();
        self.shapes.clear();
        self.served.clear();
        self.classes.clear();
        self.stats = Stats::default();
    }

    /// Adds a set and its region. Gives its number.
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

    /// Adds a set; `mesh` appends the streets of its region, each once and ascending, so that
    /// their order tells nothing. Gives its number.
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

    /// Adds the members of a set, whose region must follow.
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

    /// Adds the regions of the sets that have none yet: `regions` appends the streets of all of
    /// them, and where those of each end.
    pub(crate) fn add_regions(&mut self, regions: impl FnOnce(&mut Vec<StreetId>, &mut Vec<u32>)) {
        let first = self.mesh_ends.len();
        regions(&mut self.meshes, &mut self.mesh_ends);
        debug_assert!(self.mesh_ends.len() == self.set_ends.len());
        debug_assert!((first as u32..self.set_count() as u32).all(|set| {
            let Region::Mesh(mesh) = self.set(set).region else { return true };
            mesh.is_sorted_by(|a, b| a < b)
        }));
    }

    /// Adds the sets of another, in their order; all of their regions are meshes.
    pub(crate) fn append_sets(&mut self, other: &Published) {
        debug_assert!(other.shapes.is_empty(), "{:?}", other.shapes);
        let [members, meshes] = [self.members.len() as u32, self.meshes.len() as u32];
        self.set_ends.extend(other.set_ends.iter().map(|end| members + end));
        self.mesh_ends.extend(other.mesh_ends.iter().map(|end| meshes + end));
        self.members.extend_from_slice(&other.members);
        self.meshes.extend_from_slice(&other.meshes);
    }

    /// Serves somebody with a set.
    pub fn serve(&mut self, place: u32, set: u32) {
        self.served.push(Served { index: place, set });
    }

    /// Serves those of the waiting list, from the first to the last, who have a set.
    pub(crate) fn serve_all(&mut self, sets: &[Option<u32>]) {
        let start = self.served.len();
        self.served.resize(start + sets.len(), Served { index: 0, set: 0 });
        let mut end = start;
        for (place, set) in (0..).zip(sets) {
            self.served[end] = Served { index: place, set: set.unwrap_or_default() };
            end += usize::from(set.is_some());
        }
        self.served.truncate(end);
    }

    /// Takes sets out, given by ascending number, and whomever they serve; counts them.
    pub(crate) fn suppress(&mut self, sets: &[u32]) {
        let mut kept =
            Published { classes: std::mem::take(&mut self.classes), ..Published::default() };
        let mut number_of = Vec::with_capacity(self.set_count());
        for set in 0..self.set_count() as u32 {
            let AnonymitySet { members, region } = self.set(set);
            let stays = sets.binary_search(&set).is_err();
            number_of.push(stays.then(|| kept.add(members.iter().copied(), &region)));
        }
        for served in &self.served {
            if let Some(&Some(set)) = number_of.get(served.set as usize) {
                kept.serve(served.index, set);
            }
        }
        kept.stats = Stats { rejected: self.stats.rejected + sets.len(), ..self.stats };
        *self = kept;
    }

    /// Who is served, in order of the waiting list.
    pub fn served(&self) -> &[Served] {
        &self.served
    }

    /// How many sets there are.
    pub fn set_count(&self) -> usize {
        self.set_ends.len()
    }

    /// A set by its number.
    pub fn set(&self, set: u32) -> AnonymitySet<'_> {
        let run = |ends: &[u32]| {
            let start = if set == 0 { 0 } else { ends[set as usize - 1] };
            start as usize..ends[set as usize] as usize
        };
        let shape = self.shapes.binary_search_by_key(&set, |(set, _)| *set);
        let region = match shape.map(|place| self.shapes[place].1) {
            Ok(Shape::Rectangle(rectangle)) => Region::Rectangle(rectangle),
            Ok(Shape::Disc(disc)) => Region::Disc(disc),
            Err(_) => Region::Mesh(Cow::Borrowed(&self.meshes[run(&self.mesh_ends)])),
        };
        AnonymitySet { members: &self.members[run(&self.set_ends)], region }
    }
}

/// Everything the service, and so any attacker, ever learns of a published set (§III-B): when,
/// and which streets. The streets are ascending, so that their order tells nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Disclosure {
    /// The time of the batch.
    pub at: Time,
    /// What is asked about.
    pub region: Region<'static>,
}

impl Published {
    /// What leaves for the service: one disclosure for each distinct region, in an order that
    /// depends on the regions alone. A region listed once for each member would tell how many.
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
mod tests {
    use super::*;

    #[test]
    fn members_ascend_however_many_there_are() {
        let mut published = Published::default();
        for count in 0..=2 * NETWORK_LEN as u64 + 1 {
            let ids = (0..count).map(|number| QueryId(u64::MAX - number * 5 % 7 - number * 7));
            let mut expected: Vec<QueryId> = ids.clone().collect();
            expected.sort_unstable();
            let set = published.add_mesh(ids, |_| ());
            assert_eq!(published.set(set).members, expected);
        }
    }
}
