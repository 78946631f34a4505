//! From a round to the people: asks the service, finds each person's own answer in what it says,
//! and tells everyone how their query ended. A slow service delays this and nothing else.

use crate::api::ResultBody;
use crate::engine::{Job, Member, Round};
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::outcome::{Finished, Outcome};
use crate::refine::find;
use crate::sentence::{Answered, Earth, Sentence};
use crate::service::{Objects, ServiceError};
use futures_util::FutureExt as _;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::task::JoinSet;

/// Said to whoever has expired. It does not say how many others there were.
pub const EXPIRED: &str = "not enough people could be found to hide among in the time given; \
                           the service was not asked";
/// Said to whoever took her query back.
const CANCELLED: &str = "taken back; the service was not asked";
/// Said to whoever asked nothing and was counted.
const PRESENT: &str = "others were hidden with you; nothing was asked for you";
/// Said to whoever waited when the engine broke.
const BROKEN: &str = "the gateway has failed and is stopping; the service was not asked";

/// A round on its way to the people.
struct Answering {
    gateway: Arc<Gateway>,
    jobs: Mutex<std::vec::IntoIter<Job>>,
    published: Instant,
    /// After this, the service is no longer asked.
    until: tokio::time::Instant,
    /// What went wrong, each once: a service that is down is no reason to flood the log.
    wrong: Mutex<BTreeSet<&'static str>>,
}

/// How queries ended, on their way to their people.
#[derive(Default)]
struct Told {
    ended: Vec<(Pending, Finished)>,
    /// To find the words in.
    sentence: Sentence,
}

/// So many are told at once: few enough that the first do not wait for the last, and enough that
/// locks are not taken for each.
const AT_ONCE: usize = 64;

/// Tells everyone of a round how their query ended; done when all have been told.
pub async fn answer(gateway: Arc<Gateway>, round: Round) {
    let config = gateway.config();
    let workers = config.service.concurrency.min(round.jobs.len());
    let until = tokio::time::Instant::now() + config.service.timeout;
    drop(config);
    let mut ended = round.ended.into_iter();
    let answering = Arc::new(Answering {
        gateway,
        jobs: Mutex::new(round.jobs.into_iter()),
        published: round.published,
        until,
        wrong: Mutex::default(),
    });
    let mut all = JoinSet::new();
    for _ in 0..workers {
        all.spawn(Arc::clone(&answering).work());
    }
    while ended.len() > 0 {
        answering.gateway.tell(ended.by_ref().take(AT_ONCE));
        tokio::task::yield_now().await;
    }
    while all.join_next().await.is_some() {}
}

impl Answering {
    /// Does one job after the other, until there is none.
    async fn work(self: Arc<Answering>) {
        let mut told = Told::default();
        while let Some(job) = self.next() {
            // Whatever goes wrong within costs those of this job an answer, and nobody else.
            let asked =
                AssertUnwindSafe(self.gateway.service_client().ask(&job.inquiry)).catch_unwind();
            let mut asked = std::pin::pin!(tokio::time::timeout_at(self.until, asked));
            let heard = match futures_util::poll!(asked.as_mut()) {
                std::task::Poll::Ready(heard) => heard,
                std::task::Poll::Pending => {
                    self.gateway.finish_all(&mut told.ended);
                    asked.await
                }
            };
            match heard {
                Ok(Ok(Ok(objects))) => self.answered(job.members, &objects, &mut told),
                Ok(Ok(Err(error))) => self.failed(job.members, &error, &mut told),
                Ok(Err(_)) => self.failed(job.members, &ServiceError::Internal, &mut told),
                Err(_) => self.failed(job.members, &ServiceError::TimedOut, &mut told),
            }
            if told.ended.len() >= AT_ONCE {
                self.gateway.finish_all(&mut told.ended);
            }
            tokio::task::yield_now().await;
        }
        self.gateway.finish_all(&mut told.ended);
    }

    fn next(&self) -> Option<Job> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn answered(&self, members: Vec<Member>, objects: &Objects, told: &mut Told) {
        let metrics = self.gateway.metrics();
        let mut answered = 0;
        for member in members {
            let sentence = &mut told.sentence;
            let result = AssertUnwindSafe(|| self.gateway.answer(&member, objects, sentence));
            let Ok(finished) = catch_unwind(result) else {
                self.failed(vec![member], &ServiceError::Internal, told);
                continue;
            };
            let hidden = &member.hidden;
            metrics.delays.record(hidden.hidden_at - hidden.asked_at, 1);
            told.ended.push((member.pending, finished));
            answered += 1;
        }
        metrics.ended(Outcome::Answered, answered);
        metrics.answers.record(self.published.elapsed(), answered);
    }

    fn failed(&self, members: Vec<Member>, error: &ServiceError, told: &mut Told) {
        self.gateway.metrics().service_error(error.label());
        if self.wrong.lock().unwrap_or_else(PoisonError::into_inner).insert(error.label()) {
            tracing::warn!(error = error.label(), "the service did not answer");
        }
        self.gateway.metrics().ended(Outcome::Failed, members.len() as u64);
        let message = error.to_string();
        told.ended.extend(members.into_iter().map(|Member { pending, .. }| {
            let finished = without_answer(&pending, Outcome::Failed, &message);
            (pending, finished)
        }));
    }
}

/// What somebody is told where there is no answer.
fn without_answer(pending: &Pending, outcome: Outcome, message: &str) -> Finished {
    let body = ResultBody {
        ticket: &pending.ticket,
        outcome,
        answer: None,
        receipt: None,
        message: Some(message),
    };
    // To the byte: it is kept for a while.
    Finished { outcome, body: json(&body).into_boxed_slice().into() }
}

impl Gateway {
    /// Tells those who are not served any more.
    fn tell(&self, ended: impl Iterator<Item = (Pending, Outcome)>) {
        let finished = |(pending, outcome): (Pending, Outcome)| {
            let message = match outcome {
                Outcome::Cancelled => CANCELLED,
                Outcome::Present => PRESENT,
                Outcome::Failed => BROKEN,
                Outcome::Expired | Outcome::Answered => EXPIRED,
            };
            self.metrics().ended(outcome, 1);
            let finished = without_answer(&pending, outcome, message);
            (pending, finished)
        };
        self.finish_all(&mut ended.map(finished).collect());
    }

    /// Her own answer, in what the service said for all.
    fn answer(&self, member: &Member, objects: &Objects, sentence: &mut Sentence) -> Finished {
        let wish = member.pending.wish.as_ref().expect("who asks nothing is in no job");
        let found = find(self.walker(), member.position, &wish.question, objects);
        let earth = Earth { frame: self.atlas().map().frame(), degrees: self.degrees() };
        let told = Answered {
            ticket: &member.pending.ticket,
            found: &found,
            objects,
            receipt: member.hidden.receipt(objects.is_complete()),
        };
        Finished { outcome: Outcome::Answered, body: sentence.say(earth, &told) }
    }
}

/// An object as JSON.
pub(crate) fn json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("strings and finite numbers are always JSON")
}
