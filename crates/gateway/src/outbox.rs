//! Lines on their way to a streaming client, bounded by stream, by account and over all streams.
//!
//! Producers never wait. A result that finds no space is not copied: the outbox keeps its ticket,
//! and takes the result from the tickets of the account when the client reads on. A result that has
//! been removed there by then is announced as such.

mod buffer;
#[cfg(test)]
mod tests;

use crate::accounts::Account;
use crate::error::Refusal;
use crate::outcome::Finished;
use crate::stream::refusal_json;
use crate::tickets::TicketStatus;
use crate::unread_bytes::{UnreadBytes, UnreadShare};
use buffer::{CHUNK, MAX_BUFFERED, OutboxBuffer, Taken, append};
use bytes::{Bytes, BytesMut};
use meshcloak::private::Private;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio::sync::Notify;

/// Buffer of a stream's output, with back-pressure for its input.
#[derive(Debug)]
pub struct Outbox {
    account: Arc<Account>,
    unread: UnreadShare,
    state: Mutex<OutboxBuffer>,
    filled: Notify,
    emptied: Notify,
}

impl Outbox {
    /// Creates an empty outbox of an account.
    pub fn new(account: Arc<Account>, unread: &Arc<UnreadBytes>) -> Outbox {
        let unread = account.unread_share(unread);
        let (filled, emptied) = (Notify::new(), Notify::new());
        Outbox { account, unread, state: Mutex::default(), filled, emptied }
    }

    fn lock(&self) -> MutexGuard<'_, OutboxBuffer> {
        self.state.lock()
    }

    /// Records that the queries of tickets wait.
    pub fn expect<'a>(&self, tickets: impl IntoIterator<Item = &'a Arc<str>>) {
        let mut state = self.lock();
        tickets.into_iter().for_each(|ticket| state.expect(ticket));
    }

    /// Appends a line that is stored nowhere else. Drops it if there is no space.
    pub fn push_line(&self, line: &[u8]) {
        let mut state = self.lock();
        if !state.reader_gone && !state.try_push(line, &self.unread) {
            state.dropped = state.dropped.saturating_add(1);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Appends the result of a query that was waiting.
    pub fn push_result(&self, ticket: &Arc<str>, finished: &Finished) {
        let mut state = self.lock();
        state.push_stored(ticket, finished, &self.unread);
        state.end(ticket);
        drop(state);
        self.filled.notify_one();
    }

    /// Appends a result that is stored under its ticket.
    pub fn push_stored(&self, ticket: &Arc<str>, finished: &Finished) {
        self.lock().push_stored(ticket, finished, &self.unread);
        self.filled.notify_one();
    }

    /// Marks the end of the input. The output ends after the last result.
    pub fn end_of_input(&self) {
        self.lock().input_ended = true;
        self.filled.notify_one();
    }

    /// Drops the buffer and all later lines: the reader is gone. Returns the tickets of the queries
    /// that wait.
    pub fn abandon(&self) -> Vec<Arc<str>> {
        let mut state = self.lock();
        state.reader_gone = true;
        state.entries = Private::default();
        (state.bytes, state.parked) = (0, 0);
        state.writing = None;
        let waiting = std::mem::take(state.waiting.expose_mut());
        drop(state);
        self.emptied.notify_one();
        self.filled.notify_one();
        waiting.into_keys().collect()
    }

    /// Whether the reader is gone.
    pub fn is_abandoned(&self) -> bool {
        self.lock().reader_gone
    }

    /// Whether no query of this stream is in progress.
    pub fn is_idle(&self) -> bool {
        self.lock().waiting.expose().is_empty()
    }

    /// Waits until the buffer has space or the reader is gone.
    pub async fn has_space(&self) {
        loop {
            {
                let state = self.lock();
                let has_space = state.bytes < MAX_BUFFERED && state.parked == 0;
                if has_space || state.reader_gone {
                    return;
                }
            }
            self.emptied.notified().await;
        }
    }

    /// Waits for output: whole lines. Returns `None` at the end, or if the reader is gone. The bytes stay charged until the
    /// next call.
    pub async fn next(&self) -> Option<Bytes> {
        self.lock().writing = None;
        loop {
            let taken = self.lock().take();
            let chunk = match taken {
                Some(Taken::Lines { lines, dropped }) => Some(with_dropped(lines, dropped)),
                Some(Taken::Tickets(tickets)) => Some(self.stored_lines(&tickets).await),
                None => None,
            };
            if let Some(chunk) = chunk {
                self.emptied.notify_one();
                return Some(chunk.freeze());
            }
            {
                let state = self.lock();
                let is_over = state.input_ended && state.waiting.expose().is_empty();
                if is_over || state.reader_gone {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }

    /// Waits until the result of the first ticket can be charged, and takes it and those of the
    /// following tickets that can be charged with it. `tickets` are the first entries. Meanwhile the
    /// results are not held here.
    async fn stored_lines(&self, tickets: &[Arc<str>]) -> BytesMut {
        let line_len = |line: &Bytes| line.len().saturating_add(1);
        let lens: Vec<usize> = self.find(tickets).iter().map(line_len).collect();
        let total = lens.iter().fold(0, |sum: usize, len| sum.saturating_add(*len));
        let first = lens.first().copied().unwrap_or(0);
        let (count, charge) = match self.unread.charge(total) {
            Some(charge) => (lens.len(), charge),
            None => (1, self.unread.charge_when_free(first).await),
        };
        let found = self.find(tickets.get(..count).unwrap_or(tickets));
        let mut lines = BytesMut::with_capacity(total);
        found.iter().for_each(|line| append(&mut lines, line));
        let mut state = self.lock();
        // None is left if the reader is gone.
        let end = found.len().min(state.entries.expose().len());
        state.entries.expose_mut().drain(..end);
        state.parked = state.parked.saturating_sub(end);
        state.writing = (end > 0).then_some(charge);
        lines
    }

    /// Finds the stored results of the first tickets, up to about a chunk. Must be called without the
    /// lock of the outbox, because producers hold that of the account's tickets.
    fn find(&self, tickets: &[Arc<str>]) -> Vec<Bytes> {
        let table = self.account.tickets().lock();
        let mut len = 0_usize;
        let found = tickets.iter().map_while(|ticket| {
            let body = (len < CHUNK).then(|| match table.find(ticket) {
                TicketStatus::Done(finished) => finished.body,
                _ => refusal_json(Some(ticket), &Refusal::Unknown).into(),
            })?;
            len = len.saturating_add(body.len());
            Some(body)
        });
        found.collect()
    }
}

/// Adds a last line about dropped ones.
fn with_dropped(mut lines: BytesMut, dropped: usize) -> BytesMut {
    if dropped > 0 {
        let message = format!("{dropped} refusals were dropped: nothing was read");
        append(&mut lines, &refusal_json(None, &Refusal::Malformed(message)));
    }
    lines
}
