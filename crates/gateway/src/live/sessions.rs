//! All sessions: who may resume which, how many sockets there are, and when the last has gone.

use super::session::Session;
use crate::gateway::Gateway;
use crate::keys::hexadecimal;
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Everybody who asks on a socket, or did a moment ago.
#[derive(Debug, Default)]
pub struct Sessions {
    by_ticket: Mutex<FxHashMap<String, Arc<Session>>>,
    open: watch::Sender<usize>,
    counted: AtomicU64,
}

/// How long the last sockets may take to go.
const LAST_WORDS: Duration = Duration::from_secs(5);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<String, Arc<Session>>> {
        self.by_ticket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a session for whoever has its ticket; `None` without randomness.
    pub(super) fn keep(&self, session: &Arc<Session>) -> Option<String> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).ok()?;
        let ticket = hexadecimal(&bits);
        self.lock().insert(ticket.clone(), Arc::clone(session));
        Some(ticket)
    }

    /// The session of a ticket, if it is that person's.
    pub(super) fn find(&self, ticket: &str, account: &str, person: &str) -> Option<Arc<Session>> {
        let session = self.lock().get(ticket).cloned()?;
        (*session.whose.0 == *account && *session.whose.1 == *person).then_some(session)
    }

    /// Forgets sessions that nobody has resumed for so long.
    pub fn tidy(&self, now: Time, kept: Duration) {
        self.lock().retain(|_, session| session.left().is_none_or(|left| left + kept >= now));
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
        if sessions.lock().len() >= most.saturating_mul(2) {
            sessions.tidy(gateway.clock().now(), gateway.config().results.keep);
        }
        let kept = sessions.lock().len() < most.saturating_mul(2);
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
