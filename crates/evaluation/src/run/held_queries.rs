//! Queries that are held until secret times, as the gateway holds standing questions
//! ([`meshcloak::standing`]).

use meshcloak::mix::mix64;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::standing::{Releases, StandingQuestion};
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::Duration;

/// Held queries of all users.
#[derive(Debug, Default)]
pub struct HeldQueries {
    releases: FxHashMap<UserId, Releases>,
    /// By time of release.
    held: BTreeMap<(Time, QueryId), Query>,
    /// Time of the last release.
    released: Time,
}

impl HeldQueries {
    /// Holds a query that arrives when it is asked. Its tolerance begins with its release.
    pub fn push(&mut self, mut query: Query, interval: Duration) {
        let standing = StandingQuestion { interval, secret: mix64(query.id.0) };
        let now = query.asked_at;
        let releases =
            self.releases.entry(query.user).or_insert_with(|| Releases::new(now, standing));
        let holds = releases.at() > self.released;
        let until = releases.until(now, standing, holds);
        query.temporal_tolerance += until - now;
        self.held.insert((until, query.id), query);
    }

    /// Returns the time of the next release.
    pub fn next(&self) -> Option<Time> {
        self.held.keys().next().map(|key| key.0)
    }

    /// Releases the queries that are held until `now` or earlier, in order of arrival.
    pub fn release(&mut self, now: Time) -> Vec<Query> {
        self.released = now;
        let later = self.held.split_off(&(now, QueryId(u64::MAX)));
        let mut released: Vec<Query> =
            std::mem::replace(&mut self.held, later).into_values().collect();
        released.sort_unstable_by_key(|query| query.id);
        released
    }
}
