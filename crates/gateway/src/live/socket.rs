//! One WebSocket: reads what somebody says, and says what her session has to say. Neither waits
//! for the other, and nothing piles up: see `session`.

use super::caller::Caller;
use super::messages::{FromClient, PositionMessage, numbered};
use super::session::{Ear, Next};
use super::standing::Standing;
use crate::accounts::Account;
use crate::api::QueryRequest;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{check_query, locate};
use crate::listen::until_true;
use crate::phones::{Fix, Track, reach};
use crate::stream::refusal_json;
use crate::submit::{Submission, submit};
use crate::tickets::Route;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Why a socket ends: a code, and a word.
struct Bye(u16, &'static str);

/// Messages that cannot be read before a socket is closed.
const MOST_WRONG: usize = 16;

/// How long the last message may take.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Carries one session until either side ends it.
pub(super) async fn converse(gateway: Arc<Gateway>, account: Arc<Account>, socket: WebSocket) {
    let (mut out, mut words) = socket.split();
    let patience = gateway.config().server.request_timeout;
    let mut stopping = gateway.stopping();
    let first = tokio::select! {
        first = tokio::time::timeout(patience, next(&mut words)) => first,
        () = until_true(&mut stopping) => Ok(Err(Bye(close_code::AWAY, "stopping"))),
    };
    let bye = match first {
        Ok(Ok(text)) => match Caller::greet(&gateway, &account, &text) {
            Ok(caller) => caller.carry(&mut out, &mut words).await,
            Err(refusal) => {
                gateway.metrics().refused(&refusal);
                let text = numbered("error", 0, &refusal_json(None, &refusal));
                out.send(Message::text(text)).await.ok();
                Bye(close_code::POLICY, "hello")
            }
        },
        Ok(Err(bye)) => bye,
        Err(_) => Bye(close_code::POLICY, "no hello came"),
    };
    let frame = CloseFrame { code: bye.0, reason: bye.1.into() };
    tokio::time::timeout(LAST_WORD, out.send(Message::Close(Some(frame)))).await.ok();
}

/// The next text; other than text, only what keeps a socket alive is let pass.
async fn next(words: &mut SplitStream<WebSocket>) -> Result<String, Bye> {
    loop {
        match words.next().await {
            Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_))) => return Err(Bye(close_code::UNSUPPORTED, "text only")),
            Some(Ok(Message::Close(_))) | None => return Err(Bye(close_code::NORMAL, "")),
            // Too large, not UTF-8, or the connection is broken: then nobody reads this anyway.
            Some(Err(_)) => return Err(Bye(close_code::SIZE, "not a message")),
        }
    }
}

impl Caller {
    /// Says and hears until one of both ends.
    async fn carry(
        self,
        out: &mut SplitSink<WebSocket, Message>,
        words: &mut SplitStream<WebSocket>,
    ) -> Bye {
        let bye = tokio::select! {
            bye = self.say(out) => bye,
            bye = self.hear(words) => bye,
        };
        self.session.leave(self.carrier, self.gateway.clock().now());
        bye
    }

    /// Says what there is to say. Who does not take it in time is gone.
    async fn say(&self, out: &mut SplitSink<WebSocket, Message>) -> Bye {
        let idle = self.gateway.config().server.idle_timeout;
        let mut next = Next::Say(None, self.welcome.clone());
        loop {
            match next {
                Next::Say(seq, text) => {
                    let said = tokio::time::timeout(idle, out.send(Message::text(text))).await;
                    if !matches!(said, Ok(Ok(()))) {
                        return Bye(close_code::POLICY, "too slow");
                    }
                    seq.into_iter().for_each(|seq| self.session.sent(seq));
                }
                Next::Replaced => return Bye(close_code::POLICY, "resumed elsewhere"),
                Next::Over => return Bye(close_code::AWAY, "stopping"),
            }
            next = self.session.next(self.carrier).await;
        }
    }

    /// Hears what is said, until there is silence for too long.
    async fn hear(&self, words: &mut SplitStream<WebSocket>) -> Bye {
        let idle = self.gateway.config().server.idle_timeout;
        let mut stopping = self.gateway.stopping();
        let mut patience = MOST_WRONG;
        loop {
            let text = tokio::select! {
                text = tokio::time::timeout(idle, next(words)) => text,
                () = until_true(&mut stopping) => {
                    self.session.end();
                    // The other half ends the socket, when all has been said.
                    return std::future::pending().await;
                }
            };
            let text = match text {
                Ok(Ok(text)) => text,
                Ok(Err(bye)) => return bye,
                Err(_) => return Bye(close_code::NORMAL, "silent"),
            };
            self.session.heard();
            let account = self.gateway.directory().current(&self.account).cloned();
            let Some(account) = account else { return Bye(close_code::POLICY, "no key") };
            if let Err(refusal) = self.obey(&account, &text) {
                self.gateway.metrics().refused(&refusal);
                self.session.say("error", &refusal_json(None, &refusal));
                patience -= 1;
                if patience == 0 {
                    return Bye(close_code::POLICY, "too many errors");
                }
            }
        }
    }

    /// Does what a message says; an error if it says nothing that can be done.
    fn obey(&self, account: &Arc<Account>, text: &str) -> Result<(), Refusal> {
        let said = serde_json::from_str(text);
        match said.map_err(|error| Refusal::Malformed(error.to_string()))? {
            FromClient::Hello(_) => Err(Refusal::Malformed("hello was said before".into())),
            FromClient::Ask(ask) => {
                let standing = self.session.lock().standing.with(ask);
                standing.check(&self.gateway, account)?;
                self.session.lock().standing = standing;
                Ok(())
            }
            FromClient::Position(position) => {
                let ticket = position.ticket.clone().unwrap_or_else(|| self.gateway.ticket());
                if let Err(refusal) = self.ask(account, &ticket, &position) {
                    self.gateway.metrics().refused(&refusal);
                    if refusal == Refusal::Never {
                        self.session.lock().track = Track::default();
                    }
                    self.session.say("refused", &refusal_json(Some(&ticket), &refusal));
                }
                Ok(())
            }
        }
    }

    /// A position is a query.
    fn ask(
        &self,
        account: &Arc<Account>,
        ticket: &str,
        position: &PositionMessage,
    ) -> Result<(), Refusal> {
        let Standing { k, dt, question } = self.session.lock().standing.clone();
        let estimated = match (position.dc, position.interval) {
            (None, None) => Some(self.estimate(account, position)?),
            _ => None,
        };
        let request = QueryRequest {
            ticket: Cow::Borrowed(ticket).into(),
            person: Cow::Borrowed(&*self.session.whose.1).into(),
            lon: position.lon.into(),
            lat: position.lat.into(),
            k,
            dt,
            dc: position.dc.or(estimated.map(|(dc, _)| dc)),
            speed: position.speed.or(estimated.map(|(_, speed)| speed)),
            interval: position.interval,
            question: question.as_ref().map(|question| question.body()),
        };
        let ask = check_query(&self.gateway, account, &request)?;
        self.session.expect();
        let route = || Route::Listener(Box::new(Ear(Arc::clone(&self.session))));
        let mut heard = Submission::Waiting;
        submit(&self.gateway, account, [ask], route, |_, verdict| heard = verdict);
        match heard {
            Submission::Waiting => Ok(()),
            Submission::Ended(finished) => {
                Route::Listener(Box::new(Ear(Arc::clone(&self.session)))).deliver(&finished);
                Ok(())
            }
            Submission::Refused(refusal) => {
                self.session.expected_none();
                Err(refusal)
            }
        }
    }

    /// How far and how fast she moves, from where she has been on this session.
    fn estimate(
        &self,
        account: &Account,
        position: &PositionMessage,
    ) -> Result<(f64, f64), Refusal> {
        let located = locate(&self.gateway, position.lon, position.lat)?;
        let (point, place) = (*located.point.expose(), *located.position.expose());
        let arrived = self.gateway.clock().now();
        let speed = position.speed.filter(|speed| speed.is_finite() && *speed >= 0.0);
        let fix = Fix { arrived, made: None, point, position: place, speed };
        let way = |from, to| self.gateway.way(from, to);
        let pace = self.session.lock().track.add(fix, way);
        Ok((reach(account, pace), pace.speed))
    }
}
