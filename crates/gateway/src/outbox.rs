//! Lines on their way to a streaming client. Producers append to one buffer, the connection takes
//! large chunks from it: there is no message per line, and producers never wait.

use bytes::{Bytes, BytesMut};
use meshcloak::private::Private;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

/// Buffer of a stream's output, with back-pressure for its input.
#[derive(Debug, Default)]
pub struct Outbox {
    state: Mutex<OutboxState>,
    filled: Notify,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct OutboxState {
    lines: Private<BytesMut>,
    /// Queries of this stream that have not ended.
    waiting: usize,
    input_ended: bool,
    reader_gone: bool,
}

/// Buffered bytes from which on no more input is read.
const MAX_BUFFERED: usize = 1 << 20;

/// Largest number of bytes handed to the connection together. What is in the buffer is freed when
/// the client is disconnected, what was handed over is not.
const CHUNK: usize = 256 << 10;

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock()
    }

    /// Adds queries to the number in progress.
    pub fn expect(&self, queries: usize) {
        self.lock().waiting += queries;
    }

    /// Appends a line that ends no query.
    pub fn push_line(&self, line: &[u8]) {
        self.push(line, 0);
    }

    /// Appends the result of a query.
    pub fn push_result(&self, line: &[u8]) {
        self.push(line, 1);
    }

    fn push(&self, line: &[u8], ended: usize) {
        let mut state = self.lock();
        state.waiting = state.waiting.saturating_sub(ended);
        if !state.reader_gone {
            let lines = state.lines.expose_mut();
            lines.extend_from_slice(line);
            lines.extend_from_slice(b"\n");
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Marks the end of the input. The output ends after the last result.
    pub fn end_of_input(&self) {
        self.lock().input_ended = true;
        self.filled.notify_one();
    }

    /// Drops the buffer and all later lines: the reader is gone.
    pub fn abandon(&self) {
        let mut state = self.lock();
        state.reader_gone = true;
        state.lines = Private::default();
        drop(state);
        self.emptied.notify_one();
    }

    /// Whether the reader is gone.
    pub fn is_abandoned(&self) -> bool {
        self.lock().reader_gone
    }

    /// Whether no query of this stream is in progress.
    pub fn is_idle(&self) -> bool {
        self.lock().waiting == 0
    }

    /// Waits until the buffer has space or the reader is gone.
    pub async fn has_space(&self) {
        loop {
            {
                let state = self.lock();
                if state.lines.expose().len() < MAX_BUFFERED || state.reader_gone {
                    return;
                }
            }
            self.emptied.notified().await;
        }
    }

    /// Waits for output, not aligned to lines. Returns `None` at the end.
    pub async fn next(&self) -> Option<Bytes> {
        loop {
            {
                let mut state = self.lock();
                let lines = state.lines.expose_mut();
                if !lines.is_empty() {
                    let len = lines.len().min(CHUNK);
                    let chunk = lines.split_to(len).freeze();
                    drop(state);
                    self.emptied.notify_one();
                    return Some(chunk);
                }
                if state.input_ended && state.waiting == 0 {
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
    async fn lines_are_taken_together_and_the_output_ends_after_the_last_result() {
        let outbox = Outbox::default();
        outbox.expect(2);
        outbox.push_line(b"hello");
        outbox.push_result(b"one");
        assert_eq!(outbox.next().await.as_deref(), Some(&b"hello\none\n"[..]));
        outbox.end_of_input();
        assert!(!outbox.is_idle());
        outbox.push_result(b"two");
        assert_eq!(outbox.next().await.as_deref(), Some(&b"two\n"[..]));
        assert_eq!(outbox.next().await, None);
    }

    #[tokio::test]
    async fn nothing_is_buffered_after_the_reader_is_gone() {
        let outbox = Outbox::default();
        outbox.push_line(&vec![b'x'; 2 * MAX_BUFFERED]);
        outbox.abandon();
        outbox.has_space().await;
        outbox.push_line(b"more");
        assert!(outbox.is_abandoned() && outbox.lock().lines.expose().is_empty());
    }
}
