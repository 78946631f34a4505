//! Builds the regions of all sets of a batch, in parallel: regions are independent of each other.

use crate::cells::{CellRegions, Cells};
use crate::distance::Atlas;
use crate::map::StreetId;
use crate::mesh::{MeshBuilder, MeshRule};
use crate::query::{Member, MeshKey};
use crate::scheme::{Published, RegionDependence};
use crate::units::Length;
use rayon::prelude::*;
use std::sync::Arc;

/// Which streets form the region of a set (docs/SPEC.md §7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionRule {
    /// The streets that a member can reach.
    Mesh(MeshRule),
    /// The streets of the members' cells.
    Cells(Length),
    /// The cell that holds all members: sets lie in one cell. Holds the length of cells.
    Cell(Length),
}

impl Default for RegionRule {
    /// Returns the complete mesh.
    fn default() -> RegionRule {
        RegionRule::Mesh(MeshRule::Reach)
    }
}

impl RegionRule {
    /// Whether every set lies in one cell.
    pub fn is_single_cell(self) -> bool {
        matches!(self, RegionRule::Cell(_))
    }

    /// Returns what an adversary can conclude from a region of this rule.
    pub fn dependence(self) -> RegionDependence {
        match self {
            RegionRule::Mesh(rule) => RegionDependence::Mesh(rule),
            RegionRule::Cells(length) => RegionDependence::Cells(length),
            RegionRule::Cell(_) => RegionDependence::Fixed,
        }
    }

    /// Returns the name in settings and labels.
    pub fn name(self) -> &'static str {
        match self {
            RegionRule::Mesh(MeshRule::Reach) => "reach",
            RegionRule::Mesh(MeshRule::Printed) => "printed",
            RegionRule::Cells(_) => "cells",
            RegionRule::Cell(_) => "cell",
        }
    }

    /// Returns the length of cells.
    pub fn cell_length(self) -> Option<Length> {
        match self {
            RegionRule::Mesh(_) => None,
            RegionRule::Cells(length) | RegionRule::Cell(length) => Some(length),
        }
    }
}

/// Builds regions by a rule.
#[derive(Clone, Debug)]
pub(crate) enum RegionBuilder {
    Mesh(Box<MeshBuilder>),
    Cells(CellRegions),
}

impl RegionBuilder {
    /// Creates a builder; computes the cells if they are needed and not given.
    pub(crate) fn new(
        atlas: &Arc<Atlas>,
        rule: RegionRule,
        cells: Option<Arc<Cells>>,
    ) -> RegionBuilder {
        match rule {
            RegionRule::Mesh(rule) => {
                RegionBuilder::Mesh(Box::new(MeshBuilder::new(Arc::clone(atlas), rule)))
            }
            RegionRule::Cells(length) | RegionRule::Cell(length) => {
                let cells = cells.unwrap_or_else(|| Arc::new(Cells::new(atlas.map(), length)));
                RegionBuilder::Cells(CellRegions::new(cells))
            }
        }
    }

    /// Returns the cells.
    pub(crate) fn cells(&self) -> Option<&Arc<Cells>> {
        match self {
            RegionBuilder::Mesh(_) => None,
            RegionBuilder::Cells(regions) => Some(regions.cells()),
        }
    }

    /// Empties caches that had too few hits.
    fn evict(&mut self) {
        match self {
            RegionBuilder::Mesh(meshes) => meshes.evict(),
            RegionBuilder::Cells(_) => {}
        }
    }

    /// Appends the region of a set to `streets`: each street once, ascending.
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

    /// Appends `sets` and their regions to `published`.
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

/// Sets whose meshes are looked up and prefetched together.
const CHUNK: usize = 32;

fn publish_meshes<S, M: Iterator<Item = Member>>(
    builder: &mut MeshBuilder,
    sets: &[S],
    published: &mut Published,
    members: impl Fn(&S) -> M,
) {
    for sets in sets.chunks(CHUNK) {
        builder.clear();
        for set in sets {
            let mut pending = builder.add_set();
            published.add_members(members(set).map(|member| {
                pending.push(member.mesh_key);
                member.id
            }));
            pending.finish();
        }
        published.add_regions(|meshes, ends| {
            builder.build(meshes, |end| ends.push(end as u32));
        });
    }
}

/// Publishes the sets of a batch with their regions.
#[derive(Clone, Debug)]
pub(crate) struct SetPublisher {
    workers: Vec<RegionWorker>,
    batches: u32,
}

/// Batches between two evictions. With few users a cache takes hours to fill and its meshes are used
/// too seldom to be worth their memory.
const EVICTION_INTERVAL: u32 = 256;

/// Builder and output of one thread; aligned against false sharing.
#[derive(Clone, Debug)]
#[repr(align(128))]
struct RegionWorker {
    builder: RegionBuilder,
    built: Published,
}

impl SetPublisher {
    pub(crate) fn new(builder: RegionBuilder) -> SetPublisher {
        SetPublisher {
            workers: vec![RegionWorker { builder, built: Published::default() }],
            batches: 0,
        }
    }

    /// Appends `sets` and their regions to `published` (Algorithm 4, line 15), in order.
    pub(crate) fn publish<S: Sync, M: Iterator<Item = Member>>(
        &mut self,
        sets: &[S],
        published: &mut Published,
        members: impl Fn(&S) -> M + Sync,
    ) {
        self.batches = self.batches.wrapping_add(1);
        if self.batches.is_multiple_of(EVICTION_INTERVAL) {
            self.workers.iter_mut().for_each(|worker| worker.builder.evict());
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
        let (first_share, rest) = sets.split_at(share.min(sets.len()));
        let Some((first, others)) = self.workers.split_first_mut() else { return };
        let publish_rest = || {
            let shares = rest.par_chunks(share).zip(&mut *others);
            shares.for_each(|(sets, worker)| {
                worker.built.clear();
                worker.builder.publish(sets, &mut worker.built, &members);
            });
        };
        rayon::join(|| first.builder.publish(first_share, published, &members), publish_rest);
        for (_, worker) in rest.chunks(share).zip(others) {
            published.append_sets(&worker.built);
        }
    }
}
