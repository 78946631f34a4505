//! What outlives a connection: how somebody asks, and the last things that were to be said to
//! her. Bounded: where she does not listen, the newest push out the oldest.

use super::messages::{numbered, skipped};
use super::standing::Standing;
use crate::outcome::Finished;
use crate::phones::Track;
use crate::tickets::ResultListener;
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::watch;

/// Messages that are kept at most, and their bytes.
const MOST: usize = 32;
const MOST_BYTES: usize = 64 << 10;

/// An account, and the name of a person within it.
pub(super) type Whose = (Box<str>, Box<str>);

/// One person's continuous queries.
pub(super) struct Session {
    pub whose: Whose,
    inside: Mutex<Inside>,
    /// Changes with everything that a socket may wait for.
    changed: watch::Sender<u64>,
}

/// Who it is never gets printed.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session(…)")
    }
}

pub(super) struct Inside {
    pub standing: Standing,
    pub track: Track,
    /// Messages by number, ascending.
    ring: VecDeque<(u64, String)>,
    bytes: usize,
    last: u64,
    sent: u64,
    /// What had been sent when something was last heard of her.
    confirmed: u64,
    skipped: u64,
    waiting: usize,
    /// Which socket carries it.
    carrier: u64,
    left: Option<Time>,
    over: bool,
}

/// What a socket has to do next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// To say this; a result has a number.
    Say(Option<u64>, String),
    /// To go: another socket carries the session.
    Replaced,
    /// To go: all has been said.
    Over,
}

impl Session {
    pub fn new(whose: Whose, standing: Standing) -> Session {
        let inside = Inside {
            standing,
            track: Track::default(),
            ring: VecDeque::new(),
            bytes: 0,
            last: 0,
            sent: 0,
            confirmed: 0,
            skipped: 0,
            waiting: 0,
            carrier: 0,
            left: None,
            over: false,
        };
        Session { whose, inside: Mutex::new(inside), changed: watch::Sender::new(0) }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock()
    }

    fn touch(&self) {
        self.changed.send_modify(|number| *number += 1);
    }

    /// Another socket carries it from now on, which has seen all up to `after`, or what had been
    /// sent when something was last heard of her; tells its number and that of the message.
    pub fn carry(&self, after: Option<u64>) -> (u64, u64) {
        let mut inside = self.lock();
        inside.carrier += 1;
        inside.left = None;
        inside.sent = after.unwrap_or(inside.confirmed).min(inside.last);
        let numbers = (inside.carrier, inside.sent);
        drop(inside);
        self.touch();
        numbers
    }

    /// A socket has ended.
    pub fn leave(&self, carrier: u64, now: Time) {
        let mut inside = self.lock();
        if inside.carrier == carrier {
            inside.left = Some(now);
        }
    }

    /// Since when no socket carries it.
    pub fn left(&self) -> Option<Time> {
        self.lock().left
    }

    /// One more query waits.
    pub fn expect(&self) {
        self.lock().waiting += 1;
    }

    /// One that was expected does not wait.
    pub fn expected_none(&self) {
        let mut inside = self.lock();
        inside.waiting = inside.waiting.saturating_sub(1);
    }

    /// Says how a query ended, or that it was refused.
    pub fn say(&self, kind: &str, body: &[u8]) {
        self.lock().put(kind, body);
        self.touch();
    }

    /// No more is asked.
    pub fn end(&self) {
        self.lock().over = true;
        self.touch();
    }

    /// Waits for what a socket has to do next.
    pub async fn next(&self, carrier: u64) -> Next {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(next) = self.lock().next(carrier) {
                return next;
            }
            // The sender lives as long as the session.
            changed.changed().await.ok();
        }
    }

    /// Something was heard of her: what was sent before has most likely arrived.
    pub fn heard(&self) {
        let mut inside = self.lock();
        inside.confirmed = inside.sent;
    }

    /// A message has been sent.
    pub fn sent(&self, seq: u64) {
        let mut inside = self.lock();
        inside.sent = inside.sent.max(seq);
    }
}

impl Inside {
    fn put(&mut self, kind: &str, body: &[u8]) {
        self.last += 1;
        let text = numbered(kind, self.last, body);
        self.bytes += text.len();
        self.ring.push_back((self.last, text));
        while self.ring.len() > MOST || (self.bytes > MOST_BYTES && self.ring.len() > 1) {
            let Some((seq, text)) = self.ring.pop_front() else { break };
            self.bytes -= text.len();
            self.skipped += u64::from(seq > self.sent);
        }
    }

    fn next(&mut self, carrier: u64) -> Option<Next> {
        if self.carrier != carrier {
            return Some(Next::Replaced);
        }
        if self.skipped > 0 {
            let skipped = skipped(std::mem::take(&mut self.skipped));
            return Some(Next::Say(None, skipped));
        }
        let unsaid = self.ring.iter().find(|(seq, _)| *seq > self.sent);
        if let Some((seq, text)) = unsaid {
            return Some(Next::Say(Some(*seq), text.clone()));
        }
        (self.over && self.waiting == 0).then_some(Next::Over)
    }
}

/// Hears how a query of a session ended.
#[derive(Debug)]
pub(super) struct Ear(pub Arc<Session>);

impl ResultListener for Ear {
    fn on_result(self: Box<Ear>, finished: &Finished) {
        {
            let mut inside = self.0.lock();
            inside.waiting = inside.waiting.saturating_sub(1);
            inside.put("result", &finished.body);
        }
        self.0.touch();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;

    fn session() -> Arc<Session> {
        let standing = Standing { k: 2, dt: 1.0, question: None };
        Arc::new(Session::new(("a".into(), "b".into()), standing))
    }

    fn hear(session: &Arc<Session>, body: String) {
        session.expect();
        let finished = Finished { outcome: Outcome::Answered, body: body.into() };
        Box::new(Ear(Arc::clone(session))).on_result(&finished);
    }

    async fn seq(session: &Session, carrier: u64) -> u64 {
        match session.next(carrier).await {
            Next::Say(Some(seq), _) => seq,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn who_does_not_listen_gets_the_newest_and_is_told_how_many_were_skipped() {
        let session = session();
        let (carrier, _) = session.carry(None);
        for number in 0..100 {
            hear(&session, format!("{{\"n\":{number}}}"));
        }
        assert_eq!(session.next(carrier).await, Next::Say(None, skipped(68)));
        assert_eq!(seq(&session, carrier).await, 69);
        for _ in 0..3 {
            hear(&session, format!("\"{}\"", "x".repeat(40 << 10)));
        }
        let inside = session.lock();
        assert_eq!((inside.ring.len(), inside.waiting), (1, 0), "one at least is kept");
        assert!(inside.bytes < 2 * MOST_BYTES);
    }

    #[tokio::test]
    async fn what_was_missed_is_said_again_once_and_the_old_socket_has_to_go() {
        let session = session();
        let (first, _) = session.carry(None);
        for _ in 0..4 {
            hear(&session, "{}".into());
        }
        for expected in 1..=3 {
            assert_eq!(seq(&session, first).await, expected);
            session.sent(expected);
        }
        session.leave(first, Time::from_millis(7));
        assert_eq!(session.left(), Some(Time::from_millis(7)));
        let (second, from) = session.carry(Some(2));
        assert_eq!((from, session.left()), (2, None));
        assert_eq!(session.next(first).await, Next::Replaced);
        session.leave(first, Time::from_millis(9));
        assert_eq!(session.left(), None, "what the old one does no longer matters");
        for expected in 3..=4 {
            assert_eq!(seq(&session, second).await, expected);
            session.sent(expected);
        }
        session.end();
        assert_eq!(session.next(second).await, Next::Over);
        let (third, from) = session.carry(Some(u64::MAX));
        assert_eq!(from, 4, "what was never said cannot have been seen");
        assert_eq!(session.next(third).await, Next::Over);
        assert_eq!(session.carry(None).1, 0, "nothing was heard of her yet");
        session.sent(3);
        session.heard();
        session.sent(4);
        assert_eq!(session.carry(None).1, 3);
    }
}
