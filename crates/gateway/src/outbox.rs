//! Lines on their way to a streaming client, bounded by stream, by account and over all streams.
//!
//! Producers never wait. A result that finds no space is not copied: the outbox keeps its ticket,
//! and takes the result from the tickets of the account when the client reads on. A result that has
//! been removed there by then is announced as such.

#[cfg(test)]
mod tests;

use crate::accounts::Account;
use crate::error::Refusal;
use crate::outcome::Finished;
use crate::stream::refusal_json;
use crate::tickets::TicketStatus;
use crate::unread_bytes::{Charge, UnreadBytes, UnreadShare};
use bytes::{Bytes, BytesMut};
use meshcloak::private::Private;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::Notify;

/// Buffer of a stream's output, with back-pressure for its input.
#[derive(Debug)]
pub struct Outbox {
    account: Arc<Account>,
    unread: UnreadShare,
    state: Mutex<OutboxState>,
    filled: Notify,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct OutboxState {
    entries: Private<VecDeque<Entry>>,
    /// Bytes of the buffered lines.
    bytes: usize,
    /// Number of tickets among the entries.
    parked: usize,
    /// Charge of the chunk that the connection writes.
    writing: Vec<Charge>,
    /// Tickets of queries that have not ended, with their number of routes to this stream. Negative
    /// while a result has overtaken the record of its query.
    waiting: Private<HashMap<Arc<str>, i64>>,
    /// Lines without a ticket that were dropped.
    dropped: usize,
    input_ended: bool,
    reader_gone: bool,
}

/// An element of the buffer.
enum Entry {
    Line(Bytes, Charge),
    /// Ticket of a result that had no space.
    Ticket(Arc<str>),
}

/// Largest number of buffered bytes of one stream; from it on no more input is read.
const MAX_BUFFERED: usize = 1 << 20;

/// Number of bytes from which on a chunk is handed to the connection.
const CHUNK: usize = 64 << 10;

impl Outbox {
    /// Creates an empty outbox of an account.
    pub fn new(account: Arc<Account>, unread: &Arc<UnreadBytes>) -> Outbox {
        let unread = account.unread_share(unread);
        let (filled, emptied) = (Notify::new(), Notify::new());
        Outbox { account, unread, state: Mutex::default(), filled, emptied }
    }

    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock()
    }

    /// Records that the query of a ticket waits.
    pub fn expect(&self, ticket: &Arc<str>) {
        self.lock().count(ticket, 1);
    }

    /// Appends a line that is stored nowhere else. Drops it if there is no space.
    pub fn push_line(&self, line: &[u8]) {
        let mut state = self.lock();
        if !state.reader_gone && !state.try_push(&Bytes::copy_from_slice(line), &self.unread) {
            state.dropped = state.dropped.saturating_add(1);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Appends the result of a query that was waiting.
    pub fn push_result(&self, ticket: &Arc<str>, finished: &Finished) {
        self.push_stored(ticket, finished);
        self.lock().count(ticket, -1);
        self.filled.notify_one();
    }

    /// Appends a result that is stored under its ticket.
    pub fn push_stored(&self, ticket: &Arc<str>, finished: &Finished) {
        let mut state = self.lock();
        if !state.reader_gone && !state.try_push(&finished.body, &self.unread) {
            state.parked = state.parked.saturating_add(1);
            state.entries.expose_mut().push_back(Entry::Ticket(Arc::clone(ticket)));
        }
        drop(state);
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
        state.writing.clear();
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
        self.lock().writing.clear();
        loop {
            let taken = self.lock().take();
            match taken {
                Some(Taken::Lines { lines, dropped }) => {
                    self.emptied.notify_one();
                    return Some(chunk(&lines, dropped));
                }
                Some(Taken::Ticket(ticket)) => {
                    let line = self.stored_line(&ticket).await;
                    self.emptied.notify_one();
                    return Some(chunk(&[line], 0));
                }
                None => {}
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

    /// Waits until the result of the first entry, a ticket, can be charged, and takes it from the
    /// tickets. Meanwhile it is not held here.
    async fn stored_line(&self, ticket: &Arc<str>) -> Bytes {
        let len = self.find(ticket).len().saturating_add(1);
        let charge = self.unread.charge_when_free(len).await;
        let line = self.find(ticket);
        let mut state = self.lock();
        if state.entries.expose_mut().pop_front().is_some() {
            state.parked = state.parked.saturating_sub(1);
            state.writing.push(charge);
        }
        line
    }

    /// Finds a stored result. Must be called without the lock of the outbox, because producers hold
    /// that of the tickets.
    fn find(&self, ticket: &str) -> Bytes {
        let status = self.account.tickets().lock().find(ticket);
        match status {
            TicketStatus::Done(finished) => finished.body,
            _ => refusal_json(Some(ticket), &Refusal::Unknown).into(),
        }
    }
}

/// Joins lines to a chunk, with a last line about dropped ones.
fn chunk(lines: &[Bytes], dropped: usize) -> Bytes {
    let mut chunk = BytesMut::new();
    let mut add = |line: &[u8]| {
        chunk.extend_from_slice(line);
        chunk.extend_from_slice(b"\n");
    };
    lines.iter().for_each(|line| add(line));
    if dropped > 0 {
        let message = format!("{dropped} refusals were dropped: nothing was read");
        add(&refusal_json(None, &Refusal::Malformed(message)));
    }
    chunk.freeze()
}

/// Next part of the buffer.
enum Taken {
    /// Charged lines, removed from the buffer, and the number of dropped ones.
    Lines { lines: Vec<Bytes>, dropped: usize },
    /// Ticket of the first entry, which stays.
    Ticket(Arc<str>),
}

impl OutboxState {
    /// Changes the number of routes of a waiting ticket.
    fn count(&mut self, ticket: &Arc<str>, change: i64) {
        let waiting = self.waiting.expose_mut();
        let count = waiting.entry(Arc::clone(ticket)).or_default();
        *count = count.saturating_add(change);
        if *count == 0 {
            waiting.remove(ticket);
        }
    }

    /// Appends a line if it fits into the limits.
    fn try_push(&mut self, line: &Bytes, unread: &UnreadShare) -> bool {
        let len = line.len().saturating_add(1);
        let sum = self.bytes.saturating_add(len);
        let Some(charge) = (sum <= MAX_BUFFERED).then(|| unread.charge(len)).flatten() else {
            return false;
        };
        self.bytes = sum;
        self.entries.expose_mut().push_back(Entry::Line(line.clone(), charge));
        true
    }

    /// Takes lines up to about a chunk or the next ticket, or finds a ticket as first entry. `None` if
    /// there is nothing.
    fn take(&mut self) -> Option<Taken> {
        let entries = self.entries.expose_mut();
        let dropped = std::mem::take(&mut self.dropped);
        let (mut lines, mut len) = (Vec::new(), 0_usize);
        while len < CHUNK
            && matches!(entries.front(), Some(Entry::Line(..)))
            && let Some(Entry::Line(line, charge)) = entries.pop_front()
        {
            len = len.saturating_add(charge.bytes());
            self.bytes = self.bytes.saturating_sub(charge.bytes());
            self.writing.push(charge);
            lines.push(line);
        }
        match entries.front() {
            _ if !lines.is_empty() || dropped > 0 => Some(Taken::Lines { lines, dropped }),
            Some(Entry::Ticket(ticket)) => Some(Taken::Ticket(Arc::clone(ticket))),
            _ => None,
        }
    }
}
