//! The link of a frontend to the owners of one city: queries that are on their way or under way.
//!
//! A query is either in the backlog (not sent), or sent to one epoch of one shard. It leaves this
//! table exactly once: with its end.

use super::digests;
use crate::message::{Beat, Cancel, EndCode, KindItem, QueryItem, RejectReason, Seen, Submit};
use gateway::mailbox::{Arrival, Collected, Pending};
use gateway::user_ids::UserIds;
use meshcloak::query::QueryId;
use meshcloak::units::{Speed, Time};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Queries of one city.
#[derive(Default)]
pub struct Link {
    /// Accepted queries that were not sent.
    backlog: Vec<Arrival>,
    /// Sent queries by number.
    sent: FxHashMap<u64, Sent>,
    /// Newest known epoch of each shard, and the one that handed over to it.
    epochs: BTreeMap<u16, (u64, u64)>,
    /// What was seen of the city's log, by shard.
    seen: BTreeMap<u16, SeenLog>,
}

/// What was seen of a log, and of the log before it.
#[derive(Clone, Copy, Default)]
struct SeenLog {
    newest: Seen,
    /// The log that was replaced, and when: reported until the horizon is over, so that every owner
    /// learns that it was lost.
    lost: Option<(Seen, Instant)>,
}

/// A query that was sent. It is kept whole, so that it can be sent again if it was rejected.
struct Sent {
    arrival: Arrival,
    shard: u16,
    epoch: u64,
}

/// The owner of a shard, and what a message to it depends on.
pub struct Recipient<'a> {
    /// The owner.
    pub owner: &'a Beat,
    /// Keyed hashes.
    pub ids: &'a UserIds,
    /// Time of the gateway's clock.
    pub now: Time,
    /// How long the `history` guarantee remembers.
    pub horizon: Duration,
}

/// A query that has ended, with how.
pub type Ended = (Pending, EndCode);

/// Queries of a message.
const CHUNK: usize = 1_000;

/// Time after its deadline at which a query without an end fails.
const GRACE: Duration = Duration::from_secs(5);

impl Link {
    /// Number of queries that engines hold.
    pub fn sent_count(&self) -> usize {
        self.sent.len()
    }

    /// Notes what an owner has told of the log.
    pub fn see(&mut self, shard: u16, seen: Seen) {
        let known = self.seen.entry(shard).or_default();
        if known.newest.log != 0 && seen.log != known.newest.log {
            known.lost = Some((known.newest, Instant::now()));
        }
        if seen.log != known.newest.log || seen.sequence > known.newest.sequence {
            known.newest = seen;
        }
    }

    /// What an owner must have read: the newest record, or the last one of a log that was lost
    /// within the horizon.
    pub fn must_have_read(&mut self, shard: u16, horizon: Duration) -> Seen {
        let known = self.seen.entry(shard).or_default();
        let is_recent = |at: Instant| at.elapsed() < horizon;
        known.lost = known.lost.filter(|(_, at)| is_recent(*at));
        known.lost.map_or(known.newest, |(lost, _)| lost)
    }

    /// Adds accepted queries, and returns those that were cancelled before they were sent, and the
    /// cancellations to be sent.
    pub fn collect(&mut self, collected: Collected) -> (Vec<Ended>, Vec<(u16, Cancel)>) {
        let Collected { arrivals, cancelled } = collected;
        self.backlog.extend(arrivals);
        if cancelled.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let is_cancelled = |arrival: &mut Arrival| cancelled.contains(&arrival.pending.id);
        let unsent = self.backlog.extract_if(.., is_cancelled);
        let ended = unsent.map(|arrival| (arrival.pending, EndCode::Cancelled)).collect();
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
        let seen_log = self.seen.get(&beat.shard).map(|seen| seen.newest.log);
        // Epochs begin anew if the servers have lost everything; the log tells.
        let is_same_life = seen_log.is_none_or(|log| log == beat.seen.log);
        if beat.epoch < known.0 && is_same_life {
            return Vec::new();
        }
        let is_new = beat.epoch != known.0;
        *known = newest;
        self.see(beat.shard, beat.seen);
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
        is_of_shard: impl Fn(&Arrival) -> bool,
        hold: &mut impl FnMut(u64, &Pending),
    ) -> Vec<Submit> {
        let &Recipient { owner, ids, now, horizon } = to;
        let arrivals: Vec<Arrival> =
            self.backlog.extract_if(.., |arrival| is_of_shard(arrival)).collect();
        let mut submits = Vec::new();
        let mut arrivals = arrivals.into_iter().peekable();
        while arrivals.peek().is_some() {
            let mut queries = Vec::new();
            for arrival in arrivals.by_ref().take(CHUNK) {
                let item = item(ids, &arrival, now);
                hold(item.ticket, &arrival.pending);
                queries.push(item);
                let number = arrival.pending.id.0;
                let sent = Sent { arrival, shard: owner.shard, epoch: owner.epoch };
                self.sent.insert(number, sent);
            }
            let (epoch, seen) = (owner.epoch, self.must_have_read(owner.shard, horizon));
            submits.push(Submit { frontend: 0, epoch, seen, map: owner.map, queries });
        }
        submits
    }

    /// Takes a query that has ended.
    pub fn end(&mut self, number: u64) -> Option<Pending> {
        self.sent.remove(&number).map(|sent| sent.arrival.pending)
    }

    /// Returns the queries that an engine did not take to the backlog, or ends them.
    pub fn reject(&mut self, reason: RejectReason, numbers: &[u64]) -> Vec<Ended> {
        let mut ended = Vec::new();
        for number in numbers {
            let Some(sent) = self.sent.remove(number) else { continue };
            match reason {
                RejectReason::Epoch(_) => self.backlog.push(sent.arrival),
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
        let is_over = |arrival: &mut Arrival| arrival.pending.deadline < now;
        let unsent = self.backlog.extract_if(.., is_over);
        let mut ended: Vec<Ended> =
            unsent.map(|arrival| (arrival.pending, EndCode::Expired)).collect();
        let is_late = |sent: &Sent| sent.arrival.pending.deadline + GRACE < now;
        ended.extend(self.extract(|_, sent| is_late(sent), EndCode::Failed));
        ended
    }

    /// Ends all queries.
    pub fn end_all(&mut self) -> Vec<Ended> {
        let unsent = std::mem::take(&mut self.backlog).into_iter();
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

/// Encodes a query.
fn item(ids: &UserIds, arrival: &Arrival, now: Time) -> QueryItem {
    let query = arrival.query.expose();
    let left = arrival.pending.deadline - now;
    QueryItem {
        number: arrival.pending.id.0,
        ticket: digests::ticket(ids, &arrival.pending.origin),
        digest: digests::query(ids, arrival),
        user: query.user.0,
        account: digests::account(ids, &arrival.pending.origin),
        place: query.position.into(),
        k: query.k,
        left_ms: u32::try_from(left.as_millis()).unwrap_or(u32::MAX),
        dc: query.distance_constraint.units(),
        speed: query.speed.map(Speed::as_metres_per_second),
        question: arrival.pending.question.expose().as_ref().and_then(KindItem::of),
    }
}
