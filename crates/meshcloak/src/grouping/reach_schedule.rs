//! Which queries are searched for reachable neighbours in a batch, and in what order.
//!
//! A query is *tight* if neither the precomputed distances nor the path that admission found decide
//! which neighbours count for it. Its search needs up to [`REACH_STEPS`] steps once: the result
//! ([`ReachedTerminals`]) is kept in the state of the engine while the query waits. The searches of
//! a batch share [`BATCH_REACH_STEPS`]; those that no longer fit are left for the next batch, and
//! until then nothing counts for their query.
//!
//! Accounts take turns, so that the queries of one account delay only each other. Within an account
//! the smallest limit is searched first, which is cheapest; then in order of arrival. Searches run
//! in waves that fit the remaining steps even if each needs all of its own. The steps of a search do
//! not depend on others, so the schedule is a function of the waiting queries alone. If the graph
//! has several sections (region `cell`), each has a schedule and limits of its own.

use super::reach_searcher::ReachSearcher;
use crate::accounts::AccountId;
use crate::constraint_graph::Section;
use crate::distance::{Atlas, BATCH_REACH_STEPS, REACH_STEPS, ReachTask, ReachedTerminals};
use crate::query::QueryId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most steps of the searches of tight queries that are proposed in a batch: the guard searches again
/// for each.
const MAX_PROPOSED_STEPS: u64 = BATCH_REACH_STEPS / 2;

/// Number of the longest searches whose steps suffice in any cell.
const MIN_PROPOSED_SEARCHES: u64 = 8;

/// Limits of a section of the constraint graph. They do not depend on what other sections need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReachLimits {
    /// Steps of all searches.
    pub(crate) steps: u64,
    /// Steps of the searches of tight queries that are proposed.
    pub(crate) proposed: u64,
}

impl ReachLimits {
    /// Limits of a batch.
    pub(crate) const BATCH: ReachLimits =
        ReachLimits { steps: BATCH_REACH_STEPS, proposed: MAX_PROPOSED_STEPS };

    /// Returns the limits of each of `cells` cells: an equal share, but enough for one search and one
    /// set.
    pub(crate) fn of_cell(cells: usize) -> ReachLimits {
        ReachLimits {
            steps: (BATCH_REACH_STEPS / cells as u64).max(u64::from(REACH_STEPS)),
            proposed: (MAX_PROPOSED_STEPS / cells as u64)
                .max(MIN_PROPOSED_SEARCHES * u64::from(REACH_STEPS)),
        }
    }
}

/// A query whose reachable neighbours must be searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TightQuery {
    pub(crate) node: u32,
    pub(crate) query: QueryId,
    pub(crate) account: AccountId,
    pub(crate) task: ReachTask,
}

/// The tight queries of a batch with the results of their searches.
#[derive(Debug, Default)]
pub(crate) struct ReachSchedule {
    /// Queries whose k can be met; after [`ReachSchedule::search`] by section, in fair order.
    tight: Vec<TightQuery>,
    /// End of each section in `tight`.
    ends: Vec<usize>,
    /// By node.
    searched: Vec<Option<Arc<ReachedTerminals>>>,
    searcher: ReachSearcher,
}

impl ReachSchedule {
    /// Removes the queries of the last batch.
    pub(crate) fn clear(&mut self, nodes: usize) {
        self.tight.clear();
        self.ends.clear();
        self.searched.clear();
        self.searched.resize(nodes, None);
    }

    /// Adds a query, in order of arrival, and what an earlier batch found for it.
    pub(crate) fn add(&mut self, query: TightQuery, found: Option<&Arc<ReachedTerminals>>) {
        self.searched[query.node as usize] = found.filter(|f| f.task() == query.task).cloned();
        self.tight.push(query);
    }

    /// Searches for queries without a result, as far as the steps of each section suffice, and
    /// returns the new results.
    pub(crate) fn search(
        &mut self,
        atlas: &Atlas,
        sections: &[Section],
        limits: ReachLimits,
    ) -> Vec<(QueryId, Arc<ReachedTerminals>)> {
        self.sort(sections);
        let is_new = |tight: &&TightQuery| self.searched[tight.node as usize].is_none();
        let new = self.sections().map(|tight| tight.iter().filter(is_new).copied().collect());
        let new: Vec<Vec<TightQuery>> = new.filter(|new: &Vec<_>| !new.is_empty()).collect();
        let found = self.searcher.search(atlas, &new, limits.steps);
        let pairs = new.iter().zip(found).flat_map(|(new, found)| new.iter().zip(found));
        let pairs: Vec<(&TightQuery, Arc<ReachedTerminals>)> = pairs.collect();
        for (tight, found) in &pairs {
            self.searched[tight.node as usize] = Some(Arc::clone(found));
        }
        pairs.into_iter().map(|(tight, found)| (tight.query, found)).collect()
    }

    /// Sorts the queries by section, and within a section fairly.
    fn sort(&mut self, sections: &[Section]) {
        let section = |tight: &TightQuery| sections.partition_point(|s| s.nodes.end <= tight.node);
        self.tight.sort_by_key(section);
        for tight in self.tight.chunk_by_mut(|a, b| section(a) == section(b)) {
            sort_fairly(tight);
            self.ends.push(self.ends.last().unwrap_or(&0) + tight.len());
        }
    }

    /// Returns the queries of each section that has any.
    fn sections(&self) -> impl Iterator<Item = &[TightQuery]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.tight[start..end])
    }

    /// Returns the result for each node.
    pub(crate) fn searched(&self) -> &[Option<Arc<ReachedTerminals>>] {
        &self.searched
    }

    /// Whether a query was not searched, or not to the end.
    pub(crate) fn is_undecided(&self) -> bool {
        let result = |tight: &TightQuery| self.searched[tight.node as usize].as_deref();
        !self.tight.iter().all(|tight| result(tight).is_some_and(ReachedTerminals::is_complete))
    }

    /// Returns the groups whose searches exceed the proposed steps of their section together, in fair
    /// order. If every group of a section exceeds them by itself, the first one is kept.
    pub(crate) fn deferred_groups(
        &self,
        limits: ReachLimits,
        group_of: impl Fn(u32) -> Option<u32>,
    ) -> Vec<u32> {
        let mut all_deferred = Vec::new();
        for tight in self.sections() {
            let mut steps: FxHashMap<u32, u64> = FxHashMap::default();
            for tight in tight {
                let Some(group) = group_of(tight.node) else { continue };
                let found = self.searched[tight.node as usize].as_deref();
                let own = found.map_or(REACH_STEPS, ReachedTerminals::steps).max(1);
                *steps.entry(group).or_default() += u64::from(own);
            }
            let (mut proposed, mut deferred) = (0, Vec::new());
            for group in tight.iter().filter_map(|tight| group_of(tight.node)) {
                let Some(own) = steps.remove(&group) else { continue };
                if proposed + own <= limits.proposed {
                    proposed += own;
                } else {
                    deferred.push(group);
                }
            }
            deferred.drain(..usize::from(proposed == 0 && !deferred.is_empty()));
            all_deferred.append(&mut deferred);
        }
        all_deferred
    }
}

/// Sorts tight queries, given in order of arrival: accounts take turns, within an account by limit.
fn sort_fairly(queries: &mut [TightQuery]) {
    queries.sort_by_key(|query| query.task.limit);
    let mut turns: FxHashMap<AccountId, u32> = FxHashMap::default();
    let mut turn_of = FxHashMap::default();
    for query in queries.iter() {
        let turn = turns.entry(query.account).or_default();
        turn_of.insert(query.node, *turn);
        *turn += 1;
    }
    queries.sort_by_key(|query| (turn_of.get(&query.node).copied(), query.account));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Position, StreetId};
    use crate::town::Town;
    use crate::units::Length;
    use rand::RngExt as _;
    use std::collections::{BTreeMap, VecDeque};

    fn tight(node: u32, account: u32, metres: f64) -> TightQuery {
        let at = Position { street: StreetId(0), offset: Length::ZERO };
        let limit = Length::metres(metres);
        let task = ReachTask { from: at, around: at, distance_constraint: Length::UNIT, limit };
        TightQuery { node, query: QueryId(node.into()), account: AccountId(account), task }
    }

    /// Takes the cheapest query of each account in turn until none is left.
    fn naive_order(queries: &[TightQuery]) -> Vec<u32> {
        let mut accounts: BTreeMap<AccountId, VecDeque<TightQuery>> = BTreeMap::new();
        let mut sorted = queries.to_vec();
        sorted.sort_by_key(|query| (query.task.limit, query.node));
        for query in sorted {
            accounts.entry(query.account).or_default().push_back(query);
        }
        let mut order = Vec::new();
        while order.len() < queries.len() {
            order.extend(accounts.values_mut().filter_map(VecDeque::pop_front).map(|q| q.node));
        }
        order
    }

    #[test]
    fn groups_beyond_the_proposed_steps_of_a_batch_are_deferred() {
        let deferred = |sizes: &[usize]| {
            let group_of: Vec<usize> =
                sizes.iter().enumerate().flat_map(|(group, size)| vec![group; *size]).collect();
            let mut schedule = ReachSchedule::default();
            schedule.clear(group_of.len());
            let nodes = 0..group_of.len() as u32;
            nodes.clone().for_each(|node| schedule.add(tight(node, 0, 1.0), None));
            schedule.sort(&[Section { nodes, truncated: false }]);
            let limits = ReachLimits::BATCH;
            schedule.deferred_groups(limits, |node| Some(group_of[node as usize] as u32))
        };
        // Queries without a result count as the longest search.
        let max = (MAX_PROPOSED_STEPS / u64::from(REACH_STEPS)) as usize;
        assert_eq!(deferred(&[max - 5, 5]), [], "both fit");
        assert_eq!(deferred(&[max - 5, 6, 5]), [1], "a later group fits");
        assert_eq!(deferred(&[max + 1, 2]), [0], "a large group waits");
        assert_eq!(deferred(&[max + 1, max + 2]), [1], "one large group is kept");
        assert_eq!(deferred(&[]), []);
    }

    #[test]
    fn accounts_take_turns_and_the_cheapest_is_first() {
        for seed in 0..200 {
            let mut random = Town::generator(seed);
            let mut queries: Vec<TightQuery> = (0..random.random_range(0..60))
                .map(|node| {
                    let account = random.random_range(0..4_u32).pow(2);
                    tight(node, account, f64::from(random.random_range(1..9)))
                })
                .collect();
            let expected = naive_order(&queries);
            sort_fairly(&mut queries);
            let order: Vec<u32> = queries.iter().map(|query| query.node).collect();
            assert_eq!(order, expected, "seed {seed}");
        }
    }
}
