//! NDJSON streams: queries of any number of users on one connection. The lines of a chunk are
//! submitted under one lock, without a task or a message per line.

use crate::accounts::{Access, Account, AccountConnection};
use crate::answers::json;
use crate::api::RefusalBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{CheckedQuery, RefusedQuery, parse_query};
use crate::listen::until_true;
use crate::outbox::Outbox;
use crate::server::MAX_BODY_BYTES;
use crate::submit::{Submission, cancel_abandoned, submit};
use crate::tickets::Route;
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use std::convert::Infallible;
use std::sync::Arc;

/// Reading side of an outbox. When dropped it abandons the outbox and cancels the queries that wait.
struct OutboxReader {
    gateway: Arc<Gateway>,
    outbox: Arc<Outbox>,
    access: Access,
    /// Whether the bytes sent so far end with a line.
    at_line_start: bool,
    _connection: AccountConnection,
}

impl Drop for OutboxReader {
    fn drop(&mut self) {
        let waiting = self.outbox.abandon();
        cancel_abandoned(&self.gateway, &self.access.account, &waiting);
    }
}

impl OutboxReader {
    /// Returns the next output, and whether more follows. When the key is revoked, a refusal is the
    /// last line.
    async fn next(&mut self) -> Option<(Bytes, bool)> {
        tokio::select! {
            biased;
            () = self.access.revoked() => {
                let start: &[u8] = if self.at_line_start { b"" } else { b"\n" };
                let line = [start, &refusal_json(None, &Refusal::Revoked), b"\n"].concat();
                Some((line.into(), false))
            }
            lines = self.outbox.next() => {
                let lines = lines?;
                self.at_line_start = lines.ends_with(b"\n");
                Some((lines, true))
            }
        }
    }
}

/// The key of a stream, and its permit for the connection.
pub struct StreamClient {
    /// Account and key.
    pub access: Access,
    /// Permit, released when the response ends.
    pub connection: AccountConnection,
}

/// Returns the response body of a stream of queries. It ends when the key is revoked.
pub fn answer_lines(gateway: Arc<Gateway>, client: StreamClient, body: Body) -> Body {
    let StreamClient { access, connection } = client;
    let account = Arc::clone(&access.account);
    let outbox = Arc::new(Outbox::new(Arc::clone(&account), gateway.metrics().unread()));
    let reader = LineReader {
        gateway: Arc::clone(&gateway),
        account,
        outbox: Arc::clone(&outbox),
        rest: BytesMut::new(),
    };
    let mut input = access.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = reader.read(body) => {}
            () = input.revoked() => {}
        }
    });
    let writer =
        OutboxReader { gateway, outbox, access, at_line_start: true, _connection: connection };
    let output = stream::unfold(Some(writer), |writer| async move {
        let mut writer = writer?;
        let (lines, more) = writer.next().await?;
        Some((Ok::<Bytes, Infallible>(lines), more.then_some(writer)))
    });
    Body::from_stream(output)
}

/// Reader of a request body.
struct LineReader {
    gateway: Arc<Gateway>,
    account: Arc<Account>,
    outbox: Arc<Outbox>,
    /// Incomplete last line.
    rest: BytesMut,
}

impl LineReader {
    /// Reads until the input ends, the client stalls or is gone, or the gateway stops.
    async fn read(mut self, body: Body) {
        let mut chunks = body.into_data_stream();
        let mut stopping = self.gateway.stopping();
        let idle = self.gateway.config().server.idle_timeout;
        loop {
            // Back-pressure: no input is read while the client does not read its results.
            let space = tokio::time::timeout(idle, self.outbox.has_space()).await;
            if space.is_err() || self.outbox.is_abandoned() || !self.refresh_account() {
                break;
            }
            let next = tokio::select! {
                next = tokio::time::timeout(idle, chunks.next()) => next,
                () = until_true(&mut stopping) => break,
            };
            match next {
                Ok(Some(Ok(chunk))) => {
                    if !self.process(&chunk) {
                        break;
                    }
                }
                // The connection is broken, so the results have no reader.
                Ok(Some(Err(_))) => {
                    self.rest.clear();
                    cancel_abandoned(&self.gateway, &self.account, &self.outbox.abandon());
                    break;
                }
                Ok(None) => break,
                Err(_) if self.outbox.is_idle() => break,
                Err(_) => {}
            }
        }
        if !self.rest.is_empty() {
            let last = std::mem::take(&mut self.rest);
            self.submit(&last);
        }
        self.outbox.end_of_input();
    }

    /// Loads the current version of the account. Returns false if it has no key any more.
    fn refresh_account(&mut self) -> bool {
        let current = self.gateway.directory().current(&self.account).cloned();
        let is_valid = current.is_some();
        self.account = current.unwrap_or_else(|| Arc::clone(&self.account));
        is_valid
    }

    /// Submits the complete lines of a chunk. Returns false if a line is too long.
    fn process(&mut self, chunk: &[u8]) -> bool {
        let end = chunk.iter().rposition(|&byte| byte == b'\n');
        let Some((whole, rest)) = end.and_then(|end| chunk.split_at_checked(end.saturating_add(1)))
        else {
            self.rest.extend_from_slice(chunk);
            return self.rest_fits();
        };
        if self.rest.is_empty() {
            self.submit(whole);
        } else {
            let mut lines = std::mem::take(&mut self.rest);
            lines.extend_from_slice(whole);
            self.submit(&lines);
        }
        self.rest.extend_from_slice(rest);
        self.rest_fits()
    }

    fn rest_fits(&mut self) -> bool {
        let fits = self.rest.len() <= MAX_BODY_BYTES;
        if !fits {
            self.rest.clear();
            self.refuse(None, &Refusal::TooLarge(MAX_BODY_BYTES));
        }
        fits
    }

    /// Parses all lines and submits the valid queries.
    fn submit(&self, lines: &[u8]) {
        let mut queries: Vec<CheckedQuery> = Vec::with_capacity(lines.len() / 200);
        for line in lines.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii();
            if line.len() > MAX_BODY_BYTES {
                self.refuse(None, &Refusal::TooLarge(MAX_BODY_BYTES));
            } else if !line.is_empty() {
                match parse_query(&self.gateway, &self.account, line) {
                    Ok(query) => queries.push(query),
                    Err(RefusedQuery { ticket, refusal }) => {
                        let ticket = ticket.as_ref().map(|ticket| ticket.expose().as_str());
                        self.refuse(ticket, &refusal);
                    }
                }
            }
        }
        let route = || Route::Stream(Arc::clone(&self.outbox));
        let mut waiting = Vec::with_capacity(queries.len());
        submit(
            &self.gateway,
            &self.account,
            queries,
            route,
            |ticket, submission| match submission {
                Submission::Waiting => waiting.push(Arc::clone(ticket)),
                Submission::Ended(finished) => self.outbox.push_stored(ticket, &finished),
                Submission::Refused(refusal) => {
                    self.gateway.metrics().refused(&refusal);
                    self.outbox.push_line(&refusal_json(Some(ticket), &refusal));
                }
            },
        );
        self.outbox.expect(&waiting);
    }

    fn refuse(&self, ticket: Option<&str>, refusal: &Refusal) {
        self.gateway.metrics().refused(refusal);
        self.outbox.push_line(&refusal_json(ticket, refusal));
    }
}

/// Serialises a refusal.
pub(crate) fn refusal_json(ticket: Option<&str>, refusal: &Refusal) -> Vec<u8> {
    json(&RefusalBody {
        ticket,
        outcome: "refused",
        reason: refusal.code(),
        message: refusal.to_string(),
    })
}
