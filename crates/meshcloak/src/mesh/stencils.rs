//! Expanding meshes that were built before, ready to be laid over one another.
//!
//! A mesh depends on street and `dc` alone, and `dc` is a speed times an interval, of which there
//! are few; so the same meshes are asked for again and again.

use super::MeshKey;
use crate::distance::LARGEST_DC_MAX;
use crate::map::{Layer, StreetSet};

/// The expanding meshes of mesh_keys met before.
#[derive(Clone, Debug)]
pub(super) struct Stencils {
    streets: usize,
    /// For each constraint its number, if it has one.
    numbers: Vec<u8>,
    /// For each number and street the run of its layers; an empty one is not known.
    runs: Vec<Run>,
    layers: Vec<Layer>,
    /// How many meshes are known.
    known: usize,
}

/// Where the layers of a mesh are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    start: u32,
    end: u32,
}

impl Run {
    pub(super) fn is_empty(self) -> bool {
        self.start >= self.end
    }
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
        Stencils { streets, numbers, runs: Vec::new(), layers: Vec::new(), known: 0 }
    }

    /// The mesh of a mesh_key; empty if it is not known.
    #[inline]
    pub(super) fn get(&self, mesh_key: MeshKey) -> Run {
        let dc = mesh_key.dc.units() as usize;
        let number = self.numbers.get(dc).copied().unwrap_or(NONE);
        let place = usize::from(number) * self.streets + mesh_key.street.index();
        self.runs.get(place).copied().unwrap_or_default()
    }

    /// The layers of a mesh that was not forgotten since.
    #[inline]
    pub(super) fn layers(&self, run: Run) -> &[Layer] {
        &self.layers[run.start as usize..run.end as usize]
    }

    /// Has the layers of these meshes brought near: they are scattered, and waiting for many at
    /// once takes hardly longer than for one.
    pub(super) fn fetch(&self, runs: &[Run]) {
        let ends = runs.iter().filter_map(|&run| {
            let layers = self.layers(run);
            Some(layers.first()?.bits() ^ layers.last()?.bits())
        });
        std::hint::black_box(ends.fold(0, |all, bits| all ^ bits));
    }

    /// Forgets all of them if there is no room for more.
    pub(super) fn make_room(&mut self) {
        if self.layers.len() > MOST_LAYERS {
            self.numbers.fill(NONE);
            self.runs.clear();
            self.layers.clear();
            self.known = 0;
        }
    }

    /// How many meshes are known.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// Whether the mesh of a mesh_key can be kept; its constraint gets a number if it can.
    pub(super) fn admits(&mut self, mesh_key: MeshKey) -> bool {
        self.layers.len() <= MOST_LAYERS && self.number(mesh_key).is_some()
    }

    /// Takes the mesh of a mesh_key out of `mesh` and keeps it; there must be room.
    pub(super) fn keep(&mut self, mesh_key: MeshKey, mesh: &mut StreetSet) -> Run {
        let start = self.layers.len() as u32;
        mesh.drain_layers(&mut self.layers);
        let run = Run { start, end: self.layers.len() as u32 };
        if let Some(number) = self.number(mesh_key) {
            self.runs[number * self.streets + mesh_key.street.index()] = run;
            self.known += 1;
        }
        run
    }

    /// Forgets all of them, and gives the room back.
    pub(super) fn forget(&mut self) {
        *self = Stencils::new(self.streets);
    }

    /// The number of a constraint, a new one if there is one left.
    fn number(&mut self, mesh_key: MeshKey) -> Option<usize> {
        let number = self.numbers.get_mut(mesh_key.dc.units() as usize)?;
        let given = self.runs.len() / self.streets;
        if *number == NONE && given < MOST_NUMBERS {
            *number = given as u8;
            self.runs.resize(self.runs.len() + self.streets, Run::default());
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
        let (mut known, mut forgot, mut strange) = (0, 0, 0);
        for number in 0..20_000_u32 {
            // More constraints than can be kept, and some more often than others.
            let dc = Length::from_units(1 + number % 41 * (number % 3));
            let mesh_key = MeshKey { street: StreetId(number * 7 % 20), dc };
            mesh.insert(mesh_key.street);
            mesh.insert(StreetId(dc.units() % streets));
            let mut expected = Vec::new();
            mesh.clone().drain_layers(&mut expected);
            let before = stencils.layers.len();
            stencils.make_room();
            forgot += u32::from(stencils.layers.len() < before);
            let mut run = stencils.get(mesh_key);
            known += u32::from(!run.is_empty());
            if run.is_empty() && stencils.admits(mesh_key) {
                run = stencils.keep(mesh_key, &mut mesh);
            }
            if run.is_empty() {
                strange += 1;
            } else {
                assert_eq!(stencils.layers(run), expected, "{mesh_key:?}");
            }
            if number % 5_000 == 4_999 {
                stencils.forget();
                assert!(stencils.layers.capacity() == 0 && stencils.get(mesh_key).is_empty());
            }
            assert!(stencils.layers.len() <= MOST_LAYERS + streets.div_ceil(32) as usize);
            mesh.drain_layers(&mut expected);
        }
        assert!(strange > 100, "{strange} not kept");
        assert!(known > 100 && forgot > 10, "{known} known, {forgot} times forgotten");
    }
}
