//! All sessions: who may resume which, how many sockets there are, and when the last has gone.

use super::session::{Session, Whose};
use crate::gateway::Gateway;
use crate::keys::hexadecimal;
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Everybody who asks on a socket, or did a moment ago.
#[derive(Debug, Default)]
pub struct Sessions {
    kept: Mutex<Kept>,
    open: watch::Sender<usize>,
    counted: AtomicU64,
}

/// How long the last sockets may take to go.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Sessions of one person at most.
const MOST_OF_ONE: usize = 8;

#[derive(Debug, Default)]
struct Kept {
    by_ticket: FxHashMap<String, Arc<Session>>,
    /// The tickets of each person, oldest first.
    by_person: FxHashMap<Whose, Vec<String>>,
}

impl Kept {
    /// Makes room for one more session of somebody: whoever comes again and again without
    /// resuming loses the oldest, those first that no socket carries. What a socket carries goes
    /// on, but cannot be resumed.
    fn make_room(&mut self, whose: &Whose) {
        let tickets = self.by_person.entry(whose.clone()).or_default();
        if tickets.len() < MOST_OF_ONE {
            return;
        }
        let left = |ticket: &String| {
            self.by_ticket.get(ticket).is_none_or(|session| session.left().is_some())
        };
        let oldest = tickets.remove(tickets.iter().position(left).unwrap_or(0));
        self.by_ticket.remove(&oldest);
    }
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }

    /// Keeps a session for whoever has its ticket; `None` without randomness.
    pub(super) fn keep(&self, session: &Arc<Session>) -> Option<String> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).ok()?;
        let ticket = hexadecimal(&bits);
        let mut kept = self.lock();
        kept.make_room(&session.whose);
        kept.by_person.entry(session.whose.clone()).or_default().push(ticket.clone());
        kept.by_ticket.insert(ticket.clone(), Arc::clone(session));
        Some(ticket)
    }

    /// The session of a ticket, if it is that person's.
    pub(super) fn find(&self, ticket: &str, account: &str, person: &str) -> Option<Arc<Session>> {
        let session = self.lock().by_ticket.get(ticket).cloned()?;
        (*session.whose.0 == *account && *session.whose.1 == *person).then_some(session)
    }

    /// Forgets sessions that nobody has resumed for so long.
    pub fn tidy(&self, now: Time, kept: Duration) {
        let Kept { by_ticket, by_person } = &mut *self.lock();
        by_ticket.retain(|_, session| session.left().is_none_or(|left| left + kept >= now));
        by_person.retain(|_, tickets| {
            tickets.retain(|ticket| by_ticket.contains_key(ticket));
            !tickets.is_empty()
        });
    }

    /// A number that nobody gets twice.
    pub(crate) fn count(&self) -> u64 {
        self.counted.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits until the last socket has gone, for a while.
    pub async fn all_gone(&self) {
        let mut open = self.open.subscribe();
        tokio::time::timeout(LAST_WORDS, open.wait_for(|open| *open == 0)).await.ok();
    }
}

/// Room for one socket.
pub(super) struct Seat(Arc<Gateway>);

impl Seat {
    /// A seat, unless all are taken: by sockets, or by sessions that may yet be resumed.
    pub fn take(gateway: &Arc<Gateway>) -> Option<Seat> {
        let most = gateway.config().server.connections;
        let sessions = gateway.sessions();
        if sessions.lock().by_ticket.len() >= most.saturating_mul(2) {
            sessions.tidy(gateway.clock().now(), gateway.config().results.keep);
        }
        let kept = sessions.lock().by_ticket.len() < most.saturating_mul(2);
        let taken = kept
            && sessions.open.send_if_modified(|open| {
                let room = *open < most;
                *open += usize::from(room);
                room
            });
        taken.then(|| Seat(Arc::clone(gateway)))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.sessions().open.send_modify(|open| *open -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::standing::Standing;

    fn session(account: &str, person: &str) -> Arc<Session> {
        let standing = Standing { k: 2, dt: 1.0, question: None };
        Arc::new(Session::new((account.into(), person.into()), standing))
    }

    #[test]
    fn a_ticket_opens_nothing_for_another_person_or_account() {
        let sessions = Sessions::default();
        let ticket = sessions.keep(&session("a", "jo")).unwrap();
        assert!(sessions.find(&ticket, "a", "jo").is_some());
        for (account, person) in [("b", "jo"), ("a", "al"), ("b", "al"), ("a", ""), ("", "jo")] {
            assert!(sessions.find(&ticket, account, person).is_none(), "{account} {person}");
        }
        assert!(sessions.find(&ticket[1..], "a", "jo").is_none());
    }

    #[test]
    fn who_comes_again_without_resuming_has_eight_sessions_and_nobody_else_loses_any() {
        let (sessions, now) = (Sessions::default(), Time::from_millis(5));
        let other = sessions.keep(&session("b", "jo")).unwrap();
        let tickets: Vec<String> = (0..100)
            .map(|_| {
                let session = session("a", "jo");
                let ticket = sessions.keep(&session).unwrap();
                let (carrier, _) = session.carry(None);
                session.leave(carrier, now);
                ticket
            })
            .collect();
        assert_eq!(sessions.lock().by_ticket.len(), MOST_OF_ONE + 1);
        let known = |ticket: &&String| sessions.find(ticket, "a", "jo").is_some();
        assert_eq!(tickets.iter().filter(known).count(), MOST_OF_ONE);
        assert!(known(&&tickets[99]) && sessions.find(&other, "b", "jo").is_some());
        // Of those that sockets carry, the oldest can no longer be resumed.
        let carried: Vec<String> =
            (0..=MOST_OF_ONE).map(|_| sessions.keep(&session("c", "jo")).unwrap()).collect();
        let known = |ticket: &&String| sessions.find(ticket, "c", "jo").is_some();
        assert!(!known(&&carried[0]) && carried[1..].iter().all(|ticket| known(&ticket)));
        sessions.tidy(now + Duration::from_secs(99), Duration::from_secs(60));
        let left: Vec<usize> = sessions.lock().by_person.values().map(Vec::len).collect();
        assert_eq!(left.iter().sum::<usize>(), MOST_OF_ONE + 1, "a's are forgotten: {left:?}");
    }
}
