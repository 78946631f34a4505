//! The nearest few of many, while they are looked at one by one in any order.

/// The `count` nearest so far: by distance, then by number; each object once.
#[derive(Clone, Debug)]
pub(crate) struct Few<D> {
    count: usize,
    kept: Vec<(D, u32)>,
}

impl<D: PartialOrd + Copy> Few<D> {
    /// Nothing yet, and at most `count` ever.
    pub(crate) fn new(count: u32) -> Few<D> {
        Few { count: count as usize, kept: Vec::with_capacity(count as usize + 1) }
    }

    /// Takes an object in if it is among the nearest. Distances are numbers.
    pub(crate) fn meet(&mut self, object: u32, distance: D) {
        let nearer = |a: &(D, u32), b: &(D, u32)| a.0 < b.0 || (a.0 == b.0 && a.1 < b.1);
        let new = (distance, object);
        if self.kept.len() == self.count && self.kept.last().is_none_or(|last| !nearer(&new, last))
        {
            return;
        }
        if let Some(known) = self.kept.iter().position(|kept| kept.1 == object) {
            if !nearer(&new, &self.kept[known]) {
                return;
            }
            self.kept.remove(known);
        }
        let place = self.kept.partition_point(|kept| nearer(kept, &new));
        self.kept.insert(place, new);
        self.kept.truncate(self.count);
    }

    /// How far the last of them is, once there are enough: nothing farther can matter.
    pub(crate) fn bound(&self) -> Option<D> {
        self.kept.last().filter(|_| self.kept.len() == self.count).map(|last| last.0)
    }

    /// Nearest first.
    pub(crate) fn into_vec(self) -> Vec<(D, u32)> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_few_are_kept_whatever_the_order_each_at_its_nearest() {
        let met = [(9, 1), (4, 2), (7, 3), (4, 1), (4, 0), (8, 2), (1, 5), (7, 4)];
        for turn in 0..met.len() {
            let mut few = Few::new(4);
            let (late, early) = met.split_at(turn);
            for &(distance, object) in early.iter().chain(late) {
                few.meet(object, distance);
            }
            assert_eq!(few.bound(), Some(4));
            assert_eq!(few.into_vec(), [(1, 5), (4, 0), (4, 1), (4, 2)]);
        }
    }

    #[test]
    fn there_is_no_bound_before_there_are_enough() {
        let mut few = Few::new(2);
        few.meet(3, 1.5);
        few.meet(3, 0.5);
        assert_eq!(few.bound(), None);
        few.meet(1, 2.5);
        assert_eq!(few.bound(), Some(2.5));
    }
}
