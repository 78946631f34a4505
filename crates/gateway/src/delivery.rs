//! Threads that refine and deliver the answers of complete sets.
//!
//! They are apart from the tasks that send requests: how long refinement takes depends on the
//! members of sets, and must not show in the times of requests. Threads start when sets are
//! complete, and end when none is left.

use crate::answer_json::{AnswerParts, AnswerWriter, CachedFrame};
use crate::answers::{CHUNK, MemberAnswer, PRESENT, ReleasedMember, ReleasedSet, without_answer};
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::outcome::{Finished, Outcome};
use crate::receipt::ServedQuery;
use crate::refine::find;
use crate::service::{Objects, ServiceError};
use crate::submit::finish_all;
use bytes::Bytes;
use meshcloak::map::Position;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::mpsc;

/// Complete sets that wait for a thread, and the threads that may still start.
pub(crate) struct DeliveryPool {
    state: Mutex<PoolState>,
}

struct PoolState {
    sets: VecDeque<ReleasedSet>,
    idle_threads: usize,
}

/// One processor is left for the requests.
impl Default for DeliveryPool {
    fn default() -> DeliveryPool {
        let processors = available_parallelism().map_or(1, usize::from);
        let idle_threads = processors.saturating_sub(1).max(1);
        DeliveryPool { state: Mutex::new(PoolState { sets: VecDeque::new(), idle_threads }) }
    }
}

impl DeliveryPool {
    /// Queues a set, and starts a thread if one may start. Must be called in a Tokio runtime.
    pub(crate) fn push(&self, gateway: &Arc<Gateway>, set: ReleasedSet) {
        let mut state = self.state.lock();
        state.sets.push_back(set);
        if let Some(idle_threads) = state.idle_threads.checked_sub(1) {
            state.idle_threads = idle_threads;
            let gateway = Arc::clone(gateway);
            tokio::task::spawn_blocking(move || run(&gateway));
        }
    }

    /// Takes the next set, or frees the thread if there is none.
    fn next(&self) -> Option<ReleasedSet> {
        let mut state = self.state.lock();
        let next = state.sets.pop_front();
        state.idle_threads = state.idle_threads.saturating_add(next.is_none().into());
        next
    }
}

/// Delivers sets until none is left.
fn run(gateway: &Gateway) {
    let (ended, alive, writer) = (Vec::new(), Vec::new(), AnswerWriter::default());
    let mut results = Results { gateway, ended, alive, writer };
    while let Some(set) = gateway.delivery().next() {
        results.add(set);
        if results.ended.len() >= CHUNK {
            results.deliver();
        }
    }
    results.deliver();
}

/// Results of one thread that have not been delivered. Those of a set are delivered together.
struct Results<'a> {
    gateway: &'a Gateway,
    ended: Vec<(Pending, Finished)>,
    /// Senders whose rounds wait for these results.
    alive: Vec<mpsc::Sender<Infallible>>,
    writer: AnswerWriter,
}

impl Results<'_> {
    /// Refines the answers of a set.
    fn add(&mut self, ReleasedSet { members, present, published, alive }: ReleasedSet) {
        let metrics = self.gateway.metrics();
        for pending in present {
            let finished = without_answer(&pending, Outcome::Present, PRESENT);
            metrics.ended(finished.outcome, 1);
            self.ended.push((pending, finished));
        }
        for ReleasedMember { pending, served, answer } in members {
            let finished = match self.body(&pending, &served, answer) {
                Ok(body) => Finished { outcome: Outcome::Answered, body },
                Err(error) => without_answer(&pending, Outcome::Failed, &error.to_string()),
            };
            metrics.ended(finished.outcome, 1);
            if finished.outcome == Outcome::Answered {
                metrics.delays.record(served.delay(), 1);
                metrics.answers.record(published.elapsed(), 1);
            }
            self.ended.push((pending, finished));
        }
        self.alive.push(alive);
    }

    /// Writes the result of a member. A panic fails this member only.
    fn body(
        &mut self,
        pending: &Pending,
        served: &ServedQuery,
        answer: MemberAnswer,
    ) -> Result<Bytes, ServiceError> {
        match answer {
            MemberAnswer::Objects(position, response) => {
                let held = (*response).as_ref().map_err(ServiceError::clone)?;
                let (position, objects) = (*position.expose(), held.objects());
                let refined =
                    AssertUnwindSafe(|| self.refined_body(pending, served, position, objects));
                catch_unwind(refined).map_err(|_| ServiceError::Internal)
            }
            MemberAnswer::Refined(answer) => {
                let answer = answer?;
                let ticket = pending.origin.ticket.expose();
                Ok(self.writer.wrap(ticket, &answer, served.receipt(answer.is_complete)))
            }
        }
    }

    /// Finds the exact answer of one member in the result for its whole region.
    fn refined_body(
        &mut self,
        pending: &Pending,
        served: &ServedQuery,
        position: Position,
        objects: &Objects,
    ) -> Bytes {
        let city = self.gateway.cities().of_query(pending.id);
        let question = pending.question.expose().as_ref();
        let question = question.expect("every member of a served set has a question");
        let found = find(city.walker(), position, question, objects);
        let projection = CachedFrame { frame: city.map().frame(), cache: city.lon_lats() };
        let parts = AnswerParts {
            ticket: pending.origin.ticket.expose(),
            found: &found,
            objects,
            receipt: served.receipt(objects.is_complete()),
            limits: self.gateway.config().answers,
        };
        self.writer.write(projection, &parts)
    }

    fn deliver(&mut self) {
        finish_all(self.gateway, &mut self.ended);
        self.alive.clear();
    }
}
