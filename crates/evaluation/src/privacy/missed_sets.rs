//! Sets that expired queries of a recorded run could have joined.
//!
//! Sets are maximal (docs/SPEC.md §6): a waiting query that is adjacent to all members of a published
//! set S joins it if that meets its own k. Under `reciprocal` it goes on waiting for one reason, k is
//! at least |S| + 2, and an adversary who knows positions and distance constraints learns this lower
//! bound. Under `history` too few places that the query can have reached are a second reason; a
//! truncated batch, `hold` and presence reports that do not count are further ones. Under `paper` no
//! query is beside a set: S is a largest clique of its members.

use super::recorded::{RecordedRun, distinct_sets};
use meshcloak::cells::Cells;
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::query::Query;
use meshcloak::units::Length;
use rustc_hash::{FxHashMap, FxHashSet};

/// When two queries are adjacent (docs/SPEC.md §4, §7).
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeRule<'a> {
    /// Rule for the distances.
    pub coverage: Coverage,
    /// The cells of region `cell`: only queries in the same cell are adjacent.
    pub cells: Option<&'a Cells>,
}

/// Numbers of expired queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MissedSets {
    /// All expired queries.
    pub expired: u64,
    /// Queries that waited when a set was published to all members of which they are adjacent.
    pub beside_set: u64,
    /// Of these, queries whose k exceeds the size of the largest such set plus one.
    pub larger_k: u64,
}

impl MissedSets {
    /// Share of the expired queries that were beside a set; `None` if no query expired.
    pub fn share(&self) -> Option<f64> {
        (self.expired > 0).then(|| self.beside_set as f64 / self.expired as f64)
    }
}

impl RecordedRun {
    /// Returns the longest distance constraint, at most the longest that an atlas supports.
    pub fn dc_max(&self) -> Length {
        let all = self.truth.queries().iter().map(|query| query.distance_constraint);
        all.max().unwrap_or(MAX_DC_MAX).min(MAX_DC_MAX)
    }

    /// Counts the expired queries that could have joined a published set. Distances are compared up to
    /// the `dc_max` of the atlas.
    pub fn missed_sets(&self, atlas: &Atlas, rule: EdgeRule<'_>) -> MissedSets {
        let mut arrivals = self.expired.clone();
        arrivals.sort_by_key(|&query| self.truth.of(query).asked_at);
        let mut arrivals = arrivals.into_iter().peekable();
        let mut waiting: Vec<u32> = Vec::new();
        let mut search = SetSearch { run: self, atlas, rule, builder: GraphBuilder::default() };
        // Size of the largest set that a query was beside.
        let mut largest: FxHashMap<u32, usize> = FxHashMap::default();
        for (&at, publications) in &self.batches {
            let is_asked = |query: &u32| self.truth.of(*query).asked_at <= at;
            waiting.extend(std::iter::from_fn(|| arrivals.next_if(is_asked)));
            waiting.retain(|&query| !self.truth.of(query).has_expired(at));
            for (query, size) in search.find(&distinct_sets(publications), &waiting) {
                let known = largest.entry(query).or_default();
                *known = size.max(*known);
            }
        }
        let has_larger_k =
            |(query, size): &(&u32, &usize)| self.truth.of(**query).k as usize > **size + 1;
        MissedSets {
            expired: self.expired.len() as u64,
            beside_set: largest.len() as u64,
            larger_k: largest.iter().filter(has_larger_k).count() as u64,
        }
    }
}

/// Finds the sets of a batch that waiting queries could join.
struct SetSearch<'a> {
    run: &'a RecordedRun,
    atlas: &'a Atlas,
    rule: EdgeRule<'a>,
    builder: GraphBuilder,
}

impl SetSearch<'_> {
    /// Returns each waiting query that is adjacent to all members of a set, with the size of the set,
    /// in any order.
    fn find(&mut self, sets: &[&[u32]], waiting: &[u32]) -> Vec<(u32, usize)> {
        let mut sets_of: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (set, members) in sets.iter().enumerate() {
            members.iter().for_each(|&member| sets_of.entry(member).or_default().push(set));
        }
        let mut nodes: Vec<u32> = waiting.iter().chain(sets_of.keys()).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        self.build_graph(&nodes);
        let waiting: FxHashSet<u32> = waiting.iter().copied().collect();
        let (graph, indices) = (self.builder.graph(), self.builder.waiting_indices());
        let query_of = |node: u32| nodes[indices[node as usize] as usize];
        // Number of members of a set to which a query is adjacent.
        let mut adjacent: FxHashMap<(u32, usize), usize> = FxHashMap::default();
        for node in 0..graph.len() as u32 {
            for &later in graph.later(node) {
                let (a, b) = (query_of(node), query_of(later));
                for (query, member) in [(a, b), (b, a)] {
                    let joined = sets_of.get(&member).filter(|_| waiting.contains(&query));
                    for &set in joined.into_iter().flatten() {
                        *adjacent.entry((query, set)).or_default() += 1;
                    }
                }
            }
        }
        let all = adjacent.into_iter().filter(|&((_, set), members)| members == sets[set].len());
        all.map(|((query, _), members)| (query, members)).collect()
    }

    /// Builds the constraint graph of these queries.
    fn build_graph(&mut self, nodes: &[u32]) {
        let query = |&number: &u32| {
            let mut query = self.run.truth.of(number).clone();
            query.distance_constraint = query.distance_constraint.min(self.atlas.dc_max());
            query
        };
        let queries: Vec<Query> = nodes.iter().map(query).collect();
        let EdgeRule { coverage, cells } = self.rule;
        match cells {
            Some(cells) => self.builder.build_in_cells(self.atlas, coverage, cells, &queries),
            None => self.builder.build(self.atlas, coverage, &queries),
        };
    }
}

#[cfg(test)]
mod tests;
