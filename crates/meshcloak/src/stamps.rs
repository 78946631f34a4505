//! Generation stamps: a table whose entries are all cleared in O(1).
//!
//! ```text
//! slots       0          1          2       …
//!   stamp     7          6          7           u32: generation in which the entry was written
//!   value     v0         stale      v2
//! generation  7                                 an entry is set if its stamp is the generation
//! ```
//!
//! Clearing increments the generation. Invariant: no stamp is above the generation, and generation 0
//! is never current, so the slots of a new table are unset. When the counter wraps around, after
//! 2³² − 1 clears, every stamp is reset once. A search that touches few of many entries thus does
//! not pay for clearing all of them.

/// A table from small indices to values that is cleared in O(1).
#[derive(Clone, Debug, Default)]
pub struct Stamps<T> {
    slots: Vec<Slot<T>>,
    generation: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot<T> {
    stamp: u32,
    value: T,
}

impl<T: Copy + Default> Stamps<T> {
    /// Unsets all entries and makes indices below `len` valid. O(1) unless the table grows.
    #[inline]
    pub fn clear(&mut self, len: usize) {
        if self.slots.len() < len {
            self.slots.resize(len, Slot::default());
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    /// Returns the value of an entry if it is set.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        let (is_set, value) = self.peek(index);
        is_set.then_some(value)
    }

    /// Returns whether an entry is set, and its value, which is stale if it is not: for branchless
    /// callers.
    #[inline]
    pub fn peek(&self, index: usize) -> (bool, T) {
        let slot = self.slots[index];
        (slot.stamp == self.generation, slot.value)
    }

    /// Sets an entry; returns whether it was unset.
    #[inline]
    pub fn insert(&mut self, index: usize, value: T) -> bool {
        let slot = &mut self.slots[index];
        let was_unset = slot.stamp != self.generation;
        *slot = Slot { stamp: self.generation, value };
        was_unset
    }

    /// Sets an entry if it is unset or holds a larger value; returns whether it was set here.
    #[inline]
    pub fn lower(&mut self, index: usize, value: T) -> bool
    where
        T: Ord,
    {
        let slot = &mut self.slots[index];
        let is_lower = slot.stamp != self.generation || value < slot.value;
        if is_lower {
            *slot = Slot { stamp: self.generation, value };
        }
        is_lower
    }

    /// Advances to the last generations before the counter wraps around.
    #[cfg(test)]
    pub(crate) fn approach_wrap(&mut self) {
        self.generation = u32::MAX - 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_unsets_every_entry_also_when_the_generation_wraps() {
        let mut stamps = Stamps::default();
        stamps.clear(10);
        (0..10).for_each(|index| assert!(stamps.insert(index, 1)));
        stamps.approach_wrap();
        for round in 0..6 {
            stamps.clear(10);
            assert_ne!(stamps.generation, 0);
            assert!((0..10).all(|index| stamps.get(index).is_none()), "round {round}");
            assert!(stamps.insert(round, 7) && !stamps.insert(round, 8));
            assert_eq!((stamps.get(round), stamps.peek(round)), (Some(8), (true, 8)));
        }
    }

    #[test]
    fn a_new_table_is_empty_and_grows_but_never_shrinks() {
        let mut stamps: Stamps<u32> = Stamps::default();
        stamps.clear(1);
        stamps.insert(0, 5);
        stamps.clear(3);
        assert_eq!([0, 1, 2].map(|index| stamps.get(index)), [None; 3]);
        stamps.clear(1);
        assert!(stamps.insert(2, 5), "a table never shrinks");
    }

    #[test]
    fn lower_keeps_the_smallest_value() {
        let mut stamps = Stamps::default();
        stamps.clear(1);
        assert!(stamps.lower(0, 5) && !stamps.lower(0, 5) && !stamps.lower(0, 6));
        assert!(stamps.lower(0, 4));
        assert_eq!(stamps.get(0), Some(4));
        stamps.clear(1);
        assert!(stamps.lower(0, 9));
    }
}
