//! A service whose answers, delays and faults are a function of the seed and of the request.

use crate::plan::Plan;
use gateway::inquiry::Inquiry;
use gateway::service::{BuiltIn, Objects, Service, ServiceError, ServiceFuture};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A request as the service sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeenRequest {
    /// Virtual time since the start, in milliseconds.
    pub at: u128,
    /// The request.
    pub text: String,
}

pub type SeenRequests = Arc<Mutex<Vec<SeenRequest>>>;

/// The service of a schedule.
pub struct FaultyService {
    pub inner: BuiltIn,
    pub seed: u64,
    pub fault_percent: u64,
    pub start: Instant,
    pub seen: SeenRequests,
}

impl FaultyService {
    pub fn new(inner: BuiltIn, plan: &Plan, start: Instant, seen: SeenRequests) -> FaultyService {
        let Plan { seed, fault_percent, .. } = *plan;
        FaultyService { inner, seed, fault_percent, start, seen }
    }
}

impl Service for FaultyService {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        let text = format!("{inquiry:?}");
        let at = self.start.elapsed().as_millis();
        let mut hasher = DefaultHasher::new();
        (self.seed, &text, at / 1000).hash(&mut hasher);
        let number = hasher.finish();
        self.seen.lock().unwrap().push(SeenRequest { at, text });
        let is_faulty = number % 100 < self.fault_percent;
        let delay = Duration::from_millis(number / 100 % 1_500);
        Box::pin(async move {
            sleep(delay).await;
            match (is_faulty, number / 100_000 % 5) {
                (false, _) => self.inner.ask(inquiry).await,
                (true, 0) => Err(ServiceError::Down),
                (true, 1) => std::future::pending().await,
                (true, 2) => panic!("deliberate panic of the simulation"),
                (true, 3) => Err(ServiceError::Malformed("simulated")),
                (true, _) => {
                    sleep(Duration::from_secs(3)).await;
                    self.inner.ask(inquiry).await
                }
            }
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.inner.categories()
    }
}
