//! Queries of standing questions that are held back until a secret time (docs/SPEC.md §6, the clock
//! `published` of `history`).
//!
//! A standing question has a fixed cadence. If each query left as soon as it can, the times of
//! publication would tell when the user asked, and the promise of this clock would be void. So the
//! times at which queries of a user are released do not depend on when its reports arrive:
//!
//! ```text
//! reports     ·         ·         ·         ·         ·         ·
//! releases         R0                R1              R2
//! R(n+1) = R(n) + interval + secret part of the interval
//! ```
//!
//! At least one report arrives between two releases. All that are held then reach the engine in one
//! batch, where the newest replaces the others and carries their questions. A wait after each report
//! would not hide the cadence from an observer of many publications: exactly one would fall into each
//! interval between reports.

use crate::mailbox::{Arrival, Client};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A standing question whose query is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingQuestion {
    /// Reporting interval of the user.
    pub interval: Duration,
    /// Secret random number, new for each query.
    pub secret: u64,
}

impl StandingQuestion {
    /// Returns a secret part of the interval.
    fn wait(self) -> Duration {
        self.interval.mul_f64(self.secret as f64 / 2_f64.powi(64))
    }
}

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
    /// Time of the next release, or of the last one if nothing is held.
    release: Time,
    interval: Duration,
    arrivals: Vec<Arrival<O>>,
}

impl<O> Default for HeldArrivals<O> {
    fn default() -> HeldArrivals<O> {
        HeldArrivals { users: FxHashMap::default(), user_of: FxHashMap::default() }
    }
}

#[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
impl<O> HeldArrivals<O> {
    /// Returns until when a query that arrives now is held.
    pub(crate) fn until(&mut self, user: UserId, now: Time, standing: StandingQuestion) -> Time {
        let StandingQuestion { interval, .. } = standing;
        let first = HeldUser { release: now + standing.wait(), interval, arrivals: Vec::new() };
        let held = self.users.entry(user).or_insert(first);
        if held.release < now && held.arrivals.is_empty() {
            let next = held.release + interval + standing.wait();
            held.release = if next < now { now + standing.wait() } else { next };
        }
        held.interval = interval;
        held.release
    }

    /// Holds a query of a user until the time that [`HeldArrivals::until`] has returned.
    pub(crate) fn push(&mut self, arrival: Arrival<O>) {
        let Query { id, user, asked_at: release, .. } = *arrival.query.expose();
        self.user_of.insert(id, user);
        let held = self.users.entry(user).or_insert_with(|| HeldUser {
            release,
            interval: Duration::ZERO,
            arrivals: Vec::new(),
        });
        held.arrivals.push(arrival);
    }

    /// Releases the queries that are held until `now` or earlier, in order of arrival. Forgets users
    /// without reports.
    pub(crate) fn release(&mut self, now: Time) -> Vec<Arrival<O>> {
        let mut released = Vec::new();
        self.users.retain(|_, held| {
            if held.release <= now {
                released.append(&mut held.arrivals);
            }
            held.release + held.interval + held.interval >= now
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
