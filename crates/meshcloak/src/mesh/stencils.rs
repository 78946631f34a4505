//! Expanding meshes that were built before, ready to be laid over one another.
//!
//! A mesh depends on street and `dc` alone, and `dc` is a speed times an interval, of which there
//! are few; so the same meshes are asked for again and again.

use super::Standpoint;
use crate::map::{Layer, StreetSet};
use crate::units::Length;

/// The expanding meshes of standpoints met before.
#[derive(Clone, Debug)]
pub(super) struct Stencils {
    /// For each street the newest of its stencils.
    newest: Vec<u32>,
    stencils: Vec<Stencil>,
    layers: Vec<Layer>,
}

#[derive(Clone, Copy, Debug)]
struct Stencil {
    dc: Length,
    start: u32,
    end: u32,
    /// The one of the same street that was built before.
    older: u32,
}

const NONE: u32 = u32::MAX;

/// More layers than this are not kept: 64 MB of them. Then everything is forgotten.
const MOST_LAYERS: usize = 1 << 22;

/// So many constraints of one street are looked through; with more, its old ones are forgotten.
const MOST_OF_A_STREET: usize = 16;

impl Stencils {
    /// None yet, on a map with so many streets.
    pub(super) fn new(streets: usize) -> Stencils {
        Stencils { newest: vec![NONE; streets], stencils: Vec::new(), layers: Vec::new() }
    }

    /// The mesh of a standpoint, if it is known.
    #[inline]
    pub(super) fn get(&self, standpoint: Standpoint) -> Option<&[Layer]> {
        let mut next = self.newest[standpoint.street.index()];
        while next != NONE {
            let stencil = self.stencils[next as usize];
            if stencil.dc == standpoint.dc {
                return Some(&self.layers[stencil.start as usize..stencil.end as usize]);
            }
            next = stencil.older;
        }
        None
    }

    /// Keeps the mesh of a standpoint, which is taken out of `mesh`.
    pub(super) fn keep(&mut self, standpoint: Standpoint, mesh: &mut StreetSet) -> &[Layer] {
        if self.layers.len() > MOST_LAYERS {
            self.newest.fill(NONE);
            self.stencils.clear();
            self.layers.clear();
        }
        let start = self.layers.len();
        mesh.drain_layers(&mut self.layers);
        let newest = self.newest[standpoint.street.index()];
        let older = if self.count(newest) < MOST_OF_A_STREET { newest } else { NONE };
        let (start, end) = (start as u32, self.layers.len() as u32);
        self.newest[standpoint.street.index()] = self.stencils.len() as u32;
        self.stencils.push(Stencil { dc: standpoint.dc, start, end, older });
        &self.layers[start as usize..]
    }

    /// How many stencils there are from this one back to the oldest of its street.
    fn count(&self, newest: u32) -> usize {
        let older = |at: &u32| Some(self.stencils[*at as usize].older).filter(|&at| at != NONE);
        std::iter::successors(Some(newest).filter(|&at| at != NONE), older).count()
    }
}
