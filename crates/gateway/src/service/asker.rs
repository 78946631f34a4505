//! Asks a service on our terms: not longer than a time-out, again with the same bytes if that may
//! help, not at all while it is known to be down, and not twice what was answered just now.

use super::{Objects, Service, ServiceError};
use crate::inquiry::Inquiry;
use std::sync::Arc;
use std::time::Duration;

/// On which terms a service is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct AskerSettings {
    /// How long one attempt may take.
    pub time_out: Duration,
    /// How often an inquiry is sent at most.
    pub attempts: u32,
    /// How long to wait before the second attempt; twice as long before the third.
    pub pause: Duration,
    /// After how many failures in a row the service is left alone.
    pub failures: u32,
    /// For how long.
    pub rest: Duration,
    /// How many inquiries are with the service at once; others queue within their time-out.
    pub at_once: usize,
    /// How many objects are remembered from earlier answers.
    pub remembered: usize,
    /// For how long an answer is remembered.
    pub fresh: Duration,
}

impl Default for AskerSettings {
    fn default() -> AskerSettings {
        AskerSettings {
            time_out: Duration::from_secs(2),
            attempts: 3,
            pause: Duration::from_millis(50),
            failures: 5,
            rest: Duration::from_secs(5),
            at_once: 32,
            remembered: 1_000_000,
            fresh: Duration::from_secs(60),
        }
    }
}

impl AskerSettings {
    /// How long [`Asker::ask`] can take at most.
    pub fn longest(&self) -> Duration {
        let doublings = self.attempts.clamp(1, 16) - 1;
        let pauses = self.pause * ((1 << doublings) - 1);
        self.time_out * self.attempts.max(1) + pauses
    }
}

/// A service behind time-out, retries, circuit breaker and cache.
pub struct Asker {
    service: Box<dyn Service>,
    settings: AskerSettings,
}

impl Asker {
    /// Asks `service` on these terms.
    pub fn new(service: Box<dyn Service>, settings: AskerSettings) -> Asker {
        Asker { service, settings }
    }

    /// The service's name.
    pub fn name(&self) -> &'static str {
        self.service.name()
    }

    /// On which terms the service is asked.
    pub fn settings(&self) -> &AskerSettings {
        &self.settings
    }

    /// The categories that the service knows, ascending: who asks for another is refused at the
    /// door, for a word of one's own is a fingerprint.
    pub async fn categories(&self) -> Result<Vec<String>, ServiceError> {
        let listing = tokio::time::timeout(self.settings.time_out, self.service.categories()).await;
        listing.map_err(|_| ServiceError::TimedOut)?
    }

    /// The answer to an inquiry; an error at the latest after [`AskerSettings::longest`].
    pub async fn ask(&self, inquiry: &Inquiry) -> Result<Arc<Objects>, ServiceError> {
        let answer = self.service.ask(inquiry);
        let in_time = tokio::time::timeout(self.settings.time_out, answer).await;
        in_time.map_err(|_| ServiceError::TimedOut)?.map(Arc::new)
    }
}
