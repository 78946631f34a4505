//! Learned probability that a query which is not published now is published later.
//!
//! The probability depends on k, on the remaining tolerance and on the number of neighbours.
//! Grouping prefers queries with a low probability of later service. Only aggregated sums are kept.
//! They are part of [`crate::scheme::State`], so a new scheme with the same state returns the same
//! result.
//!
//! Update rule (temporal-difference learning): a query that left the waiting list contributes 1 if
//! it was served and 0 if it expired. A query that still waits contributes the present estimate of
//! its new class.
//!
//! Region `cell` uses [`fixed_probability`] instead: what is published in a cell must not depend on
//! other cells, and a table per cell would learn from few queries and would have to move with the
//! cell from engine to engine.

use crate::query::{Query, QueryId};
use std::time::Duration;

/// Class of waiting queries with about the same probability of later service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueryClass(u16);

/// Distinct values of k, from 2; larger values share the last class.
const K_COUNT: u32 = 16;
/// Distinct values of the remaining tolerance in whole seconds; larger values share the last class.
const SECOND_COUNT: u32 = 8;
/// Distinct ranges of the neighbour count.
const DEGREE_COUNT: u32 = 16;
const CLASS_COUNT: usize = (K_COUNT * SECOND_COUNT * DEGREE_COUNT) as usize;

impl QueryClass {
    /// Returns the class of a query with the remaining tolerance `remaining` and that many
    /// neighbours in the constraint graph.
    pub fn of(query: &Query, remaining: Duration, neighbours: u32) -> QueryClass {
        let k = query.k.saturating_sub(2).min(K_COUNT - 1);
        let seconds = remaining.as_secs().min(u64::from(SECOND_COUNT) - 1) as u32;
        let degree = match neighbours {
            0..=8 => neighbours,
            9..=10 => 9,
            11..=13 => 10,
            14..=17 => 11,
            18..=23 => 12,
            24..=31 => 13,
            32..=47 => 14,
            _ => 15,
        };
        QueryClass(((k * SECOND_COUNT + seconds) * DEGREE_COUNT + degree) as u16)
    }

    /// Number of classes.
    pub(crate) const COUNT: usize = CLASS_COUNT;

    /// Returns the number of the class, below [`QueryClass::COUNT`].
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Index of the row of classes with the same k and remaining tolerance.
    fn row(self) -> usize {
        usize::from(self.0) / DEGREE_COUNT as usize
    }
}

/// Largest probability of service in one batch, and its slope over the neighbours per k. Fitted to
/// P1-3-5 and P2-5-10 in Oldenburg; see docs/EVALUATION.md, "Weights".
const MAX_PER_BATCH: f64 = 0.6;
const PER_NEIGHBOUR: f64 = 0.25;

/// Returns an estimate of the probability in `0.0..=1.0` that a query is served later, which depends
/// on nothing else than the arguments: it is served in each remaining second with a probability in
/// proportion to `neighbours / k`.
///
/// Only additions, multiplications and divisions, so that the result is the same on every machine.
pub fn fixed_probability(k: u32, remaining: Duration, neighbours: u32) -> f64 {
    let ratio = (f64::from(neighbours) + 1.5) / f64::from(k.max(1));
    let missed = 1.0 - (PER_NEIGHBOUR * ratio).min(MAX_PER_BATCH);
    let seconds = remaining.as_secs().min(u64::from(SECOND_COUNT) - 1);
    1.0 - (0..seconds).fold(1.0, |all, _| all * missed)
}

/// Mean with exponential forgetting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct DecayingMean {
    sum: f64,
    count: f64,
}

/// Factor applied to all sums once per batch.
const DECAY: f64 = 0.95;

/// Weight of the row's mean in the estimate of a class, in observations.
const ROW_WEIGHT: f64 = 2.0;

/// Estimate without any observation.
const PRIOR: f64 = 0.6;

impl DecayingMean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn decay(&mut self) {
        self.sum *= DECAY;
        self.count *= DECAY;
    }

    /// Returns the mean with a prior that weighs as much as `weight` observations.
    fn with_prior(self, prior: f64, weight: f64) -> f64 {
        (self.sum + prior * weight) / (self.count + weight)
    }
}

/// Probability of later service by query class, learned from earlier batches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceOdds {
    classes: Vec<DecayingMean>,
    rows: Vec<DecayingMean>,
    /// Queries that the last batch left waiting, in order of arrival.
    waiting: Vec<(QueryId, QueryClass)>,
}

/// What happened in this batch to a query that the last batch left waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// The query was published.
    Served,
    /// The tolerance of the query ended.
    Expired,
    /// The query still waits, in this class.
    Waiting(QueryClass),
    /// The query was cancelled. It is not counted.
    Cancelled,
}

impl ServiceOdds {
    /// Returns the probability in `0.0..=1.0` that a query of `class` is served in a later batch.
    pub fn probability(&self, class: QueryClass) -> f64 {
        let row = self.rows.get(class.row()).copied().unwrap_or_default();
        let own = self.classes.get(usize::from(class.0)).copied().unwrap_or_default();
        own.with_prior(row.with_prior(PRIOR, 1.0), ROW_WEIGHT)
    }

    /// Adds the outcomes of the queries that the last batch left waiting. `outcome` is called once
    /// per query, in order of arrival.
    pub(crate) fn update(&mut self, mut outcome: impl FnMut(QueryId) -> WaitOutcome) {
        let mut observed: Vec<(QueryClass, f64)> = Vec::with_capacity(self.waiting.len());
        for &(query, class) in &self.waiting {
            match outcome(query) {
                WaitOutcome::Served => observed.push((class, 1.0)),
                WaitOutcome::Expired => observed.push((class, 0.0)),
                WaitOutcome::Waiting(now) => observed.push((class, self.probability(now))),
                WaitOutcome::Cancelled => {}
            }
        }
        self.classes.resize(CLASS_COUNT, DecayingMean::default());
        self.rows.resize(CLASS_COUNT / DEGREE_COUNT as usize, DecayingMean::default());
        if !observed.is_empty() {
            self.classes.iter_mut().chain(&mut self.rows).for_each(DecayingMean::decay);
        }
        for (class, value) in observed {
            self.classes[usize::from(class.0)].add(value);
            self.rows[class.row()].add(value);
        }
    }

    /// Replaces the list of queries that this batch leaves waiting, in order of arrival.
    pub(crate) fn set_waiting(&mut self, waiting: impl Iterator<Item = (QueryId, QueryClass)>) {
        self.waiting.clear();
        self.waiting.extend(waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};

    fn class(k: u32, seconds: u64) -> QueryClass {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut query = town.random_queries(&mut Town::generator(1), 1).remove(0);
        query.k = k;
        QueryClass::of(&query, Duration::from_secs(seconds), 5)
    }

    #[test]
    fn outcomes_propagate_from_the_last_second_to_earlier_ones() {
        let mut odds = ServiceOdds::default();
        let (late, early) = (class(3, 0), class(3, 1));
        for turn in 0..200 {
            odds.update(|id| match id.0 {
                0 => WaitOutcome::Expired,
                1 => WaitOutcome::Waiting(late),
                _ => WaitOutcome::Cancelled,
            });
            let waiting = [(QueryId(0), late), (QueryId(1), early), (QueryId(2), class(2, 0))];
            odds.set_waiting(waiting.into_iter());
            assert!((0.0..=1.0).contains(&odds.probability(early)), "turn {turn}");
        }
        assert!(odds.probability(late) < 0.05 && odds.probability(early) < 0.1);
        assert_eq!(odds.probability(class(2, 0)), PRIOR, "cancelled queries are not counted");
        for _ in 0..200 {
            odds.update(|_| WaitOutcome::Served);
        }
        assert!(odds.probability(late) > 0.95 && odds.probability(early) > 0.95, "old sums decay");
    }

    #[test]
    fn the_fixed_probability_grows_with_time_and_neighbours_and_falls_with_k() {
        let second = Duration::from_secs(1);
        assert_eq!(fixed_probability(2, Duration::from_millis(999), 50), 0.0, "the last batch");
        for k in [0, 1, 2, 5, 10, u32::MAX - 1] {
            for neighbours in [0, 1, 4, 30, u32::MAX] {
                for seconds in 1..12 {
                    let at =
                        |k, seconds, neighbours| fixed_probability(k, second * seconds, neighbours);
                    let here = at(k, seconds, neighbours);
                    assert!((0.0..1.0).contains(&here) && here > 0.0);
                    assert!(at(k, seconds + 1, neighbours) >= here);
                    assert!(at(k, seconds, neighbours.saturating_add(1)) >= here);
                    assert!(at(k + 1, seconds, neighbours) <= here);
                }
            }
        }
    }

    #[test]
    fn every_query_has_a_class() {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut query = town.random_queries(&mut Town::generator(1), 1).remove(0);
        for k in [0, 2, 17, 18, u32::MAX] {
            query.k = k;
            for remaining in [Duration::ZERO, Duration::from_secs(7), Duration::MAX] {
                for neighbours in [0, 8, 9, 47, u32::MAX] {
                    let class = QueryClass::of(&query, remaining, neighbours);
                    assert!(usize::from(class.0) < CLASS_COUNT);
                    assert!(class.row() < CLASS_COUNT / DEGREE_COUNT as usize);
                }
            }
        }
    }
}
