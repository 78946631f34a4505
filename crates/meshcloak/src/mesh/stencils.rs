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
    /// How many of the layers are kept; the mesh behind them is only there to be looked at.
    kept: usize,
}

/// No number.
const NONE: u8 = u8::MAX;

/// So many constraints get a number; meshes of others are not kept.
const MOST_NUMBERS: usize = 32;

/// More layers than this are not kept: 32 MB of them, and few in tests. Then all are forgotten.
const MOST_LAYERS: usize = if cfg!(test) { 1 << 7 } else { 1 << 22 };

impl Stencils {
    /// None yet, on a map with so many streets.
    pub(super) fn new(streets: usize) -> Stencils {
        let numbers = vec![NONE; LARGEST_DC_MAX.units() as usize + 1];
        Stencils { streets, numbers, runs: Vec::new(), layers: Vec::new(), kept: 0 }
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
        if self.kept > MOST_LAYERS {
            self.runs.fill((0, 0));
            self.kept = 0;
        }
        let start = self.kept;
        self.layers.truncate(start);
        mesh.drain_layers(&mut self.layers);
        if let Some(number) = self.number(standpoint) {
            let place = number * self.streets + standpoint.street.index();
            self.runs[place] = (start as u32, self.layers.len() as u32);
            self.kept = self.layers.len();
        }
        &self.layers[start..]
    }

    /// Forgets all of them, and gives the room back.
    pub(super) fn forget(&mut self) {
        *self = Stencils::new(self.streets);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::StreetId;
    use crate::units::Length;

    #[test]
    fn layers_are_found_again_and_never_more_than_so_many_are_kept() {
        let streets = 100_u32;
        let mut stencils = Stencils::new(streets as usize);
        let mut mesh = StreetSet::default();
        mesh.reserve(streets as usize);
        let (mut known, mut forgot) = (0, 0);
        for number in 0..20_000_u32 {
            // More constraints than can be kept, and some more often than others.
            let dc = Length::from_units(1 + number % 41 * (number % 3));
            let standpoint = Standpoint { street: StreetId(number * 7 % 20), dc };
            mesh.insert(standpoint.street);
            mesh.insert(StreetId(dc.units() % streets));
            let mut expected = Vec::new();
            mesh.clone().drain_layers(&mut expected);
            let before = stencils.kept;
            let found = match stencils.get(standpoint) {
                Some(found) => {
                    known += 1;
                    found
                }
                None => stencils.keep(standpoint, &mut mesh),
            };
            assert_eq!(found, expected, "{standpoint:?}");
            forgot += u32::from(stencils.kept < before);
            if number % 5_000 == 4_999 {
                stencils.forget();
                assert!(stencils.layers.capacity() == 0 && stencils.get(standpoint).is_none());
            }
            assert!(stencils.layers.len() <= MOST_LAYERS + 2 * streets.div_ceil(32) as usize);
            mesh.drain_layers(&mut expected);
        }
        assert!(known > 100 && forgot > 10, "{known} known, {forgot} times forgotten");
    }
}
