//! Bounded set of the nearest objects.

/// The `capacity` nearest objects offered so far, ordered by distance, then by number. Each object
/// is stored once, at its smallest distance. Insertion takes O(capacity).
#[derive(Clone, Debug)]
pub(crate) struct NearestSet<D> {
    capacity: usize,
    /// Distance and object number, ascending.
    entries: Vec<(D, u32)>,
}

impl<D: PartialOrd + Copy> NearestSet<D> {
    /// Builds an empty set.
    pub(crate) fn new(capacity: u32) -> NearestSet<D> {
        let capacity = capacity as usize;
        NearestSet { capacity, entries: Vec::with_capacity(capacity.saturating_add(1)) }
    }

    /// Inserts an object if it is among the nearest. `distance` must not be NaN.
    pub(crate) fn offer(&mut self, object: u32, distance: D) {
        let precedes = |a: &(D, u32), b: &(D, u32)| a.0 < b.0 || (a.0 == b.0 && a.1 < b.1);
        let new = (distance, object);
        let is_full = self.entries.len() == self.capacity;
        if is_full && self.entries.last().is_none_or(|last| !precedes(&new, last)) {
            return;
        }
        if let Some(known) = self.entries.iter().position(|entry| entry.1 == object) {
            if self.entries.get(known).is_none_or(|known| !precedes(&new, known)) {
                return;
            }
            self.entries.remove(known);
        }
        let index = self.entries.partition_point(|entry| precedes(entry, &new));
        self.entries.insert(index, new);
        self.entries.truncate(self.capacity);
    }

    /// Returns the largest distance in a full set: a farther object cannot enter. `None` while the
    /// set is not full.
    pub(crate) fn bound(&self) -> Option<D> {
        self.entries.last().filter(|_| self.entries.len() == self.capacity).map(|last| last.0)
    }

    /// Returns distances and object numbers, nearest first.
    pub(crate) fn into_vec(self) -> Vec<(D, u32)> {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_objects_are_kept_at_their_smallest_distance_in_any_order() {
        let offered = [(9, 1), (4, 2), (7, 3), (4, 1), (4, 0), (8, 2), (1, 5), (7, 4)];
        for rotation in 0..offered.len() {
            let mut nearest = NearestSet::new(4);
            let (late, early) = offered.split_at(rotation);
            for &(distance, object) in early.iter().chain(late) {
                nearest.offer(object, distance);
            }
            assert_eq!(nearest.bound(), Some(4));
            assert_eq!(nearest.into_vec(), [(1, 5), (4, 0), (4, 1), (4, 2)]);
        }
    }

    #[test]
    fn a_set_that_is_not_full_has_no_bound() {
        let mut nearest = NearestSet::new(2);
        nearest.offer(3, 1.5);
        nearest.offer(3, 0.5);
        assert_eq!(nearest.bound(), None);
        nearest.offer(1, 2.5);
        assert_eq!(nearest.bound(), Some(2.5));
    }
}
