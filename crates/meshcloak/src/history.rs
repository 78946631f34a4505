//! What the engine remembers of people beyond their waiting queries: where each was when she last
//! asked, and what was shown of her then. Kept for a horizon, then forgotten.
//!
//! Only schemes that ask for it (see [`crate::scheme::Scheme::memory`]) are given one.

use crate::map::Position;
use crate::query::{Query, QueryId, UserId};
use crate::units::{Rectangle, Time};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// Where and when somebody asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PastPosition {
    /// When.
    pub at: Time,
    /// Where.
    pub position: Position,
}

/// The last rectangle that was published for somebody.
#[derive(Clone, Copy, PartialEq)]
pub struct PublishedRectangle {
    /// When the query was asked that it answered.
    pub asked_at: Time,
    /// The rectangle.
    pub rectangle: Rectangle,
}

/// Where people were.
#[derive(Clone, Default)]
pub struct History {
    last: FxHashMap<UserId, PastPosition>,
    shown: FxHashMap<UserId, PublishedRectangle>,
    /// For each waiting query where its user was when she asked before.
    previous: FxHashMap<QueryId, PastPosition>,
    /// Everyone remembered, in order of time; the first of them is forgotten first.
    order: VecDeque<(Time, UserId)>,
}

impl History {
    /// Where the user of a waiting query was when she asked before; `None` if that is unknown.
    pub fn previous(&self, query: QueryId) -> Option<PastPosition> {
        self.previous.get(&query).copied()
    }

    /// Where somebody was when she last asked.
    pub fn last(&self, user: UserId) -> Option<PastPosition> {
        self.last.get(&user).copied()
    }

    /// What was last published for somebody.
    pub fn published_rectangle(&self, user: UserId) -> Option<PublishedRectangle> {
        self.shown.get(&user).copied()
    }

    /// How many people are remembered.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// Whether nobody is remembered.
    pub fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// A query was accepted.
    pub(crate) fn arrive(&mut self, query: &Query) {
        let now = PastPosition { at: query.asked_at, position: query.position };
        if let Some(before) = self.last.insert(query.user, now) {
            self.previous.insert(query.id, before);
        }
        self.order.push_back((query.asked_at, query.user));
    }

    /// A query no longer waits; `rectangle` is what was published for it.
    pub(crate) fn leave(&mut self, query: &Query, rectangle: Option<Rectangle>) {
        self.previous.remove(&query.id);
        if let Some(rectangle) = rectangle {
            let shown = PublishedRectangle { asked_at: query.asked_at, rectangle };
            self.shown.insert(query.user, shown);
        }
    }

    /// Forgets who asked longer than `horizon` ago.
    pub(crate) fn forget(&mut self, now: Time, horizon: Duration) {
        while let Some(&(at, user)) = self.order.front().filter(|(at, _)| *at + horizon < now) {
            self.order.pop_front();
            if self.last.get(&user).is_some_and(|last| last.at == at) {
                self.last.remove(&user);
                self.shown.remove(&user);
            }
        }
    }
}

/// Where people were never gets printed.
impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "History({} people)", self.len())
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

    #[test]
    fn somebody_is_remembered_for_the_horizon_and_prints_as_nothing() {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut queries = town.random_queries(&mut Town::generator(7), 3);
        for (number, query) in queries.iter_mut().enumerate() {
            query.user = UserId(4711);
            query.id = QueryId(number as u64);
            query.asked_at = Time::from_millis(number as u64 * 10_000);
        }
        let mut history = History::default();
        history.arrive(&queries[0]);
        assert_eq!(history.previous(queries[0].id), None, "her first");
        history.leave(&queries[0], None);
        history.arrive(&queries[1]);
        let first = PastPosition { at: queries[0].asked_at, position: queries[0].position };
        assert_eq!(history.previous(queries[1].id), Some(first), "published or not");
        history.arrive(&queries[2]);
        assert_eq!(history.previous(queries[1].id), Some(first), "the one before each");
        assert_eq!(
            history.previous(queries[2].id).map(|asked| asked.at),
            Some(queries[1].asked_at)
        );
        assert_eq!(format!("{history:?} {first:?}"), "History(1 people) PastPosition(…)");
        history.forget(Time::from_millis(25_000), Duration::from_secs(5));
        assert_eq!(history.last(UserId(4711)).map(|asked| asked.at), Some(queries[2].asked_at));
        history.forget(Time::from_millis(25_001), Duration::from_secs(5));
        assert!(history.is_empty() && history.order.is_empty());
    }
}
