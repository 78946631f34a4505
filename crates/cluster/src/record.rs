//! Records of the log of a city, as values. [`crate::record_codec`] is their binary form.

use crate::names::NodeId;
use meshcloak::map::Position;
use meshcloak::query::UserId;
use meshcloak::units::{Speed, Time};
use std::fmt;

/// A record of one shard of a city.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Identity of the log for which the record was written.
    pub log: LogId,
    /// Epoch of the writer's lease.
    pub epoch: u64,
    /// Digest of the map that numbers the streets.
    pub map: u64,
    /// Unix time of the writer in milliseconds.
    pub wall_ms: u64,
    /// What happened.
    pub body: Body,
}

/// Random number of a log. A log that was lost and begun anew has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId(pub u64);

/// Content of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// First record of an owner. It fences all earlier owners of the shard.
    Epoch {
        /// The owner.
        engine: NodeId,
        /// Division of the city that the owner uses: revision of its key in the bucket; 0 without
        /// division.
        plan: u64,
    },
    /// One tick of the engine.
    Tick(Tick),
    /// Another division of the city, written by the owner of shard 0 before the tick `after`. All
    /// owners use it from the next tick on.
    Plan {
        /// Last tick of the earlier division, in city time.
        after: Time,
        /// Revision of its key in the bucket.
        revision: u64,
        /// First cell of each shard.
        starts: Vec<u32>,
    },
    /// The owner knows that the log has lost records: nothing before is complete. Later owners
    /// learn it from here.
    Lost {
        /// When the loss was noticed, in city time.
        at: Time,
    },
}

/// What one shard did in one tick. With one shard a tick is one record with both parts; otherwise
/// `accepted` comes first and is the barrier of the tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Time of the batch, in city time.
    pub at: Time,
    /// Queries accepted since the last tick; `None` if this record does not say.
    pub accepted: Option<Members>,
    /// Queries published in this tick; `None` if this record does not say.
    pub left: Option<Members>,
}

/// Users of a part of a tick, with positions only if the guarantee needs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// Users without positions.
    Users(Vec<UserId>),
    /// Users with positions, under `history`: accepted queries with the clock `asked`, those that left
    /// with the clock `published`.
    Positions(Vec<Entry>),
}

impl Members {
    /// Returns the number of users.
    pub fn len(&self) -> usize {
        match self {
            Members::Users(users) => users.len(),
            Members::Positions(entries) => entries.len(),
        }
    }

    /// Whether there are no users.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Position of a user at one time. Prints as a placeholder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The user.
    pub user: UserId,
    /// The position.
    pub position: Position,
    /// Time of the query, in city time.
    pub at: Time,
    /// Declared top speed.
    pub speed: Option<Speed>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entry(…)")
    }
}

/// First message of a log: its number, and what the log can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Number of the log.
    pub log: LogId,
    /// City time at which the log begins.
    pub since: Time,
    /// Unix time of the writer in milliseconds.
    pub wall_ms: u64,
    /// Whether the operator declared that there was no earlier log whose loss matters
    /// (`engine.after_start = "new"`).
    pub is_first: bool,
}

/// A record with its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Number of the shard.
    pub shard: u16,
    /// Sequence of its last piece.
    pub sequence: u64,
    /// Unix time at which the server stored its last piece, in milliseconds.
    pub server_ms: u64,
    /// The record.
    pub record: Record,
}
