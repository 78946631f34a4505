//! The regions of many sets at once, shared among threads: each set's mesh is its own business.

use crate::distance::Atlas;
use crate::map::StreetId;
use crate::mesh::{MeshBuilder, MeshRule};
use crate::query::{QueryId, Standpoint};
use crate::scheme::Published;
use rayon::prelude::*;
use std::sync::Arc;

/// Builds the meshes of the sets of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Meshes {
    workers: Vec<Worker>,
}

/// One builder and what it has built.
#[derive(Clone, Debug)]
struct Worker {
    builder: MeshBuilder,
    streets: Vec<StreetId>,
    ends: Vec<usize>,
}

/// Somebody in a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) id: QueryId,
    pub(crate) standpoint: Standpoint,
}

impl Meshes {
    pub(crate) fn new(atlas: Arc<Atlas>, rule: MeshRule) -> Meshes {
        let builder = MeshBuilder::new(atlas, rule);
        Meshes { workers: vec![Worker { builder, streets: Vec::new(), ends: Vec::new() }] }
    }

    /// Publishes `sets`, of which `members` says who is in them (Algorithm 4, line 15).
    pub(crate) fn publish<S: Sync, M: Iterator<Item = Member>>(
        &mut self,
        sets: &[S],
        published: &mut Published,
        members: impl Fn(&S) -> M + Sync,
    ) {
        let threads = rayon::current_num_threads();
        if threads == 1 {
            let builder = &mut self.workers[0].builder;
            for set in sets {
                published.add_mesh(members(set).map(|member| member.id), |mesh| {
                    builder.cloaking_mesh(members(set).map(|member| member.standpoint), mesh);
                });
            }
            return;
        }
        let first = self.workers[0].clone();
        self.workers.resize(threads.max(self.workers.len()), first);
        let share = sets.len().div_ceil(threads).max(1);
        let shares = sets.par_chunks(share).zip(&mut self.workers);
        shares.for_each(|(sets, worker)| {
            worker.build(sets.iter().map(|set| members(set).map(|member| member.standpoint)));
        });
        for (sets, worker) in sets.chunks(share).zip(&self.workers) {
            let mut start = 0;
            for (set, &end) in sets.iter().zip(&worker.ends) {
                published.add_mesh(members(set).map(|member| member.id), |mesh| {
                    mesh.extend_from_slice(&worker.streets[start..end]);
                });
                start = end;
            }
        }
    }
}

impl Worker {
    fn build(&mut self, sets: impl Iterator<Item = impl Iterator<Item = Standpoint>>) {
        self.streets.clear();
        self.ends.clear();
        for set in sets {
            self.builder.cloaking_mesh(set, &mut self.streets);
            self.ends.push(self.streets.len());
        }
    }
}
