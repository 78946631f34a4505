//! From a round to the people: asks the service, finds each person's own answer in what it says,
//! and tells everyone how their query ended. A slow service delays this and nothing else.

use crate::api::{FoundBody, ResultBody};
use crate::engine::{Job, Member, Round};
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::outcome::{Finished, Outcome};
use crate::question::Wish;
use crate::refine::{Answer, refine};
use crate::service::{Objects, ServiceError};
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

/// A round on its way to the people.
struct Answering {
    gateway: Arc<Gateway>,
    jobs: Mutex<std::vec::IntoIter<Job>>,
    published: Instant,
    /// After this, the service is no longer asked.
    until: tokio::time::Instant,
}

/// Tells everyone of a round how their query ended; done when all have been told.
pub async fn answer(gateway: Arc<Gateway>, round: Round) {
    for (pending, outcome) in &round.ended {
        let message = match outcome {
            Outcome::Cancelled => CANCELLED,
            Outcome::Present => PRESENT,
            _ => EXPIRED,
        };
        gateway.tell(pending, *outcome, message);
    }
    let config = gateway.config();
    let workers = config.service.concurrency.min(round.jobs.len());
    let until = tokio::time::Instant::now() + config.service.timeout;
    drop(config);
    let answering = Arc::new(Answering {
        gateway,
        jobs: Mutex::new(round.jobs.into_iter()),
        published: round.published,
        until,
    });
    let mut all = JoinSet::new();
    for _ in 0..workers {
        all.spawn(Arc::clone(&answering).work());
    }
    while all.join_next().await.is_some() {}
}

impl Answering {
    /// Does one job after the other, until there is none.
    async fn work(self: Arc<Answering>) {
        while let Some(job) = self.next() {
            let asked = self.gateway.asker().ask(&job.inquiry);
            let heard = match tokio::time::timeout_at(self.until, asked).await {
                Ok(heard) => heard,
                Err(_) => Err(ServiceError::TimedOut),
            };
            match heard {
                Ok(objects) => self.answered(&job.members, &objects),
                Err(error) => self.failed(&job.members, &error),
            }
            tokio::task::yield_now().await;
        }
    }

    fn next(&self) -> Option<Job> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn answered(&self, members: &[Member], objects: &Objects) {
        let metrics = self.gateway.metrics();
        for member in members {
            let Some(Wish { question, .. }) = &member.pending.wish else { continue };
            let answer = refine(self.gateway.walker(), member.position, question, objects);
            let finished = self.gateway.result(member, &answer);
            self.gateway.finish(&member.pending, &finished);
            let hidden = &member.hidden;
            metrics.delays.record(hidden.hidden_at - hidden.asked_at, 1);
        }
        metrics.ended(Outcome::Answered, members.len() as u64);
        metrics.answers.record(self.published.elapsed(), members.len() as u64);
    }

    fn failed(&self, members: &[Member], error: &ServiceError) {
        self.gateway.metrics().service_error(error.word());
        tracing::warn!(error = error.word(), "the service did not answer");
        let message = error.to_string();
        for member in members {
            self.gateway.tell(&member.pending, Outcome::Failed, &message);
        }
    }
}

impl Gateway {
    /// Tells somebody how her query ended, where there is no answer.
    fn tell(&self, pending: &Pending, outcome: Outcome, message: &str) {
        let body = ResultBody {
            ticket: &pending.ticket,
            outcome,
            answer: None,
            receipt: None,
            message: Some(message),
        };
        self.metrics().ended(outcome, 1);
        self.finish(pending, &Finished { outcome, body: json(&body).into() });
    }

    /// What somebody is told who was answered.
    fn result(&self, member: &Member, answer: &Answer) -> Finished {
        let frame = self.atlas().map().frame();
        let found: Vec<FoundBody<'_>> = answer
            .found
            .iter()
            .map(|found| {
                let object = &found.object;
                let place = frame.map(|frame| self.degrees().place(frame, object.point));
                FoundBody {
                    id: &object.id,
                    name: &object.name,
                    category: &object.category,
                    lon: place.map_or(0.0, |place| place.lon),
                    lat: place.map_or(0.0, |place| place.lat),
                    metres: (found.metres * 100.0).round() / 100.0,
                }
            })
            .collect();
        let body = ResultBody {
            ticket: &member.pending.ticket,
            outcome: Outcome::Answered,
            answer: Some(&found),
            receipt: Some(member.hidden.receipt(answer.exact)),
            message: None,
        };
        Finished { outcome: Outcome::Answered, body: json(&body).into() }
    }
}

/// An object as JSON.
pub(crate) fn json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("strings and finite numbers are always JSON")
}
