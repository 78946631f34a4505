//! Expanding meshes that were built before, ready to be laid over one another.
//!
//! A mesh depends on street and `dc` alone, and `dc` is a speed times an interval, of which there
//! are few; so the same meshes are asked for again and again.

use super::Standpoint;
use crate::distance::LARGEST_DC_MAX;
use crate::map::{Layer, StreetSet};

/// The expanding meshes of standpoints met before.
#[derive(Clone, Debug)]
pub(super) struct Stencils {
    streets: usize,
    /// For each constraint its number, if it has one.
    numbers: Vec<u8>,
    /// For each number and street the run of its layers; an empty one is not known.
    runs: Vec<(u32, u32)>,
    layers: Vec<Layer>,
}

/// No number.
const NONE: u8 = u8::MAX;

/// So many constraints get a number; meshes of others are not kept.
const MOST_NUMBERS: usize = 32;

/// More layers than this are not kept: 32 MB of them. Then all are forgotten.
const MOST_LAYERS: usize = 1 << 22;

impl Stencils {
    /// None yet, on a map with so many streets.
    pub(super) fn new(streets: usize) -> Stencils {
        let numbers = vec![NONE; LARGEST_DC_MAX.units() as usize + 1];
        Stencils { streets, numbers, runs: Vec::new(), layers: Vec::new() }
    }

    /// The mesh of a standpoint, if it is known.
    #[inline]
    pub(super) fn get(&self, standpoint: Standpoint) -> Option<&[Layer]> {
        let number = *self.numbers.get(standpoint.dc.units() as usize)?;
        let place = usize::from(number) * self.streets + standpoint.street.index();
        let &(start, end) = self.runs.get(place)?;
        (start < end).then(|| &self.layers[start as usize..end as usize])
    }

    /// Takes the mesh of a standpoint out of `mesh`, and keeps it if there is room.
    pub(super) fn keep(&mut self, standpoint: Standpoint, mesh: &mut StreetSet) -> &[Layer] {
        if self.layers.len() > MOST_LAYERS {
            self.runs.fill((0, 0));
            self.layers.clear();
        }
        let start = self.layers.len();
        mesh.drain_layers(&mut self.layers);
        if let Some(number) = self.number(standpoint) {
            let place = number * self.streets + standpoint.street.index();
            self.runs[place] = (start as u32, self.layers.len() as u32);
        }
        &self.layers[start..]
    }

    /// The number of a constraint, a new one if there is one left.
    fn number(&mut self, standpoint: Standpoint) -> Option<usize> {
        let number = self.numbers.get_mut(standpoint.dc.units() as usize)?;
        let given = self.runs.len() / self.streets;
        if *number == NONE && given < MOST_NUMBERS {
            *number = given as u8;
            self.runs.resize(self.runs.len() + self.streets, (0, 0));
        }
        (*number != NONE).then_some(usize::from(*number))
    }
}
