//! Asks a service on our terms: not longer than a time-out, again with the same bytes if that may
//! help, not at all while it is known to be down, and not twice what was answered just now.

use super::breaker::Breaker;
use super::cache::Cache;
use super::{Objects, Service, ServiceError};
use crate::inquiry::Inquiry;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// On which terms a service is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct AskerSettings {
    /// How long one attempt may take, waiting for its turn included.
    pub time_out: Duration,
    /// How often an inquiry is sent at most.
    pub attempts: u32,
    /// How long to wait before the second attempt; twice as long before the third.
    pub pause: Duration,
    /// After how many failures in a row the service is left alone.
    pub failures: u32,
    /// For how long.
    pub rest: Duration,
    /// How many inquiries are with the service at once; others wait for their turn.
    pub at_once: usize,
    /// How many objects and streets are remembered from earlier answers.
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
        let attempts = self.attempts.max(1);
        let pauses = (1..attempts).map(|attempt| self.pause_before(attempt));
        pauses.fold(self.time_out.saturating_mul(attempts), Duration::saturating_add)
    }

    /// How long to wait before the attempt of that number; the first has 0.
    fn pause_before(&self, attempt: u32) -> Duration {
        self.pause.saturating_mul(1 << (attempt.clamp(1, 16) - 1))
    }
}

/// A service behind time-out, retries, circuit breaker and cache.
pub struct Asker {
    service: Box<dyn Service>,
    settings: AskerSettings,
    breaker: Breaker,
    cache: Cache,
    turns: Semaphore,
}

impl Asker {
    /// Asks `service` on these terms.
    pub fn new(service: Box<dyn Service>, settings: AskerSettings) -> Asker {
        let breaker = Breaker::new(settings.failures, settings.rest);
        let cache = Cache::new(settings.remembered, settings.fresh);
        let turns = Semaphore::new(settings.at_once.clamp(1, Semaphore::MAX_PERMITS));
        Asker { service, settings, breaker, cache, turns }
    }

    /// The service's name.
    pub fn name(&self) -> &'static str {
        self.service.name()
    }

    /// On which terms the service is asked.
    pub fn settings(&self) -> &AskerSettings {
        &self.settings
    }

    /// Whether the service is left alone at present, having failed too often.
    pub fn is_resting(&self) -> bool {
        self.breaker.is_resting()
    }

    /// The categories that the service knows, ascending: who asks for another is refused at the
    /// door, for a word of one's own is a fingerprint.
    pub async fn categories(&self) -> Result<Vec<String>, ServiceError> {
        let listing = timeout(self.settings.time_out, self.service.categories()).await;
        listing.map_err(|_| ServiceError::TimedOut)?
    }

    /// The answer to an inquiry; an error at the latest after [`AskerSettings::longest`].
    pub async fn ask(&self, inquiry: &Inquiry) -> Result<Arc<Objects>, ServiceError> {
        if let Some(objects) = self.cache.get(inquiry) {
            return Ok(objects);
        }
        let mut attempt = 0;
        loop {
            let answer = self.attempt(inquiry).await;
            attempt += 1;
            match answer {
                Ok(objects) => {
                    self.cache.put(inquiry, &objects);
                    return Ok(objects);
                }
                Err(error) if attempt >= self.settings.attempts || !error.may_pass() => {
                    return Err(error);
                }
                Err(_) => tokio::time::sleep(self.settings.pause_before(attempt)).await,
            }
        }
    }

    /// One attempt.
    async fn attempt(&self, inquiry: &Inquiry) -> Result<Arc<Objects>, ServiceError> {
        self.breaker.admit()?;
        let answer = timeout(self.settings.time_out, async {
            let _turn = self.turns.acquire().await.map_err(|_| ServiceError::Down)?;
            self.service.ask(inquiry).await
        });
        let answer = answer.await.unwrap_or(Err(ServiceError::TimedOut));
        // A service that refuses one inquiry is there for others: nobody can ask so badly that
        // all are left without.
        match &answer {
            Err(error) if error.may_pass() => self.breaker.failed(),
            _ => self.breaker.succeeded(),
        }
        answer.map(Arc::new)
    }
}
