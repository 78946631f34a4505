//! Orderly move of a shard to another engine, between two ticks: nothing is lost.
//!
//! ```text
//! owner                            target
//!   Prepare ─────────────────────▶ subscribes to the shard's messages and keeps them
//!   leaves its own subscription
//!   Queries (waiting queries) ───▶ keeps them
//!   Leave (last sequence) ───────▶
//!   releases the lease             acquires it, fences, replays, and begins with both
//! ```
//!
//! Every step is confirmed. Messages that both engines received are recognised by frontend and
//! number. The target uses what it was given only if its first record follows the owner's last.

use super::host::Host;
use super::inbox::{Inbox, Terms};
use super::reign::{Reign, ReignEnd};
use super::remote::Remote;
use crate::message::{
    EndCode, Handover, HandoverStep, PendingItem, QuestionItem, WaitingItem, decode, encode,
    groups, handover_subject,
};
use cluster::{City, NodeId, Shard, Want};
use futures_util::StreamExt as _;
use gateway::city_engine::Round;
use gateway::mailbox::{Collected, Pending};
use meshcloak::accounts::AccountId;
use meshcloak::history::PastPosition;
use meshcloak::query::Query;
use meshcloak::units::{Length, Speed};
use std::sync::Arc;
use std::time::Duration;

/// Time-out of a step of a move.
const STEP: Duration = Duration::from_secs(2);

/// A shard that another engine hands over.
pub struct Prepared {
    /// Epoch of the other engine.
    pub epoch: u64,
    /// Messages of frontends since the move began.
    pub inbox: Inbox,
    /// Waiting queries.
    pub queries: Vec<WaitingItem>,
    /// Last sequence of the other engine; `None` until it leaves.
    pub sequence: Option<u64>,
}

impl Reign {
    /// Hands the shard over if the operator wants another engine to own it.
    ///
    /// # Errors
    /// [`ReignEnd::Moved`] after the move.
    pub(super) async fn move_if_wanted(&mut self) -> Result<(), ReignEnd> {
        let Ok(want) = Want::get(&self.host.bucket, &self.shard).await else { return Ok(()) };
        let Some(target) = want.engine.filter(|engine| *engine != self.host.id) else {
            return Ok(());
        };
        if !self.step(target, HandoverStep::Prepare(self.city.digest)).await {
            // A dead target: the shard stays here.
            want.clear(&self.host.bucket, &self.shard).await.ok();
            tracing::warn!(shard = %self.shard, %target, "the wanted engine does not answer");
            return Ok(());
        }
        self.inbox.close();
        self.check_log(self.clock.now()).await?;
        let waiting = self.waiting_items();
        let count = waiting.len();
        for queries in groups(waiting, self.host.cluster.max_payload()) {
            if !self.step(target, HandoverStep::Queries(queries)).await {
                return Err(ReignEnd::Moved); // the frontends fail what waited
            }
        }
        self.step(target, HandoverStep::Leave(self.sequence)).await;
        let last = Round::empty(self.clock.now());
        self.send(&last).await; // what ended at the intake
        let queries = count.next_multiple_of(10);
        tracing::info!(shard = %self.shard, %target, queries, "handed over");
        Err(ReignEnd::Moved)
    }

    /// Sends one step of the move; returns whether the target has confirmed it.
    async fn step(&mut self, target: NodeId, step: HandoverStep) -> bool {
        let handover = Handover {
            city: self.city.name.clone(),
            shard: self.shard.number,
            epoch: self.lease.epoch(),
            step,
        };
        let client = self.host.cluster.client();
        let request = client.request(handover_subject(target.0), encode(&handover));
        matches!(tokio::time::timeout(STEP, request).await, Ok(Ok(reply)) if reply.payload == "ok")
    }

    /// Encodes the waiting queries, and those that have arrived since the last tick. Cancelled ones
    /// end here.
    fn waiting_items(&mut self) -> Vec<WaitingItem> {
        let now = self.clock.now();
        let received = self.receive(now);
        let received = self.return_unclaimed(received);
        let Collected { arrivals, cancelled } = self.collect(now, received);
        let moved_in = std::mem::take(&mut self.transfers.moved_in);
        let mut ended = Vec::new();
        let mut items = Vec::new();
        let waiting = self.engine.waiting_with_pendings().map(|(query, previous, pendings)| {
            (query, previous, pendings.iter().collect::<Vec<_>>())
        });
        let arriving = moved_in.iter().chain(&arrivals).map(|arrival| {
            let pendings = arrival.carried.iter().chain([&arrival.pending]).collect();
            (arrival.query.expose(), *arrival.previous.expose(), pendings)
        });
        for (query, previous, mut pendings) in waiting.chain(arriving) {
            for pending in pendings.extract_if(.., |pending| cancelled.contains(&pending.id)) {
                match self.withdrawn.contains(&pending.id) {
                    true => ended.push((pending.origin, EndCode::Replaced)),
                    false if self.transfers.moving.contains(&pending.id) => {}
                    false => ended.push((pending.origin, EndCode::Cancelled)),
                }
            }
            if !pendings.is_empty() {
                items.push(WaitingItem::new(query, previous, pendings));
            }
        }
        self.ended.extend(ended);
        items
    }
}

impl WaitingItem {
    /// Encodes a waiting query with its questions.
    pub(super) fn new<'a>(
        query: &Query,
        previous: Option<PastPosition>,
        pendings: impl IntoIterator<Item = &'a Pending<Remote>>,
    ) -> WaitingItem {
        WaitingItem {
            user: query.user.0,
            place: query.position.into(),
            asked_at: query.asked_at.as_millis(),
            k: query.k,
            dt_ms: u32::try_from(query.temporal_tolerance.as_millis()).unwrap_or(u32::MAX),
            dc: query.distance_constraint.units(),
            speed: query.speed.map(Speed::as_metres_per_second),
            previous: previous.map(|past| {
                (past.at.as_millis(), past.position.into(), past.travelled.map(Length::units))
            }),
            pendings: pendings.into_iter().map(PendingItem::new).collect(),
        }
    }
}

impl PendingItem {
    fn new(pending: &Pending<Remote>) -> PendingItem {
        PendingItem {
            frontend: pending.origin.frontend,
            number: pending.origin.number,
            account: pending.origin.account.0,
            question: pending.question.expose().as_ref().map(QuestionItem::of),
            k: pending.k,
            asked_at: pending.asked_at.as_millis(),
            deadline: pending.deadline.as_millis(),
        }
    }

    /// Where the question came from.
    pub(super) fn origin(&self) -> Remote {
        let &PendingItem { frontend, number, account, .. } = self;
        Remote { frontend, number, account: AccountId(account) }
    }
}

impl Host {
    /// Takes shards that other engines hand over.
    pub(super) async fn take_handovers(self: Arc<Self>, mut messages: async_nats::Subscriber) {
        while let Some(message) = messages.next().await {
            let Ok(handover) = decode::<Handover>(&message.payload) else { continue };
            let answer = if self.take_step(handover).await { "ok" } else { "no" };
            if let Some(reply) = message.reply {
                self.cluster.client().publish(reply, answer.into()).await.ok();
            }
        }
    }

    async fn take_step(&self, handover: Handover) -> bool {
        let Handover { city, shard, epoch, step } = handover;
        let Ok(name) = City::new(&city) else { return false };
        let shard = name.shard(shard);
        match step {
            HandoverStep::Prepare(map) => self.prepare(shard, epoch, map).await,
            HandoverStep::Queries(queries) => {
                self.with_prepared(&shard, epoch, |prepared| prepared.queries.extend(queries))
            }
            HandoverStep::Leave(sequence) => {
                self.with_prepared(&shard, epoch, |prepared| prepared.sequence = Some(sequence))
            }
        }
    }

    async fn prepare(&self, shard: Shard, epoch: u64, map: u64) -> bool {
        let known = self.cities.iter().find(|city| city.name == shard.city.as_str());
        if known.is_none_or(|city| city.digest != map) {
            return false;
        }
        let queue = self.config.engine.queue;
        let terms = Terms { shard: shard.clone(), epoch, earlier_epoch: None, map, queue };
        let Ok(inbox) = Inbox::open(&self.cluster, terms).await else { return false };
        let prepared = Prepared { epoch, inbox, queries: Vec::new(), sequence: None };
        self.prepared.lock().insert(shard, prepared);
        true
    }

    fn with_prepared(&self, shard: &Shard, epoch: u64, change: impl FnOnce(&mut Prepared)) -> bool {
        let mut prepared = self.prepared.lock();
        let found = prepared.get_mut(shard).filter(|prepared| prepared.epoch == epoch);
        found.map(change).is_some()
    }
}
