//! Past positions of users, for the `history` guarantee and for other schemes that bound movement.
//!
//! [`LastPositions`] keeps a user's last position. With the clock `asked` the intake
//! ([`crate::guarantee::Admission`]) has the only one and hands the previous position of each
//! accepted query to the engine. With the clock `published` the engine keeps the positions that
//! left, and determines the previous position of a query when it arrives; the intake has a copy.
//! [`History`] keeps the previous position of a query while the query waits.
//!
//! A scheme that depends on its own earlier publications returns them with
//! [`Published::remember`](crate::scheme::Published::remember); a scheme that depends on where users
//! have been returns visits with [`Published::visit`](crate::scheme::Published::visit). Both are kept
//! here, so that a fresh scheme answers as a stateful one.

mod horizon;
mod last_positions;
mod visits;
mod waiting_past;

pub use horizon::Horizon;
pub use last_positions::LastPositions;
pub use visits::{BITS, Visits, log2};

use crate::distance::ReachedTerminals;
use crate::map::Position;
use crate::query::{Query, QueryId, UserId};
use crate::region::Region;
use crate::units::{Length, Speed, Time};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use waiting_past::WaitingPast;

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

/// What was published for a user.
#[derive(Clone, PartialEq)]
pub struct Publication {
    /// Time of the query.
    pub asked_at: Time,
    /// Time of the batch.
    pub at: Time,
    /// The published region.
    pub region: Arc<Region<'static>>,
    /// Users of the anonymity set, ascending.
    pub users: Arc<[UserId]>,
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
    previous: WaitingPast,
    /// What a search found for waiting queries; neither position of a query changes.
    reached: FxHashMap<QueryId, Arc<ReachedTerminals>>,
    /// Last position of each user that left, with the clock `published`.
    left: LastPositions,
    users: FxHashMap<UserId, UserRecord>,
    expiry: ExpiryQueue,
    visits: Visits,
}

#[derive(Clone)]
struct UserRecord {
    /// Time of the user's latest query.
    last: Time,
    /// What was last published for the user, if the scheme remembers it.
    publication: Option<Arc<Publication>>,
}

impl History {
    /// Returns where the user of a waiting query was at the previous query; `None` if unknown.
    pub fn previous(&self, query: QueryId) -> Option<PastPosition> {
        self.previous.get(usize::MAX, query).flatten()
    }

    /// The same for the query at `index` of the waiting list, without a search.
    #[inline]
    pub(crate) fn previous_at(&self, index: usize, query: QueryId) -> Option<PastPosition> {
        self.previous.get(index, query).flatten()
    }

    /// Stores the previous position of a query that is about to arrive, as admission returned it.
    pub fn set_previous(&mut self, query: QueryId, previous: Option<PastPosition>) {
        self.previous.set(query, previous);
    }

    /// Begins with positions that left before, such as those of a log, for the clock `published`.
    pub fn set_left(&mut self, positions: LastPositions) {
        self.left = positions;
    }

    /// Inserts a position that left another engine, in any order of time, for the clock `published`.
    pub fn insert_left(
        &mut self,
        user: UserId,
        at: Time,
        position: Position,
        speed: Option<Speed>,
    ) {
        self.left.insert(user, at, position, speed);
    }

    /// Returns the position of the user's last query that left within the horizon before `now`, with
    /// the clock `published`.
    pub fn last_left(&mut self, user: UserId, now: Time) -> Option<PastPosition> {
        self.left.get(user, now)
    }

    /// Determines the previous position of an arriving query by what has left, for the clock
    /// `published`. The path that admission found stays if it starts at the same query.
    /// `index` is the index of the query in the waiting list.
    pub(crate) fn resolve(&mut self, index: usize, query: &Query, now: Time) {
        let admitted = self.previous_at(index, query.id);
        let previous = self.last_left(query.user, now).map(|last| {
            // Admission may have chosen another street at the same point.
            admitted.filter(|past| past.at == last.at).unwrap_or(last)
        });
        self.previous.replace(index, query.id, previous);
    }

    /// Notes a query that is published.
    pub(crate) fn leave(&mut self, query: &Query) {
        self.left.insert_query(query);
    }

    /// Returns what a search in an earlier batch found for a waiting query.
    pub(crate) fn reached(&self, query: QueryId) -> Option<&Arc<ReachedTerminals>> {
        self.reached.get(&query)
    }

    /// Keeps what searches found while their queries wait.
    pub(crate) fn keep_reached(&mut self, found: Vec<(QueryId, Arc<ReachedTerminals>)>) {
        self.reached.extend(found);
    }

    /// Returns what was last published for a user, if the scheme remembers it.
    pub fn publication(&self, user: UserId) -> Option<&Arc<Publication>> {
        self.users.get(&user).and_then(|record| record.publication.as_ref())
    }

    /// Returns the visits that the scheme has recorded.
    pub fn visits(&self) -> &Visits {
        &self.visits
    }

    /// Returns the visits that the scheme has recorded, to add some.
    pub(crate) fn visits_mut(&mut self) -> &mut Visits {
        &mut self.visits
    }

    /// Whether admission has handed over the previous position of the query that will be at `index`
    /// of the waiting list.
    pub(crate) fn is_admitted(&self, index: usize, query: QueryId) -> bool {
        self.previous.get(index, query).is_some()
    }

    /// Registers the user of an arriving query, for a scheme that remembers publications.
    pub(crate) fn arrive(&mut self, query: &Query) {
        let record = UserRecord { last: query.asked_at, publication: None };
        self.users.entry(query.user).or_insert(record).last = query.asked_at;
        self.expiry.push(query.asked_at, query.user);
    }

    /// Removes departed queries.
    pub(crate) fn depart<'a>(&mut self, queries: impl Iterator<Item = &'a Query> + Clone) {
        if !self.reached.is_empty() {
            queries.clone().for_each(|query| drop(self.reached.remove(&query.id)));
        }
        self.previous.remove(queries.map(|query| query.id));
    }

    /// Keeps what the scheme remembers of a served query.
    pub(crate) fn remember(&mut self, query: &Query, publication: &Arc<Publication>) {
        if let Some(record) = self.users.get_mut(&query.user) {
            record.publication = Some(Arc::clone(publication));
        }
    }

    /// Forgets the users whose last query is older than `horizon`, which holds from now on. The
    /// previous position of a query counts as admission returned it, also if the horizon has ended.
    pub(crate) fn forget(&mut self, now: Time, horizon: Horizon) {
        let History { users, expiry, left, previous, .. } = self;
        previous.merge_late();
        left.set_horizon(horizon);
        left.expire(now);
        expiry.drop_before(now, horizon.longest(), |user, at| {
            if users.get(&user).is_some_and(|record| record.last == at) {
                users.remove(&user);
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

impl fmt::Debug for Publication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Publication(…)")
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
        let horizon = Horizon::from(Duration::from_secs(15));
        let past = PastPosition {
            at: queries[0].asked_at,
            position: queries[0].position,
            travelled: None,
        };
        let mut history = History::default();
        history.set_previous(queries[1].id, Some(past));
        assert!(history.is_admitted(0, queries[1].id) && !history.is_admitted(0, queries[2].id));
        history.arrive(&queries[1]);
        assert_eq!(history.previous(queries[1].id), Some(past));
        history.depart(queries[1..2].iter());
        assert_eq!(history.previous(queries[1].id), None);
        history.set_previous(queries[2].id, Some(past));
        history.arrive(&queries[2]);
        assert_eq!(history.previous(queries[2].id), Some(past), "as admission returned it");
        assert_eq!(format!("{history:?}"), "History(1 queries)");
        history.forget(Time::from_millis(35_000), horizon);
        assert_eq!(history.users.len(), 1);
        history.forget(Time::from_millis(35_001), horizon);
        assert!(history.users.is_empty() && history.expiry.0.is_empty());
    }
}
