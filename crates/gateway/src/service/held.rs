//! Answers of the service that are held, within a limit in bytes: parts of answers that are being
//! received, and answers until the sets that need them are complete.

use super::{Objects, ServiceError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Size of all held answers.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    max: usize,
    used: AtomicUsize,
    /// Signals that an answer was dropped.
    freed: Notify,
}

/// Parts of an answer that have been received and parsed. They count against the limit until this is
/// dropped.
#[derive(Debug)]
pub struct ReceivedBytes {
    bytes: usize,
    /// `None` without a limit.
    account: Option<Arc<HeldBytes>>,
}

/// An answer of the service that counts against the limit until it is dropped.
#[derive(Debug)]
pub struct HeldObjects {
    objects: Arc<Objects>,
    bytes: usize,
    account: Arc<HeldBytes>,
}

impl HeldBytes {
    /// Creates an empty account with a limit in bytes.
    pub(crate) fn new(max: usize) -> Arc<HeldBytes> {
        Arc::new(HeldBytes { max, used: AtomicUsize::new(0), freed: Notify::new() })
    }

    fn add(&self, bytes: usize) -> Option<()> {
        let add = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok().map(drop)
    }

    fn free(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.freed.notify_waiters();
    }

    /// Waits until at most half of the limit is in use.
    pub(crate) async fn half_free(&self) {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            freed.as_mut().enable();
            if self.used.load(Ordering::Relaxed) <= self.max / 2 {
                return;
            }
            freed.await;
        }
    }
}

impl HeldObjects {
    /// Counts an answer. Returns `None` beyond the limit.
    pub(crate) fn new(objects: Arc<Objects>, account: &Arc<HeldBytes>) -> Option<HeldObjects> {
        let bytes = objects.size();
        account.add(bytes)?;
        Some(HeldObjects { objects, bytes, account: Arc::clone(account) })
    }

    /// The answer.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
}

impl Drop for HeldObjects {
    fn drop(&mut self) {
        self.account.free(self.bytes);
    }
}

impl ReceivedBytes {
    /// Nothing received yet; `None` sets no limit.
    pub(crate) fn new(account: Option<Arc<HeldBytes>>) -> ReceivedBytes {
        ReceivedBytes { bytes: 0, account }
    }

    /// Counts more bytes.
    ///
    /// # Errors
    /// [`ServiceError::Memory`] beyond the limit.
    pub(crate) fn add(&mut self, more: usize) -> Result<(), ServiceError> {
        self.set(self.bytes.saturating_add(more))
    }

    /// Counts `bytes` instead of what was counted before.
    ///
    /// # Errors
    /// [`ServiceError::Memory`] beyond the limit.
    pub(crate) fn set(&mut self, bytes: usize) -> Result<(), ServiceError> {
        if let Some(account) = &self.account {
            match bytes.checked_sub(self.bytes) {
                Some(more) => account.add(more).ok_or(ServiceError::Memory)?,
                None => account.free(self.bytes.saturating_sub(bytes)),
            }
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for ReceivedBytes {
    fn drop(&mut self) {
        if let Some(account) = &self.account {
            account.free(self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::{Completeness, Object};
    use meshcloak::units::Point;

    fn answer(count: usize) -> Arc<Objects> {
        let object = |number: usize| {
            let (id, name, category) = (number.to_string(), "x".repeat(100), "cafe".to_owned());
            Arc::new(Object { id, name, category, point: Point::default(), position: None })
        };
        Arc::new(Objects::new((0..count).map(object).collect(), Completeness::Complete))
    }

    #[tokio::test]
    async fn half_of_the_limit_is_awaited() {
        let account = HeldBytes::new(answer(10).size());
        let held = HeldObjects::new(answer(8), &account).unwrap();
        let mut waiting = std::pin::pin!(account.half_free());
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        drop(held);
        waiting.await;
    }

    #[test]
    fn received_parts_count_against_the_same_limit() {
        let account = HeldBytes::new(1_000);
        let mut first = ReceivedBytes::new(Some(Arc::clone(&account)));
        let mut second = ReceivedBytes::new(Some(Arc::clone(&account)));
        assert_eq!((first.add(400), first.add(300), second.set(300)), (Ok(()), Ok(()), Ok(())));
        assert_eq!(second.add(1), Err(ServiceError::Memory));
        assert_eq!((first.set(200), second.add(500)), (Ok(()), Ok(())));
        assert_eq!(account.used.load(Ordering::Relaxed), 1_000);
        drop((first, second));
        assert_eq!(account.used.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn held_answers_are_bounded_and_released() {
        let size = answer(10).size();
        assert!(size > 10 * 100 && answer(20).size() >= 2 * size);
        let account = HeldBytes::new(2 * size + size / 2);
        let first = HeldObjects::new(answer(10), &account);
        let second = HeldObjects::new(answer(10), &account);
        assert!(first.is_some() && second.is_some());
        assert!(HeldObjects::new(answer(10), &account).is_none());
        assert!(HeldObjects::new(answer(1), &account).is_some(), "a small one still fits");
        drop(first);
        assert!(HeldObjects::new(answer(10), &account).is_some());
        drop(second);
        assert_eq!(account.used.load(Ordering::Relaxed), 0);
        let kept = answer(1_000);
        let shared = Arc::new(Objects::clone(&kept));
        assert!(HeldObjects::new(shared, &HeldBytes::new(0)).is_some(), "no memory of its own");
    }
}
