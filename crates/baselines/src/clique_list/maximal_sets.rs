//! Sets of small numbers, filtered for those that no other set contains.
//!
//! ```text
//! members     numbers of set 0, set 1, …, each ascending
//! ends        end of each set in `members`
//! containing  by number: the maximal sets found so far that hold it
//! ```
//!
//! A set is contained in another only if that one holds its rarest number, so few pairs are compared:
//! a node with thousands of neighbours has thousands of sets of two or three. Reference: all pairs.

/// Sets in one array.
#[derive(Clone, Debug, Default)]
pub(super) struct MaximalSets {
    members: Vec<u32>,
    ends: Vec<usize>,
    /// Sets by descending size.
    order: Vec<u32>,
    maximal: Vec<u32>,
    containing: Vec<Vec<u32>>,
}

impl MaximalSets {
    /// Removes all sets; new ones hold numbers below `bound`.
    pub(super) fn clear(&mut self, bound: usize) {
        self.members.clear();
        self.ends.clear();
        self.maximal.clear();
        if self.containing.len() < bound {
            self.containing.resize_with(bound, Vec::new);
        }
    }

    /// Adds a set of distinct numbers and returns its size.
    pub(super) fn push(&mut self, numbers: impl Iterator<Item = u32>) -> usize {
        let start = self.members.len();
        self.members.extend(numbers);
        self.members[start..].sort_unstable();
        self.ends.push(self.members.len());
        self.members.len() - start
    }

    /// Finds the distinct maximal sets and returns their number.
    pub(super) fn find_maximal(&mut self) -> usize {
        let MaximalSets { members, ends, order, maximal, containing } = self;
        let set = |index: u32| numbers(members, ends, index);
        order.clear();
        order.extend(0..ends.len() as u32);
        // Largest first: a set can then only be contained in an earlier maximal one.
        order.sort_unstable_by(|&a, &b| {
            set(b).len().cmp(&set(a).len()).then_with(|| set(a).cmp(set(b)))
        });
        order.dedup_by(|a, b| set(*a) == set(*b));
        for &index in order.iter() {
            let own = set(index);
            let holds = |&other: &u32| own.iter().all(|number| set(other).contains(number));
            let sets_of = |number: &u32| containing[*number as usize].as_slice();
            let is_contained = match own.iter().map(sets_of).min_by_key(|sets| sets.len()) {
                Some(rarest) => rarest.iter().any(holds),
                None => !maximal.is_empty(),
            };
            if !is_contained {
                maximal.push(index);
                own.iter().for_each(|&number| containing[number as usize].push(index));
            }
        }
        let used = maximal.iter().flat_map(|&index| set(index));
        used.for_each(|&number| containing[number as usize].clear());
        maximal.len()
    }

    /// Numbers of a maximal set, ascending.
    pub(super) fn maximal(&self, index: usize) -> impl Iterator<Item = u32> {
        numbers(&self.members, &self.ends, self.maximal[index]).iter().copied()
    }
}

/// Numbers of a set.
fn numbers<'a>(members: &'a [u32], ends: &[usize], index: u32) -> &'a [u32] {
    let index = index as usize;
    let start = index.checked_sub(1).map_or(0, |before| ends[before]);
    &members[start..ends[index]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;
    use std::collections::BTreeSet;

    #[test]
    fn the_maximal_sets_are_those_of_all_pairs() {
        let (mut sets, mut dropped) = (MaximalSets::default(), 0);
        for seed in 0..500 {
            let mut random = Town::generator(seed);
            let bound = 1 + seed as u32 % 40;
            let density = random.random_range(0.02..0.9);
            let mut set = || (0..bound).rev().filter(|_| random.random_bool(density)).collect();
            let all: Vec<BTreeSet<u32>> = (0..seed % 30).map(|_| set()).collect();
            sets.clear(bound as usize);
            for set in &all {
                assert_eq!(sets.push(set.iter().rev().copied()), set.len());
            }
            let is_maximal = |set: &&BTreeSet<u32>| {
                !all.iter().any(|other| set.is_subset(other) && set.len() < other.len())
            };
            let expected: BTreeSet<&BTreeSet<u32>> = all.iter().filter(is_maximal).collect();
            let found: Vec<Vec<u32>> =
                (0..sets.find_maximal()).map(|index| sets.maximal(index).collect()).collect();
            assert!(found.iter().all(|set| set.is_sorted()), "seed {seed}");
            let found_sets: BTreeSet<BTreeSet<u32>> =
                found.iter().map(|set| set.iter().copied().collect()).collect();
            assert!(found_sets.iter().eq(expected.iter().copied()), "seed {seed}");
            assert_eq!(found.len(), expected.len(), "seed {seed}");
            dropped += all.len() - found.len();
        }
        assert!(dropped > 1_000, "{dropped}");
    }
}
