//! Messages of frontends that wait for the next tick.

use crate::message::{
    Adopt, Cancel, RejectReason, Rejected, Seen, Submit, ToEngine, ToFrontend, decode, encode,
    engine_subject, frontend_subject,
};
use cluster::{Cluster, ClusterError, Shard};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Received messages of one reign. Dropping it ends the subscription.
pub struct Inbox {
    state: Arc<Mutex<InboxState>>,
    task: JoinHandle<()>,
}

/// Messages in order of arrival.
struct InboxState {
    terms: Terms,
    submits: Vec<(Instant, Submit)>,
    cancels: Vec<Cancel>,
    withdrawals: Vec<Cancel>,
    adopts: Vec<Adopt>,
    /// Queries in `submits` and in the engine.
    queries: usize,
}

/// What a tick takes from the inbox.
pub struct Received {
    /// Queries with the time of their arrival.
    pub submits: Vec<(Instant, Submit)>,
    /// Cancellations.
    pub cancels: Vec<Cancel>,
    /// Queries of users who have moved to another shard.
    pub withdrawals: Vec<Cancel>,
    /// Waiting queries of cells that were of another shard.
    pub adopts: Vec<Adopt>,
}

/// Terms of a reign that every message must meet.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The shard.
    pub shard: Shard,
    /// Epoch of the owner.
    pub epoch: u64,
    /// Epoch of an owner that hands the shard over; its messages are taken too.
    pub earlier_epoch: Option<u64>,
    /// Digest of the map.
    pub map: u64,
    /// Largest number of queries in progress.
    pub queue: usize,
}

impl Inbox {
    /// Subscribes to the messages for the owner of a shard.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn open(cluster: &Cluster, terms: Terms) -> Result<Inbox, ClusterError> {
        let subject = engine_subject(terms.shard.city.as_str(), terms.shard.number);
        let mut messages = cluster.subscribe(subject).await?;
        let state = Arc::new(Mutex::new(InboxState {
            terms,
            submits: Vec::new(),
            cancels: Vec::new(),
            withdrawals: Vec::new(),
            adopts: Vec::new(),
            queries: 0,
        }));
        let (cluster, shared) = (cluster.clone(), Arc::clone(&state));
        let task = tokio::spawn(async move {
            while let Some(message) = messages.next().await {
                let rejected = match decode(&message.payload) {
                    Ok(message) => shared.lock().take(message),
                    Err(error) => {
                        tracing::warn!(%error, "ignored a message of a frontend");
                        None
                    }
                };
                if let Some((frontend, rejected)) = rejected {
                    let bytes = encode(&ToFrontend::Rejected(rejected));
                    cluster.client().publish(frontend_subject(frontend), bytes).await.ok();
                }
            }
        });
        Ok(Inbox { state, task })
    }

    /// Returns the records of the log that the waiting messages refer to.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().submits.iter().flat_map(|(_, submit)| submit.seen.clone()).collect()
    }

    /// Takes the messages that arrived up to an instant. `waiting` is the number of queries that
    /// the engine holds.
    pub fn take(&self, until: Instant, waiting: usize) -> Received {
        let mut state = self.state.lock();
        let due = state.submits.partition_point(|(at, _)| *at <= until);
        let later = state.submits.split_off(due);
        let submits = std::mem::replace(&mut state.submits, later);
        let cancels = std::mem::take(&mut state.cancels);
        let withdrawals = std::mem::take(&mut state.withdrawals);
        let adopts = std::mem::take(&mut state.adopts);
        let count = |submits: &[(Instant, Submit)]| -> usize {
            submits.iter().map(|(_, submit)| submit.queries.len()).sum()
        };
        state.queries = waiting + count(&submits) + count(&state.submits);
        Received { submits, cancels, withdrawals, adopts }
    }
}

impl Inbox {
    /// Changes the epoch, when the engine has become the owner.
    pub fn set_epoch(&self, epoch: u64) {
        let mut state = self.state.lock();
        state.terms.earlier_epoch = Some(state.terms.epoch);
        state.terms.epoch = epoch;
    }

    /// Takes no more messages.
    pub fn close(&self) {
        self.task.abort();
    }
}

impl Terms {
    /// Whether messages to an epoch are for this engine.
    fn accepts(&self, epoch: u64) -> bool {
        epoch == self.epoch || Some(epoch) == self.earlier_epoch
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl InboxState {
    /// Queues a message, or returns which queries of which frontend were not taken.
    fn take(&mut self, message: ToEngine) -> Option<(u64, Rejected)> {
        let (epoch, bounded) = match &message {
            ToEngine::Submit(submit) => (submit.epoch, 0),
            ToEngine::Cancel(cancel) | ToEngine::Withdraw(cancel) => (cancel.epoch, 0),
            ToEngine::Adopt(adopt) => (adopt.epoch, adopt.queries.len()),
        };
        let is_taken = self.terms.accepts(epoch) && self.queries + bounded <= self.terms.queue;
        match message {
            ToEngine::Submit(submit) => return self.submit(submit),
            _ if !is_taken => {}
            ToEngine::Cancel(cancel) => self.cancels.push(cancel),
            ToEngine::Withdraw(cancel) => self.withdrawals.push(cancel),
            ToEngine::Adopt(adopt) => {
                self.queries += adopt.queries.len();
                self.adopts.push(adopt);
            }
        }
        None
    }

    /// Queues queries, or returns why not and for which frontend.
    fn submit(&mut self, submit: Submit) -> Option<(u64, Rejected)> {
        let terms = &self.terms;
        let reason = if !terms.accepts(submit.epoch) {
            Some(RejectReason::Epoch(terms.epoch))
        } else if submit.map != terms.map {
            Some(RejectReason::Map)
        } else if self.queries + submit.queries.len() > terms.queue {
            Some(RejectReason::Busy)
        } else {
            None
        };
        let Some(reason) = reason else {
            self.queries += submit.queries.len();
            self.submits.push((Instant::now(), submit));
            return None;
        };
        let numbers = submit.queries.iter().map(|query| query.number).collect();
        let city = terms.shard.city.as_str().to_owned();
        let rejected = Rejected { city, shard: terms.shard.number, reason, numbers };
        Some((submit.frontend, rejected))
    }
}
