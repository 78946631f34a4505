//! The seam: a scheme sees who waits and says whom to cloak now, and under which region.
//!
//! Published sets are flat arrays, because a batch has thousands of them. What may leave for the
//! service is a [`Disclosure`], which has neither a user nor a position.

use crate::map::StreetId;
use crate::query::{Query, QueryId};
use crate::units::Time;

/// Everything the engine remembers from one batch to the next.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Those who wait, in order of arrival.
    pub waiting: Vec<Query>,
}

/// A way of hiding people among one another.
pub trait Scheme: Send {
    /// As in tables, URLs and metrics: `meshcloak`.
    fn name(&self) -> &'static str;

    /// Whom to cloak now. Same input, same answer; what a scheme remembers only makes it faster.
    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Watch) -> &Published;
}

/// The steps of a batch, for whoever measures them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Collecting arrivals and removing who has expired (Algorithm 4, lines 3–9).
    Collect,
    /// Building the constraint graph (line 10).
    Graph,
    /// Finding cliques (lines 11 and 13).
    Cliques,
    /// Building meshes (lines 14–15).
    Mesh,
    /// Removing who was served (lines 16–17).
    Settle,
}

/// Is told when a stage begins: the core has no clock of its own.
pub trait Watch {
    /// A stage begins.
    fn stage(&mut self, stage: Stage);
}

/// Nobody measures.
impl Watch for () {
    fn stage(&mut self, _: Stage) {}
}

/// What a batch looked like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes of the constraint graph.
    pub nodes: usize,
    /// Its edges.
    pub edges: usize,
    /// Cliques that were kept or listed.
    pub cliques: usize,
    /// Steps of all clique searches.
    pub steps: u64,
    /// Whether a search spent its budget, or edges did not fit into memory.
    pub truncated: bool,
}

/// The sets of a batch and who is served by them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    set_ends: Vec<u32>,
    members: Vec<QueryId>,
    mesh_ends: Vec<u32>,
    meshes: Vec<StreetId>,
    lengths: Vec<u64>,
    served: Vec<Served>,
    /// What the batch looked like.
    pub stats: Stats,
}

/// Somebody who is served: her place in the waiting list, and her set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Her place in [`State::waiting`].
    pub place: u32,
    /// The number of her set.
    pub set: u32,
}

/// One published set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cloaking<'a> {
    /// Who is in it, ascending; distinct users.
    pub members: &'a [QueryId],
    /// The streets of its mesh, each once, ascending.
    pub mesh: &'a [StreetId],
    /// Their length in units of 1/32 m.
    pub length_units: u64,
}

impl Published {
    /// Forgets everything, keeping its room.
    pub fn clear(&mut self) {
        self.set_ends.clear();
        self.members.clear();
        self.mesh_ends.clear();
        self.meshes.clear();
        self.lengths.clear();
        self.served.clear();
        self.stats = Stats::default();
    }

    /// Adds a set; `mesh` appends its streets and gives back their length. Gives its number.
    pub fn add_set(
        &mut self,
        members: impl Iterator<Item = QueryId>,
        mesh: impl FnOnce(&mut Vec<StreetId>) -> u64,
    ) -> u32 {
        let start = self.members.len();
        self.members.extend(members);
        self.members[start..].sort_unstable();
        self.set_ends.push(self.members.len() as u32);
        let start = self.meshes.len();
        let length = mesh(&mut self.meshes);
        self.meshes[start..].sort_unstable();
        self.mesh_ends.push(self.meshes.len() as u32);
        self.lengths.push(length);
        self.lengths.len() as u32 - 1
    }

    /// Serves somebody with a set.
    pub fn serve(&mut self, place: u32, set: u32) {
        self.served.push(Served { place, set });
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
    pub fn set(&self, set: u32) -> Cloaking<'_> {
        let run = |ends: &[u32]| {
            let start = if set == 0 { 0 } else { ends[set as usize - 1] };
            start as usize..ends[set as usize] as usize
        };
        Cloaking {
            members: &self.members[run(&self.set_ends)],
            mesh: &self.meshes[run(&self.mesh_ends)],
            length_units: self.lengths[set as usize],
        }
    }
}

/// Everything the service, and so any attacker, ever learns of a published set (§III-B): when,
/// and which streets. The streets are ascending, so that their order tells nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosure {
    /// The time of the batch.
    pub at: Time,
    /// The streets asked about.
    pub mesh: Vec<StreetId>,
}

impl Published {
    /// What leaves for the service: one disclosure for each distinct region, in an order that
    /// depends on the regions alone. A region listed once for each member would tell how many.
    pub fn disclosures(&self, at: Time) -> Vec<Disclosure> {
        let meshes = (0..self.set_count() as u32).map(|set| self.set(set).mesh.to_vec());
        let mut disclosures: Vec<Disclosure> = meshes.map(|mesh| Disclosure { at, mesh }).collect();
        disclosures.sort_by(|a, b| a.mesh.cmp(&b.mesh));
        disclosures.dedup();
        disclosures
    }
}
