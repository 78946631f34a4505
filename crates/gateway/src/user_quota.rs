//! Number of distinct users that an account may name within an hour.
//!
//! k counts users, and an account can invent them. The quota bounds how many.

use meshcloak::query::UserId;
use meshcloak::units::Time;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A user counts for this long after the last query.
const WINDOW: Duration = Duration::from_secs(3600);

/// Shortest time between two scans for users that no longer count.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);

/// Users of one account within the last hour; at most the quota.
#[derive(Debug, Default)]
pub struct UserQuota(Mutex<RecentUsers>);

#[derive(Debug, Default)]
struct RecentUsers {
    /// Time of each user's last query.
    last: FxHashMap<UserId, Time>,
    last_scan: Time,
}

impl UserQuota {
    /// Counts a query of a user at `now`. Returns false if the user is new and `max` others count.
    pub fn allow(&self, user: UserId, now: Time, max: usize) -> bool {
        let mut recent = self.0.lock();
        if let Some(last) = recent.last.get_mut(&user) {
            *last = now;
            return true;
        }
        if recent.last.len() >= max {
            recent.remove_old(now);
        }
        let is_free = recent.last.len() < max;
        if is_free {
            recent.last.insert(user, now);
        }
        is_free
    }

    /// Removes users that no longer count.
    pub fn purge(&self, now: Time) {
        let mut recent = self.0.lock();
        recent.remove_old(now);
        recent.last.shrink_to_fit();
    }
}

impl RecentUsers {
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    fn remove_old(&mut self, now: Time) {
        if now < self.last_scan + SCAN_INTERVAL && self.last_scan != Time::default() {
            return;
        }
        self.last_scan = now;
        self.last.retain(|_, last| *last + WINDOW > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::from_millis(seconds * 1000)
    }

    #[test]
    fn new_users_beyond_the_quota_are_refused_until_an_hour_has_passed() {
        let quota = UserQuota::default();
        for user in 0..10 {
            assert!(quota.allow(UserId(user), at(10 + user), 10));
        }
        assert!(!quota.allow(UserId(10), at(30), 10));
        assert!(quota.allow(UserId(3), at(40), 10), "a known user is not new");
        assert!(!quota.allow(UserId(10), at(3_609), 10));
        assert!(quota.allow(UserId(10), at(3_610), 10), "user 0 no longer counts");
        assert!(!quota.allow(UserId(11), at(3_610), 10));
        assert_eq!(quota.0.lock().last.len(), 10);
    }

    #[test]
    fn a_flood_of_names_costs_no_memory_and_one_scan_a_second() {
        let quota = UserQuota::default();
        let allowed = (0..100_000).filter(|&user| quota.allow(UserId(user), at(100), 500)).count();
        assert_eq!(allowed, 500);
        assert_eq!(quota.0.lock().last.len(), 500);
        quota.purge(at(4_000));
        assert_eq!(quota.0.lock().last.len(), 0);
    }
}
