//! Cache of expanding meshes as bitset layers that are OR-ed into the mesh of a set.
//!
//! A mesh depends on street and `dc` alone, and `dc` is a speed times an interval, of which there
//! are few. So the same meshes are needed in batch after batch.
//!
//! ```text
//! slots[dc]                      u8: slot of each dc, NO_SLOT if it has none     64 KB, direct look-up
//! ranges[slot · streets + street]  start u32 │ end u32                           empty if not cached
//! layers                         Layer = 32 streets of a StreetSet: word index and bits
//!                                | mesh | mesh | …                              appended, never moved
//! ```
//!
//! Invariants: a range returned by `get` or `insert` is valid until `clear_if_full` or `reset`; at
//! most [`MAX_SLOTS`] values of `dc` have a slot, and at most `max_layers` plus one mesh of layers
//! are stored. When the cache is full it is emptied as a whole.
//!
//! The simple version walks the row of each member and inserts street by street; a hash map in
//! between costs a hash and a probe per member. Layers are scattered over more than the L2 cache, so
//! the ranges of 32 sets are looked up and prefetched before the first is merged. Measured gain
//! (Oldenburg, P1-3-5, one thread): batched prefetch takes the stage from 176–210 to 131–142 ns a
//! query, skipping covered members (`PendingSet`) from 145 to 135 ns. See
//! docs/BENCHMARKS.md, "Where the engine's time goes".

use super::MeshKey;
use crate::distance::MAX_DC_MAX;
use crate::map::{Layer, StreetSet};

/// Cached expanding meshes.
#[derive(Clone, Debug)]
pub(super) struct Stencils {
    streets: usize,
    slots: Vec<u8>,
    ranges: Vec<LayerRange>,
    layers: Vec<Layer>,
    /// Number of cached meshes.
    len: usize,
    /// Number of layers above which the cache is full.
    max_layers: usize,
}

/// Range of the layers of a mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LayerRange {
    start: u32,
    end: u32,
}

impl LayerRange {
    pub(super) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

const NO_SLOT: u8 = u8::MAX;

/// Largest number of different `dc` whose meshes are cached.
const MAX_SLOTS: usize = 32;

/// Default of `max_layers`: 32 MB.
const MAX_LAYERS: usize = 1 << 22;

/// Returns the largest size in bytes of the cached meshes of one thread, on a map with that many
/// streets.
pub fn max_cache_bytes(streets: usize) -> usize {
    let slots = MAX_DC_MAX.units() as usize + 1;
    slots + MAX_SLOTS * streets * size_of::<LayerRange>() + MAX_LAYERS * size_of::<Layer>()
}

impl Stencils {
    /// Creates an empty cache for a map with that many streets.
    pub(super) fn new(streets: usize) -> Stencils {
        Stencils::with_max_layers(streets, MAX_LAYERS)
    }

    pub(super) fn with_max_layers(streets: usize, max_layers: usize) -> Stencils {
        let slots = vec![NO_SLOT; MAX_DC_MAX.units() as usize + 1];
        Stencils { streets, slots, ranges: Vec::new(), layers: Vec::new(), len: 0, max_layers }
    }

    /// Returns the mesh of a key; empty if it is not cached.
    #[inline]
    pub(super) fn get(&self, key: MeshKey) -> LayerRange {
        let dc = key.dc.units() as usize;
        let slot = self.slots.get(dc).copied().unwrap_or(NO_SLOT);
        let index = usize::from(slot) * self.streets + key.street.index();
        self.ranges.get(index).copied().unwrap_or_default()
    }

    #[inline]
    pub(super) fn layers(&self, range: LayerRange) -> &[Layer] {
        &self.layers[range.start as usize..range.end as usize]
    }

    /// Loads the first and the last layer of each range, so that their cache misses overlap.
    pub(super) fn prefetch(&self, ranges: &[LayerRange]) {
        let ends = ranges.iter().filter_map(|&range| {
            let layers = self.layers(range);
            Some(layers.first()?.bits() ^ layers.last()?.bits())
        });
        std::hint::black_box(ends.fold(0, |all, bits| all ^ bits));
    }

    /// Empties the cache if it is full; keeps its memory.
    pub(super) fn clear_if_full(&mut self) {
        if self.layers.len() > self.max_layers {
            self.slots.fill(NO_SLOT);
            self.ranges.clear();
            self.layers.clear();
            self.len = 0;
        }
    }

    /// Number of cached meshes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the mesh of a key can be cached; assigns a slot to its `dc` if so.
    pub(super) fn admits(&mut self, key: MeshKey) -> bool {
        self.layers.len() <= self.max_layers && self.slot(key).is_some()
    }

    /// Moves the streets of `mesh` into the cache; the cache must admit the key.
    pub(super) fn insert(&mut self, key: MeshKey, mesh: &mut StreetSet) -> LayerRange {
        let start = self.layers.len() as u32;
        mesh.drain_layers(&mut self.layers);
        let range = LayerRange { start, end: self.layers.len() as u32 };
        if let Some(slot) = self.slot(key) {
            self.ranges[slot * self.streets + key.street.index()] = range;
            self.len += 1;
        }
        range
    }

    /// Empties the cache and frees its memory.
    pub(super) fn reset(&mut self) {
        *self = Stencils::with_max_layers(self.streets, self.max_layers);
    }

    /// Returns the slot of a `dc`; assigns a new one if any is free.
    fn slot(&mut self, key: MeshKey) -> Option<usize> {
        let slot = self.slots.get_mut(key.dc.units() as usize)?;
        let used = self.ranges.len() / self.streets;
        if *slot == NO_SLOT && used < MAX_SLOTS {
            *slot = used as u8;
            self.ranges.resize(self.ranges.len() + self.streets, LayerRange::default());
        }
        (*slot != NO_SLOT).then_some(usize::from(*slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::StreetId;
    use crate::units::Length;

    #[test]
    fn cached_layers_are_found_again_and_their_number_is_bounded() {
        let (streets, max_layers) = (100_u32, 1 << 7);
        let mut stencils = Stencils::with_max_layers(streets as usize, max_layers);
        let mut mesh = StreetSet::default();
        mesh.reserve(streets as usize);
        let (mut hits, mut clears, mut rejected) = (0, 0, 0);
        for number in 0..20_000_u32 {
            // More values of dc than there are slots, some more frequent than others.
            let dc = Length::from_units(1 + number % 41 * (number % 3));
            let key = MeshKey { street: StreetId(number * 7 % 20), dc };
            mesh.insert(key.street);
            mesh.insert(StreetId(dc.units() % streets));
            let mut expected = Vec::new();
            mesh.clone().drain_layers(&mut expected);
            let before = stencils.layers.len();
            stencils.clear_if_full();
            clears += u32::from(stencils.layers.len() < before);
            let mut range = stencils.get(key);
            hits += u32::from(!range.is_empty());
            if range.is_empty() && stencils.admits(key) {
                range = stencils.insert(key, &mut mesh);
            }
            if range.is_empty() {
                rejected += 1;
            } else {
                assert_eq!(stencils.layers(range), expected, "{key:?}");
            }
            if number % 5_000 == 4_999 {
                stencils.reset();
                assert!(stencils.layers.capacity() == 0 && stencils.get(key).is_empty());
            }
            assert!(stencils.layers.len() <= max_layers + streets.div_ceil(32) as usize);
            mesh.drain_layers(&mut expected);
        }
        assert!(rejected > 100, "{rejected} rejected");
        assert!(hits > 100 && clears > 10, "{hits} hits, cleared {clears} times");
    }
}
