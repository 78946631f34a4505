//! One WebSocket: a reader and a writer that run concurrently. Neither waits for the other; the
//! bounded buffer of the `session` lies between them.

use super::connection::Connection;
use super::message_buffer::ChargedText;
use super::messages::{ClientMessage, PositionMessage, numbered};
use super::session::{NextAction, SessionListener};
use super::standing::StandingQuery;
use crate::accounts::{Access, Account};
use crate::api::QueryRequest;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{check_query, seconds};
use crate::json_error::json_error;
use crate::listen::until_true;
use crate::standing_wait::mark_standing;
use crate::stream::refusal_json;
use crate::submit::{Submission, submit};
use crate::tickets::{ResultListener as _, Route};
use crate::trackers::{Fix, Motion, MotionTrack, reachable_distance};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Status code and reason of the close frame.
struct CloseReason(u16, &'static str);

/// The key that opened the socket was revoked.
const KEY_REVOKED: CloseReason = CloseReason(close_code::POLICY, "the key was revoked");

/// Number of invalid messages after which the socket is closed.
const MAX_ERRORS: usize = 16;

/// Time-out of the close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves one session until either side closes the socket.
pub(super) async fn run(gateway: Arc<Gateway>, mut access: Access, socket: WebSocket) {
    let (mut sink, mut stream) = socket.split();
    let timeout = gateway.config().server.request_timeout;
    let mut stopping = gateway.stopping();
    let first = tokio::select! {
        first = tokio::time::timeout(timeout, next_text(&mut stream)) => first,
        () = until_true(&mut stopping) => Ok(Err(CloseReason(close_code::AWAY, "the gateway is stopping"))),
        () = access.revoked() => Ok(Err(KEY_REVOKED)),
    };
    let reason = match first {
        Ok(Ok(text)) => match Connection::open(&gateway, &access.account, &text) {
            Ok(connection) => connection.serve(access, &mut sink, &mut stream).await,
            Err(refusal) => {
                gateway.metrics().refused(&refusal);
                let text = numbered("error", 0, &refusal_json(None, &refusal));
                sink.send(Message::text(text)).await.ok();
                CloseReason(close_code::POLICY, "`hello` was refused")
            }
        },
        Ok(Err(reason)) => reason,
        Err(_) => CloseReason(close_code::POLICY, "no `hello` in time"),
    };
    let frame = CloseFrame { code: reason.0, reason: reason.1.into() };
    tokio::time::timeout(CLOSE_TIMEOUT, sink.send(Message::Close(Some(frame)))).await.ok();
}

/// Returns the next text message; skips pings and pongs.
async fn next_text(stream: &mut SplitStream<WebSocket>) -> Result<String, CloseReason> {
    loop {
        match stream.next().await {
            Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_))) => {
                return Err(CloseReason(close_code::UNSUPPORTED, "text messages only"));
            }
            Some(Ok(Message::Close(_))) | None => return Err(CloseReason(close_code::NORMAL, "")),
            // Too large, not UTF-8, or a broken connection.
            Some(Err(_)) => return Err(CloseReason(close_code::SIZE, "invalid message")),
        }
    }
}

impl Connection {
    /// Runs writer and reader until one of them ends or the key is revoked.
    async fn serve(
        self,
        mut access: Access,
        sink: &mut SplitSink<WebSocket, Message>,
        stream: &mut SplitStream<WebSocket>,
    ) -> CloseReason {
        let reason = tokio::select! {
            reason = self.write(sink) => reason,
            reason = self.read(stream) => reason,
            () = access.revoked() => KEY_REVOKED,
        };
        self.session.detach(self.number, self.gateway.clock().now());
        reason
    }

    /// Sends the messages of the session. A client that does not read in time is disconnected.
    async fn write(&self, sink: &mut SplitSink<WebSocket, Message>) -> CloseReason {
        let idle = self.gateway.config().server.idle_timeout;
        let mut next = NextAction::Send(None, ChargedText::free(self.welcome.clone()));
        loop {
            match next {
                NextAction::Send(seq, charged) => {
                    let message = Message::Text(charged.text.clone());
                    let sent = tokio::time::timeout(idle, sink.send(message)).await;
                    if !matches!(sent, Ok(Ok(()))) {
                        return CloseReason(close_code::POLICY, "the client reads too slowly");
                    }
                    seq.into_iter().for_each(|seq| self.session.mark_sent(seq));
                }
                NextAction::Replaced => {
                    return CloseReason(close_code::POLICY, "resumed by another connection");
                }
                NextAction::Ended => {
                    return CloseReason(close_code::AWAY, "the gateway is stopping");
                }
            }
            next = self.session.next(self.number).await;
        }
    }

    /// Handles the messages of the client until the idle time-out.
    async fn read(&self, stream: &mut SplitStream<WebSocket>) -> CloseReason {
        let idle = self.gateway.config().server.idle_timeout;
        let mut stopping = self.gateway.stopping();
        let mut errors_left = MAX_ERRORS;
        loop {
            let text = tokio::select! {
                text = tokio::time::timeout(idle, next_text(stream)) => text,
                () = until_true(&mut stopping) => {
                    self.session.end();
                    // The writer closes the socket after the last message.
                    return std::future::pending().await;
                }
            };
            let text = match text {
                Ok(Ok(text)) => text,
                Ok(Err(reason)) => return reason,
                Err(_) => return CloseReason(close_code::NORMAL, "idle time-out"),
            };
            self.session.confirm_sent();
            let account = self.gateway.directory().current(&self.account).cloned();
            let Some(account) = account else {
                return KEY_REVOKED;
            };
            if let Err(refusal) = self.handle(&account, &text) {
                self.gateway.metrics().refused(&refusal);
                self.session.push("error", &refusal_json(None, &refusal));
                errors_left = errors_left.saturating_sub(1);
                if errors_left == 0 {
                    return CloseReason(close_code::POLICY, "too many errors");
                }
            }
        }
    }

    /// Handles one message.
    pub(super) fn handle(&self, account: &Arc<Account>, text: &str) -> Result<(), Refusal> {
        let message = serde_json::from_str(text);
        match message.map_err(|error| Refusal::Malformed(json_error(&error)))? {
            ClientMessage::Hello(_) => Err(Refusal::Malformed("`hello` was already sent".into())),
            ClientMessage::Ask(ask) => {
                let standing = self.session.lock().standing.with(ask);
                standing.check(&self.gateway, account)?;
                self.session.lock().standing = standing;
                Ok(())
            }
            ClientMessage::Position(position) => {
                let ticket = position.ticket.clone().unwrap_or_else(|| self.gateway.new_ticket());
                if let Err(refusal) = self.submit(account, &ticket, &position) {
                    self.gateway.metrics().refused(&refusal);
                    if refusal == Refusal::Never {
                        self.session.lock().track = MotionTrack::default();
                    }
                    self.session.push("refused", &refusal_json(Some(&ticket), &refusal));
                }
                Ok(())
            }
        }
    }

    /// Submits a position as a query.
    fn submit(
        &self,
        account: &Arc<Account>,
        ticket: &str,
        position: &PositionMessage,
    ) -> Result<(), Refusal> {
        let StandingQuery { k, dt, question } = self.session.lock().standing.clone();
        let motion = self.estimate_motion(position)?;
        let is_estimated = position.dc.is_none() && position.interval.is_none();
        let estimated = Some(motion).filter(|_| is_estimated);
        let request = QueryRequest {
            ticket: Cow::Borrowed(ticket).into(),
            person: Cow::Borrowed(&**self.session.owner.user.expose()).into(),
            lon: position.lon.into(),
            lat: position.lat.into(),
            k,
            dt,
            dc: position.dc.or(estimated.map(|motion| reachable_distance(account, motion))),
            speed: position.speed.or(estimated.map(|motion| motion.speed)),
            interval: position.interval,
            question,
        };
        let mut query = check_query(&self.gateway, account, &request)?;
        let declared = position.interval.and_then(seconds).unwrap_or_default();
        mark_standing(&self.gateway, &mut query, motion.interval.max(declared));
        self.session.add_waiting();
        let route = || Route::Listener(Box::new(SessionListener(Arc::clone(&self.session))));
        let mut submission = Submission::Waiting;
        submit(&self.gateway, account, [query], route, |_, result| submission = result);
        match submission {
            Submission::Waiting => Ok(()),
            Submission::Ended(finished) => {
                Box::new(SessionListener(Arc::clone(&self.session))).on_result(&finished);
                Ok(())
            }
            Submission::Refused(refusal) => {
                self.session.remove_waiting();
                Err(refusal)
            }
        }
    }

    /// Adds the position to the session's track and returns the estimated motion.
    fn estimate_motion(&self, position: &PositionMessage) -> Result<Motion, Refusal> {
        let located = self.gateway.cities().locate(position.lon, position.lat)?;
        let arrived = self.gateway.clock().now();
        let speed = position.speed.filter(|speed| speed.is_finite() && *speed >= 0.0);
        let fix = Fix {
            arrived,
            tracker_millis: None,
            city: located.city,
            point: located.point.into_exposed(),
            position: located.position.into_exposed(),
            speed,
        };
        let city = self.gateway.cities().get(located.city);
        let metres = |from, to| city.street_metres(from, to);
        Ok(self.session.lock().track.add(fix, metres))
    }
}
