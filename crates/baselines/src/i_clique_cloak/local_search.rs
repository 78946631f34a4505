//! Branch and bound for the largest publishable set around one new query, used if the graph is too
//! dense to maintain all maximal cliques.

use super::boundary::BoundedQuery;
use meshcloak::units::Rectangle;

/// Maximum number of steps of one search.
const BUDGET: u32 = 1_000;

/// Maximum number of queries in a search; the oldest are kept.
const MAX_QUERIES: usize = 64 * WORDS;

/// Words of a [`Set`].
const WORDS: usize = 4;

/// Prunes `members` to the largest publishable subset, regardless of adjacency, and returns its
/// bounding rectangle; `None` if no member remains.
///
/// A member that does not fit the whole set fits no subset, which is smaller and has a smaller
/// rectangle. So unfit members are removed to a fixpoint.
pub(super) fn prune<P>(
    members: &mut Vec<P>,
    query: impl Fn(&P) -> BoundedQuery,
) -> Option<Rectangle> {
    loop {
        let size = members.len();
        let rectangle = Rectangle::around(members.iter().map(|member| query(member).point))?;
        members.retain(|member| query(member).fits(size, rectangle));
        if members.len() == size {
            return Some(rectangle);
        }
    }
}

/// Result of a search.
#[derive(Debug, Default)]
pub(super) struct LocalResult {
    /// Indices of the members in the searched list; empty if there is no set.
    pub(super) members: Vec<usize>,
    pub(super) steps: u32,
    pub(super) truncated: bool,
}

/// Finds the largest publishable set that holds the last query; all others are adjacent to it.
pub(super) fn search(queries: &[BoundedQuery]) -> LocalResult {
    let mut found = LocalResult::default();
    let mut indices: Vec<usize> = (0..queries.len()).collect();
    let newest = queries.len().wrapping_sub(1);
    prune(&mut indices, |&index| queries[index]);
    if indices.last() != Some(&newest) {
        return found;
    }
    if indices.len() > MAX_QUERIES {
        indices.drain(MAX_QUERIES - 1..indices.len() - 1);
        found.truncated = true;
    }
    let queries: Vec<BoundedQuery> = indices.iter().map(|&index| queries[index]).collect();
    let mut branch = Branch {
        neighbours: queries.iter().map(|a| Set::select(&queries, |b| a.is_adjacent(b))).collect(),
        queries: &queries,
        best: Set::default(),
        steps: 0,
    };
    let newest = queries.len() - 1;
    let mut fixed = Set::default();
    fixed.insert(newest);
    let mut open = Set::select(&queries, |_| true);
    open.remove(newest);
    branch.grow(fixed, open);
    found.steps = branch.steps;
    found.truncated |= branch.steps > BUDGET;
    found.members = branch.best.iter().map(|index| indices[index]).collect();
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
    best: Set,
    steps: u32,
}

impl Branch<'_> {
    /// Searches for sets of all of `fixed` and some of `open`. `fixed` is a clique whose members are
    /// adjacent to all of `open`.
    fn grow(&mut self, fixed: Set, mut open: Set) {
        loop {
            self.steps += 1;
            if self.steps > BUDGET || !self.prune(&fixed, &mut open) {
                return;
            }
            let all = fixed.combine(&open, |a, b| a | b);
            if all.len() <= self.best.len() {
                return;
            }
            let non_neighbours =
                |index: usize| open.combine(&self.neighbours[index], |a, b| a & !b).len() - 1;
            // The pivot has the most non-neighbours; ties by index.
            let counts = open.iter().map(|index| (non_neighbours(index), index));
            let (count, pivot) = counts.fold((0, 0), |a, b| if b.0 > a.0 { b } else { a });
            if count == 0 {
                self.best = all;
                return;
            }
            open.remove(pivot);
            let mut with = fixed;
            with.insert(pivot);
            self.grow(with, open.combine(&self.neighbours[pivot], |a, b| a & b));
        }
    }

    /// Removes unfit members from `open`; `false` if a member of `fixed` does not fit.
    fn prune(&self, fixed: &Set, open: &mut Set) -> bool {
        loop {
            let all = fixed.combine(open, |a, b| a | b);
            let size = all.len();
            let points = all.iter().map(|index| self.queries[index].point);
            let Some(rectangle) = Rectangle::around(points) else { return false };
            let is_unfit = |index: &usize| !self.queries[*index].fits(size as usize, rectangle);
            if fixed.iter().any(|index| is_unfit(&index)) {
                return false;
            }
            all.iter().filter(is_unfit).for_each(|index| open.remove(index));
            if fixed.len() + open.len() == size {
                return true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::distance::{Atlas, MAX_DC_MAX};
    use meshcloak::history::History;
    use meshcloak::query::UserId;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn the_search_finds_a_largest_set_around_the_newest_query() {
        let mut sizes = 0;
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let atlas = Atlas::new(town.map.clone(), MAX_DC_MAX);
            let waiting = town.random_queries(&mut random, 1 + seed as usize % 12);
            let mut queries: Vec<BoundedQuery> = waiting
                .iter()
                .map(|query| {
                    let mut query = BoundedQuery::new(&atlas, &History::default(), query);
                    query.user = UserId(random.random_range(0..8));
                    let corners = [town.position(&mut random), town.position(&mut random)];
                    let last = Rectangle::around(corners.map(|p| town.map.point(p))).unwrap();
                    let range = random.random_range(100.0..900.0);
                    if random.random_bool(0.7) { query.with_published(last, range) } else { query }
                })
                .collect();
            let newest = queries.pop().unwrap();
            queries.retain(|query| query.is_adjacent(&newest));
            queries.push(newest);
            let found = search(&queries);
            let mut max = 0;
            for subset in 1..1_u32 << queries.len() {
                let indices: Vec<usize> =
                    (0..queries.len()).filter(|index| subset >> index & 1 == 1).collect();
                let joined = |a: &usize, b: &usize| a == b || queries[*a].is_adjacent(&queries[*b]);
                let clique = indices.iter().all(|a| indices.iter().all(|b| joined(a, b)));
                let mut fitting = indices.clone();
                prune(&mut fitting, |&index| queries[index]);
                if clique && indices.contains(&(queries.len() - 1)) && fitting == indices {
                    max = max.max(indices.len());
                }
            }
            assert_eq!((found.members.len(), found.truncated), (max, false), "seed {seed}\n{town}");
            sizes += max;
        }
        assert!(sizes > 200, "only {sizes}");
    }
}
