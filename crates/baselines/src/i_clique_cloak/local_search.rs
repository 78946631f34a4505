//! Branch and bound over the cliques around one new query, used if the graph is too dense to
//! maintain all maximal cliques.

use super::boundary::BoundedQuery;
use super::cloaked_rectangle::prune;

/// Maximum number of steps of one search.
const BUDGET: u32 = 1_000;

/// Maximum number of queries in a search; the oldest are kept.
const MAX_QUERIES: usize = 64 * WORDS;

/// Words of a [`Set`].
const WORDS: usize = 4;

/// Result of a search.
#[derive(Debug, Default)]
pub(super) struct LocalResult {
    /// Indices of the members in the searched list; empty if there is no set.
    pub(super) members: Vec<usize>,
    pub(super) steps: u32,
    pub(super) truncated: bool,
}

/// Finds the maximal clique with the largest publishable part that holds the last query, and returns
/// that part; all other queries are adjacent to the last one.
pub(super) fn search(queries: &[BoundedQuery], min_area: f64) -> LocalResult {
    let mut found = LocalResult::default();
    let mut indices: Vec<usize> = (0..queries.len()).collect();
    if indices.len() > MAX_QUERIES {
        indices.drain(MAX_QUERIES - 1..indices.len() - 1);
        found.truncated = true;
    }
    let queries: Vec<BoundedQuery> = indices.iter().map(|&index| queries[index]).collect();
    let Some(newest) = queries.len().checked_sub(1) else { return found };
    let mut branch = Branch {
        neighbours: queries.iter().map(|a| Set::select(&queries, |b| a.is_adjacent(b))).collect(),
        queries: &queries,
        min_area,
        best: Vec::new(),
        steps: 0,
    };
    let mut fixed = Set::default();
    fixed.insert(newest);
    let mut open = Set::select(&queries, |_| true);
    open.remove(newest);
    branch.grow(fixed, open);
    found.steps = branch.steps;
    found.truncated |= branch.steps > BUDGET;
    found.members = branch.best.iter().map(|&index| indices[index]).collect();
    found
}

/// Bitset of searched queries.
#[derive(Clone, Copy, Debug, Default)]
struct Set([u64; WORDS]);

impl Set {
    fn select(queries: &[BoundedQuery], is_member: impl Fn(&BoundedQuery) -> bool) -> Set {
        let mut set = Set::default();
        let members = (0..queries.len()).filter(|&index| is_member(&queries[index]));
        members.for_each(|index| set.insert(index));
        set
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn combine(&self, other: &Set, combine: impl Fn(u64, u64) -> u64) -> Set {
        Set(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }

    fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..WORDS).flat_map(move |word| {
            let mut remaining = words[word];
            std::iter::from_fn(move || {
                let bit = remaining.trailing_zeros() as usize;
                remaining &= remaining.wrapping_sub(1);
                (bit < 64).then_some(word * 64 + bit)
            })
        })
    }
}

/// State of the branch and bound.
struct Branch<'a> {
    queries: &'a [BoundedQuery],
    neighbours: Vec<Set>,
    min_area: f64,
    best: Vec<usize>,
    steps: u32,
}

impl Branch<'_> {
    /// Searches the maximal cliques of all of `fixed` and some of `open`. `fixed` is a clique whose
    /// members are adjacent to all of `open`.
    fn grow(&mut self, fixed: Set, mut open: Set) {
        loop {
            self.steps += 1;
            let all = fixed.combine(&open, |a, b| a | b);
            if self.steps > BUDGET || self.upper_bound(&all) <= self.best.len() {
                return;
            }
            let non_neighbours =
                |index: usize| open.combine(&self.neighbours[index], |a, b| a & !b).len() - 1;
            // The pivot has the most non-neighbours; ties by index.
            let counts = open.iter().map(|index| (non_neighbours(index), index));
            let (count, pivot) = counts.fold((0, 0), |a, b| if b.0 > a.0 { b } else { a });
            if count == 0 {
                self.offer(&all);
                return;
            }
            open.remove(pivot);
            let mut with = fixed;
            with.insert(pivot);
            self.grow(with, open.combine(&self.neighbours[pivot], |a, b| a & b));
        }
    }

    /// Largest number of queries of `all` whose k is met if they are published together.
    fn upper_bound(&self, all: &Set) -> usize {
        let mut size = all.len() as usize;
        loop {
            let satisfied = |index: &usize| self.queries[*index].k as usize <= size;
            let count = all.iter().filter(satisfied).count();
            if count == size {
                return size;
            }
            size = count;
        }
    }

    /// Keeps the publishable part of a clique if it is the largest so far.
    fn offer(&mut self, clique: &Set) {
        let mut members: Vec<usize> = clique.iter().collect();
        prune(&mut members, |index| &self.queries[index], self.min_area);
        if members.len() > self.best.len() {
            self.best = members;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i_clique_cloak::testing::random_queries;

    #[test]
    fn the_search_finds_the_largest_part_of_all_cliques_around_the_newest_query() {
        let mut sizes = 0;
        for seed in 0..300 {
            let mut queries = random_queries(seed, 1 + seed as usize % 12);
            let newest = queries.pop().unwrap();
            queries.retain(|query| query.is_adjacent(&newest));
            queries.push(newest);
            let min_area = if seed % 3 == 0 { 10_000.0 } else { 0.0 };
            let found = search(&queries, min_area);
            let mut max = 0;
            let joined = |a: usize, b: usize| a == b || queries[a].is_adjacent(&queries[b]);
            let is_clique = |set: &[usize]| set.iter().all(|&a| set.iter().all(|&b| joined(a, b)));
            for subset in 1..1_u32 << queries.len() {
                let inside = |index: &usize| subset >> index & 1 == 1;
                let mut clique: Vec<usize> = (0..queries.len()).filter(inside).collect();
                let extends = |&more: &usize| clique.iter().all(|&member| joined(more, member));
                let can_grow =
                    (0..queries.len()).filter(|index| !inside(index)).any(|i| extends(&i));
                if is_clique(&clique) && !can_grow {
                    prune(&mut clique, |index| &queries[index], min_area);
                    max = max.max(clique.len());
                }
            }
            assert_eq!((found.members.len(), found.truncated), (max, false), "seed {seed}");
            sizes += max;
        }
        assert!(sizes > 200, "only {sizes}");
    }
}
