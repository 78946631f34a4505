//! Users of the published sets: no user is in two sets of a batch, and no query leaves after a later
//! one of the same user.
//!
//! ```text
//! log     departure 0 │ departure 1 │ …   in order; `earlier`: the one before it in the same slot
//! heads   one per slot of the hash of a user    its last departure
//! first   number of log[0]; numbers below it are forgotten, also where `heads` or `earlier` has them
//! ```
//!
//! A departure writes the end of the log and one slot of four bytes. A hash map of the newest query of
//! each user reads and writes a random line of a table ten times as large. Numbers wrap around.
//! Reference: the map of the test.

use crate::query::{Query, QueryId, UserId};
use crate::units::Time;
use crate::violation::Violation;

/// Queries that have left.
///
/// A departure is kept while a query waits that was asked before it left, and beyond that until the
/// log has doubled.
#[derive(Clone, Default)]
pub(super) struct Departures {
    log: Vec<Departure>,
    first: u32,
    heads: Vec<u32>,
    /// Number of the current batch.
    batch: u32,
    /// The log is purged when it is longer than this.
    max_len: usize,
}

#[derive(Clone, Copy)]
struct Departure {
    user: UserId,
    /// Time and number of the query: its place in the order of arrival.
    query: (Time, QueryId),
    batch: u32,
    earlier: u32,
}

/// Smallest log that is purged.
const MIN_PURGED_LEN: usize = 1 << 12;

/// Slots per departure of the longest log that is not purged, at least.
const SLOTS_PER_DEPARTURE: usize = 2;

impl Departures {
    /// Begins a batch.
    pub(super) fn begin(&mut self, waiting: &[Query]) {
        self.batch = self.batch.wrapping_add(1);
        if self.log.len() > self.max_len.max(MIN_PURGED_LEN) {
            let oldest = waiting.iter().map(|query| query.asked_at).min().unwrap_or(Time::MAX);
            let is_kept = |departure: &Departure| departure.query.0 > oldest;
            let forgotten = self.log.iter().position(is_kept).unwrap_or(self.log.len());
            self.log.drain(..forgotten);
            self.first = self.first.wrapping_add(forgotten as u32);
            self.max_len = 2 * self.log.len();
        }
        let slots = SLOTS_PER_DEPARTURE * self.max_len.max(MIN_PURGED_LEN);
        if self.heads.len() < slots {
            self.heads.clear();
            self.heads.resize(slots.next_power_of_two(), self.first.wrapping_sub(1));
            (0..self.log.len()).for_each(|index| self.link(index));
        }
    }

    /// Adds the members of a set that passes every other check. Returns a violation if one of them
    /// must not leave; the others then count as departed in this batch, which fails closed.
    pub(super) fn add<'a>(
        &mut self,
        members: impl Iterator<Item = &'a Query>,
    ) -> Option<Violation> {
        let mut violation = None;
        for &Query { user, asked_at, id, .. } in members {
            let query = (asked_at, id);
            match self.newest(user) {
                Some(last) if last.batch == self.batch => {
                    violation = Some(Violation::UserInTwoSets);
                }
                Some(last) if last.query > query => {
                    violation = violation.or(Some(Violation::Overtaken));
                }
                _ => {
                    self.log.push(Departure { user, query, batch: self.batch, earlier: 0 });
                    self.link(self.log.len() - 1);
                }
            }
        }
        violation
    }

    /// Returns the last departure of a user, which is also that of its newest query.
    fn newest(&self, user: UserId) -> Option<Departure> {
        let mut number = self.heads[self.slot(user)];
        loop {
            let departure = self.log.get(number.wrapping_sub(self.first) as usize)?;
            if departure.user == user {
                return Some(*departure);
            }
            number = departure.earlier;
        }
    }

    /// Makes a departure the last one of its slot.
    fn link(&mut self, index: usize) {
        let slot = self.slot(self.log[index].user);
        let number = self.first.wrapping_add(index as u32);
        self.log[index].earlier = std::mem::replace(&mut self.heads[slot], number);
    }

    /// Returns the slot of a user, by multiplicative hashing.
    fn slot(&self, UserId(user): UserId) -> usize {
        let hash = user.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> (64 - self.heads.len().ilog2())) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};
    use rand::RngExt as _;
    use std::collections::BTreeMap;

    fn queries(count: usize) -> Vec<Query> {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut queries = town.random_queries(&mut Town::generator(1), count);
        for (number, query) in (0..).zip(&mut queries) {
            (query.id, query.user) = (QueryId(number), UserId(number));
            query.asked_at = Time::from_millis(number);
        }
        queries
    }

    #[test]
    fn departures_are_kept_while_an_older_query_waits() {
        let queries = queries(40_000);
        let mut departures = Departures { first: u32::MAX - 20_000, ..Departures::default() };
        let mut max_len = 0;
        for (number, later) in queries.iter().enumerate() {
            // The query before the last ten thousand still waits.
            let waiting = &queries[number.saturating_sub(10_000)..number];
            departures.begin(waiting);
            assert_eq!(departures.add([later].into_iter()), None);
            max_len = max_len.max(departures.log.len());
            let Some(oldest) = waiting.first() else { continue };
            let mut overtaken = oldest.clone();
            overtaken.user = later.user;
            departures.batch += 1;
            assert_eq!(departures.add([&overtaken].into_iter()), Some(Violation::Overtaken));
        }
        assert!(max_len < 21_000, "{max_len} departures were kept");
    }

    #[test]
    fn violations_equal_those_of_a_map_of_the_newest_query_of_each_user() {
        let mut counts = [0; 3];
        for seed in 0..40 {
            let mut random = Town::generator(seed);
            let mut queries = queries(3_000);
            let users = [30, 3_000, u64::MAX][seed as usize % 3];
            queries.iter_mut().for_each(|query| query.user = UserId(random.random_range(0..users)));
            let mut departures = Departures::default();
            let mut newest: BTreeMap<UserId, (usize, (Time, QueryId))> = BTreeMap::new();
            for batch in 0..40 {
                departures.begin(&queries[..1]);
                for _ in 0..60 {
                    let query = &queries[random.random_range(0..queries.len())];
                    let place = (query.asked_at, query.id);
                    let last = newest.get(&query.user).copied();
                    let expected = match last {
                        Some((last, _)) if last == batch => Some(Violation::UserInTwoSets),
                        Some((_, last)) if last > place => Some(Violation::Overtaken),
                        _ => {
                            newest.insert(query.user, (batch, place));
                            None
                        }
                    };
                    assert_eq!(departures.add([query].into_iter()), expected, "seed {seed}");
                    counts[expected.map_or(0, |v| 1 + usize::from(v == Violation::Overtaken))] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    }
}
