//! Rules under which the requests of one inquiry are sent: time-out, repetition, circuit breaker.
//!
//! An inquiry can cause several requests to the service: pages, parts of a long query, a second
//! radius. The rules hold for each of them, so that an inquiry of two requests may take twice as
//! long as one of one. [`super::RequestQueue`] bounds the inquiry as a whole.

use super::breaker::Breakers;
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
}

impl RequestPolicy {
    pub(crate) fn new(
        settings: ServiceClientSettings,
        breakers: &Arc<Breakers>,
        kind: &QuestionKind,
    ) -> RequestPolicy {
        RequestPolicy { settings, breaker: Some((Arc::clone(breakers), kind.clone())) }
    }

    /// Rules without a time-out, repetition or circuit breaker.
    pub fn unlimited() -> RequestPolicy {
        let settings = ServiceClientSettings {
            timeout: Duration::MAX,
            max_attempts: 1,
            ..ServiceClientSettings::default()
        };
        RequestPolicy { settings, breaker: None }
    }

    /// Sends one request to the service. A failed one is repeated with the same bytes if there is
    /// time left; one that has timed out is not, because its time is spent.
    ///
    /// # Errors
    /// The error of the last attempt, at the latest after the time-out.
    pub async fn send<T, F>(&self, request: impl Fn() -> F) -> Result<T, ServiceError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let start = Instant::now();
        for attempt in 1.. {
            let left = self.settings.timeout.saturating_sub(start.elapsed());
            let answer = self.attempt(&request, left).await;
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

    async fn attempt<T, F>(
        &self,
        request: &impl Fn() -> F,
        left: Duration,
    ) -> Result<T, ServiceError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let Some((breakers, kind)) = &self.breaker else { return request().await };
        breakers.admit(kind)?;
        let answer = timeout(left, request()).await.unwrap_or(Err(ServiceError::TimedOut));
        // A refusal proves that the service works. One inquiry that is always refused must not
        // suspend its kind.
        match &answer {
            Err(error) if error.is_transient() => breakers.record_failure(kind),
            _ => breakers.record_success(kind),
        }
        answer
    }
}
