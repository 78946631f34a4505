//! Delivery of a round: asks the service, finds each user's answer in its result, and delivers the
//! outcome of every query. A slow service delays answers, not batches.

use crate::answer_json::{AnswerParts, AnswerWriter, CachedFrame};
use crate::api::ResultBody;
use crate::batch::Round;
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::outcome::{Finished, Outcome};
use crate::refine::find;
use crate::requests::{Job, Member};
use crate::service::{Objects, ServiceError};
use crate::submit::finish_all;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use tokio::task::JoinSet;

/// Message of an expired query. Does not reveal how many other users there were.
pub const EXPIRED: &str = "expired: no large enough anonymity set was found within `dt`; the \
                           service was not asked";
/// Message of a cancelled query.
const CANCELLED: &str = "cancelled; the service was not asked";
/// Message of a query without a question that was part of a published set.
const PRESENT: &str = "counted in a published anonymity set; the query had no question";
/// Message of a query that waited when the engine failed.
const ENGINE_FAILED: &str = "the gateway has failed and is stopping; the service was not asked";

/// Shared state of the workers that deliver one round.
struct RoundDelivery {
    gateway: Arc<Gateway>,
    jobs: Mutex<std::vec::IntoIter<Job>>,
    published: Instant,
    /// Time after which the service is no longer asked.
    deadline: tokio::time::Instant,
    /// Errors that were logged: each kind is logged once per round.
    logged: Mutex<BTreeSet<&'static str>>,
}

/// Results of one worker that have not been delivered.
#[derive(Default)]
struct Results {
    ended: Vec<(Pending, Finished)>,
    writer: AnswerWriter,
}

/// Results delivered together: bounds the delay of the first and amortises the ticket lock.
const CHUNK: usize = 64;

/// Delivers the outcome of every query of a round. Returns when all are delivered.
pub async fn answer_round(gateway: Arc<Gateway>, round: Round) {
    let config = gateway.config();
    let workers = config.service.concurrency.min(round.jobs.len());
    let deadline = tokio::time::Instant::now() + config.service.timeout;
    drop(config);
    let mut ended = round.ended.into_iter();
    let delivery = Arc::new(RoundDelivery {
        gateway,
        jobs: Mutex::new(round.jobs.into_iter()),
        published: round.published,
        deadline,
        logged: Mutex::default(),
    });
    let mut all = JoinSet::new();
    for _ in 0..workers {
        all.spawn(Arc::clone(&delivery).work());
    }
    while ended.len() > 0 {
        finish_unserved(&delivery.gateway, ended.by_ref().take(CHUNK));
        tokio::task::yield_now().await;
    }
    while all.join_next().await.is_some() {}
}

impl RoundDelivery {
    /// Processes jobs until none is left.
    async fn work(self: Arc<RoundDelivery>) {
        let mut results = Results::default();
        while let Some(job) = self.next_job() {
            // A panic fails the queries of this job only.
            let request =
                AssertUnwindSafe(self.gateway.service_client().ask(&job.inquiry)).catch_unwind();
            let mut request = std::pin::pin!(tokio::time::timeout_at(self.deadline, request));
            let response = match futures_util::poll!(request.as_mut()) {
                Poll::Ready(response) => response,
                Poll::Pending => {
                    finish_all(&self.gateway, &mut results.ended);
                    request.await
                }
            };
            match response {
                Ok(Ok(Ok(objects))) => self.answered(job.members, &objects, &mut results),
                Ok(Ok(Err(error))) => self.failed(job.members, &error, &mut results),
                Ok(Err(_)) => self.failed(job.members, &ServiceError::Internal, &mut results),
                Err(_) => self.failed(job.members, &ServiceError::TimedOut, &mut results),
            }
            if results.ended.len() >= CHUNK {
                finish_all(&self.gateway, &mut results.ended);
            }
            tokio::task::yield_now().await;
        }
        finish_all(&self.gateway, &mut results.ended);
    }

    fn next_job(&self) -> Option<Job> {
        self.jobs.lock().next()
    }

    fn answered(&self, members: Vec<Member>, objects: &Objects, results: &mut Results) {
        let metrics = self.gateway.metrics();
        let mut answered = 0;
        for member in members {
            let writer = &mut results.writer;
            let answer = AssertUnwindSafe(|| answer(&self.gateway, &member, objects, writer));
            let Ok(finished) = catch_unwind(answer) else {
                self.failed(vec![member], &ServiceError::Internal, results);
                continue;
            };
            metrics.delays.record(member.served.delay(), 1);
            results.ended.push((member.pending, finished));
            answered += 1;
        }
        metrics.ended(Outcome::Answered, answered);
        metrics.answers.record(self.published.elapsed(), answered);
    }

    fn failed(&self, members: Vec<Member>, error: &ServiceError, results: &mut Results) {
        self.gateway.metrics().service_error(error.label());
        if self.logged.lock().insert(error.label()) {
            tracing::warn!(%error, "the service did not answer a request");
        }
        self.gateway.metrics().ended(Outcome::Failed, members.len() as u64);
        let message = error.to_string();
        results.ended.extend(members.into_iter().map(|Member { pending, .. }| {
            let finished = without_answer(&pending, Outcome::Failed, &message);
            (pending, finished)
        }));
    }
}

/// Builds the result of a query that has no answer.
fn without_answer(pending: &Pending, outcome: Outcome, message: &str) -> Finished {
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
fn finish_unserved(gateway: &Gateway, ended: impl Iterator<Item = (Pending, Outcome)>) {
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
    finish_all(gateway, &mut ended.map(finished).collect());
}

/// Finds the exact answer of one member in the result for its whole set.
fn answer(
    gateway: &Gateway,
    member: &Member,
    objects: &Objects,
    writer: &mut AnswerWriter,
) -> Finished {
    let question = member.question().expect("every member of a job has a question");
    let found = find(gateway.walker(), *member.position.expose(), question, objects);
    let frame = gateway.atlas().map().frame();
    let projection = CachedFrame { frame, cache: gateway.lon_lats() };
    let parts = AnswerParts {
        ticket: member.pending.ticket.expose(),
        found: &found,
        objects,
        receipt: member.served.receipt(objects.is_complete()),
    };
    Finished { outcome: Outcome::Answered, body: writer.write(projection, &parts) }
}

/// Serialises a body to JSON.
pub(crate) fn json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("strings and finite numbers are always valid JSON")
}
