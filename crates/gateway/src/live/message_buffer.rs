//! The last messages to a client. The buffer is bounded; the oldest messages are dropped and counted
//! as skipped. Their results stay under their tickets.

use super::messages::{numbered, skipped};
use crate::unread_bytes::{Charge, UnreadShare};
use axum::extract::ws::Utf8Bytes;
use std::collections::VecDeque;
use std::sync::Arc;

/// Capacity in messages.
const MAX_MESSAGES: usize = 32;
/// Largest size of the buffered messages; one message is kept even if it is larger.
const MAX_BYTES: usize = 64 << 10;

/// A message that may have to be sent again.
struct BufferedMessage {
    seq: u64,
    text: ChargedText,
}

/// A text that is charged as long as the buffer or a connection holds it.
#[derive(Clone, Debug)]
pub(super) struct ChargedText {
    pub text: Utf8Bytes,
    _charge: Option<Arc<Charge>>,
}

impl ChargedText {
    /// A short text, not charged.
    pub fn free(text: String) -> ChargedText {
        ChargedText { text: text.into(), _charge: None }
    }
}

/// Compares the texts.
impl PartialEq for ChargedText {
    fn eq(&self, other: &ChargedText) -> bool {
        self.text == other.text
    }
}

impl Eq for ChargedText {}

/// Numbered messages to a client.
pub(super) struct MessageBuffer {
    unread: UnreadShare,
    /// Ascending by `seq`.
    messages: VecDeque<BufferedMessage>,
    /// Total size of the buffered messages.
    bytes: usize,
    /// `seq` of the newest message.
    last: u64,
    /// `seq` of the last message written to the socket.
    sent: u64,
    /// Value of `sent` when the client last sent a message.
    confirmed: u64,
    /// Messages dropped before they were sent.
    skipped: u64,
}

impl MessageBuffer {
    /// Creates an empty buffer; its bytes are charged to `unread`.
    pub fn new(unread: UnreadShare) -> MessageBuffer {
        let messages = VecDeque::new();
        MessageBuffer { unread, messages, bytes: 0, last: 0, sent: 0, confirmed: 0, skipped: 0 }
    }

    /// Appends a message. It is dropped if the limit over all clients, or the share of the account, is reached.
    pub fn push(&mut self, kind: &str, body: &[u8]) {
        self.last = self.last.saturating_add(1);
        let text = numbered(kind, self.last, body);
        let Some(charge) = self.unread.charge(text.len()) else {
            self.skipped = self.skipped.saturating_add(1);
            return;
        };
        self.bytes = self.bytes.saturating_add(text.len());
        let text = ChargedText { text: text.into(), _charge: Some(Arc::new(charge)) };
        self.messages.push_back(BufferedMessage { seq: self.last, text });
        while self.messages.len() > MAX_MESSAGES
            || (self.bytes > MAX_BYTES && self.messages.len() > 1)
        {
            let Some(oldest) = self.messages.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(oldest.text.text.len());
            self.skipped = self.skipped.saturating_add(u64::from(oldest.seq > self.sent));
        }
    }

    /// Returns the next message with its `seq`. A report of skipped messages has none.
    pub fn next(&mut self) -> Option<(Option<u64>, ChargedText)> {
        if self.skipped > 0 {
            let report = skipped(std::mem::take(&mut self.skipped));
            return Some((None, ChargedText::free(report)));
        }
        let unsent = self.messages.iter().find(|message| message.seq > self.sent)?;
        Some((Some(unsent.seq), unsent.text.clone()))
    }

    /// Sends the messages after `after` again; without it, those after the last confirmed one.
    /// Returns the `seq` before the next message.
    pub fn rewind(&mut self, after: Option<u64>) -> u64 {
        self.sent = after.unwrap_or(self.confirmed).min(self.last);
        self.sent
    }

    /// Records that a message was written to the socket.
    pub fn mark_sent(&mut self, seq: u64) {
        self.sent = self.sent.max(seq);
    }

    /// Records that all messages written so far have arrived.
    pub fn confirm(&mut self) {
        self.confirmed = self.sent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unread_bytes::UnreadBytes;

    #[test]
    fn one_large_message_is_kept_and_the_bytes_are_charged() {
        let unread = Arc::default();
        let mut buffer = MessageBuffer::new(UnreadShare::new(Arc::clone(&unread), Arc::default()));
        for _ in 0..3 {
            buffer.push("result", &[b'x'; 40 << 10]);
        }
        assert_eq!((buffer.messages.len(), buffer.bytes), (1, unread.used()));
        assert!(buffer.bytes < 2 * MAX_BYTES);
        assert_eq!(buffer.next(), Some((None, ChargedText::free(skipped(2)))));
        let (_, written) = buffer.next().unwrap();
        drop(buffer);
        assert!(unread.used() > 40 << 10, "charged while a connection writes it");
        drop(written);
        assert_eq!(unread.used(), 0);
    }

    #[test]
    fn messages_beyond_the_limit_over_all_clients_are_skipped() {
        let unread = UnreadBytes::new(100_000);
        let share = UnreadShare::new(Arc::clone(&unread), Arc::default());
        let mut buffers: Vec<MessageBuffer> =
            (0..100).map(|_| MessageBuffer::new(share.clone())).collect();
        for buffer in &mut buffers {
            buffer.push("result", &[b'x'; 20_000]);
            assert!(unread.used() <= 100_000);
        }
        let (kept, lost) = buffers.split_at_mut(4);
        assert!(kept.iter_mut().all(|buffer| matches!(buffer.next(), Some((Some(1), _)))));
        assert!(
            lost.iter_mut()
                .all(|buffer| buffer.next() == Some((None, ChargedText::free(skipped(1)))))
        );
        kept[0].messages.clear();
        buffers[9].push("result", &[b'x'; 20_000]);
        assert!(matches!(buffers[9].next(), Some((Some(2), _))));
    }
}
