//! Users of the published sets: no user is in two sets of a batch, and no query leaves after a later
//! one of the same user.

use crate::query::{Query, QueryId, UserId};
use crate::units::Time;
use crate::violation::Violation;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Newest query of each user that has left.
///
/// A departure is kept while a waiting query is older, and beyond that until the table has doubled.
#[derive(Clone, Default)]
pub(super) struct Departures {
    newest: FxHashMap<UserId, Departure>,
    /// Number of the current batch.
    batch: u64,
    /// The table is purged when it is longer than this.
    max_len: usize,
}

#[derive(Clone, Copy)]
struct Departure {
    batch: u64,
    /// Time and number of the query: its place in the order of arrival.
    query: (Time, QueryId),
}

/// Smallest table that is purged.
const MIN_PURGED_LEN: usize = 1 << 12;

impl Departures {
    /// Begins a batch.
    pub(super) fn begin(&mut self, waiting: &[Query]) {
        self.batch += 1;
        if self.newest.len() > self.max_len.max(MIN_PURGED_LEN) {
            let oldest = waiting.iter().map(|query| query.asked_at).min().unwrap_or(Time::MAX);
            self.newest.retain(|_, departure| departure.query.0 > oldest);
            self.max_len = 2 * self.newest.len();
        }
    }

    /// Adds the members of a set that passes every other check. Returns a violation if one of them
    /// must not leave; the others then count as departed in this batch, which fails closed.
    pub(super) fn add<'a>(
        &mut self,
        members: impl Iterator<Item = &'a Query>,
    ) -> Option<Violation> {
        let mut violation = None;
        for query in members {
            let departure = Departure { batch: self.batch, query: (query.asked_at, query.id) };
            match self.newest.entry(query.user) {
                Entry::Vacant(entry) => drop(entry.insert(departure)),
                Entry::Occupied(mut entry) => match *entry.get() {
                    last if last.batch == self.batch => violation = Some(Violation::UserInTwoSets),
                    last if last.query > departure.query => {
                        violation = violation.or(Some(Violation::Overtaken));
                    }
                    _ => drop(entry.insert(departure)),
                },
            }
        }
        violation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};

    #[test]
    fn departures_are_kept_while_an_older_query_waits() {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut queries = town.random_queries(&mut Town::generator(1), 40_000);
        for (number, query) in (0..).zip(&mut queries) {
            (query.id, query.user) = (QueryId(number), UserId(number));
            query.asked_at = Time::from_millis(number);
        }
        let mut departures = Departures::default();
        let mut max_len = 0;
        for (number, later) in queries.iter().enumerate() {
            // The query before the last ten thousand still waits.
            let waiting = &queries[number.saturating_sub(10_000)..number];
            departures.begin(waiting);
            assert_eq!(departures.add([later].into_iter()), None);
            max_len = max_len.max(departures.newest.len());
            let Some(oldest) = waiting.first() else { continue };
            let mut overtaken = oldest.clone();
            overtaken.user = later.user;
            departures.batch += 1;
            assert_eq!(departures.add([&overtaken].into_iter()), Some(Violation::Overtaken));
        }
        assert!(max_len < 21_000, "{max_len} departures were kept");
    }
}
