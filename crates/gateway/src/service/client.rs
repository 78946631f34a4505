//! Client of a service: time-out, retries with the same bytes, circuit breakers.
//!
//! Answers are not cached beyond the batch that asked: an app that gets an answer sooner than the
//! service can give it would learn that another app had asked the same. Inside a batch equal
//! requests are one request, which is sent whether one set or many need it. An app can still see
//! the total load in its waits, and a larger answer if another set of the batch asks the same kind
//! about the same region with a larger radius or count.

use super::breaker::Breakers;
use super::held::HeldBytes;
use super::queue::InquirySlot;
use super::{Objects, RequestPolicy, Service, ServiceError};
use crate::inquiry::Inquiry;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Settings of a [`ServiceClient`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceClientSettings {
    /// Time-out of one request to the service, its repetitions included.
    pub timeout: Duration,
    /// Largest number of attempts per request; 0 counts as 1.
    pub max_attempts: u32,
    /// Delay before the second attempt; doubles with each further attempt.
    pub retry_delay: Duration,
    /// Number of consecutive failures of a kind of question that opens its circuit breaker.
    pub failure_threshold: u32,
    /// Time between two trial requests of an open circuit breaker. Shorter than the default tick, so
    /// that each batch tests the service.
    pub open_duration: Duration,
}

impl Default for ServiceClientSettings {
    fn default() -> ServiceClientSettings {
        ServiceClientSettings {
            timeout: Duration::from_secs(2),
            max_attempts: 3,
            retry_delay: Duration::from_millis(50),
            failure_threshold: 5,
            open_duration: Duration::from_millis(500),
        }
    }
}

impl ServiceClientSettings {
    /// Returns the delay after a failed attempt; the first attempt is number 1.
    pub(super) fn delay_after(&self, attempt: u32) -> Duration {
        self.retry_delay.saturating_mul(1 << attempt.clamp(1, 16).saturating_sub(1))
    }
}

/// A service behind time-outs, retries and circuit breakers.
pub struct ServiceClient {
    service: Box<dyn Service>,
    settings: ServiceClientSettings,
    breakers: Arc<Breakers>,
}

impl ServiceClient {
    /// Wraps a service.
    pub fn new(service: Box<dyn Service>, settings: ServiceClientSettings) -> ServiceClient {
        let breakers = Breakers::new(settings.failure_threshold, settings.open_duration);
        ServiceClient { service, settings, breakers: Arc::new(breakers) }
    }

    /// Name of the service.
    pub fn name(&self) -> &'static str {
        self.service.name()
    }

    /// Settings of this client.
    pub fn settings(&self) -> &ServiceClientSettings {
        &self.settings
    }

    /// Circuit breakers of the service.
    pub(super) fn breakers(&self) -> &Breakers {
        &self.breakers
    }

    /// Returns whether the circuit breaker of any kind of question is open.
    pub fn is_open(&self) -> bool {
        self.breakers.is_any_open()
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
    /// The error of the first request that failed. Each request of the inquiry has its own time-out;
    /// this function has none. An open circuit breaker fails a request at once.
    pub async fn ask(&self, inquiry: &Inquiry) -> Result<Arc<Objects>, ServiceError> {
        let policy = RequestPolicy::new(self.settings, &self.breakers, inquiry.kind());
        self.service.ask_under(inquiry, &policy).await.map(Arc::new)
    }

    /// As [`ServiceClient::ask`]; each request occupies the slot of the inquiry, and the first one
    /// has been admitted with it. What is received counts as held.
    pub(crate) async fn ask_with(
        &self,
        inquiry: &Inquiry,
        slot: &Arc<InquirySlot>,
        held: &Arc<HeldBytes>,
    ) -> Result<Arc<Objects>, ServiceError> {
        let policy = RequestPolicy::new(self.settings, &self.breakers, inquiry.kind());
        let policy = policy.with_slot(Arc::clone(slot), Arc::clone(held));
        self.service.ask_under(inquiry, &policy).await.map(Arc::new)
    }
}
