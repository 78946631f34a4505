//! A limit on the bytes received from a database: bounds the memory that an endless answer can use.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Number of bytes that may still be received.
#[derive(Clone)]
pub(super) struct ByteBudget(Arc<AtomicU64>);

impl ByteBudget {
    pub(super) fn new(bytes: u64) -> ByteBudget {
        ByteBudget(Arc::new(AtomicU64::new(bytes)))
    }

    /// Allows `bytes` more bytes from now on.
    pub(super) fn reset(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Returns whether no further byte may be received.
    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn spend(&self, bytes: u64) -> io::Result<()> {
        let remaining = self.0.load(Ordering::Relaxed).saturating_sub(bytes);
        self.0.store(remaining, Ordering::Relaxed);
        if remaining == 0 { Err(io::Error::other("the answer is too large")) } else { Ok(()) }
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
        let received = buffer.filled().len().saturating_sub(before) as u64;
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
