//! Groups of categories that are asked together: a request for one category is accompanied by
//! requests for all others of its group, so that it tells the group and not the category.
//!
//! The groups are a partition, and the category that was asked is not marked: asking any category of
//! a group has the same effect. Decoys that are drawn for each category separately have no such
//! symmetry; a rare category is rarely drawn, and where it is seen it was asked.
//!
//! ```text
//! rank by popularity   0  1  2 | 3  4  5 | 6  7  8      3 groups of 3, boustrophedon:
//! group                0  1  2 | 2  1  0 | 0  1  2      every group has a common category
//! ```

use std::collections::BTreeMap;

/// A partition of items into groups of at least a given size, as far as there are as many items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companions<T> {
    size: usize,
    /// Each ascending; at least one group.
    groups: Vec<Vec<T>>,
    group_of: BTreeMap<T, usize>,
}

impl<T: Ord + Clone> Companions<T> {
    /// Partitions items with their popularity into groups of `size` or more. Popularity counts by
    /// powers of two only; items of one power are ordered by themselves. The last of equal items
    /// counts.
    pub fn new(popularity: impl IntoIterator<Item = (T, u64)>, size: usize) -> Companions<T> {
        let popularity: BTreeMap<T, u64> = popularity.into_iter().collect();
        let mut ranked: Vec<(u32, T)> =
            popularity.into_iter().map(|(item, count)| (count.leading_zeros(), item)).collect();
        ranked.sort();
        let size = size.max(1);
        let count = (ranked.len() / size).max(1);
        let (mut groups, mut group_of) = (vec![Vec::new(); count], BTreeMap::new());
        for (rank, (_, item)) in ranked.into_iter().enumerate() {
            let column = rank % count;
            let group = if (rank / count).is_multiple_of(2) { column } else { count - 1 - column };
            groups[group].push(item.clone());
            group_of.insert(item, group);
        }
        groups.iter_mut().for_each(|group| group.sort());
        Companions { size, groups, group_of }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.group_of.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.group_of.is_empty()
    }

    /// Whether an item is in a group.
    pub fn contains(&self, item: &T) -> bool {
        self.group_of.contains_key(item)
    }

    /// Whether the groups have twice the size that they should have: the partition should be
    /// drawn again.
    pub fn is_overfull(&self) -> bool {
        self.len() >= 2 * self.groups.len() * self.size
    }

    /// Adds an item to the smallest group, unless it is in one.
    pub fn insert(&mut self, item: T) {
        if self.contains(&item) {
            return;
        }
        let smallest = self.groups.iter_mut().enumerate().min_by_key(|(_, group)| group.len());
        let Some((number, group)) = smallest else { return };
        let place = group.partition_point(|other| *other < item);
        group.insert(place, item.clone());
        self.group_of.insert(item, number);
    }

    /// Returns the group of an item, the item included; `None` for an unknown item.
    pub fn group(&self, item: &T) -> Option<&[T]> {
        let group = *self.group_of.get(item)?;
        self.groups.get(group).map(Vec::as_slice)
    }

    /// Returns at least `size` items, as far as there are as many: the group of an item and further
    /// groups. All items of these groups have the same wider group; `None` for an unknown item.
    pub fn wider_group(&self, item: &T, size: usize) -> Option<Vec<&T>> {
        let group = *self.group_of.get(item)?;
        let joined = size.div_ceil(self.size).max(1);
        let count = (self.groups.len() / joined).max(1);
        let same =
            self.groups.iter().enumerate().filter(|(other, _)| other % count == group % count);
        Some(same.flat_map(|(_, group)| group).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;
    use rand::RngExt as _;

    fn random(seed: u64) -> (Companions<u32>, BTreeMap<u32, u64>, usize) {
        let mut random = Town::generator(seed);
        let count = random.random_range(0..60);
        let size = random.random_range(1..8);
        let popularity: BTreeMap<u32, u64> = (0..count)
            .map(|item| (item, random.random_range(0..2000) / (u64::from(item) + 1)))
            .collect();
        (Companions::new(popularity.clone(), size), popularity, size)
    }

    #[test]
    fn groups_are_a_partition_of_the_right_sizes() {
        for seed in 0..300 {
            let (companions, popularity, size) = random(seed);
            let mut all: Vec<u32> = companions.groups.concat();
            all.sort_unstable();
            assert_eq!(all, popularity.keys().copied().collect::<Vec<_>>(), "seed {seed}");
            for item in &all {
                let group = companions.group(item).unwrap();
                assert!(group.contains(item));
                assert!(
                    group.len() >= size.min(all.len()) && group.len() < 2 * size,
                    "seed {seed}"
                );
                assert!(group.iter().all(|other| companions.group(other) == Some(group)));
            }
        }
    }

    #[test]
    fn wider_groups_are_unions_of_groups_and_a_partition() {
        for seed in 0..300 {
            let (companions, popularity, size) = random(seed);
            for wide in [0, 1, size, size + 1, 3 * size, 100] {
                for item in popularity.keys() {
                    let group = companions.wider_group(item, wide).unwrap();
                    assert!(group.len() >= wide.min(popularity.len()), "seed {seed}");
                    for &other in &group {
                        assert_eq!(companions.wider_group(other, wide).as_ref(), Some(&group));
                        let narrow = companions.group(other).unwrap();
                        assert!(narrow.iter().all(|one| group.contains(&one)), "seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_group_has_one_of_the_most_popular_items() {
        for seed in 0..300 {
            let (companions, popularity, _) = random(seed);
            let mut classes: Vec<u32> =
                popularity.values().map(|count| count.leading_zeros()).collect();
            classes.sort_unstable();
            let Some(least_common) = classes.get(companions.groups.len() - 1) else { continue };
            for group in &companions.groups {
                let class = |item: &u32| popularity[item].leading_zeros();
                assert!(group.iter().map(class).min() <= Some(*least_common), "seed {seed}");
            }
        }
    }

    #[test]
    fn popularity_within_a_power_of_two_changes_nothing() {
        let coarse = |counts: [u64; 4]| Companions::new((0..4).zip(counts), 2);
        assert_eq!(coarse([1000, 600, 9, 15]), coarse([513, 1023, 15, 8]));
        assert_ne!(coarse([1000, 600, 9, 15]), coarse([9, 600, 9, 1000]));
    }

    #[test]
    fn inserted_items_join_the_smallest_group_until_the_groups_are_overfull() {
        let mut companions = Companions::new((0..4).map(|item| (item, 1)), 2);
        assert_eq!(companions.group(&0), Some(&[0, 3][..]));
        companions.insert(9);
        companions.insert(9);
        assert_eq!(companions.group(&9), Some(&[0, 3, 9][..]));
        for item in 5..8 {
            assert!(!companions.is_overfull());
            companions.insert(item);
        }
        assert!(companions.is_overfull());
        let mut empty = Companions::new([], 3);
        assert!(
            empty.is_empty() && empty.group(&1).is_none() && empty.wider_group(&1, 2).is_none()
        );
        empty.insert(1);
        assert_eq!(empty.group(&1), Some(&[1][..]));
    }
}
