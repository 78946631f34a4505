//! Buffer of a stream's output.
//!
//! ```text
//! entries   [lines ≤ 64 kB + one][lines …][ticket][ticket][lines …]
//!            └ one buffer and one charge: the next chunk of the connection, without a copy
//! ```

use crate::outcome::Finished;
use crate::unread_bytes::{Charge, UnreadShare};
use bytes::BytesMut;
use meshcloak::private::Private;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Buffered lines and tickets of a stream, and its queries in progress.
#[derive(Debug, Default)]
pub(super) struct OutboxBuffer {
    pub entries: Private<VecDeque<Entry>>,
    /// Bytes of the buffered lines.
    pub bytes: usize,
    /// Number of tickets among the entries.
    pub parked: usize,
    /// Charge of the chunk that the connection writes.
    pub writing: Option<Charge>,
    /// Tickets of queries that have not ended, with their number of routes to this stream. Negative
    /// while a result has overtaken the record of its query.
    pub waiting: Private<HashMap<Arc<str>, i64>>,
    /// Lines without a ticket that were dropped.
    pub dropped: usize,
    pub input_ended: bool,
    pub reader_gone: bool,
}

/// An element of the buffer.
pub(super) enum Entry {
    /// Whole lines, and their charge.
    Lines(BytesMut, Charge),
    /// Ticket of a result that had no space.
    Ticket(Arc<str>),
}

/// Largest number of buffered bytes of one stream; from it on no more input is read.
pub(super) const MAX_BUFFERED: usize = 1 << 20;

/// Number of bytes from which on lines begin a new chunk of the connection.
pub(super) const CHUNK: usize = 64 << 10;

/// Tickets whose results are looked up under one lock.
const MAX_TICKETS: usize = 64;

/// Next part of the buffer.
pub(super) enum Taken {
    /// Charged lines, removed from the buffer, and the number of dropped ones.
    Lines { lines: BytesMut, dropped: usize },
    /// Tickets of the first entries, which stay.
    Tickets(Vec<Arc<str>>),
}

/// Appends a line and its end.
pub(super) fn append(lines: &mut BytesMut, line: &[u8]) {
    lines.extend_from_slice(line);
    lines.extend_from_slice(b"\n");
}

impl OutboxBuffer {
    /// Adds a route of a waiting ticket.
    pub fn expect(&mut self, ticket: &Arc<str>) {
        let waiting = self.waiting.expose_mut();
        let count = waiting.entry(Arc::clone(ticket)).or_default();
        *count = count.saturating_add(1);
        if *count == 0 {
            waiting.remove(ticket);
        }
    }

    /// Removes a route of a ticket whose query has ended.
    pub fn end(&mut self, ticket: &Arc<str>) {
        let waiting = self.waiting.expose_mut();
        let count = waiting.remove(ticket).unwrap_or(0).saturating_sub(1);
        if count != 0 {
            waiting.insert(Arc::clone(ticket), count);
        }
    }

    /// Appends a result that is stored under its ticket, or the ticket if there is no space.
    pub fn push_stored(&mut self, ticket: &Arc<str>, finished: &Finished, unread: &UnreadShare) {
        if !self.reader_gone && !self.try_push(&finished.body, unread) {
            self.parked = self.parked.saturating_add(1);
            self.entries.expose_mut().push_back(Entry::Ticket(Arc::clone(ticket)));
        }
    }

    /// Appends a line if it fits into the limits.
    pub fn try_push(&mut self, line: &[u8], unread: &UnreadShare) -> bool {
        let len = line.len().saturating_add(1);
        let sum = self.bytes.saturating_add(len);
        if sum > MAX_BUFFERED {
            return false;
        }
        let entries = self.entries.expose_mut();
        if let Some(Entry::Lines(lines, charge)) = entries.back_mut()
            && lines.len() < CHUNK
        {
            if !unread.extend(charge, len) {
                return false;
            }
            append(lines, line);
        } else {
            let Some(charge) = unread.charge(len) else { return false };
            // Behind a full chunk this one becomes full, too.
            let capacity = if entries.is_empty() { len } else { CHUNK.saturating_add(len) };
            let mut lines = BytesMut::with_capacity(capacity);
            append(&mut lines, line);
            entries.push_back(Entry::Lines(lines, charge));
        }
        self.bytes = sum;
        true
    }

    /// Takes the lines or finds the tickets at the front. `None` if there is nothing.
    pub fn take(&mut self) -> Option<Taken> {
        let dropped = std::mem::take(&mut self.dropped);
        let entries = self.entries.expose_mut();
        if matches!(entries.front(), Some(Entry::Lines(..)))
            && let Some(Entry::Lines(lines, charge)) = entries.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(lines.len());
            self.writing = Some(charge);
            return Some(Taken::Lines { lines, dropped });
        }
        if dropped > 0 {
            return Some(Taken::Lines { lines: BytesMut::new(), dropped });
        }
        let tickets = entries.iter().map_while(|entry| match entry {
            Entry::Ticket(ticket) => Some(Arc::clone(ticket)),
            Entry::Lines(..) => None,
        });
        let tickets: Vec<Arc<str>> = tickets.take(MAX_TICKETS).collect();
        (!tickets.is_empty()).then_some(Taken::Tickets(tickets))
    }
}
