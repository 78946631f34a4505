//! What a log tells about the past of a city: the fold of its records.
//!
//! The fold yields each user's last accepted position within the horizon, the clocks of the last
//! record for [`crate::city_clock`], the state of each shard, and since when the log is complete.
//! An engine that finds the log incomplete within the horizon must refuse `history`.

use crate::city_clock::Mark;
use crate::follower::Followed;
use crate::record::{Body, Entry, Identity, LogId, LogRecord, Members, Record};
use meshcloak::history::LastPositions;
use meshcloak::map::StreetMap;
use meshcloak::units::Time;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

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
    horizon: Duration,
    positions: LastPositions,
    identity: Option<Identity>,
    /// City time from which on nothing is missing; `None` before the identity.
    complete_since: Option<Time>,
    mark: Option<Mark>,
    map: Option<u64>,
    shards: BTreeMap<u16, ShardState>,
    reigns: VecDeque<Reign>,
    is_broken: bool,
}

impl Past {
    /// Returns the past of nothing.
    pub fn new(horizon: Duration) -> Past {
        Past {
            horizon,
            positions: LastPositions::new(horizon),
            identity: None,
            complete_since: None,
            mark: None,
            map: None,
            shards: BTreeMap::new(),
            reigns: VecDeque::new(),
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
            Followed::Replaced => *self = Past::new(self.horizon),
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
        if std::mem::take(&mut self.is_broken) {
            self.complete_since = self.complete_since.map(|_| city);
        }
        let tick = match &record.body {
            Body::Tick(tick) => Some(tick.at),
            Body::Epoch { .. } => self.shards.get(shard).and_then(|state| state.tick),
        };
        let state = ShardState { epoch: record.epoch, sequence: *sequence, tick };
        self.shards.insert(*shard, state);
        self.extend_reign(*shard, record.epoch, *sequence, city);
        if let Body::Tick(tick) = &record.body
            && let Some(Members::Positions(entries)) = &tick.accepted
        {
            for &Entry { user, position, at, .. } in entries {
                self.positions.insert(user, at, position);
            }
        }
        self.positions.expire(city);
    }

    fn city_time(&self, record: &Record, server_ms: u64) -> Time {
        let last = self.mark.map_or(Time::default(), |mark| mark.city);
        match &record.body {
            Body::Tick(tick) => tick.at.max(last),
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
        let horizon = self.horizon;
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
            .is_some_and(|since| since == Time::default() || since + self.horizon < now)
    }

    /// Returns the clocks of the last record.
    pub fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Returns the digest of the map of the last record.
    pub fn map(&self) -> Option<u64> {
        self.map
    }

    /// Returns the last record of a shard.
    pub fn shard(&self, shard: u16) -> Option<ShardState> {
        self.shards.get(&shard).copied()
    }

    /// Whether the log holds what a process has seen. Records before the oldest known one count as
    /// held: they have aged out, and nothing depends on them.
    pub fn contains(&self, seen: Seen) -> bool {
        let is_inside = |reign: &Reign| {
            reign.epoch == seen.epoch && (reign.first..=reign.last).contains(&seen.sequence)
        };
        let is_same_log = self.identity.is_some_and(|identity| identity.log == seen.log);
        let oldest = self.reigns.iter().map(|reign| reign.first).min();
        let is_aged = oldest.is_some_and(|oldest| seen.sequence < oldest);
        is_same_log && (is_aged || self.reigns.iter().any(is_inside))
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
