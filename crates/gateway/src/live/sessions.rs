//! All sessions by ticket, and the number of open WebSockets.

use super::session::{Session, SessionOwner};
use crate::gateway::Gateway;
use crate::keys::hexadecimal;
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Sessions that are connected or can still be resumed.
#[derive(Debug, Default)]
pub struct Sessions {
    index: Mutex<SessionIndex>,
    /// Number of open WebSockets.
    open: watch::Sender<usize>,
    next_number: AtomicU64,
}

/// Longest wait for open WebSockets at shutdown.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Largest number of sessions of one user.
const MAX_PER_USER: usize = 8;

#[derive(Debug, Default)]
struct SessionIndex {
    by_ticket: FxHashMap<String, Arc<Session>>,
    /// Tickets of each user, oldest first.
    by_owner: FxHashMap<SessionOwner, Vec<String>>,
    /// Number of sessions of each account.
    by_account: FxHashMap<Box<str>, usize>,
}

impl SessionIndex {
    /// Evicts the oldest session of a user who has [`MAX_PER_USER`], disconnected ones first. A
    /// connected session that is evicted continues, but cannot be resumed.
    fn evict_oldest(&mut self, owner: &SessionOwner) {
        let tickets = self.by_owner.entry(owner.clone()).or_default();
        if tickets.len() < MAX_PER_USER {
            return;
        }
        let detached = |ticket: &String| {
            self.by_ticket.get(ticket).is_none_or(|session| session.detached_at().is_some())
        };
        let oldest = tickets.remove(tickets.iter().position(detached).unwrap_or(0));
        if self.by_ticket.remove(&oldest).is_some() {
            self.add_to_account(&owner.account, -1);
        }
    }

    fn count_of(&self, account: &str) -> usize {
        self.by_account.get(account).copied().unwrap_or(0)
    }

    fn add_to_account(&mut self, account: &str, change: isize) {
        let count = self.by_account.entry(account.into()).or_default();
        *count = count.saturating_add_signed(change);
        if *count == 0 {
            self.by_account.remove(account);
        }
    }
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, SessionIndex> {
        self.index.lock()
    }

    /// Stores a session and returns its random ticket; `None` without randomness, or if the account
    /// has `max_of_account` sessions.
    pub(super) fn insert(&self, session: &Arc<Session>, max_of_account: usize) -> Option<String> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).ok()?;
        let ticket = hexadecimal(&bits);
        let mut index = self.lock();
        index.evict_oldest(&session.owner);
        if index.count_of(&session.owner.account) >= max_of_account {
            return None;
        }
        index.add_to_account(&session.owner.account, 1);
        index.by_owner.entry(session.owner.clone()).or_default().push(ticket.clone());
        index.by_ticket.insert(ticket.clone(), Arc::clone(session));
        Some(ticket)
    }

    /// Returns the session of a ticket if it belongs to the user.
    pub(super) fn find(&self, ticket: &str, owner: &SessionOwner) -> Option<Arc<Session>> {
        let session = self.lock().by_ticket.get(ticket).cloned()?;
        (session.owner == *owner).then_some(session)
    }

    /// Removes sessions that have been disconnected for longer than `retention`.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub fn remove_expired(&self, now: Time, retention: Duration) {
        let SessionIndex { by_ticket, by_owner, by_account } = &mut *self.lock();
        by_ticket.retain(|_, session| session.detached_at().is_none_or(|at| at + retention >= now));
        by_owner.retain(|_, tickets| {
            tickets.retain(|ticket| by_ticket.contains_key(ticket));
            !tickets.is_empty()
        });
        by_account.clear();
        for session in by_ticket.values() {
            let count: &mut usize = by_account.entry(session.owner.account.clone()).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Returns a number that is unique within the process.
    pub(crate) fn next_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits until all WebSockets are closed, at most `CLOSE_TIMEOUT`.
    pub async fn wait_until_closed(&self) {
        let mut open = self.open.subscribe();
        tokio::time::timeout(CLOSE_TIMEOUT, open.wait_for(|open| *open == 0)).await.ok();
    }
}

/// Permit for one open WebSocket.
pub(super) struct ConnectionSlot(Arc<Gateway>);

impl ConnectionSlot {
    /// Acquires a slot, within `server.connections` open WebSockets and twice as many sessions.
    pub fn acquire(gateway: &Arc<Gateway>) -> Option<ConnectionSlot> {
        let max = gateway.config().server.connections;
        let sessions = gateway.sessions();
        let is_full = || sessions.lock().by_ticket.len() >= max.saturating_mul(2);
        if is_full() {
            sessions.remove_expired(gateway.clock().now(), gateway.config().results.keep);
        }
        let acquired = !is_full()
            && sessions.open.send_if_modified(|open| {
                let is_free = *open < max;
                *open = open.saturating_add(usize::from(is_free));
                is_free
            });
        acquired.then(|| ConnectionSlot(Arc::clone(gateway)))
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.sessions().open.send_modify(|open| *open = open.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::standing::StandingQuery;

    fn session(account: &str, user: &str) -> Arc<Session> {
        let standing = StandingQuery { k: 2, dt: 1.0, question: None };
        Arc::new(Session::new(SessionOwner::new(account, user), standing, Default::default()))
    }

    #[test]
    fn a_ticket_is_useless_to_another_user_or_account() {
        let sessions = Sessions::default();
        let ticket = sessions.insert(&session("a", "jo"), 100).unwrap();
        assert!(sessions.find(&ticket, &SessionOwner::new("a", "jo")).is_some());
        for (account, user) in [("b", "jo"), ("a", "al"), ("b", "al"), ("a", ""), ("", "jo")] {
            let owner = SessionOwner::new(account, user);
            assert!(sessions.find(&ticket, &owner).is_none(), "{account} {user}");
        }
        assert!(sessions.find(&ticket[1..], &SessionOwner::new("a", "jo")).is_none());
    }

    #[test]
    fn a_user_has_at_most_eight_sessions_and_other_users_lose_none() {
        let (sessions, now) = (Sessions::default(), Time::from_millis(5));
        let other = sessions.insert(&session("b", "jo"), 100).unwrap();
        let tickets: Vec<String> = (0..100)
            .map(|_| {
                let session = session("a", "jo");
                let ticket = sessions.insert(&session, 100).unwrap();
                session.detach(session.attach(None).number, now);
                ticket
            })
            .collect();
        assert_eq!(sessions.lock().by_ticket.len(), MAX_PER_USER + 1);
        let known =
            |ticket: &&String| sessions.find(ticket, &SessionOwner::new("a", "jo")).is_some();
        assert_eq!(tickets.iter().filter(known).count(), MAX_PER_USER);
        assert!(
            known(&&tickets[99]) && sessions.find(&other, &SessionOwner::new("b", "jo")).is_some()
        );
        // Of connected sessions the oldest can no longer be resumed.
        let connected: Vec<String> = (0..=MAX_PER_USER)
            .map(|_| sessions.insert(&session("c", "jo"), 100).unwrap())
            .collect();
        let known =
            |ticket: &&String| sessions.find(ticket, &SessionOwner::new("c", "jo")).is_some();
        assert!(!known(&&connected[0]) && connected[1..].iter().all(|ticket| known(&ticket)));
        sessions.remove_expired(now + Duration::from_secs(99), Duration::from_secs(60));
        let counts: Vec<usize> = sessions.lock().by_owner.values().map(Vec::len).collect();
        assert_eq!(
            counts.iter().sum::<usize>(),
            MAX_PER_USER + 1,
            "sessions of `a` expired: {counts:?}"
        );
    }

    #[test]
    fn an_account_has_a_bounded_number_of_sessions_and_others_are_not_affected() {
        let (sessions, now) = (Sessions::default(), Time::from_millis(5));
        let open = |account: &str, user: usize| {
            let session = session(account, &user.to_string());
            let ticket = sessions.insert(&session, 20);
            session.detach(session.attach(None).number, now);
            ticket.is_some()
        };
        assert_eq!((0..50).filter(|&user| open("a", user)).count(), 20);
        assert!(open("b", 0), "other accounts are not affected");
        sessions.remove_expired(now + Duration::from_secs(99), Duration::from_secs(60));
        assert_eq!((0..50).filter(|&user| open("a", user)).count(), 20);
    }
}
