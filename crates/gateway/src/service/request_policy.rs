//! Rules under which the requests of one inquiry are sent: time-out, repetition, circuit breaker.
//!
//! An inquiry can cause several requests to the service: pages, parts of a long query, a second
//! radius. The rules hold for each of them, so that an inquiry of two requests may take twice as
//! long as one of one. [`super::RequestQueue`] bounds the inquiry as a whole.
//!
//! A request that is repeated counts once for the circuit breaker. The queue admits the first request
//! of an inquiry, and suspends it while the breaker is open; a later one fails at once.
//!
//! A request occupies a slot of the queue until its response has arrived. Connectors parse it after
//! [`RequestPolicy::send`], so that the next request does not wait for that.

use super::breaker::{Admission, Breakers};
use super::held::{HeldBytes, ReceivedBytes};
use super::queue::{InquirySlot, OccupiedSlot};
use super::{ServiceClientSettings, ServiceError};
use crate::question::QuestionKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Rules for the requests of one inquiry.
pub struct RequestPolicy {
    settings: ServiceClientSettings,
    /// Breakers, and the kind of the inquiry.
    breaker: Option<(Arc<Breakers>, QuestionKind)>,
    /// Slot of the inquiry; without one the number of concurrent requests is not limited.
    slot: Option<Arc<InquirySlot>>,
    /// Memory of all received answers; without it there is no limit.
    held: Option<Arc<HeldBytes>>,
}

impl RequestPolicy {
    pub(crate) fn new(
        settings: ServiceClientSettings,
        breakers: &Arc<Breakers>,
        kind: &QuestionKind,
    ) -> RequestPolicy {
        let breaker = Some((Arc::clone(breakers), kind.clone()));
        RequestPolicy { settings, breaker, slot: None, held: None }
    }

    /// Returns the rules with a slot of the queue and its memory for answers.
    pub(crate) fn with_slot(self, slot: Arc<InquirySlot>, held: Arc<HeldBytes>) -> RequestPolicy {
        RequestPolicy { slot: Some(slot), held: Some(held), ..self }
    }

    /// Begins to count what is received of an answer.
    pub fn received(&self) -> ReceivedBytes {
        ReceivedBytes::new(self.held.clone())
    }

    /// Rules without a time-out, repetition or circuit breaker.
    pub fn unlimited() -> RequestPolicy {
        let settings = ServiceClientSettings {
            timeout: Duration::MAX,
            max_attempts: 1,
            ..ServiceClientSettings::default()
        };
        RequestPolicy { settings, breaker: None, slot: None, held: None }
    }

    /// Sends one request to the service and returns when its response has arrived; `request` must not
    /// do more. A failed one is repeated with the same bytes if there is time left; one that has timed
    /// out is not, because its time is spent. The wait for a slot is not part of the time.
    ///
    /// # Errors
    /// The error of the last attempt, at the latest after the time-out.
    pub async fn send<T, F>(&self, request: impl Fn() -> F) -> Result<T, ServiceError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let slot = match &self.slot {
            Some(slot) => Some(slot.occupy().await),
            None => None,
        };
        let Some((breakers, kind)) = &self.breaker else { return request().await };
        let admitted = slot.as_ref().and_then(OccupiedSlot::admission);
        let admission: Admission =
            admitted.or_else(|| breakers.admit(kind)).ok_or(ServiceError::CircuitOpen)?;
        let answer = self.repeat(request).await;
        // A refusal proves that the service works. One inquiry that is always refused must not
        // suspend its kind.
        match &answer {
            Err(error) if error.is_transient() => breakers.record_failure(kind, admission),
            _ => breakers.record_success(kind, admission),
        }
        answer
    }

    /// Sends a request until it succeeds, its attempts are used up or its time is over.
    async fn repeat<T, F>(&self, request: impl Fn() -> F) -> Result<T, ServiceError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let start = Instant::now();
        for attempt in 1.. {
            let left = self.settings.timeout.saturating_sub(start.elapsed());
            let answer = timeout(left, request()).await.unwrap_or(Err(ServiceError::TimedOut));
            let delay = self.settings.delay_after(attempt);
            let is_last = attempt >= self.settings.max_attempts
                || start.elapsed().saturating_add(delay) >= self.settings.timeout;
            match answer {
                Err(error) if error.is_transient() && !is_last => sleep(delay).await,
                answer => return answer,
            }
        }
        Err(ServiceError::Internal)
    }
}
