//! A stream that ends when more came through it than one answer can be: what keeps a database
//! that never stops talking from filling our memory.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How many bytes may still come.
#[derive(Clone, Default)]
pub(super) struct Budget(Arc<AtomicU64>);

impl Budget {
    /// Lets so many bytes come from now on.
    pub(super) fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Whether everything that was allowed has come.
    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn spend(&self, bytes: u64) -> io::Result<()> {
        let left = self.0.load(Ordering::Relaxed).saturating_sub(bytes);
        self.0.store(left, Ordering::Relaxed);
        if left == 0 { Err(io::Error::other("more than an answer can be")) } else { Ok(()) }
    }
}

/// A stream with a budget.
pub(super) struct Metered<S> {
    pub stream: S,
    pub budget: Budget,
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let came = (buffer.filled().len() - before) as u64;
        match read {
            Poll::Ready(Ok(())) if came > 0 => Poll::Ready(self.budget.spend(came)),
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
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
