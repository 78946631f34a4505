//! Users who move to a cell of another shard.
//!
//! The waiting query is withdrawn there, and the newer one stays in the backlog until that is
//! acknowledged. So a user has one waiting query over all engines, and no question is lost.

use super::link::Link;
use crate::message::Cancel;
use gateway::mailbox::{Arrival, Pending};
use meshcloak::query::UserId;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

impl Link {
    /// Whether a user has a query in another shard.
    pub(super) fn is_sent_elsewhere(&self, user: UserId, shard: u16) -> bool {
        let numbers = self.sent_of_user.get(&user).into_iter().flatten();
        numbers.filter_map(|number| self.sent.get(number)).any(|sent| sent.shard != shard)
    }

    /// Returns the queries to be withdrawn: those of users with a query in the backlog for another
    /// shard.
    pub fn withdrawals(&mut self) -> Vec<(u16, Cancel)> {
        let Some(plan) = self.plan().cloned().filter(|plan| plan.shards() > 1) else {
            return Vec::new();
        };
        let mut cancels: BTreeMap<(u16, u64), Vec<u64>> = BTreeMap::new();
        for arrival in &self.backlog {
            let query = arrival.query.expose();
            let shard = plan.shard(query.position.street);
            for number in self.sent_of_user.get(&query.user).into_iter().flatten() {
                let sent = self.sent.get_mut(number);
                if let Some(sent) = sent.filter(|sent| sent.shard != shard && !sent.is_withdrawn) {
                    sent.is_withdrawn = true;
                    cancels.entry((sent.shard, sent.epoch)).or_default().push(*number);
                }
            }
        }
        let cancel = |((shard, epoch), numbers)| (shard, Cancel { frontend: 0, epoch, numbers });
        cancels.into_iter().map(cancel).collect()
    }

    /// Takes a query that its shard has given up. If this frontend has asked for that, a newer query
    /// of the user carries its question; otherwise the query has ended.
    pub fn give_back(&mut self, number: u64) -> Option<Pending> {
        let sent = self.remove(number)?;
        if !sent.is_withdrawn || !sent.arrival.pending.asks() {
            return Some(sent.arrival.pending);
        }
        let withdrawn = self.withdrawn.entry(sent.arrival.query.expose().user).or_default();
        withdrawn.push(sent.arrival);
        withdrawn.sort_by_key(|arrival| arrival.pending.id);
        None
    }

    /// Returns withdrawn queries to the backlog if the newer query of their user has ended.
    pub(super) fn release_withdrawn(&mut self) {
        if self.withdrawn.is_empty() {
            return;
        }
        let carriers: FxHashSet<UserId> =
            self.backlog.iter().map(|arrival| arrival.query.expose().user).collect();
        let orphans = self.withdrawn.extract_if(|user, _| !carriers.contains(user));
        self.backlog.extend(orphans.flat_map(|(_, arrivals)| arrivals));
        self.backlog.sort_by_key(|arrival| arrival.pending.id);
    }

    /// Takes the withdrawn queries that match.
    pub(super) fn take_withdrawn(&mut self, is_taken: impl Fn(&Arrival) -> bool) -> Vec<Arrival> {
        let mut taken = Vec::new();
        self.withdrawn.retain(|_, arrivals| {
            taken.extend(arrivals.extract_if(.., |arrival| is_taken(arrival)));
            !arrivals.is_empty()
        });
        taken
    }
}
