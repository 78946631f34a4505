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
use crate::city::City;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::open_sets::{OpenSet, OpenSets};
use crate::outcome::{Finished, Outcome};
use crate::receipt::ServedQuery;
use crate::refined_answer::RefinedAnswer;
use crate::requests::{Member, ServedSet};
use crate::service::{HeldObjects, RequestEnd, ServiceError};
use crate::stream::refusal_json;
use crate::submit::finish_all;
use meshcloak::map::Position;
use meshcloak::private::Private;
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
pub(crate) const PRESENT: &str = "the presence report has ended; it had no question";
/// Message of a query that waited when the engine failed.
const ENGINE_FAILED: &str = "the gateway has failed and is stopping; the service was not asked";

/// Results delivered together: bounds the delay of the first and amortises the ticket lock.
pub(crate) const CHUNK: usize = 64;

/// Response to a request.
pub(crate) type Response = Result<HeldObjects, ServiceError>;

/// Delivers the outcome of every query of a round of one city. Returns when all are delivered.
pub async fn answer_round(gateway: Arc<Gateway>, round: Round) {
    let Some(city) = city_of(&gateway, &round) else { return };
    let Round { published, requests, sets, ended, .. } = round;
    let ends = city.requests().send(requests);
    let (alive, mut delivered) = mpsc::channel(1);
    let release = SetRelease { gateway: &gateway, published, alive };
    let open = OpenSets::new(sets.into_iter().map(|mut set| {
        let requests = std::mem::take(&mut set.requests);
        (set, requests)
    }));
    tokio::join!(release.run(open, ends), finish_unserved(&gateway, ended));
    // Each set holds a sender until it is delivered.
    let _: Option<Infallible> = delivered.recv().await;
}

/// Returns the city of a round; `None` if it holds no queries.
fn city_of(gateway: &Gateway, round: &Round) -> Option<Arc<City>> {
    let served = round.sets.iter().flat_map(|set| &set.members).map(|member| &member.pending);
    let first = served.chain(round.ended.iter().map(|(pending, _)| pending)).next()?;
    Some(Arc::clone(gateway.cities().of_query(first.id)))
}

/// Releases the sets of a round when they are complete.
struct SetRelease<'a> {
    gateway: &'a Arc<Gateway>,
    published: Instant,
    alive: mpsc::Sender<Infallible>,
}

impl SetRelease<'_> {
    /// Returns when all sets are released.
    async fn run(
        self,
        mut open: OpenSets<ServedSet, Response>,
        mut ends: UnboundedReceiver<RequestEnd>,
    ) {
        let mut logged = BTreeSet::new();
        while let Some(RequestEnd { number, waited, response }) = ends.recv().await {
            self.gateway.metrics().waits.record(waited, 1);
            if let Err(error) = &response {
                self.gateway.metrics().service_error(error.label());
                if logged.insert(error.label()) {
                    tracing::warn!(%error, "the service did not answer a request");
                }
            }
            open.end(number, &Arc::new(response), |set| self.release(set));
        }
        // Requests without an end: the task of a slot was aborted. No query may be lost.
        open.end_all(&Arc::new(Err(ServiceError::Internal)), |set| self.release(set));
    }

    fn release(&self, set: OpenSet<ServedSet, Response>) {
        let (ServedSet { members, present, .. }, responses) = set.into_parts();
        let released = |Member { pending, position, served, request }| {
            let response = responses.iter().find(|(ended, _)| *ended == request);
            let answer = match response {
                Some((_, response)) => MemberAnswer::Objects(position, Arc::clone(response)),
                None => MemberAnswer::Refined(Err(ServiceError::Internal)),
            };
            ReleasedMember { pending, served, answer }
        };
        let members = members.into_iter().map(released).collect();
        let (published, alive) = (self.published, self.alive.clone());
        let set = ReleasedSet { members, present, published, alive };
        self.gateway.delivery().push(self.gateway, set);
    }
}

/// A complete set on its way to the users.
pub(crate) struct ReleasedSet {
    /// Members with their answers.
    pub members: Vec<ReleasedMember>,
    /// Its presence reports.
    pub present: Vec<Pending>,
    /// End of the batch, wall clock.
    pub published: Instant,
    /// Dropped after the delivery.
    pub alive: mpsc::Sender<Infallible>,
}

/// A member of a complete set.
pub(crate) struct ReleasedMember {
    /// Account, ticket and question.
    pub pending: Pending,
    /// Facts for the receipt.
    pub served: ServedQuery,
    /// The answer.
    pub answer: MemberAnswer,
}

/// Answer of a member.
pub(crate) enum MemberAnswer {
    /// Answer of the service for the region, to be refined from the member's position.
    Objects(Private<Position>, Arc<Response>),
    /// Refined before the set was complete.
    Refined(Result<RefinedAnswer, ServiceError>),
}

/// Delivers a refusal of a query that was accepted before.
pub fn finish_refused(gateway: &Gateway, pending: Pending, refusal: &Refusal) {
    gateway.metrics().ended(Outcome::Refused, 1);
    let body = refusal_json(Some(pending.origin.ticket.expose()), refusal);
    let finished = Finished { outcome: Outcome::Refused, body: body.into() };
    finish_all(gateway, &mut vec![(pending, finished)]);
}

/// Delivers a result that another process has computed; `None` fails the query.
pub fn finish_with(gateway: &Gateway, pending: Pending, finished: Option<Finished>) {
    let failed = || without_answer(&pending, Outcome::Failed, ENGINE_FAILED);
    let finished = finished.unwrap_or_else(failed);
    gateway.metrics().ended(finished.outcome, 1);
    finish_all(gateway, &mut vec![(pending, finished)]);
}

/// Builds the result of a query that has no answer.
pub(crate) fn without_answer(pending: &Pending, outcome: Outcome, message: &str) -> Finished {
    let body = ResultBody {
        ticket: pending.origin.ticket.expose(),
        outcome,
        answer: None,
        receipt: None,
        message: Some(message),
    };
    // A boxed slice drops the spare capacity: results are kept for a while.
    Finished { outcome, body: json(&body).into_boxed_slice().into() }
}

/// Delivers the outcome of queries for which the service is not asked.
pub async fn finish_unserved(gateway: &Gateway, ended: Vec<(Pending, Outcome)>) {
    let finished = |(pending, outcome): (Pending, Outcome)| {
        let message = match outcome {
            Outcome::Cancelled => CANCELLED,
            Outcome::Present => PRESENT,
            Outcome::Failed => ENGINE_FAILED,
            Outcome::Expired | Outcome::Answered | Outcome::Refused => EXPIRED,
        };
        gateway.metrics().ended(outcome, 1);
        let finished = without_answer(&pending, outcome, message);
        (pending, finished)
    };
    let mut ended = ended.into_iter();
    while ended.len() > 0 {
        finish_all(gateway, &mut ended.by_ref().take(CHUNK).map(finished).collect());
        tokio::task::yield_now().await;
    }
}

/// Serialises a body to JSON.
pub(crate) fn json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("strings and finite numbers are always valid JSON")
}
