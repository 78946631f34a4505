//! Bytes received from a database: limited, and charged to the memory of all answers as they arrive.

use crate::service::ServiceError;
use crate::service::answer_memory::Reservation;
use parking_lot::Mutex;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Largest number of bytes per answer.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Largest number of bytes before the first answer, and between two; not charged.
const MAX_IDLE_BYTES: usize = 1 << 20;

pub(super) const TOO_LARGE: ServiceError = ServiceError::Malformed("it has too many rows or bytes");

/// Bytes that a connection may receive.
#[derive(Clone, Default)]
pub(super) struct ByteBudget(Arc<Mutex<Received>>);

#[derive(Default)]
struct Received {
    /// Bytes since the start or end of an answer.
    bytes: usize,
    /// Memory of the current answer.
    memory: Option<Reservation>,
    /// Why no further byte may be received.
    failure: Option<ServiceError>,
}

impl ByteBudget {
    /// Charges what is received from now on.
    pub(super) fn start(&self, memory: Reservation) {
        *self.0.lock() = Received { memory: Some(memory), ..Received::default() };
    }

    /// Ends an answer and returns its memory.
    pub(super) fn end(&self) -> Option<Reservation> {
        std::mem::take(&mut *self.0.lock()).memory
    }

    /// Returns why the limit or the memory was exceeded.
    pub(super) fn failure(&self) -> Option<ServiceError> {
        self.0.lock().failure.clone()
    }

    fn spend(&self, bytes: usize) -> io::Result<()> {
        let mut received = self.0.lock();
        let Received { bytes: total, memory, failure } = &mut *received;
        *total = total.saturating_add(bytes);
        let max = if memory.is_some() { MAX_ANSWER_BYTES } else { MAX_IDLE_BYTES };
        let charged = match memory {
            _ if *total > max => Err(TOO_LARGE),
            Some(memory) => memory.grow(*total),
            None => Ok(()),
        };
        charged.map_err(|error| {
            *failure = Some(error);
            io::Error::other("the answer is too large")
        })
    }
}

/// A stream whose reads fail when its budget is spent.
pub(super) struct MeteredStream<S> {
    stream: S,
    budget: ByteBudget,
}

impl<S> MeteredStream<S> {
    pub(super) fn new(stream: S, budget: &ByteBudget) -> MeteredStream<S> {
        MeteredStream { stream, budget: budget.clone() }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MeteredStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let received = buffer.filled().len().saturating_sub(before);
        match read {
            Poll::Ready(Ok(())) if received > 0 => Poll::Ready(self.budget.spend(received)),
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MeteredStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::answer_memory::AnswerMemory;

    #[tokio::test]
    async fn bytes_are_charged_while_an_answer_is_received() {
        let memory = AnswerMemory::new(4 << 20);
        let budget = ByteBudget::default();
        budget.start(memory.reserve(None).await.unwrap());
        budget.spend(100 << 10).unwrap();
        assert_eq!(memory.free_bytes(), 2 << 20, "charged in doubling steps");
        assert!(budget.spend(200 << 10).is_err());
        assert_eq!(budget.failure(), Some(ServiceError::Memory));
        drop(budget.end());
        assert_eq!((memory.free_bytes(), budget.failure()), (4 << 20, None));
    }

    #[tokio::test]
    async fn an_answer_and_an_idle_connection_have_a_limit() {
        let budget = ByteBudget::default();
        budget.spend(MAX_IDLE_BYTES).unwrap();
        assert!(budget.spend(1).is_err());
        let memory = AnswerMemory::new(4 << 30);
        budget.start(memory.reserve(None).await.unwrap());
        budget.spend(MAX_ANSWER_BYTES).unwrap();
        assert!(budget.spend(1).is_err());
        assert_eq!(budget.failure(), Some(TOO_LARGE));
        drop(budget);
        assert_eq!(memory.free_bytes(), 4 << 30);
    }
}
