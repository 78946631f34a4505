//! NDJSON in, NDJSON out: any number of people on one connection. A chunk of lines is looked at
//! without a task or a message per line, and submitted under one lock.

use crate::accounts::Account;
use crate::answers::json;
use crate::api::RefusalBody;
use crate::desk::Verdict;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::Ask;
use crate::listen::turned;
use crate::outbox::Outbox;
use crate::server::MOST_BYTES;
use crate::tickets::Route;
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use std::convert::Infallible;
use std::sync::Arc;

/// Whoever reads the lines; when it goes, nothing more is kept for it.
struct Reader(Arc<Outbox>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Lines out for lines in.
pub fn answer_lines(gateway: Arc<Gateway>, account: Arc<Account>, body: Body) -> Body {
    let outbox = Arc::new(Outbox::default());
    let lines = Lines { gateway, account, outbox: Arc::clone(&outbox), rest: BytesMut::new() };
    tokio::spawn(lines.read(body));
    let said = stream::unfold(Reader(outbox), |reader| async move {
        let lines = reader.0.next().await?;
        Some((Ok::<Bytes, Infallible>(lines), reader))
    });
    Body::from_stream(said)
}

/// Lines on their way in.
struct Lines {
    gateway: Arc<Gateway>,
    account: Arc<Account>,
    outbox: Arc<Outbox>,
    /// The beginning of a line whose end has not come yet.
    rest: BytesMut,
}

impl Lines {
    /// Reads until there is nothing more to read, or nobody to tell.
    async fn read(mut self, body: Body) {
        let mut chunks = body.into_data_stream();
        let mut stopping = self.gateway.stopping();
        let idle = self.gateway.config().server.idle_timeout;
        loop {
            // A client that takes nothing is given nothing.
            let room = tokio::time::timeout(idle, self.outbox.room()).await;
            if room.is_err() || self.outbox.is_abandoned() || !self.may_go_on() {
                break;
            }
            let next = tokio::select! {
                next = tokio::time::timeout(idle, chunks.next()) => next,
                () = turned(&mut stopping) => break,
            };
            match next {
                Ok(Some(Ok(chunk))) => {
                    if !self.take(&chunk) {
                        break;
                    }
                }
                Ok(Some(Err(_)) | None) => break,
                Err(_) if self.outbox.is_quiet() => break,
                Err(_) => {}
            }
        }
        if !self.rest.is_empty() {
            let last = std::mem::take(&mut self.rest);
            self.submit(&last);
        }
        self.outbox.end_of_input();
    }

    /// Whether the account still has a key; its limits may have changed.
    fn may_go_on(&mut self) -> bool {
        let directory = self.gateway.directory();
        let now = directory.as_it_is_now(&self.account).map(Arc::clone);
        let may = now.is_some();
        self.account = now.unwrap_or_else(|| Arc::clone(&self.account));
        may
    }

    /// Takes a chunk in; false if a line is longer than any may be.
    fn take(&mut self, chunk: &[u8]) -> bool {
        let Some(end) = chunk.iter().rposition(|&byte| byte == b'\n') else {
            self.rest.extend_from_slice(chunk);
            return self.is_short();
        };
        let (whole, rest) = chunk.split_at(end + 1);
        if self.rest.is_empty() {
            self.submit(whole);
        } else {
            let mut lines = std::mem::take(&mut self.rest);
            lines.extend_from_slice(whole);
            self.submit(&lines);
        }
        self.rest.extend_from_slice(rest);
        self.is_short()
    }

    fn is_short(&mut self) -> bool {
        let short = self.rest.len() <= MOST_BYTES;
        if !short {
            self.rest.clear();
            self.refuse(None, &Refusal::TooLarge(MOST_BYTES));
        }
        short
    }

    /// Looks at all lines and submits those that are queries.
    fn submit(&self, lines: &[u8]) {
        let mut asks: Vec<Ask> = Vec::with_capacity(lines.len() / 200 + 1);
        for line in lines.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii();
            if line.len() > MOST_BYTES {
                self.refuse(None, &Refusal::TooLarge(MOST_BYTES));
            } else if !line.is_empty() {
                match self.gateway.examine(&self.account, line) {
                    Ok(ask) => asks.push(ask),
                    Err((ticket, refusal)) => self.refuse(ticket.as_deref(), &refusal),
                }
            }
        }
        self.outbox.expect(asks.len());
        let route = || Route::Stream(Arc::clone(&self.outbox));
        self.gateway.submit(&self.account, asks, route, |ticket, verdict| match verdict {
            Verdict::Waits => {}
            Verdict::Ended(finished) => self.outbox.finish(&finished.body),
            Verdict::Refused(refusal) => {
                self.gateway.metrics().refused(&refusal);
                self.outbox.finish(&refusal_json(Some(ticket), &refusal));
            }
        });
    }

    fn refuse(&self, ticket: Option<&str>, refusal: &Refusal) {
        self.gateway.metrics().refused(refusal);
        self.outbox.say(&refusal_json(ticket, refusal));
    }
}

/// A refusal as JSON.
pub(crate) fn refusal_json(ticket: Option<&str>, refusal: &Refusal) -> Vec<u8> {
    json(&RefusalBody {
        ticket,
        outcome: "refused",
        reason: refusal.word(),
        message: refusal.to_string(),
    })
}
