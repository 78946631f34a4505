//! Which members hide a member if places are assigned one to one (docs/SPEC.md §6, `history`).
//!
//! Write `a → b` if `b` counts for `a`: the user of `a` can be at the place of `b`. An adversary who
//! knows everyone's past assigns users to places along →, one to one: a perfect matching. Every user
//! at its own place is one. So `a → b` lies in some perfect matching if and only if it lies on a
//! cycle of →, that is, if `b` is in the strongly connected component of `a`. The k of `a` is met by
//! the members that count for it in its component.
//!
//! The condition is monotone: another member only merges components. So a set has a unique largest
//! subset in which every k is met, the union of two such sets in one clique is one, and pruning in
//! any order finds it. Reference: `naive::is_satisfied`.
//!
//! Components are found on bit rows by two closures from a seed: forward by the union of rows,
//! backward among the nodes that the first one reached. Most sets are one component, which costs two
//! passes over the rows.

use super::roles::RoleWords;
use crate::cliques::bitset::BitSet;

/// Counting relation and k of the nodes of a set.
pub(super) trait Matching {
    /// Returns the nodes that count for a node, as words of a bit set.
    fn row(&self, node: usize) -> &[u64];

    /// Returns the k of a node.
    fn k(&self, node: usize) -> u32;

    /// Returns the roles of the nodes; `None` if all ask.
    #[inline]
    fn roles(&self) -> Option<RoleWords<'_>> {
        None
    }

    /// Returns how many of `members` count for a node.
    #[inline]
    fn count<B: BitSet>(&self, node: usize, members: &B) -> u32 {
        let words = members.words().iter().zip(self.row(node));
        match self.roles() {
            None => words.map(|(a, b)| (a & b).count_ones()).sum(),
            Some(roles) => {
                let words = words.zip(roles.counting_for(node));
                words.map(|((a, b), c)| (a & b & c).count_ones()).sum()
            }
        }
    }

    /// Whether a set may be published as far as roles are concerned: a member asks, or it is empty.
    #[inline]
    fn has_asking<B: BitSet>(&self, members: &B) -> bool {
        self.roles().is_none_or(|roles| members.is_empty() || roles.has_asking(members))
    }

    /// Prunes to the largest subset in which every k is met by members that count: an upper bound
    /// of [`Matching::prune`]. Returns whether all members of the rest count for all.
    fn prune_by_count<B: BitSet>(&self, members: &mut B) -> bool {
        loop {
            let before = members.clone();
            let mut min_count = u32::MAX;
            for node in before.iter() {
                let count = self.count(node, members);
                min_count = min_count.min(count);
                if count < self.k(node) {
                    members.remove(node);
                }
            }
            if members.words() == before.words() {
                return min_count == members.count();
            }
        }
    }

    /// Prunes to the largest subset in which every k is met by members of the same component, and a
    /// member asks.
    fn prune<B: BitSet>(&self, members: &mut B) {
        self.prune_by_component(members);
        if !self.has_asking(members) {
            members.words_mut().fill(0);
        }
    }

    /// Prunes to the largest subset in which every k is met by members of the same component.
    fn prune_by_component<B: BitSet>(&self, members: &mut B) {
        while !self.prune_by_count(members) && !members.is_empty() {
            let satisfied = self.satisfied(members);
            let is_fixpoint = satisfied.words() == members.words();
            *members = satisfied;
            if is_fixpoint {
                return;
            }
        }
    }

    /// Whether every k is met by members of the same component, and a member asks.
    fn is_satisfied<B: BitSet>(&self, members: &B) -> bool {
        let is_short = |node: usize| self.count(node, members) < self.k(node);
        !members.iter().any(is_short)
            && self.has_asking(members)
            && self.satisfied(members).words() == members.words()
    }

    /// Returns the members whose k is met by members of the same component.
    fn satisfied<B: BitSet>(&self, members: &B) -> B {
        let mut rest = members.clone();
        let mut satisfied = members.clone();
        while let Some(seed) = rest.first() {
            let component = self.component(seed, &rest);
            for node in component.iter() {
                if self.count(node, &component) < self.k(node) {
                    satisfied.remove(node);
                }
            }
            rest = rest.without(&component);
        }
        satisfied
    }

    /// Returns the strongly connected component of a seed among `members`.
    fn component<B: BitSet>(&self, seed: usize, members: &B) -> B {
        let mut reached = members.clone();
        reached.words_mut().fill(0);
        reached.insert(seed);
        let (mut component, mut open) = (reached.clone(), reached.clone());
        while let Some(node) = open.first() {
            open.remove(node);
            let words = reached.words_mut().iter_mut().zip(open.words_mut());
            for ((reached, open), (row, member)) in
                words.zip(self.row(node).iter().zip(members.words()))
            {
                let new = row & member & !*reached;
                *reached |= new;
                *open |= new;
            }
            if reached.words() == members.words() {
                break;
            }
        }
        // Every path from a reached node back to the seed stays among the reached nodes.
        loop {
            let before = component.count();
            for node in reached.without(&component).iter() {
                let leads_back = |(row, member): (&u64, &u64)| row & member != 0;
                if self.row(node).iter().zip(component.words()).any(leads_back) {
                    component.insert(node);
                }
            }
            if component.count() == before {
                return component;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    /// A random relation among up to `bound` nodes.
    struct Relation {
        rows: Vec<Vec<u64>>,
        k: Vec<u32>,
    }

    impl Matching for Relation {
        fn row(&self, node: usize) -> &[u64] {
            &self.rows[node]
        }

        fn k(&self, node: usize) -> u32 {
            self.k[node]
        }
    }

    impl Relation {
        fn random(seed: u64, bound: usize) -> Relation {
            let mut random = Town::generator(seed);
            let len = random.random_range(1..=bound);
            let density = random.random_range(0.1..0.9);
            let mut rows = vec![Vec::empty(len); len];
            for (a, row) in rows.iter_mut().enumerate() {
                (0..len).for_each(|b| row.insert_if(a == b || random.random_bool(density), b));
            }
            Relation { rows, k: (0..len).map(|_| random.random_range(1..=4)).collect() }
        }

        fn counts(&self, a: u32, b: u32) -> bool {
            self.rows[a as usize].has(b as usize)
        }
    }

    #[test]
    fn pruning_leaves_the_largest_satisfied_subset() {
        let (mut split, mut empty, mut kept) = (0, 0, 0);
        for seed in 0..3_000 {
            let relation = Relation::random(seed, 9);
            let len = relation.k.len();
            let is_satisfied = |set: usize| {
                let nodes: Vec<u32> = (0..len as u32).filter(|node| set >> node & 1 == 1).collect();
                naive::is_satisfied(&nodes, &relation.k, &|a, b| relation.counts(a, b))
            };
            let satisfied = (0..1_usize << len).filter(|&set| is_satisfied(set));
            let largest = satisfied.fold(0, |union, set| union | set);
            assert!(is_satisfied(largest), "seed {seed}: the union of satisfied sets is one");
            let mut one_word = <[u64; 1]>::full(len);
            let mut many_words = Vec::full(len);
            relation.prune(&mut one_word);
            relation.prune(&mut many_words);
            assert_eq!((one_word[0], many_words[0]), (largest as u64, largest as u64), "{seed}");
            let mut by_count = <[u64; 1]>::full(len);
            relation.prune_by_count(&mut by_count);
            assert_eq!(largest as u64 & !by_count[0], 0, "seed {seed}: an upper bound");
            for set in 0..1_usize << len {
                assert_eq!(relation.is_satisfied(&[set as u64]), is_satisfied(set), "seed {seed}");
            }
            split += u32::from(by_count[0] != largest as u64);
            empty += u32::from(largest == 0);
            kept += largest.count_ones();
        }
        assert!(split > 100 && empty > 100 && kept > 5_000, "{split} {empty} {kept}");
    }

    #[test]
    fn components_of_many_words_equal_those_of_warshall() {
        for seed in 0..60 {
            let mut relation = Relation::random(seed, 150);
            let len = relation.k.len();
            // Sparse rows, so that there are several components.
            let mut random = Town::generator(seed + 1_000);
            for (a, row) in relation.rows.iter_mut().enumerate() {
                let b = random.random_range(0..len);
                row.iter_mut().for_each(|word| *word = 0);
                [a, b, (a * 7 + 1) % len].into_iter().for_each(|b| row.insert_if(true, b));
            }
            let nodes: Vec<u32> = (0..len as u32).collect();
            let expected = naive::components(&nodes, &|a, b| relation.counts(a, b));
            for (seed, expected) in expected.iter().enumerate() {
                let found = relation.component(seed, &Vec::full(len));
                let found: Vec<u32> = found.iter().map(|node| node as u32).collect();
                assert_eq!(found, *expected);
            }
        }
    }
}
