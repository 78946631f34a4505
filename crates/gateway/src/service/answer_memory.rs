//! Memory of all answers that are being read. Bytes of a body are charged before they are kept, and
//! with a factor that covers what parsing builds from them.

use super::ServiceError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Upper bound of the memory per byte of an answer: body, parsed objects and spare capacity. The
/// test `hostile_memory` measures it.
const BYTES_PER_BODY_BYTE: usize = 16;

/// Unit of a permit in bytes.
const UNIT: usize = 1 << 10;

/// Body size in bytes that is charged if the service does not announce one.
const FIRST_CHARGE: usize = 64 << 10;

/// Longest wait for memory. It is shorter than the usual time-out of a request, so that the wait
/// for other answers does not count as a failure of the service.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Memory shared by all answers of a service.
pub(crate) struct AnswerMemory {
    free: Arc<Semaphore>,
    max_bytes: usize,
}

impl AnswerMemory {
    /// Creates a budget of `max_bytes` bytes.
    pub(crate) fn new(max_bytes: usize) -> AnswerMemory {
        let max_bytes = max_bytes.min(Semaphore::MAX_PERMITS);
        AnswerMemory { free: Arc::new(Semaphore::new(units(max_bytes))), max_bytes }
    }

    /// Waits until a body of the announced size fits and charges it.
    ///
    /// # Errors
    /// The body would not fit even alone, or waited longer than [`MAX_WAIT`].
    pub(crate) async fn reserve(&self, body: Option<u64>) -> Result<Reservation, ServiceError> {
        let announced = body.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let bytes = announced.unwrap_or(FIRST_CHARGE);
        let charge = charge(bytes).filter(|&units| units as usize <= self::units(self.max_bytes));
        let charge = charge.ok_or(ServiceError::Memory)?;
        let permit = timeout(MAX_WAIT, Arc::clone(&self.free).acquire_many_owned(charge)).await;
        let permit = permit.map_err(|_| ServiceError::Memory)?;
        let permit = permit.map_err(|_| ServiceError::Internal)?;
        Ok(Reservation { free: Arc::clone(&self.free), permit, bytes })
    }

    /// Number of bytes that are not charged.
    #[cfg(test)]
    pub(crate) fn free_bytes(&self) -> usize {
        self.free.available_permits() * UNIT
    }
}

/// Permits of a body of this size.
fn charge(bytes: usize) -> Option<u32> {
    u32::try_from(units(bytes.checked_mul(BYTES_PER_BODY_BYTE)?)).ok()
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT)
}

/// Charged memory of one answer; free again when dropped.
pub(crate) struct Reservation {
    free: Arc<Semaphore>,
    permit: OwnedSemaphorePermit,
    /// Charged size of the body.
    bytes: usize,
}

impl Reservation {
    /// Charges a body that has grown to `bytes`. Never waits: an answer that waits while it holds
    /// memory could block all others.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ServiceError> {
        if bytes <= self.bytes {
            return Ok(());
        }
        let target = bytes.max(self.bytes.saturating_mul(2));
        let more = charge(target.saturating_sub(self.bytes)).ok_or(ServiceError::Memory)?;
        let permit = Arc::clone(&self.free).try_acquire_many_owned(more);
        self.permit.merge(permit.map_err(|_| ServiceError::Memory)?);
        self.bytes = target;
        Ok(())
    }

    /// Parses an answer on a thread for blocking work, so that a large one delays no other task.
    /// The memory stays charged until parsing has ended, even if the request is cancelled.
    pub(crate) async fn parse<T: Send + 'static>(
        self,
        parse: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let parsed = tokio::task::spawn_blocking(move || {
            let parsed = parse();
            drop(self);
            parsed
        });
        parsed.await.unwrap_or(Err(ServiceError::Internal))
    }
}

/// Body of an answer with its charged memory.
pub(crate) struct AnswerBody {
    pub bytes: Vec<u8>,
    pub memory: Reservation,
}

impl AnswerBody {
    /// Parses the body as [`Reservation::parse`] does.
    pub(crate) async fn parse<T: Send + 'static>(
        self,
        parse: impl FnOnce(&[u8]) -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let AnswerBody { bytes, memory } = self;
        memory.parse(move || parse(&bytes)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn answers_wait_for_memory_and_growing_ones_fail() {
        let memory = AnswerMemory::new(4 << 20);
        assert_eq!(memory.reserve(Some(1 << 20)).await.err(), Some(ServiceError::Memory));
        assert_eq!(memory.reserve(Some(u64::MAX)).await.err(), Some(ServiceError::Memory));
        let mut first = memory.reserve(Some(128 << 10)).await.unwrap();
        assert_eq!(memory.free_bytes(), 2 << 20);
        let second = memory.reserve(None).await.unwrap();
        assert_eq!(memory.free_bytes(), 1 << 20);
        assert!(memory.reserve(Some(65 << 10)).now_or_never().is_none(), "it waits");
        assert_eq!(first.grow(128 << 10), Ok(()));
        assert_eq!(first.grow((128 << 10) + 1), Err(ServiceError::Memory));
        drop(second);
        assert_eq!(first.grow((128 << 10) + 1), Ok(()));
        assert_eq!(memory.free_bytes(), 0, "growth is charged in doubling steps");
        drop(first);
        assert_eq!(memory.free_bytes(), 4 << 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_for_memory_ends_as_an_error_that_is_not_the_services() {
        let memory = AnswerMemory::new(1 << 20);
        let held = memory.reserve(Some(64 << 10)).await.unwrap();
        let refused = memory.reserve(None).await.err();
        assert_eq!(refused, Some(ServiceError::Memory));
        assert!(!ServiceError::Memory.is_transient(), "it opens no breaker");
        drop(held);
        assert!(memory.reserve(None).await.is_ok());
    }

    #[tokio::test]
    async fn memory_is_charged_while_an_abandoned_answer_is_parsed() {
        let memory = AnswerMemory::new(4 << 20);
        let body = AnswerBody { bytes: vec![0; 9], memory: memory.reserve(None).await.unwrap() };
        let (release, released) = std::sync::mpsc::channel::<()>();
        let parsing = body.parse(move |_| Ok(released.recv().is_ok()));
        assert!(parsing.now_or_never().is_none(), "the request is cancelled");
        assert_eq!(memory.free_bytes(), 3 << 20);
        release.send(()).unwrap();
        while memory.free_bytes() < 4 << 20 {
            tokio::task::yield_now().await;
        }
        let body = AnswerBody { bytes: vec![0; 9], memory: memory.reserve(None).await.unwrap() };
        let panicked = body.parse::<()>(|_| panic!("a bug")).await;
        assert_eq!(panicked, Err(ServiceError::Internal));
        assert_eq!(memory.free_bytes(), 4 << 20);
    }
}
