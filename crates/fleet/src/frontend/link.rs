//! The link of a frontend to the owners of one city: queries that are on their way or under way.
//!
//! A query is in the backlog (not sent), sent to one epoch of one shard, or withdrawn and to be
//! carried by a newer query of its user (`withdrawals`). It leaves this table exactly once: with its
//! end.

use super::digests;
use super::items::{carried_item, item};
use crate::message::{Beat, Cancel, EndCode, RejectReason, Seen, SeenLog, Submit, groups};
use crate::plan::Plan;
use gateway::mailbox::{Arrival, Collected, Pending};
use gateway::user_ids::UserIds;
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

/// Queries of one city.
#[derive(Default)]
pub struct Link {
    /// Accepted queries that were not sent.
    pub(super) backlog: Vec<Arrival>,
    /// Sent queries by number.
    pub(super) sent: FxHashMap<u64, Sent>,
    /// Numbers of the sent queries of each user, if the city is divided.
    pub(super) sent_of_user: FxHashMap<UserId, Vec<u64>>,
    /// Withdrawn queries that the next query of their user carries, oldest first.
    pub(super) withdrawn: FxHashMap<UserId, Vec<Arrival>>,
    /// Division of the city; `None` until an owner has told it.
    plan: Option<Arc<Plan>>,
    /// Newest known epoch of each shard, and the one that handed over to it.
    epochs: BTreeMap<u16, (u64, u64)>,
    /// What was seen of the city's log.
    log: SeenLog,
}

/// A query that was sent. It is kept whole, so that it can be sent again if it was rejected.
pub(super) struct Sent {
    pub(super) arrival: Arrival,
    pub(super) shard: u16,
    pub(super) epoch: u64,
    /// Whether the owner was asked to withdraw it.
    pub(super) is_withdrawn: bool,
}

/// The owner of a shard, and what a message to it depends on.
pub struct Recipient<'a> {
    /// The owner.
    pub owner: &'a Beat,
    /// Keyed hashes.
    pub ids: &'a UserIds,
    /// Time of the gateway's clock.
    pub now: Time,
    /// Largest payload of a message, in bytes.
    pub max_payload: usize,
}

/// A query that has ended, with how.
pub type Ended = (Pending, EndCode);

/// Time after its deadline at which a query without an end fails.
const GRACE: Duration = Duration::from_secs(5);

impl Link {
    /// Number of queries that engines hold.
    pub fn sent_count(&self) -> usize {
        self.sent.len()
    }

    /// What was seen of the city's log.
    pub fn log(&mut self) -> &mut SeenLog {
        &mut self.log
    }

    /// Adds accepted queries, and returns those that were cancelled before they were sent, and the
    /// cancellations to be sent.
    pub fn collect(&mut self, collected: Collected) -> (Vec<Ended>, Vec<(u16, Cancel)>) {
        let Collected { arrivals, cancelled } = collected;
        self.backlog.extend(arrivals);
        if cancelled.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let is_cancelled = |arrival: &Arrival| cancelled.contains(&arrival.pending.id);
        let mut unsent = self.take_withdrawn(is_cancelled);
        unsent.extend(self.backlog.extract_if(.., |arrival| is_cancelled(arrival)));
        self.release_withdrawn();
        let ended =
            unsent.into_iter().map(|arrival| (arrival.pending, EndCode::Cancelled)).collect();
        let mut cancels: BTreeMap<(u16, u64), Vec<u64>> = BTreeMap::new();
        for QueryId(number) in cancelled {
            if let Some(sent) = self.sent.get(&number) {
                cancels.entry((sent.shard, sent.epoch)).or_default().push(number);
            }
        }
        let cancel = |((shard, epoch), numbers)| (shard, Cancel { frontend: 0, epoch, numbers });
        (ended, cancels.into_iter().map(cancel).collect())
    }

    /// Takes note of the owner of a shard. Returns the queries of earlier epochs, which have failed:
    /// nothing is known of them.
    pub fn note_owner(&mut self, beat: &Beat) -> Vec<Ended> {
        let newest = (beat.epoch, beat.moved_from);
        let known = self.epochs.entry(beat.shard).or_insert(newest);
        // Epochs begin anew if the servers have lost everything; the log tells.
        let is_same_life = [0, beat.seen.log].contains(&self.log.log());
        if beat.epoch < known.0 && is_same_life {
            return Vec::new();
        }
        let is_new = beat.epoch != known.0;
        *known = newest;
        self.log.note_owner(beat.seen, beat.complete_since);
        if !is_new {
            return Vec::new();
        }
        let of_shard = |sent: &Sent| sent.shard == beat.shard && sent.epoch != beat.epoch;
        if beat.moved_from > 0 {
            let moved = self.sent.values_mut().filter(|sent| of_shard(sent));
            moved
                .filter(|sent| sent.epoch == beat.moved_from)
                .for_each(|sent| sent.epoch = beat.epoch);
        }
        self.extract(|_, sent| of_shard(sent), EndCode::Failed)
    }

    /// Whether an epoch of a shard is the newest known one, newer, or has handed over to it.
    pub fn is_current(&self, shard: u16, epoch: u64) -> bool {
        let is_current = |(known, earlier): &(u64, u64)| epoch >= *known || epoch == *earlier;
        self.epochs.get(&shard).is_none_or(is_current)
    }

    /// Takes queries of the backlog for the owner of a shard and remembers them as sent. `hold` is
    /// called with the hash of each ticket.
    pub fn submits(
        &mut self,
        to: &Recipient<'_>,
        hold: &mut impl FnMut(u64, &Pending),
    ) -> Vec<Submit> {
        let &Recipient { owner, ids, now, max_payload } = to;
        let Some(plan) = self.plan.clone() else { return Vec::new() };
        let mut items = Vec::new();
        for arrival in std::mem::take(&mut self.backlog) {
            let user = arrival.query.expose().user;
            let is_of_shard = plan.shard(arrival.query.expose().position.street) == owner.shard;
            if !is_of_shard || self.is_sent_elsewhere(user, owner.shard) {
                self.backlog.push(arrival);
                continue;
            }
            let carried = self.withdrawn.remove(&user).unwrap_or_default();
            let mut item = item(ids, &arrival, now);
            item.carried = carried.iter().map(|carried| carried_item(ids, carried, now)).collect();
            carried.into_iter().chain([arrival]).for_each(|arrival| {
                hold(digests::ticket(ids, &arrival.pending.origin), &arrival.pending);
                self.remember(arrival, owner);
            });
            items.push(item);
        }
        let seen: Vec<Seen> = self.log.records().collect();
        let submit = |queries| Submit {
            frontend: 0,
            epoch: owner.epoch,
            seen: seen.clone(),
            map: owner.map,
            queries,
        };
        groups(items, max_payload).into_iter().map(submit).collect()
    }

    fn remember(&mut self, arrival: Arrival, owner: &Beat) {
        let (number, user) = (arrival.pending.id.0, arrival.query.expose().user);
        if self.is_divided() {
            self.sent_of_user.entry(user).or_default().push(number);
        }
        let (shard, epoch) = (owner.shard, owner.epoch);
        self.sent.insert(number, Sent { arrival, shard, epoch, is_withdrawn: false });
    }

    fn is_divided(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.shards() > 1)
    }

    /// Takes note of the division that an owner uses. Sent queries of cells that have moved belong
    /// to their new owners.
    pub fn note_plan(&mut self, plan: &Arc<Plan>, epoch_of: impl Fn(u16) -> Option<u64>) {
        if self.plan.as_ref().is_some_and(|known| known.revision() == plan.revision()) {
            return;
        }
        for sent in self.sent.values_mut() {
            let shard = plan.shard(sent.arrival.query.expose().position.street);
            if let Some(epoch) = epoch_of(shard).filter(|_| shard != sent.shard) {
                (sent.shard, sent.epoch) = (shard, epoch);
            }
        }
        self.plan = Some(Arc::clone(plan));
    }

    /// Division of the city.
    pub fn plan(&self) -> Option<&Arc<Plan>> {
        self.plan.as_ref()
    }

    /// Takes a query that has ended.
    pub fn end(&mut self, number: u64) -> Option<Pending> {
        self.remove(number).map(|sent| sent.arrival.pending)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<Sent> {
        let sent = self.sent.remove(&number)?;
        if let Entry::Occupied(mut numbers) =
            self.sent_of_user.entry(sent.arrival.query.expose().user)
        {
            numbers.get_mut().retain(|other| *other != number);
            if numbers.get().is_empty() {
                numbers.remove();
            }
        }
        Some(sent)
    }

    /// Returns the queries that an engine did not take to the backlog, or ends them.
    pub fn reject(&mut self, reason: RejectReason, numbers: &[u64]) -> Vec<Ended> {
        let mut ended = Vec::new();
        for number in numbers {
            let Some(mut sent) = self.remove(*number) else { continue };
            match reason {
                RejectReason::Epoch(_) | RejectReason::Plan(_) => self.backlog.push(sent.arrival),
                RejectReason::Street(place) => {
                    if numbers.last() == Some(number) {
                        sent.arrival.query.expose_mut().position = place.into();
                    }
                    self.backlog.push(sent.arrival);
                }
                RejectReason::Busy | RejectReason::Map => {
                    ended.push((sent.arrival.pending, EndCode::Failed));
                }
            }
        }
        // Queries are sent in order of arrival.
        self.backlog.sort_by_key(|arrival| arrival.pending.id);
        ended
    }

    /// Returns the queries whose deadline is over: those that were not sent have expired, those
    /// whose end the engine has not told for a while have failed.
    pub fn overdue(&mut self, now: Time) -> Vec<Ended> {
        let is_over = |arrival: &Arrival| arrival.pending.deadline < now;
        let mut unsent = self.take_withdrawn(is_over);
        unsent.extend(self.backlog.extract_if(.., |arrival| is_over(arrival)));
        self.release_withdrawn();
        let mut ended: Vec<Ended> =
            unsent.into_iter().map(|arrival| (arrival.pending, EndCode::Expired)).collect();
        let is_late = |sent: &Sent| sent.arrival.pending.deadline + GRACE < now;
        ended.extend(self.extract(|_, sent| is_late(sent), EndCode::Failed));
        ended
    }

    /// Ends all queries.
    pub fn end_all(&mut self) -> Vec<Ended> {
        let withdrawn = self.take_withdrawn(|_| true);
        let unsent = std::mem::take(&mut self.backlog).into_iter().chain(withdrawn);
        let mut ended: Vec<Ended> =
            unsent.map(|arrival| (arrival.pending, EndCode::Expired)).collect();
        ended.extend(self.extract(|_, _| true, EndCode::Failed));
        ended
    }

    fn extract(&mut self, is_ended: impl Fn(u64, &Sent) -> bool, code: EndCode) -> Vec<Ended> {
        let numbers: Vec<u64> = self
            .sent
            .iter()
            .filter(|(number, sent)| is_ended(**number, sent))
            .map(|(n, _)| *n)
            .collect();
        numbers.into_iter().filter_map(|number| Some((self.end(number)?, code))).collect()
    }
}
