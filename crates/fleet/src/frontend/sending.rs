//! Sends accepted queries, cancellations and withdrawals to the owners.

use super::link::{Link, Recipient};
use super::running::Frontend;
use crate::message::{Beat, Cancel, Submit, ToEngine, encode, engine_subject};
use crate::plan::{CityCells, Plan};
use gateway::city::City;
use gateway::mailbox::Pending;
use meshcloak::units::Time;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Pause between two looks into the mailboxes: adds 1 % to the mean wait at a tick of 1 s. An idle
/// frontend needs 40 µs of CPU per look.
const SEND_INTERVAL: Duration = Duration::from_millis(20);

impl Frontend {
    /// Sends accepted queries and cancellations to the owners.
    pub(super) async fn send_queries(self: Arc<Self>) {
        let mut ticks = interval(SEND_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            for (index, city) in self.gateway.cities().iter().enumerate() {
                self.send_city(index, city).await;
            }
        }
    }

    async fn send_city(&self, index: usize, city: &Arc<City>) {
        let now = self.gateway.clock().now();
        let collected = city.mailbox().collect_released(Time::from_millis(u64::MAX), now);
        let owners = self.owners(index, city);
        let mut messages: Vec<(u16, ToEngine)> = Vec::new();
        let mut ended = Vec::new();
        {
            let mut link = self.links[index].lock();
            let (cancelled, cancels) = link.collect(collected);
            ended.extend(cancelled);
            let own =
                |(shard, cancel): (u16, Cancel)| (shard, Cancel { frontend: self.id.0, ..cancel });
            messages.extend(
                cancels.into_iter().map(own).map(|(shard, c)| (shard, ToEngine::Cancel(c))),
            );
            self.note_plan(&mut link, index, city, &owners);
            for owner in &owners {
                ended.extend(link.note_owner(owner));
            }
            let withdrawals = link.withdrawals().into_iter().map(own);
            messages.extend(withdrawals.map(|(shard, c)| (shard, ToEngine::Withdraw(c))));
            let (ids, mut exchange) = (self.gateway.user_ids(), self.exchange.lock());
            let keep = self.gateway.config().results.keep;
            let mut hold = |hash, pending: &Pending| {
                exchange.hold(hash, &pending.origin, pending.deadline + keep);
            };
            let revision = link.plan().map(|plan| plan.revision());
            for owner in owners.iter().filter(|owner| Some(owner.plan.revision) == revision) {
                let (now, max_payload) = (self.gateway.clock().now(), self.cluster.max_payload());
                let to = Recipient { owner, ids, now, max_payload };
                for submit in link.submits(&to, &mut hold) {
                    let submit = Submit { frontend: self.id.0, ..submit };
                    messages.push((owner.shard, ToEngine::Submit(submit)));
                }
            }
        }
        let shards = owners.first().map_or(1, |owner| usize::from(owner.shards));
        city.set_available(owners.len() == shards);
        for (shard, message) in messages {
            self.publish(engine_subject(city.name(), shard), encode(&message)).await;
        }
        self.finish(city, ended).await;
    }

    /// Returns the owners of a city that have the same map and cells, by shard.
    fn owners(&self, index: usize, city: &City) -> Vec<Beat> {
        let length = self.cells[index].as_ref().map_or(0, CityCells::length);
        let is_same = |owner: &Beat| owner.map == city.digest() && owner.plan.cell_length == length;
        let owners = self.peers.owners().into_iter().filter(|owner| owner.city == city.name());
        owners.filter(is_same).collect()
    }

    /// Takes note of the newest division that an owner uses.
    fn note_plan(&self, link: &mut Link, index: usize, city: &City, owners: &[Beat]) {
        let Some(newest) = owners.iter().max_by_key(|owner| owner.plan.revision) else { return };
        if link.plan().is_some_and(|plan| plan.revision() == newest.plan.revision) {
            return;
        }
        let plan = match &self.cells[index] {
            Some(cells) => Plan::new(city.map(), cells, newest.plan.revision, &newest.plan.starts),
            None => Plan::single(),
        };
        let epoch_of = |shard| owners.iter().find(|o| o.shard == shard).map(|owner| owner.epoch);
        link.note_plan(&Arc::new(plan), epoch_of);
    }
}
