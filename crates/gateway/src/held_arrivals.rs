//! Queries of standing questions that are held back until a secret time ([`meshcloak::standing`]). All
//! of a user that are held reach the engine in one batch, where the newest carries the questions of the
//! others.

use crate::mailbox::{Arrival, Client};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::standing::Releases;
pub use meshcloak::standing::StandingQuestion;
use meshcloak::units::Time;
use rustc_hash::FxHashMap;

/// The held queries of each user.
#[derive(Debug)]
pub(crate) struct HeldArrivals<O = Client> {
    users: FxHashMap<UserId, HeldUser<O>>,
    /// User of each held query.
    user_of: FxHashMap<QueryId, UserId>,
}

/// Queries of one user, in order of arrival.
#[derive(Debug)]
struct HeldUser<O> {
    releases: Releases,
    arrivals: Vec<Arrival<O>>,
}

impl<O> Default for HeldArrivals<O> {
    fn default() -> HeldArrivals<O> {
        HeldArrivals { users: FxHashMap::default(), user_of: FxHashMap::default() }
    }
}

impl<O> HeldArrivals<O> {
    /// Returns until when a query that arrives now is held.
    pub(crate) fn until(&mut self, user: UserId, now: Time, standing: StandingQuestion) -> Time {
        let held = self.users.entry(user).or_insert_with(|| HeldUser {
            releases: Releases::new(now, standing),
            arrivals: Vec::new(),
        });
        held.releases.until(now, standing, !held.arrivals.is_empty())
    }

    /// Holds a query of a user until the time that [`HeldArrivals::until`] has returned.
    pub(crate) fn push(&mut self, arrival: Arrival<O>) {
        let Query { id, user, .. } = *arrival.query.expose();
        self.user_of.insert(id, user);
        if let Some(held) = self.users.get_mut(&user) {
            held.arrivals.push(arrival);
        }
    }

    /// Releases the queries that are held until `now` or earlier, in order of arrival. Forgets users
    /// without reports.
    pub(crate) fn release(&mut self, now: Time) -> Vec<Arrival<O>> {
        let mut released = Vec::new();
        self.users.retain(|_, held| {
            if held.releases.at() <= now {
                released.append(&mut held.arrivals);
            }
            !held.releases.is_over(now)
        });
        released.sort_unstable_by_key(|arrival| arrival.query.expose().id);
        self.forget(released)
    }

    /// Releases the queries of a user who has sent another one: it must not leave before them.
    pub(crate) fn release_user(&mut self, user: UserId) -> Vec<Arrival<O>> {
        let held = self.users.get_mut(&user);
        let released = held.map_or(Vec::new(), |held| std::mem::take(&mut held.arrivals));
        self.forget(released)
    }

    /// Releases one query, with the others of its user.
    pub(crate) fn release_query(&mut self, id: QueryId) -> Vec<Arrival<O>> {
        let user = self.user_of.get(&id).copied();
        user.map_or(Vec::new(), |user| self.release_user(user))
    }

    /// Forgets the users of released queries.
    fn forget(&mut self, released: Vec<Arrival<O>>) -> Vec<Arrival<O>> {
        for arrival in &released {
            self.user_of.remove(&arrival.query.expose().id);
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mailbox::Pending;
    use meshcloak::map::{Position, StreetId};
    use meshcloak::mix::mix64;
    use meshcloak::units::Length;
    use std::time::Duration;

    fn arrival(id: u64, user: u64) -> Arrival<()> {
        let position = Position { street: StreetId(0), offset: Length::ZERO };
        let query = Query::builder(UserId(user), position).id(QueryId(id)).build_unchecked();
        let pending = Pending {
            origin: (),
            question: None.into(),
            id: QueryId(id),
            k: 2,
            asked_at: query.asked_at,
            deadline: query.asked_at,
        };
        Arrival { query: query.into(), pending, carried: Vec::new(), previous: None.into() }
    }

    fn ids(arrivals: Vec<Arrival<()>>) -> Vec<u64> {
        arrivals.into_iter().map(|arrival| arrival.pending.id.0).collect()
    }

    const NONE: [u64; 0] = [];

    /// Half of an interval of ten seconds.
    const HALF: StandingQuestion =
        StandingQuestion { interval: Duration::from_secs(10), secret: 1 << 63 };

    #[test]
    fn queries_are_held_from_release_to_release() {
        let at = |seconds: u64| Time::from_millis(seconds * 1_000);
        let mut held = HeldArrivals::default();
        let report = |held: &mut HeldArrivals<()>, id: u64, user: u64, seconds: u64| {
            let until = held.until(UserId(user), at(seconds), HALF);
            held.push(arrival(id, user));
            until
        };
        assert_eq!(report(&mut held, 1, 7, 100), at(105), "the first waits for a part");
        assert_eq!(report(&mut held, 2, 8, 102), at(107));
        assert_eq!(ids(held.release(at(104))), NONE);
        assert_eq!(ids(held.release(at(105))), [1]);
        assert_eq!(report(&mut held, 3, 7, 110), at(120), "an interval and a part after 105");
        assert_eq!(report(&mut held, 4, 7, 119), at(120), "with the one before");
        assert_eq!(ids(held.release(at(119))), [2]);
        assert_eq!(ids(held.release(at(120))), [3, 4]);
        assert_eq!(report(&mut held, 5, 7, 190), at(195), "after a pause as at first");
        assert_eq!(ids(held.release_query(QueryId(5))), [5]);
        assert_eq!(report(&mut held, 6, 7, 191), at(195));
        assert_eq!(ids(held.release_user(UserId(7))), [6]);
        assert_eq!(ids(held.release(at(400))), NONE);
        assert!(held.users.is_empty(), "users without reports are forgotten");
        assert!(held.user_of.is_empty());
    }

    #[test]
    fn releases_do_not_depend_on_when_reports_arrive() {
        // Reports every ten seconds at two phases: the times between releases are the same.
        let releases = |phase: u64| {
            let mut held: HeldArrivals<()> = HeldArrivals::default();
            let mut releases = Vec::new();
            let (user, interval) = (UserId(7), Duration::from_secs(10));
            let mut last = held.until(user, Time::default(), HALF);
            for number in 1..400 {
                let now = Time::from_millis(number * 10_000 + phase);
                held.release(now);
                let secret = mix64(releases.len() as u64);
                let until = held.until(user, now, StandingQuestion { interval, secret });
                if until != last {
                    releases.push(until - last);
                    last = until;
                }
                held.push(arrival(number, 7));
            }
            releases
        };
        let (early, late) = (releases(0), releases(7_300));
        assert!(early.len() > 200 && late.len() > 200);
        let same = early.iter().zip(&late).take(200).filter(|(a, b)| a == b).count();
        assert!(same >= 199, "{same}: only the first release may differ");
        let second = Duration::from_secs(1);
        assert!(early[1..].iter().all(|gap| (10 * second..20 * second).contains(gap)));
    }
}
