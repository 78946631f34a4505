//! Each user's last accepted position.

use super::{ExpiryQueue, History, Horizon, PastPosition};
use crate::map::{Position, StreetMap};
use crate::query::{Query, UserId};
use crate::units::{Speed, Time};
use rustc_hash::FxHashMap;
use std::fmt;
use std::time::Duration;

/// Each user's last accepted position, kept for a horizon.
#[derive(Clone)]
pub struct LastPositions {
    horizon: Horizon,
    last: FxHashMap<UserId, KeptPosition>,
    expiry: ExpiryQueue,
}

/// A position and the top speed of its user.
#[derive(Clone, Copy)]
struct KeptPosition {
    past: PastPosition,
    /// `None` if unknown: the position counts for the longest time.
    speed: Option<Speed>,
}

impl LastPositions {
    /// Returns an empty table whose entries expire after `horizon`.
    pub fn new(horizon: impl Into<Horizon>) -> LastPositions {
        let (last, expiry) = (FxHashMap::default(), ExpiryQueue::default());
        LastPositions { horizon: horizon.into(), last, expiry }
    }

    /// Changes how long entries count.
    pub(super) fn set_horizon(&mut self, horizon: Horizon) {
        self.horizon = horizon;
    }

    /// Returns the user's last position if it was recorded within the horizon before `now`.
    pub fn get(&mut self, user: UserId, now: Time) -> Option<PastPosition> {
        self.expire(now);
        let LastPositions { horizon, last, .. } = self;
        // Positions inserted late expire before the front of the queue shows it.
        let counts = |kept: &&KeptPosition| kept.past.at + horizon.of(kept.speed) >= now;
        last.get(&user).filter(counts).map(|kept| kept.past)
    }

    /// Inserts a position of a log, in any order of time. The later of two positions of a user
    /// counts; of two with equal time, the one inserted last. Without the top speed of its user a
    /// position counts for the longest time.
    pub fn insert(&mut self, user: UserId, at: Time, position: Position, speed: Option<Speed>) {
        let is_newest = self.last.get(&user).is_none_or(|known| known.past.at <= at);
        if is_newest {
            let past = PastPosition { at, position, travelled: None };
            self.last.insert(user, KeptPosition { past, speed });
            self.expiry.push(at, user);
        }
    }

    /// As [`LastPositions::insert`], with the position and the top speed of a query.
    pub fn insert_query(&mut self, query: &Query) {
        self.insert(query.user, query.asked_at, query.position, query.speed);
    }

    /// Returns the time up to which the user's last position counts, if it counts at `now`.
    pub fn until(&mut self, user: UserId, now: Time) -> Option<Time> {
        self.get(user, now)?;
        self.last.get(&user).map(|kept| kept.past.at + self.horizon.of(kept.speed))
    }

    /// Forgets the positions outside the horizon before `now`.
    pub fn expire(&mut self, now: Time) {
        let LastPositions { horizon, last, expiry } = self;
        expiry.drop_before(now, horizon.longest(), |user, at| {
            if last.get(&user).is_some_and(|kept| kept.past.at == at) {
                last.remove(&user);
            }
        });
    }

    /// Whether all positions lie on streets of `map`.
    pub fn lie_on(&self, map: &StreetMap) -> bool {
        self.last.values().all(|KeptPosition { past: PastPosition { position, .. }, .. }| {
            (position.street.0 as usize) < map.street_count()
                && position.offset <= map.street(position.street).length
        })
    }

    /// Returns the number of users with a position, expired ones included until they are dropped.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// Whether no user has a position.
    pub fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// Records the position of an accepted query and returns the one it replaces.
    ///
    /// Queries are recorded in order of time. [`crate::guarantee::Admission::admit`] checks the
    /// declared speed first; call this directly only for recorded traffic.
    pub fn record(&mut self, query: &Query) -> Option<PastPosition> {
        let previous = self.get(query.user, query.asked_at);
        let past = PastPosition { at: query.asked_at, position: query.position, travelled: None };
        self.last.insert(query.user, KeptPosition { past, speed: query.speed });
        self.expiry.push(query.asked_at, query.user);
        previous
    }

    /// Records the arrivals of a batch of recorded traffic for [`crate::engine::turn()`].
    pub fn record_all(&mut self, arrivals: &[Query], history: &mut History) {
        for query in arrivals {
            let previous = self.record(query);
            history.set_previous(query.id, previous);
        }
    }
}

/// Entries do not expire until a horizon is set.
impl Default for LastPositions {
    fn default() -> LastPositions {
        LastPositions::new(Duration::MAX)
    }
}

impl fmt::Debug for LastPositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LastPositions({} users)", self.last.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::queries;
    use crate::town::Town;
    use crate::units::Length;

    #[test]
    fn a_position_is_kept_for_the_horizon() {
        let queries = queries();
        let mut positions = LastPositions::new(Duration::from_secs(15));
        assert_eq!(positions.record(&queries[0]), None, "the first query");
        let first = PastPosition {
            at: queries[0].asked_at,
            position: queries[0].position,
            travelled: None,
        };
        assert_eq!(positions.record(&queries[1]), Some(first));
        let second = positions.record(&queries[2]);
        assert_eq!(second.map(|past| past.at), Some(queries[1].asked_at));
        assert!(positions.get(UserId(4711), Time::from_millis(35_000)).is_some());
        assert!(positions.get(UserId(4711), Time::from_millis(35_001)).is_none());
        assert!(positions.last.is_empty() && positions.expiry.0.is_empty());
        assert_eq!(format!("{positions:?} {first:?}"), "LastPositions(0 users) PastPosition(…)");
    }

    #[test]
    fn positions_inserted_in_any_order_equal_the_naive_choice() {
        use rand::RngExt as _;
        let position = |offset| Position {
            street: crate::map::StreetId(0),
            offset: Length::from_units(offset),
        };
        let horizon = Duration::from_millis(40);
        let mut random = Town::generator(3);
        let (mut found, mut expired) = (0, 0);
        for _ in 0..300 {
            let mut positions = LastPositions::new(horizon);
            let mut all: Vec<(UserId, Time, Position)> = Vec::new();
            for number in 0..random.random_range(1..30) {
                let user = UserId(random.random_range(0..6));
                let at = Time::from_millis(random.random_range(0..100));
                positions.insert(user, at, position(number), None);
                all.push((user, at, position(number)));
            }
            for user in (0..6).map(UserId) {
                let now = Time::from_millis(random.random_range(60..150));
                let mut last = LastPositions::clone(&positions);
                let own = all.iter().filter(|(owner, _, _)| *owner == user);
                let naive =
                    own.max_by_key(|(_, at, _)| *at).filter(|(_, at, _)| *at + horizon >= now);
                let past = last.get(user, now).map(|past| (user, past.at, past.position));
                assert_eq!(past, naive.copied());
                found += usize::from(past.is_some());
                expired += usize::from(past.is_none());
            }
        }
        assert!(found > 300 && expired > 300, "{found} {expired}");
    }
}
