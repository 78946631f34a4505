//! Upper bound on the queries that any grouping can serve under `reciprocal` or `history`.
//!
//! [`BoundRecorder`] has the promise of a scheme but publishes nothing. A query that asks is
//! *attainable* if it is in a set that keeps the promise in some batch of its life. No grouping serves
//! more, with presence reports, too:
//!
//! - **Everything that can be a member waits here.** A query leaves the waiting list when it is
//!   served, expires, or is replaced by a newer one of its user. The last two depend on arrivals
//!   alone: a report is replaced at the same batch here and in any other run, unless it left that run
//!   before. So each batch of another run has a subset of the queries that wait here, and no report
//!   helps there in a batch in which it is missing here.
//! - **A set of another run keeps the promise here.** Edges do not depend on other queries, and
//!   further members never lower a count.
//! - **Past with the clock `asked`**: the last accepted query, which does not depend on what is served.
//! - **Past with the clock `published`**: the last query that left, which does. All members but the
//!   one that asks are given no past, so that everyone counts for them. The past of the one that asks
//!   is each measured earlier query of its user, or none. A user is served as often as the longest
//!   sequence of its queries allows in which each is attainable with the one before as its past.
//!   Queries before the measured ones are taken as not served.
//!
//! The bound is not tight: sets overlap here, and a report that left with one set is still in others.
//! A search that spends its budget counts as attainable.

mod batch_graph;
#[cfg(test)]
mod tests;

use batch_graph::BatchGraph;
use meshcloak::constraint_graph::GraphBuilder;
use meshcloak::grouping::Grouping;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::guard::Promise;
use meshcloak::history::Horizon;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::units::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Scheme that publishes nothing and records which queries could have been served.
pub struct BoundRecorder<S> {
    bounded: S,
    promise: Promise,
    /// Seconds in which measured queries are asked.
    window: Range<u64>,
    graph: GraphBuilder,
    grouping: Grouping,
    /// Measured queries of each user, in order of arrival.
    measured: BTreeMap<UserId, Vec<Query>>,
    /// Attainable queries, each with a query of its user that may have left last.
    attainable: BTreeSet<(QueryId, Option<QueryId>)>,
    undecided: usize,
    published: Published,
}

/// Returns whether a query asks in one of these seconds.
pub fn is_measured(query: &Query, window: &Range<u64>) -> bool {
    query.asks && window.contains(&(query.asked_at.as_millis() / 1000))
}

impl<S: Scheme> BoundRecorder<S> {
    /// Returns a recorder of the queries that could be served under the promise of `bounded`.
    ///
    /// # Panics
    /// If the scheme promises nothing.
    pub fn new(bounded: S, window: Range<u64>) -> BoundRecorder<S> {
        BoundRecorder {
            promise: bounded.promise().expect("the scheme has a promise"),
            bounded,
            window,
            graph: GraphBuilder::default(),
            grouping: Grouping::default(),
            measured: BTreeMap::new(),
            attainable: BTreeSet::new(),
            undecided: 0,
            published: Published::default(),
        }
    }

    /// Largest number of measured queries that can be served.
    pub fn max_served(&self) -> usize {
        self.measured.values().map(|queries| self.max_served_of(queries)).sum()
    }

    /// Number of searches that spent their budget.
    pub fn undecided(&self) -> usize {
        self.undecided
    }

    /// Largest number of a user's measured queries that can be served.
    fn max_served_of(&self, queries: &[Query]) -> usize {
        let is_attainable = |query: &Query, past| self.attainable.contains(&(query.id, past));
        if !depends_on_what_left(&self.promise) {
            return queries.iter().filter(|query| is_attainable(query, None)).count();
        }
        // Largest number of served queries of which each query is the last.
        let mut longest: Vec<usize> = Vec::with_capacity(queries.len());
        for query in queries {
            let earlier = queries
                .iter()
                .zip(&longest)
                .filter(|(past, served)| **served > 0 && is_attainable(query, Some(past.id)));
            let first = usize::from(is_attainable(query, None));
            longest.push(earlier.map(|(_, served)| served + 1).fold(first, usize::max));
        }
        longest.into_iter().max().unwrap_or(0)
    }

    /// Records which measured queries are in a set that keeps the promise.
    fn survey(&mut self, state: &State, now: Time) {
        let BoundRecorder {
            promise, window, graph, grouping, measured, attainable, undecided, ..
        } = self;
        for query in &state.waiting[state.waiting.len() - state.arrived..] {
            if is_measured(query, window) {
                measured.entry(query.user).or_default().push(query.clone());
            }
        }
        let batch = BatchGraph::new(graph, promise, state, now);
        for node in batch.nodes().filter(|&node| is_measured(batch.query(node), window)) {
            let query = batch.query(node);
            let mut pasts = vec![None];
            if depends_on_what_left(promise) {
                let queries = measured.get(&query.user).into_iter().flatten();
                pasts.extend(queries.filter(|past| past.id < query.id).map(Some));
            }
            for past in pasts {
                let key = (query.id, past.map(|past| past.id));
                if attainable.contains(&key) {
                    continue;
                }
                let has_set = batch.has_set(grouping, node, past);
                *undecided += usize::from(has_set.is_none());
                if has_set != Some(false) {
                    attainable.insert(key);
                }
            }
        }
    }
}

/// Whether the past of a user is the last query that left.
fn depends_on_what_left(promise: &Promise) -> bool {
    promise.guarantee == Guarantee::History && promise.history_clock == HistoryClock::Published
}

impl<S: Scheme> Scheme for BoundRecorder<S> {
    fn name(&self) -> &'static str {
        "bound"
    }

    fn describe(&self) -> Description {
        self.bounded.describe()
    }

    fn history_horizon(&self) -> Option<Horizon> {
        self.bounded.history_horizon()
    }

    fn promise(&self) -> Option<Promise> {
        Some(self.promise.clone())
    }

    fn cloak(&mut self, state: &State, now: Time, _: &mut dyn Observer) -> &mut Published {
        if now.as_millis() / 1000 >= self.window.start {
            self.survey(state, now);
        }
        &mut self.published
    }
}
