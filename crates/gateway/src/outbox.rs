//! What a stream has to say: lines appended by whoever finishes a query, taken all at once by the
//! connection. No message per line, and no wait.

use bytes::{Bytes, BytesMut};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

/// Lines on their way to a connection.
#[derive(Debug, Default)]
pub struct Outbox {
    inside: Mutex<Inside>,
    filled: Notify,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Inside {
    lines: BytesMut,
    /// Queries of this stream that have not ended.
    waiting: usize,
    input: Input,
    reader: Reader,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Input {
    #[default]
    Open,
    Over,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Reader {
    #[default]
    There,
    Gone,
}

/// A client that lets this many bytes lie is not read from until it has taken them.
const MOST: usize = 1 << 20;

/// So many bytes are handed over at once: what a client does not take is given back when it is let
/// go, and not what it has been handed.
const PORTION: usize = 256 << 10;

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock()
    }

    /// So many more queries of this stream are under way.
    pub fn expect(&self, queries: usize) {
        self.lock().waiting += queries;
    }

    /// Says something that ends no query.
    pub fn say(&self, line: &[u8]) {
        self.put(line, 0);
    }

    /// Says how a query ended.
    pub fn finish(&self, line: &[u8]) {
        self.put(line, 1);
    }

    fn put(&self, line: &[u8], ends: usize) {
        let mut inside = self.lock();
        inside.waiting = inside.waiting.saturating_sub(ends);
        if inside.reader == Reader::There {
            inside.lines.extend_from_slice(line);
            inside.lines.extend_from_slice(b"\n");
        }
        drop(inside);
        self.filled.notify_one();
    }

    /// Nothing more will be asked.
    pub fn end_of_input(&self) {
        self.lock().input = Input::Over;
        self.filled.notify_one();
    }

    /// Nobody reads any more.
    pub fn abandon(&self) {
        let mut inside = self.lock();
        inside.reader = Reader::Gone;
        inside.lines = BytesMut::new();
        drop(inside);
        self.emptied.notify_one();
    }

    /// Whether nobody reads any more.
    pub fn is_abandoned(&self) -> bool {
        self.lock().reader == Reader::Gone
    }

    /// Whether nobody of this stream waits.
    pub fn is_quiet(&self) -> bool {
        self.lock().waiting == 0
    }

    /// Waits until there is room, or nobody reads any more.
    pub async fn room(&self) {
        loop {
            {
                let inside = self.lock();
                if inside.lines.len() < MOST || inside.reader == Reader::Gone {
                    return;
                }
            }
            self.emptied.notified().await;
        }
    }

    /// Waits for something to say; `None` when all has been said. Lines may be cut anywhere.
    pub async fn next(&self) -> Option<Bytes> {
        loop {
            {
                let mut inside = self.lock();
                if !inside.lines.is_empty() {
                    let most = inside.lines.len().min(PORTION);
                    let lines = inside.lines.split_to(most).freeze();
                    drop(inside);
                    self.emptied.notify_one();
                    return Some(lines);
                }
                if inside.input == Input::Over && inside.waiting == 0 {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_taken_together_and_the_end_comes_after_the_last_answer() {
        let outbox = Outbox::default();
        outbox.expect(2);
        outbox.say(b"hello");
        outbox.finish(b"one");
        assert_eq!(outbox.next().await.as_deref(), Some(&b"hello\none\n"[..]));
        outbox.end_of_input();
        assert!(!outbox.is_quiet());
        outbox.finish(b"two");
        assert_eq!(outbox.next().await.as_deref(), Some(&b"two\n"[..]));
        assert_eq!(outbox.next().await, None);
    }

    #[tokio::test]
    async fn nothing_is_kept_for_a_reader_who_has_gone() {
        let outbox = Outbox::default();
        outbox.say(&vec![b'x'; 2 * MOST]);
        outbox.abandon();
        outbox.room().await;
        outbox.say(b"more");
        assert!(outbox.is_abandoned() && outbox.lock().lines.is_empty());
    }
}
