//! Bytes of results that clients have not read: one limit over all streams and sockets.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of buffered bytes, with a limit.
#[derive(Debug)]
pub struct UnreadBytes {
    used: AtomicUsize,
    max: AtomicUsize,
}

impl UnreadBytes {
    /// Creates an empty account of bytes with a limit.
    pub fn new(max: usize) -> Arc<UnreadBytes> {
        Arc::new(UnreadBytes { used: AtomicUsize::new(0), max: AtomicUsize::new(max) })
    }

    /// Changes the limit. What is buffered stays.
    pub fn set_max(&self, max: usize) {
        self.max.store(max, Ordering::Relaxed);
    }

    /// Number of buffered bytes.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Charges bytes; `None` if they exceed the limit.
    pub(crate) fn charge(self: &Arc<UnreadBytes>, bytes: usize) -> Option<Charge> {
        let max = self.max.load(Ordering::Relaxed);
        let add = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(Charge { unread: Arc::clone(self), bytes })
    }
}

impl Default for UnreadBytes {
    fn default() -> UnreadBytes {
        UnreadBytes { used: AtomicUsize::new(0), max: AtomicUsize::new(usize::MAX) }
    }
}

/// Charged bytes; returned when dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    unread: Arc<UnreadBytes>,
    bytes: usize,
}

impl Charge {
    /// Number of charged bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.unread.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
