//! State that survives a disconnect: the standing query, the motion, and the last messages to the
//! client.

use super::message_buffer::{ChargedText, MessageBuffer};
use super::standing::StandingQuery;
use crate::outcome::Finished;
use crate::tickets::ResultListener;
use crate::trackers::MotionTrack;
use crate::unread_bytes::UnreadShare;
use meshcloak::private::Private;
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio::sync::watch;

/// Account and user of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SessionOwner {
    pub account: Box<str>,
    pub user: Private<Box<str>>,
}

impl SessionOwner {
    pub fn new(account: &str, user: &str) -> SessionOwner {
        SessionOwner { account: account.into(), user: Private::new(user.into()) }
    }
}

/// Number of a connection within its session, and the last `seq` that its client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attached {
    pub number: u64,
    pub sent: u64,
}

/// Continuous queries of one user.
pub(super) struct Session {
    pub owner: SessionOwner,
    state: Mutex<SessionState>,
    /// Incremented with every change that a connection may wait for.
    changed: watch::Sender<u64>,
}

/// Prints neither user nor messages.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session(…)")
    }
}

/// The part of a session behind its lock.
pub(super) struct SessionState {
    pub standing: StandingQuery,
    pub track: MotionTrack,
    messages: MessageBuffer,
    /// Number of waiting queries.
    waiting: usize,
    /// Number of the current connection.
    connection: u64,
    /// Time of the disconnect.
    detached_at: Option<Time>,
    /// No more queries are accepted.
    ended: bool,
}

/// Next action of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextAction {
    /// Send a message, with its `seq` if it has one.
    Send(Option<u64>, ChargedText),
    /// Close: another connection serves the session.
    Replaced,
    /// Close: the session has ended and all messages were sent.
    Ended,
}

impl Session {
    pub fn new(owner: SessionOwner, standing: StandingQuery, unread: UnreadShare) -> Session {
        let state = SessionState {
            standing,
            track: MotionTrack::default(),
            messages: MessageBuffer::new(unread),
            waiting: 0,
            connection: 0,
            detached_at: None,
            ended: false,
        };
        Session { owner, state: Mutex::new(state), changed: watch::Sender::new(0) }
    }

    pub fn lock(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock()
    }

    fn notify(&self) {
        self.changed.send_modify(|number| *number = number.wrapping_add(1));
    }

    /// Attaches a new connection, which replaces the current one. Messages after `after` are sent
    /// again; without it, those after the last confirmed message.
    pub fn attach(&self, after: Option<u64>) -> Attached {
        let mut state = self.lock();
        state.connection = state.connection.wrapping_add(1);
        state.detached_at = None;
        let attached = Attached { number: state.connection, sent: state.messages.rewind(after) };
        drop(state);
        self.notify();
        attached
    }

    /// Detaches a connection, unless another one has replaced it.
    pub fn detach(&self, connection: u64, now: Time) {
        let mut state = self.lock();
        if state.connection == connection {
            state.detached_at = Some(now);
        }
    }

    /// Returns the time of the disconnect; `None` while connected.
    pub fn detached_at(&self) -> Option<Time> {
        self.lock().detached_at
    }

    /// Counts one more waiting query.
    pub fn add_waiting(&self) {
        let mut state = self.lock();
        state.waiting = state.waiting.saturating_add(1);
    }

    /// Counts one waiting query less.
    pub fn remove_waiting(&self) {
        let mut state = self.lock();
        state.waiting = state.waiting.saturating_sub(1);
    }

    /// Queues a message.
    pub fn push(&self, kind: &str, body: &[u8]) {
        self.lock().messages.push(kind, body);
        self.notify();
    }

    /// Ends the session: no more queries are accepted.
    pub fn end(&self) {
        self.lock().ended = true;
        self.notify();
    }

    /// Waits for the next action of a connection.
    ///
    /// # Cancel safety
    /// A message stays in the buffer until [`Session::mark_sent`].
    pub async fn next(&self, connection: u64) -> NextAction {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(next) = self.lock().next(connection) {
                return next;
            }
            // Cannot fail: the sender lives as long as the session.
            changed.changed().await.ok();
        }
    }

    /// Records a message of the client: everything sent before has most likely arrived.
    pub fn confirm_sent(&self) {
        self.lock().messages.confirm();
    }

    /// Records that a message was written to the socket.
    pub fn mark_sent(&self, seq: u64) {
        self.lock().messages.mark_sent(seq);
    }
}

impl SessionState {
    fn next(&mut self, connection: u64) -> Option<NextAction> {
        if self.connection != connection {
            return Some(NextAction::Replaced);
        }
        if let Some((seq, text)) = self.messages.next() {
            return Some(NextAction::Send(seq, text));
        }
        (self.ended && self.waiting == 0).then_some(NextAction::Ended)
    }
}

/// Delivers the results of a session's queries to it.
#[derive(Debug)]
pub(super) struct SessionListener(pub Arc<Session>);

impl ResultListener for SessionListener {
    fn on_result(self: Box<SessionListener>, finished: &Finished) {
        {
            let mut state = self.0.lock();
            state.waiting = state.waiting.saturating_sub(1);
            state.messages.push("result", &finished.body);
        }
        self.0.notify();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::messages::skipped;
    use crate::outcome::Outcome;

    fn session() -> Arc<Session> {
        let standing = StandingQuery { k: 2, dt: 1.0, question: None };
        Arc::new(Session::new(SessionOwner::new("a", "b"), standing, Default::default()))
    }

    fn finish(session: &Arc<Session>, body: String) {
        session.add_waiting();
        let finished = Finished { outcome: Outcome::Answered, body: body.into() };
        Box::new(SessionListener(Arc::clone(session))).on_result(&finished);
    }

    async fn seq(session: &Session, connection: u64) -> u64 {
        match session.next(connection).await {
            NextAction::Send(Some(seq), _) => seq,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_slow_client_gets_the_newest_messages_and_the_number_skipped() {
        let session = session();
        let connection = session.attach(None).number;
        for number in 0..100 {
            finish(&session, format!("{{\"n\":{number}}}"));
        }
        assert_eq!(
            session.next(connection).await,
            NextAction::Send(None, ChargedText::free(skipped(68)))
        );
        assert_eq!(seq(&session, connection).await, 69);
        assert_eq!(session.lock().waiting, 0);
    }

    #[tokio::test]
    async fn missed_messages_are_sent_again_once_and_the_old_connection_is_closed() {
        let session = session();
        let first = session.attach(None).number;
        for _ in 0..4 {
            finish(&session, "{}".into());
        }
        for expected in 1..=3 {
            assert_eq!(seq(&session, first).await, expected);
            session.mark_sent(expected);
        }
        session.detach(first, Time::from_millis(7));
        assert_eq!(session.detached_at(), Some(Time::from_millis(7)));
        let Attached { number: second, sent: from } = session.attach(Some(2));
        assert_eq!((from, session.detached_at()), (2, None));
        assert_eq!(session.next(first).await, NextAction::Replaced);
        session.detach(first, Time::from_millis(9));
        assert_eq!(session.detached_at(), None, "a replaced connection does not detach");
        for expected in 3..=4 {
            assert_eq!(seq(&session, second).await, expected);
            session.mark_sent(expected);
        }
        session.end();
        assert_eq!(session.next(second).await, NextAction::Ended);
        let Attached { number: third, sent: from } = session.attach(Some(u64::MAX));
        assert_eq!(from, 4, "`after` is clamped to the last message");
        assert_eq!(session.next(third).await, NextAction::Ended);
        assert_eq!(session.attach(None).sent, 0, "nothing is confirmed yet");
        session.mark_sent(3);
        session.confirm_sent();
        session.mark_sent(4);
        assert_eq!(session.attach(None).sent, 3);
    }
}
