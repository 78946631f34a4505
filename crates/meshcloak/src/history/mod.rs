//! Past positions of users, for the `history` guarantee and for other schemes that bound movement.
//!
//! [`LastPositions`] is the only place that keeps a user's last position. It belongs to the intake
//! ([`crate::guarantee::Admission`]), which hands the previous position of each accepted query to
//! the engine. [`History`] keeps that position only while the query waits.

mod last_positions;

pub use last_positions::LastPositions;

use crate::distance::ReachedTerminals;
use crate::map::Position;
use crate::query::{Query, QueryId, UserId};
use crate::units::{Length, Rectangle, Time};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Position and time of an earlier accepted query.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PastPosition {
    /// Time of that query.
    pub at: Time,
    /// Position of that query.
    pub position: Position,
    /// Length of a path from there to the position of the present query, if admission found one.
    pub travelled: Option<Length>,
}

/// The last rectangle that was published for a user.
#[derive(Clone, Copy, PartialEq)]
pub struct PublishedRectangle {
    /// Time of the query that it answered.
    pub asked_at: Time,
    /// The rectangle.
    pub rectangle: Rectangle,
}

/// Recorded queries, oldest first: time and user.
#[derive(Clone, Default)]
struct ExpiryQueue(VecDeque<(Time, UserId)>);

impl ExpiryQueue {
    fn push(&mut self, at: Time, user: UserId) {
        self.0.push_back((at, user));
    }

    /// Removes the entries with `at + horizon < now`, and calls `drop` with each.
    fn drop_before(&mut self, now: Time, horizon: Duration, mut drop: impl FnMut(UserId, Time)) {
        while let Some(&(at, user)) = self.0.front().filter(|(at, _)| *at + horizon < now) {
            self.0.pop_front();
            drop(user, at);
        }
    }
}

/// What the engine remembers of users beyond the queries themselves.
///
/// Kept only for schemes with a [`crate::scheme::Scheme::history_horizon`].
#[derive(Clone, Default)]
pub struct History {
    /// Previous position of the user of each waiting query; `None` if there is none.
    previous: FxHashMap<QueryId, Option<PastPosition>>,
    /// What a search found for waiting queries; neither position of a query changes.
    reached: FxHashMap<QueryId, Arc<ReachedTerminals>>,
    rectangles: FxHashMap<UserId, UserRecord>,
    expiry: ExpiryQueue,
}

#[derive(Clone, Copy)]
struct UserRecord {
    /// Time of the user's latest query.
    last: Time,
    /// What was last published for the user, if it was a rectangle.
    rectangle: Option<PublishedRectangle>,
}

impl History {
    /// Returns where the user of a waiting query was at the previous query; `None` if unknown.
    pub fn previous(&self, query: QueryId) -> Option<PastPosition> {
        self.previous.get(&query).copied().flatten()
    }

    /// Stores the previous position of a query that is about to arrive, as admission returned it.
    pub fn set_previous(&mut self, query: QueryId, previous: Option<PastPosition>) {
        self.previous.insert(query, previous);
    }

    /// Returns what a search in an earlier batch found for a waiting query.
    pub(crate) fn reached(&self, query: QueryId) -> Option<&Arc<ReachedTerminals>> {
        self.reached.get(&query)
    }

    /// Keeps what searches found while their queries wait.
    pub(crate) fn keep_reached(&mut self, found: Vec<(QueryId, Arc<ReachedTerminals>)>) {
        self.reached.extend(found);
    }

    /// Returns what was last published for a user.
    pub fn published_rectangle(&self, user: UserId) -> Option<PublishedRectangle> {
        self.rectangles.get(&user).and_then(|record| record.rectangle)
    }

    /// Whether admission has handed over the previous position of a query.
    pub(crate) fn is_admitted(&self, query: QueryId) -> bool {
        self.previous.contains_key(&query)
    }

    /// Registers an arriving query. Its previous position counts as admission returned it, also if
    /// the horizon ends before the batch.
    pub(crate) fn arrive(&mut self, query: &Query) {
        let record = UserRecord { last: query.asked_at, rectangle: None };
        self.rectangles.entry(query.user).or_insert(record).last = query.asked_at;
        self.expiry.push(query.asked_at, query.user);
    }

    /// Removes a departed query; `rectangle` is the region that was published for it.
    pub(crate) fn depart(&mut self, query: &Query, rectangle: Option<Rectangle>) {
        self.previous.remove(&query.id);
        self.reached.remove(&query.id);
        if let (Some(rectangle), Some(record)) = (rectangle, self.rectangles.get_mut(&query.user)) {
            record.rectangle = Some(PublishedRectangle { asked_at: query.asked_at, rectangle });
        }
    }

    /// Forgets the users whose last query is older than `horizon`.
    pub(crate) fn forget(&mut self, now: Time, horizon: Duration) {
        let History { rectangles, expiry, .. } = self;
        expiry.drop_before(now, horizon, |user, at| {
            if rectangles.get(&user).is_some_and(|record| record.last == at) {
                rectangles.remove(&user);
            }
        });
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "History({} queries)", self.previous.len())
    }
}

impl fmt::Debug for PastPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PastPosition(…)")
    }
}

impl fmt::Debug for PublishedRectangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublishedRectangle(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};

    /// Three queries of one user, ten seconds apart.
    pub(super) fn queries() -> Vec<Query> {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut queries = town.random_queries(&mut Town::generator(7), 3);
        for (number, query) in queries.iter_mut().enumerate() {
            query.user = UserId(4711);
            query.id = QueryId(number as u64);
            query.asked_at = Time::from_millis(number as u64 * 10_000);
        }
        queries
    }

    #[test]
    fn the_history_of_a_query_lasts_while_it_waits() {
        let queries = queries();
        let horizon = Duration::from_secs(15);
        let past = PastPosition {
            at: queries[0].asked_at,
            position: queries[0].position,
            travelled: None,
        };
        let mut history = History::default();
        history.set_previous(queries[1].id, Some(past));
        assert!(history.is_admitted(queries[1].id) && !history.is_admitted(queries[2].id));
        history.arrive(&queries[1]);
        assert_eq!(history.previous(queries[1].id), Some(past));
        history.depart(&queries[1], None);
        assert_eq!(history.previous(queries[1].id), None);
        history.set_previous(queries[2].id, Some(past));
        history.arrive(&queries[2]);
        assert_eq!(history.previous(queries[2].id), Some(past), "as admission returned it");
        assert_eq!(format!("{history:?}"), "History(1 queries)");
        history.forget(Time::from_millis(35_000), horizon);
        assert_eq!(history.rectangles.len(), 1);
        history.forget(Time::from_millis(35_001), horizon);
        assert!(history.rectangles.is_empty() && history.expiry.0.is_empty());
    }
}
