//! Bytes of results that clients have not read: one limit over all streams and sockets, shared among
//! the accounts by the rule of `queue_share`.

use crate::queue_share;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Number of buffered bytes of all accounts, with a limit.
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
}

impl Default for UnreadBytes {
    fn default() -> UnreadBytes {
        UnreadBytes { used: AtomicUsize::new(0), max: AtomicUsize::new(usize::MAX) }
    }
}

/// Time between two attempts of a stream to charge its next result.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The part of one account in [`UnreadBytes`].
#[derive(Clone, Debug, Default)]
pub struct UnreadShare {
    total: Arc<UnreadBytes>,
    held: Arc<AtomicUsize>,
}

impl UnreadShare {
    /// Returns the part of an account that holds `held` bytes.
    pub(crate) fn new(total: Arc<UnreadBytes>, held: Arc<AtomicUsize>) -> UnreadShare {
        UnreadShare { total, held }
    }

    /// Charges bytes; `None` if they exceed the limit of all or the share of the account. More bytes
    /// than the limit are charged as the limit: such a result is sent alone.
    pub(crate) fn charge(&self, bytes: usize) -> Option<Charge> {
        let bytes = self.add(bytes)?;
        Some(Charge { share: self.clone(), bytes })
    }

    /// Adds bytes to a charge of this share. Returns false if they exceed a limit.
    pub(crate) fn extend(&self, charge: &mut Charge, bytes: usize) -> bool {
        let added = self.add(bytes);
        charge.bytes = charge.bytes.saturating_add(added.unwrap_or(0));
        added.is_some()
    }

    /// Counts bytes. Returns how many are charged.
    fn add(&self, bytes: usize) -> Option<usize> {
        let max = self.total.max.load(Ordering::Relaxed);
        let bytes = bytes.min(max);
        let held = self.held.load(Ordering::Relaxed);
        let add = |used: usize| {
            let is_fair = queue_share::allows(max, used, held);
            used.checked_add(bytes).filter(|sum| is_fair && *sum <= max)
        };
        self.total.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Some(bytes)
    }

    /// Waits until bytes can be charged. The bytes of an account become free at the latest when its
    /// clients that read nothing are disconnected (`server.idle_timeout`).
    ///
    /// Polls, because a wake-up of all waiting streams whenever bytes become free could be used to
    /// occupy the processors.
    pub(crate) async fn charge_when_free(&self, bytes: usize) -> Charge {
        loop {
            if let Some(charge) = self.charge(bytes) {
                return charge;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// Charged bytes; returned when dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    share: UnreadShare,
    bytes: usize,
}

impl Charge {
    /// Number of charged bytes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.share.total.used.fetch_sub(self.bytes, Ordering::Relaxed);
        self.share.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_leaves_bytes_for_the_others_and_gets_them_back() {
        let total = UnreadBytes::new(100_000);
        let [greedy, other] =
            [(); 2].map(|()| UnreadShare::new(Arc::clone(&total), Arc::default()));
        let charges: Vec<Charge> = std::iter::from_fn(|| greedy.charge(100)).collect();
        assert!((74_000..=76_000).contains(&total.used()), "{} bytes", total.used());
        let late: Vec<Charge> = std::iter::from_fn(|| other.charge(100)).collect();
        assert!(late.len() > 150, "{} charges beside a full account", late.len());
        assert!(total.used() < 100_000 && greedy.charge(1).is_none());
        drop(charges);
        assert_eq!(total.used(), 100 * late.len());
        drop(late);
        assert_eq!(total.used() + greedy.held.load(Ordering::Relaxed), 0);
        let alone = other.charge(100_001);
        assert_eq!(alone.as_ref().map(Charge::bytes), Some(100_000), "more than there is");
        assert!(greedy.charge(1).is_none());
    }

    #[test]
    fn a_charge_grows_within_the_limits_and_is_freed_as_a_whole() {
        let share = UnreadShare::new(UnreadBytes::new(100), Arc::default());
        let mut charge = share.charge(10).unwrap();
        assert!(share.extend(&mut charge, 30) && !share.extend(&mut charge, 61));
        assert_eq!((charge.bytes(), share.total.used()), (40, 40));
        drop(charge);
        assert_eq!(share.total.used() + share.held.load(Ordering::Relaxed), 0);
    }
}
