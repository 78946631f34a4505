//! What a log tells about the past of a city: the fold of its records.
//!
//! The fold yields each user's last position within the horizon (of accepted queries, or with the
//! clock `published` of `history` of those that left), the clocks of the last
//! record for [`crate::city_clock`], the state of each shard, and since when the log is complete.
//! An engine that finds the log incomplete within the horizon must refuse `history`.

use crate::city_clock::Mark;
use crate::follower::Followed;
use crate::record::{Body, Entry, Identity, LogId, LogRecord, Members, Record, Tick};
use meshcloak::guarantee::HistoryClock;
use meshcloak::history::{Horizon, LastPositions};
use meshcloak::map::StreetMap;
use meshcloak::units::Time;
use std::collections::{BTreeMap, VecDeque};

/// How much of which log a process has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The log.
    pub log: LogId,
    /// Sequence of a record.
    pub sequence: u64,
    /// Epoch of that record. It tells a record from another that took the same sequence after the
    /// log lost its end.
    pub epoch: u64,
    /// City time of that record.
    pub at: Time,
}

/// What a log tells of a record that some process has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// The log holds the record, or nothing depends on it.
    Held,
    /// The record is after the last one that was read.
    Unread,
    /// The log has lost the record.
    Lost,
}

/// Last record of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardState {
    /// Epoch of the last record.
    pub epoch: u64,
    /// Sequence of the last record.
    pub sequence: u64,
    /// Time of the last tick, in city time; `None` before the first.
    pub tick: Option<Time>,
}

/// Newest division of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastPlan {
    /// Last tick of the earlier division, in city time.
    pub after: Time,
    /// Revision of its key in the bucket.
    pub revision: u64,
    /// First cell of each shard.
    pub starts: Vec<u32>,
}

/// A run of records of one epoch on one shard.
#[derive(Clone, Copy, Debug)]
struct Reign {
    shard: u16,
    epoch: u64,
    first: u64,
    last: u64,
    until: Time,
}

/// The fold of a log.
pub struct Past {
    clock: HistoryClock,
    horizon: Horizon,
    positions: LastPositions,
    identity: Option<Identity>,
    /// City time from which on nothing is missing; `None` before the identity.
    complete_since: Option<Time>,
    mark: Option<Mark>,
    map: Option<u64>,
    shards: BTreeMap<u16, ShardState>,
    reigns: VecDeque<Reign>,
    plan: Option<PastPlan>,
    is_broken: bool,
}

impl Past {
    /// Returns the past of nothing.
    pub fn new(clock: HistoryClock, horizon: impl Into<Horizon>) -> Past {
        let horizon = horizon.into();
        Past {
            clock,
            horizon,
            positions: LastPositions::new(horizon),
            identity: None,
            complete_since: None,
            mark: None,
            map: None,
            shards: BTreeMap::new(),
            reigns: VecDeque::new(),
            plan: None,
            is_broken: false,
        }
    }

    /// Adds what a follower found.
    pub fn apply(&mut self, found: &Followed) {
        match found {
            Followed::Identity { identity, server_ms, .. } => self.identify(*identity, *server_ms),
            Followed::Record(record) => self.add(record),
            // The time of what is missing is at most that of the next record.
            Followed::Gap { .. } => self.is_broken = true,
            // What was read stays: it was acknowledged. Others who read the log miss it.
            Followed::Rewound { .. } => self.is_broken = true,
            Followed::Replaced => *self = Past::new(self.clock, self.horizon),
        }
    }

    fn identify(&mut self, identity: Identity, server_ms: u64) {
        let Identity { since, wall_ms, is_first, .. } = identity;
        self.identity = Some(identity);
        self.complete_since = Some(if is_first { Time::default() } else { since });
        self.mark = Some(Mark { city: since, wall_ms, server_ms });
    }

    fn add(&mut self, found: &LogRecord) {
        let LogRecord { shard, sequence, server_ms, record } = found;
        let city = self.city_time(record, *server_ms);
        self.mark = Some(Mark { city, wall_ms: record.wall_ms, server_ms: *server_ms });
        // Streets are numbered by the map: positions on another map mean nothing.
        if self.map.is_some_and(|map| map != record.map) {
            self.positions = LastPositions::new(self.horizon);
            self.is_broken = true;
        }
        self.map = Some(record.map);
        let part = self.needed_part(&record.body);
        // Written under another guarantee or clock: the positions are missing.
        self.is_broken |= matches!(part, Some(Members::Users(_)));
        let is_lost = matches!(record.body, Body::Lost { .. });
        if std::mem::take(&mut self.is_broken) || is_lost {
            self.complete_since = self.complete_since.map(|_| city);
        }
        let tick = match &record.body {
            Body::Tick(tick) => Some(tick.at),
            Body::Epoch { .. } | Body::Lost { .. } | Body::Plan { .. } => {
                self.shards.get(shard).and_then(|state| state.tick)
            }
        };
        let state = ShardState { epoch: record.epoch, sequence: *sequence, tick };
        self.shards.insert(*shard, state);
        self.extend_reign(*shard, record.epoch, *sequence, city);
        if let Some(Members::Positions(entries)) = part {
            for &Entry { user, position, at, speed } in entries {
                self.positions.insert(user, at, position, speed);
            }
        }
        if let Body::Plan { after, revision, starts } = &record.body {
            let (after, revision, starts) = (*after, *revision, starts.clone());
            self.plan = Some(PastPlan { after, revision, starts });
        }
        self.positions.expire(city);
    }

    /// Returns the part of a record that holds the positions of the past.
    fn needed_part<'a>(&self, body: &'a Body) -> Option<&'a Members> {
        let Body::Tick(tick) = body else { return None };
        match self.clock {
            HistoryClock::Asked => tick.accepted.as_ref(),
            HistoryClock::Published => tick.left.as_ref(),
        }
    }

    fn city_time(&self, record: &Record, server_ms: u64) -> Time {
        let last = self.mark.map_or(Time::default(), |mark| mark.city);
        match &record.body {
            Body::Tick(Tick { at, .. }) | Body::Lost { at } => (*at).max(last),
            Body::Plan { after, .. } => (*after).max(last),
            Body::Epoch { .. } => {
                self.mark.map_or(last, |mark| mark.elapse(record.wall_ms, server_ms))
            }
        }
    }

    fn extend_reign(&mut self, shard: u16, epoch: u64, sequence: u64, until: Time) {
        let same = |reign: &&mut Reign| (reign.shard, reign.epoch) == (shard, epoch);
        match self.reigns.iter_mut().rev().find(same) {
            Some(reign) => (reign.last, reign.until) = (sequence, until),
            None => {
                self.reigns.push_back(Reign {
                    shard,
                    epoch,
                    first: sequence,
                    last: sequence,
                    until,
                });
            }
        }
        let horizon = self.horizon.longest();
        self.reigns.retain(|reign| reign.until + horizon >= until);
    }

    /// Returns the identity of the log.
    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Returns the city time from which on the log is complete; `None` if it is unknown. A gap that
    /// no record follows yet counts as unknown.
    pub fn complete_since(&self) -> Option<Time> {
        self.complete_since.filter(|_| !self.is_broken)
    }

    /// Whether every accepted query within the horizon before `now` is known.
    pub fn is_complete(&self, now: Time) -> bool {
        self.complete_since()
            .is_some_and(|since| since == Time::default() || since + self.horizon.longest() < now)
    }

    /// Returns the clocks of the last record.
    pub fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Returns the digest of the map of the last record.
    pub fn map(&self) -> Option<u64> {
        self.map
    }

    /// Returns the newest division that the log holds.
    pub fn plan(&self) -> Option<&PastPlan> {
        self.plan.as_ref()
    }

    /// Returns the last record of a shard.
    pub fn shard(&self, shard: u16) -> Option<ShardState> {
        self.shards.get(&shard).copied()
    }

    /// Compares the log, read up to the sequence `position`, with what a process has seen.
    ///
    /// Nothing depends on a record that is older than the horizon, nor on one before the time from
    /// which on the log claims to be complete.
    pub fn trace(&self, seen: Seen, position: u64, now: Time) -> Trace {
        let is_admitted = || self.complete_since().is_none_or(|since| since > seen.at);
        if seen.at + self.horizon.longest() < now || is_admitted() {
            return Trace::Held;
        }
        if self.identity.is_none_or(|identity| identity.log != seen.log) {
            return Trace::Lost;
        }
        let is_inside = |reign: &Reign| {
            reign.epoch == seen.epoch && (reign.first..=reign.last).contains(&seen.sequence)
        };
        match self.reigns.iter().any(is_inside) {
            true => Trace::Held,
            false if seen.sequence > position => Trace::Unread,
            false => Trace::Lost,
        }
    }

    /// Returns the number of users with a position within the horizon of the last record.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether no user has a position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the last positions for [`meshcloak::guarantee::Admission::with_positions`]; `None` if
    /// one of them does not lie on `map`.
    pub fn positions(&self, map: &StreetMap) -> Option<LastPositions> {
        self.positions.lie_on(map).then(|| self.positions.clone())
    }
}

/// Prints no position.
impl std::fmt::Debug for Past {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Past")
            .field("identity", &self.identity)
            .field("complete_since", &self.complete_since)
            .field("users", &self.positions.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
