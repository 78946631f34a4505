//! Client of a service: time-out, retries with the same bytes, circuit breaker.
//!
//! Answers are not cached beyond the batch that asked: an app that gets an answer sooner than the
//! service can give it would learn that another app had asked the same. Inside a batch equal
//! requests are one request, which is sent whether one set or many need it. An app can still see
//! the total load in its waits, and a larger answer if another set of the batch asks the same kind
//! about the same region with a larger radius or count.

use super::breaker::Breaker;
use super::{Objects, Service, ServiceError};
use crate::inquiry::Inquiry;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Settings of a [`ServiceClient`].
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceClientSettings {
    /// Time-out of one attempt.
    pub timeout: Duration,
    /// Largest number of attempts per inquiry; 0 counts as 1.
    pub max_attempts: u32,
    /// Delay before the second attempt; doubles with each further attempt.
    pub retry_delay: Duration,
    /// Number of consecutive failures that opens the circuit breaker.
    pub failure_threshold: u32,
    /// Time for which the circuit breaker stays open.
    pub open_duration: Duration,
}

impl Default for ServiceClientSettings {
    fn default() -> ServiceClientSettings {
        ServiceClientSettings {
            timeout: Duration::from_secs(2),
            max_attempts: 3,
            retry_delay: Duration::from_millis(50),
            failure_threshold: 5,
            open_duration: Duration::from_secs(5),
        }
    }
}

impl ServiceClientSettings {
    /// Upper bound of the duration of [`ServiceClient::ask`].
    pub fn max_duration(&self) -> Duration {
        let attempts = self.max_attempts.max(1);
        let delays = (1..attempts).map(|attempt| self.delay_before(attempt));
        delays.fold(self.timeout.saturating_mul(attempts), Duration::saturating_add)
    }

    /// Returns the delay before an attempt; the first attempt is number 0.
    fn delay_before(&self, attempt: u32) -> Duration {
        self.retry_delay.saturating_mul(1 << (attempt.clamp(1, 16) - 1))
    }
}

/// A service behind time-out, retries and circuit breaker.
pub struct ServiceClient {
    service: Box<dyn Service>,
    settings: ServiceClientSettings,
    breaker: Breaker,
}

impl ServiceClient {
    /// Wraps a service.
    pub fn new(service: Box<dyn Service>, settings: ServiceClientSettings) -> ServiceClient {
        let breaker = Breaker::new(settings.failure_threshold, settings.open_duration);
        ServiceClient { service, settings, breaker }
    }

    /// Name of the service.
    pub fn name(&self) -> &'static str {
        self.service.name()
    }

    /// Settings of this client.
    pub fn settings(&self) -> &ServiceClientSettings {
        &self.settings
    }

    /// Returns whether the circuit breaker is open.
    pub fn is_open(&self) -> bool {
        self.breaker.is_open()
    }

    /// Returns the categories of the service, ascending. Queries for other categories are refused
    /// by the gateway, because a unique category would identify the user.
    pub async fn categories(&self) -> Result<Vec<String>, ServiceError> {
        let categories = timeout(self.settings.timeout, self.service.categories()).await;
        categories.map_err(|_| ServiceError::TimedOut)?
    }

    /// Returns the answer of the service to an inquiry.
    ///
    /// # Errors
    /// The error of the last attempt, at the latest after
    /// [`ServiceClientSettings::max_duration`].
    pub async fn ask(&self, inquiry: &Inquiry) -> Result<Arc<Objects>, ServiceError> {
        let mut attempt = 0;
        loop {
            let answer = self.attempt(inquiry).await;
            attempt += 1;
            match answer {
                Ok(objects) => return Ok(objects),
                Err(error) if attempt >= self.settings.max_attempts || !error.is_transient() => {
                    return Err(error);
                }
                Err(_) => tokio::time::sleep(self.settings.delay_before(attempt)).await,
            }
        }
    }

    async fn attempt(&self, inquiry: &Inquiry) -> Result<Arc<Objects>, ServiceError> {
        self.breaker.admit()?;
        let answer = timeout(self.settings.timeout, self.service.ask(inquiry)).await;
        let answer = answer.unwrap_or(Err(ServiceError::TimedOut));
        // A refusal proves that the service works. One inquiry that is always refused must not
        // open the breaker for all others.
        match &answer {
            Err(error) if error.is_transient() => self.breaker.record_failure(),
            _ => self.breaker.record_success(),
        }
        answer.map(Arc::new)
    }
}
