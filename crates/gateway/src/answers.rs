//! Answers of a round: sends its requests to the service, and releases the answers of a set
//! together, when the last of its requests has ended (docs/SPEC.md §9). A slow service delays
//! answers, not batches.
//!
//! ```text
//! Round ─▶ RequestQueue ─▶ RequestEnd ─▶ OpenSets ─▶ DeliveryPool: refine, deliver
//! ```
//!
//! Requests are sent by the slots of the queue and never wait for this file or for the delivery.
//! Answers are held until their sets are complete; [`crate::service::HeldObjects`] bounds their
//! size by failing, not by delaying requests.

use crate::api::ResultBody;
use crate::batch::Round;
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::open_sets::{CompleteSet, OpenSets};
use crate::outcome::{Finished, Outcome};
use crate::service::{RequestEnd, ServiceError};
use crate::submit::finish_all;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Message of an expired query. Does not reveal how many other users there were.
pub const EXPIRED: &str = "expired: no large enough anonymity set was found within `dt`; the \
                           service was not asked";
/// Message of a cancelled query.
const CANCELLED: &str = "cancelled; the service was not asked";
/// Message of a presence report that was part of a published set, was replaced or ran out.
const PRESENT: &str = "the presence report has ended; it had no question";
/// Message of a query that waited when the engine failed.
const ENGINE_FAILED: &str = "the gateway has failed and is stopping; the service was not asked";

/// Results delivered together: bounds the delay of the first and amortises the ticket lock.
pub(crate) const CHUNK: usize = 64;

/// Delivers the outcome of every query of a round. Returns when all are delivered.
pub async fn answer_round(gateway: Arc<Gateway>, round: Round) {
    let Round { published, requests, sets, ended, .. } = round;
    let members: usize = sets.iter().map(|set| set.members.len()).sum();
    gateway.requests().load().record_batch(requests.len(), members + ended.len());
    let ends = gateway.requests().send(requests);
    let (alive, mut delivered) = mpsc::channel(1);
    let release = SetRelease { gateway: &gateway, published, alive };
    tokio::join!(release.run(OpenSets::new(sets), ends), finish_unserved(&gateway, ended));
    // Each set holds a sender until it is delivered.
    let _: Option<Infallible> = delivered.recv().await;
}

/// Releases the sets of a round when they are complete.
struct SetRelease<'a> {
    gateway: &'a Arc<Gateway>,
    published: Instant,
    alive: mpsc::Sender<Infallible>,
}

impl SetRelease<'_> {
    /// Returns when all sets are released.
    async fn run(self, mut open: OpenSets, mut ends: UnboundedReceiver<RequestEnd>) {
        let mut logged = BTreeSet::new();
        while let Some(RequestEnd { number, waited, response }) = ends.recv().await {
            self.gateway.metrics().waits.record(waited, 1);
            if let Err(error) = &response {
                self.gateway.metrics().service_error(error.label());
                if logged.insert(error.label()) {
                    tracing::warn!(%error, "the service did not answer a request");
                }
            }
            open.end(number, response, |set| self.release(set));
        }
        // Requests without an end: the task of a slot was aborted. No query may be lost.
        open.fail(&ServiceError::Internal, |set| self.release(set));
    }

    fn release(&self, set: CompleteSet) {
        let (published, alive) = (self.published, self.alive.clone());
        self.gateway.delivery().push(self.gateway, ReleasedSet { set, published, alive });
    }
}

/// A complete set on its way to the users.
pub(crate) struct ReleasedSet {
    /// Members and their responses.
    pub set: CompleteSet,
    /// End of the batch, wall clock.
    pub published: Instant,
    /// Dropped after the delivery.
    pub alive: mpsc::Sender<Infallible>,
}

/// Builds the result of a query that has no answer.
pub(crate) fn without_answer(pending: &Pending, outcome: Outcome, message: &str) -> Finished {
    let body = ResultBody {
        ticket: pending.ticket.expose(),
        outcome,
        answer: None,
        receipt: None,
        message: Some(message),
    };
    // A boxed slice drops the spare capacity: results are kept for a while.
    Finished { outcome, body: json(&body).into_boxed_slice().into() }
}

/// Delivers the outcome of queries for which the service is not asked.
async fn finish_unserved(gateway: &Gateway, ended: Vec<(Pending, Outcome)>) {
    let finished = |(pending, outcome): (Pending, Outcome)| {
        let message = match outcome {
            Outcome::Cancelled => CANCELLED,
            Outcome::Present => PRESENT,
            Outcome::Failed => ENGINE_FAILED,
            Outcome::Expired | Outcome::Answered => EXPIRED,
        };
        gateway.metrics().ended(outcome, 1);
        let finished = without_answer(&pending, outcome, message);
        (pending, finished)
    };
    let mut ended = ended.into_iter();
    while ended.len() > 0 {
        deliver(gateway, &mut ended.by_ref().take(CHUNK).map(finished).collect());
        tokio::task::yield_now().await;
    }
}

/// Delivers results. Drains `ended`.
pub(crate) fn deliver(gateway: &Gateway, ended: &mut Vec<(Pending, Finished)>) {
    gateway.requests().load().record_ended(ended.len());
    finish_all(gateway, ended);
}

/// Serialises a body to JSON.
pub(crate) fn json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("strings and finite numbers are always valid JSON")
}
