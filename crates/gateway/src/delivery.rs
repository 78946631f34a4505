//! Threads that refine and deliver the answers of complete sets.
//!
//! They are apart from the tasks that send requests: how long refinement takes depends on the
//! members of sets, and must not show in the times of requests. Threads start when sets are
//! complete, and end when none is left.

use crate::answer_json::{AnswerParts, AnswerWriter, CachedFrame};
use crate::answers::{CHUNK, ReleasedSet, without_answer};
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::outcome::{Finished, Outcome};
use crate::refine::find;
use crate::requests::Member;
use crate::service::{Objects, ServiceError};
use crate::submit::finish_all;
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
    fn add(&mut self, ReleasedSet { set, published, alive }: ReleasedSet) {
        let metrics = self.gateway.metrics();
        for (member, response) in set.into_members() {
            // A panic fails this member only.
            let finished = match &*response {
                Ok(held) => {
                    let refined = AssertUnwindSafe(|| self.answer(&member, held.objects()));
                    catch_unwind(refined)
                        .unwrap_or_else(|_| failed(&member, &ServiceError::Internal))
                }
                Err(error) => failed(&member, error),
            };
            metrics.ended(finished.outcome, 1);
            if finished.outcome == Outcome::Answered {
                metrics.delays.record(member.served.delay(), 1);
                metrics.answers.record(published.elapsed(), 1);
            }
            self.ended.push((member.pending, finished));
        }
        self.alive.push(alive);
    }

    /// Finds the exact answer of one member in the result for its whole region.
    fn answer(&mut self, member: &Member, objects: &Objects) -> Finished {
        let city = self.gateway.cities().of_query(member.pending.id);
        let question = member.question().expect("every member of a served set has a question");
        let found = find(city.walker(), *member.position.expose(), question, objects);
        let projection = CachedFrame { frame: city.map().frame(), cache: city.lon_lats() };
        let parts = AnswerParts {
            ticket: member.pending.origin.ticket.expose(),
            found: &found,
            objects,
            receipt: member.served.receipt(objects.is_complete()),
            limits: self.gateway.config().answers,
        };
        Finished { outcome: Outcome::Answered, body: self.writer.write(projection, &parts) }
    }

    fn deliver(&mut self) {
        finish_all(self.gateway, &mut self.ended);
        self.alive.clear();
    }
}

fn failed(member: &Member, error: &ServiceError) -> Finished {
    without_answer(&member.pending, Outcome::Failed, &error.to_string())
}
