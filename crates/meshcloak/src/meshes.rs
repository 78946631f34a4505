//! The regions of many sets at once, shared among threads: each set's region is its own business.

use crate::cells::{CellRegions, CellRule, Cells};
use crate::distance::Atlas;
use crate::map::StreetId;
use crate::mesh::{MeshBuilder, MeshRule};
use crate::query::{Member, MeshKey};
use crate::scheme::Published;
use rayon::prelude::*;
use std::sync::Arc;

/// Which streets the service is asked about (SPEC §7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionRule {
    /// Those that a member can reach.
    Mesh(MeshRule),
    /// Those of the members' cells.
    Cells(CellRule),
}

impl Default for RegionRule {
    /// Every street that a member can reach.
    fn default() -> RegionRule {
        RegionRule::Mesh(MeshRule::Reach)
    }
}

/// Builds one region after the other, by a rule.
#[derive(Clone, Debug)]
pub(crate) enum RegionBuilder {
    Mesh(Box<MeshBuilder>),
    Cells(CellRegions),
}

impl RegionBuilder {
    /// A builder of regions on a map; `cells` are those of the map if they are known already.
    pub(crate) fn new(
        atlas: &Arc<Atlas>,
        rule: RegionRule,
        cells: Option<Arc<Cells>>,
    ) -> RegionBuilder {
        match rule {
            RegionRule::Mesh(rule) => {
                RegionBuilder::Mesh(Box::new(MeshBuilder::new(Arc::clone(atlas), rule)))
            }
            RegionRule::Cells(CellRule { length, least }) => {
                let cells = cells.unwrap_or_else(|| Arc::new(Cells::new(atlas.map(), length)));
                RegionBuilder::Cells(CellRegions::new(cells, least))
            }
        }
    }

    /// Forgets what was built before, if it was asked for too seldom to be worth its memory.
    fn forget(&mut self) {
        match self {
            RegionBuilder::Mesh(meshes) => meshes.forget(),
            RegionBuilder::Cells(_) => {}
        }
    }

    /// Appends the region of a set: each street once, ascending.
    pub(crate) fn region(
        &mut self,
        members: impl Iterator<Item = MeshKey>,
        streets: &mut Vec<StreetId>,
    ) {
        match self {
            RegionBuilder::Mesh(meshes) => meshes.cloaking_mesh(members, streets),
            RegionBuilder::Cells(cells) => {
                cells.region(members.map(|member| member.street), streets);
            }
        }
    }
}

impl RegionBuilder {
    /// Publishes `sets`, of which `members` says who is in them.
    fn publish<S, M: Iterator<Item = Member>>(
        &mut self,
        sets: &[S],
        published: &mut Published,
        members: impl Fn(&S) -> M,
    ) {
        match self {
            RegionBuilder::Mesh(builder) => publish_meshes(builder, sets, published, members),
            RegionBuilder::Cells(cells) => {
                for set in sets {
                    published.add_mesh(members(set).map(|member| member.id), |mesh| {
                        cells.region(members(set).map(|member| member.mesh_key.street), mesh);
                    });
                }
            }
        }
    }
}

/// So many sets are looked up before the first is drawn.
const AT_ONCE: usize = 32;

fn publish_meshes<S, M: Iterator<Item = Member>>(
    builder: &mut MeshBuilder,
    sets: &[S],
    published: &mut Published,
    members: impl Fn(&S) -> M,
) {
    for sets in sets.chunks(AT_ONCE) {
        builder.begin();
        for set in sets {
            let mut noted = builder.note();
            published.add_members(members(set).map(|member| {
                noted.add(member.mesh_key);
                member.id
            }));
            noted.end();
        }
        published.add_regions(|meshes, ends| {
            builder.draw(meshes, |end| ends.push(end as u32));
        });
    }
}

/// Builds the regions of the sets of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Meshes {
    workers: Vec<Worker>,
    batches: u32,
}

/// After so many batches builders forget what they remember if it was asked for too seldom. Where few
/// people ask, hours pass until every mesh has been met, and each is met again too seldom to be worth
/// its memory.
const REMEMBERED: u32 = 256;

/// One builder and what it has built; in cache lines of its own, for another thread writes to the
/// next.
#[derive(Clone, Debug)]
#[repr(align(128))]
struct Worker {
    builder: RegionBuilder,
    built: Published,
}

impl Meshes {
    pub(crate) fn new(builder: RegionBuilder) -> Meshes {
        Meshes { workers: vec![Worker { builder, built: Published::default() }], batches: 0 }
    }

    /// Publishes `sets`, of which `members` says who is in them (Algorithm 4, line 15).
    pub(crate) fn publish<S: Sync, M: Iterator<Item = Member>>(
        &mut self,
        sets: &[S],
        published: &mut Published,
        members: impl Fn(&S) -> M + Sync,
    ) {
        self.batches = self.batches.wrapping_add(1);
        if self.batches.is_multiple_of(REMEMBERED) {
            self.workers.iter_mut().for_each(|worker| worker.builder.forget());
        }
        let threads = rayon::current_num_threads();
        if threads == 1 {
            self.workers[0].builder.publish(sets, published, members);
            return;
        }
        while self.workers.len() < threads {
            self.workers.push(self.workers[0].clone());
        }
        let share = sets.len().div_ceil(threads).max(1);
        let (here, elsewhere) = sets.split_at(share.min(sets.len()));
        let Some((first, others)) = self.workers.split_first_mut() else { return };
        let publish_elsewhere = || {
            let shares = elsewhere.par_chunks(share).zip(&mut *others);
            shares.for_each(|(sets, worker)| {
                worker.built.clear();
                worker.builder.publish(sets, &mut worker.built, &members);
            });
        };
        rayon::join(|| first.builder.publish(here, published, &members), publish_elsewhere);
        for (_, worker) in elsewhere.chunks(share).zip(others) {
            published.append_sets(&worker.built);
        }
    }
}
