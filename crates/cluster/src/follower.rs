//! Reader of a log: every record of all shards in the order of the log, from the beginning, then
//! live.
//!
//! There is no consumer on the server that could stall. The follower asks the leader of the stream
//! for the first message after the last one; announcements of the server tell when to ask, and a
//! poll every [`POLL`] covers lost announcements. The sequence, the log's number in every record
//! and the last sequence of the stream reveal a log with a hole, of another life, or with a lost
//! end.

use crate::connection::Cluster;
use crate::error::ClusterError;
use crate::log::decode_identity;
use crate::names::City;
use crate::piece::Assembler;
use crate::record::{Identity, LogId, LogRecord, Record};
use crate::stream::{Stored, Stream};
use async_nats::Subscriber;
use futures_util::{FutureExt as _, StreamExt as _};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest wait before the log is asked again.
pub const POLL: Duration = Duration::from_millis(250);

/// Pause after a read that failed.
const READ_AGAIN: Duration = Duration::from_millis(100);

/// What a follower finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The identity of the log: first of all, and after [`Followed::Replaced`].
    Identity {
        /// The identity.
        identity: Identity,
        /// Its sequence.
        sequence: u64,
        /// Unix time at which the server stored it, in milliseconds.
        server_ms: u64,
    },
    /// A record.
    Record(LogRecord),
    /// Messages are missing or unreadable; records from `next` on follow.
    Gap {
        /// First sequence that is missing.
        from: u64,
        /// First sequence after the gap.
        next: u64,
    },
    /// The log has lost its end; new records take the lost sequences.
    Rewound {
        /// Last sequence that was read.
        seen: u64,
        /// Last sequence of the log.
        last: u64,
    },
    /// The log was lost and begun anew. Reading starts at its beginning.
    Replaced,
}

/// A reader of a log.
pub struct Follower {
    stream: Stream,
    city: City,
    news: Subscriber,
    /// First sequence that is not read.
    next: u64,
    log: Option<LogId>,
    /// Whether a message of a shard was read since the beginning: from then on sequences have no
    /// holes. Before, records between the identity and the first may have aged out.
    is_dense: bool,
    shards: BTreeMap<u16, Assembler>,
}

impl Follower {
    pub(crate) async fn start(
        cluster: Cluster,
        city: City,
        stream: Stream,
    ) -> Result<Follower, ClusterError> {
        let action = || format!("subscribe to the log of {city}");
        let news = cluster.within(action, cluster.client().subscribe(city.news())).await?;
        let news = news.map_err(|error| ClusterError::Unavailable {
            action: action(),
            problem: error.to_string(),
        })?;
        let shards = BTreeMap::new();
        Ok(Follower { stream, city, news, next: 1, log: None, is_dense: false, shards })
    }

    /// Returns the last sequence that was read; 0 at the beginning.
    pub fn position(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    /// Waits for what comes next. Cancel safe.
    ///
    /// # Errors
    /// If NATS is unavailable; calling again continues.
    pub async fn next(&mut self) -> Result<Followed, ClusterError> {
        loop {
            if let Some(found) = self.try_next().await? {
                return Ok(found);
            }
            if let Ok(None) = tokio::time::timeout(POLL, self.news.next()).await {
                return Err(ClusterError::Unavailable {
                    action: format!("follow the log of {}", self.city),
                    problem: "the connection is closed".into(),
                });
            }
            while self.news.next().now_or_never().flatten().is_some() {}
        }
    }

    /// Waits for what comes next, and tries again while the servers do not answer or elect a leader.
    /// Cancel safe.
    ///
    /// # Errors
    /// If another attempt would fail, too.
    pub async fn next_again(&mut self) -> Result<Followed, ClusterError> {
        loop {
            match self.next().await {
                Err(error) if error.is_temporary() => {
                    tracing::warn!(%error, city = %self.city, "the log cannot be read at present");
                    tokio::time::sleep(READ_AGAIN).await;
                }
                found => return found,
            }
        }
    }

    /// Returns what comes next; `None` at the end of the log.
    ///
    /// # Errors
    /// If NATS is unavailable; calling again continues.
    pub async fn try_next(&mut self) -> Result<Option<Followed>, ClusterError> {
        while let Some(stored) = self.stream.next(&self.city.records(), self.next).await? {
            if let Some(found) = self.take(&stored).await? {
                return Ok(Some(found));
            }
        }
        self.check_end().await
    }

    /// Compares the end of the log with what was read.
    async fn check_end(&mut self) -> Result<Option<Followed>, ClusterError> {
        let Some(info) = self.stream.info().await? else {
            return Ok((self.position() > 0).then(|| self.restart()));
        };
        let (seen, last) = (self.position(), info.state.last_sequence);
        if last >= seen {
            return Ok(None);
        }
        if self.has_other_identity().await? {
            return Ok(Some(self.restart()));
        }
        self.next = last.saturating_add(1);
        self.shards.clear();
        Ok(Some(Followed::Rewound { seen, last }))
    }

    /// Processes one message; `None` if it completes nothing.
    async fn take(&mut self, stored: &Stored) -> Result<Option<Followed>, ClusterError> {
        if self.is_dense && stored.sequence > self.next {
            return Ok(Some(self.skip_to(stored.sequence)));
        }
        let after = stored.sequence.saturating_add(1);
        let shard = stored.subject.rsplit('.').next().and_then(|shard| shard.parse::<u16>().ok());
        let Some(shard) = shard else {
            return match stored.subject == self.city.identity() {
                true => self.identify(stored).map(Some),
                false => Ok(Some(self.skip_to(after))),
            };
        };
        let Some(log) = self.log else { return Ok(Some(self.skip_to(after))) };
        let Ok(bytes) = self.shards.entry(shard).or_default().push(&stored.payload) else {
            return Ok(Some(self.skip_to(after)));
        };
        let Some(bytes) = bytes else {
            (self.next, self.is_dense) = (after, true);
            return Ok(None);
        };
        match Record::decode(&bytes) {
            Ok(record) if record.log == log => {
                (self.next, self.is_dense) = (after, true);
                let (sequence, server_ms) = (stored.sequence, stored.server_ms);
                Ok(Some(Followed::Record(LogRecord { shard, sequence, server_ms, record })))
            }
            Ok(_) if self.has_other_identity().await? => Ok(Some(self.restart())),
            // Written by an engine that missed the loss of the log, or unreadable.
            Ok(_) | Err(_) => Ok(Some(self.skip_to(after))),
        }
    }

    fn identify(&mut self, stored: &Stored) -> Result<Followed, ClusterError> {
        let identity = decode_identity(stored)?;
        if self.log.is_some_and(|log| log != identity.log) {
            return Ok(self.restart());
        }
        (self.log, self.next) = (Some(identity.log), stored.sequence.saturating_add(1));
        let (sequence, server_ms) = (stored.sequence, stored.server_ms);
        Ok(Followed::Identity { identity, sequence, server_ms })
    }

    /// Whether the log has another identity than the one that was read.
    async fn has_other_identity(&self) -> Result<bool, ClusterError> {
        let stored = self.stream.last(&self.city.identity()).await?;
        let identity = stored.map(|stored| decode_identity(&stored)).transpose()?;
        Ok(identity.map(|identity| identity.log) != self.log)
    }

    fn skip_to(&mut self, next: u64) -> Followed {
        let from = self.next;
        self.next = next;
        self.shards.clear();
        Followed::Gap { from, next }
    }

    fn restart(&mut self) -> Followed {
        (self.next, self.log, self.is_dense) = (1, None, false);
        self.shards.clear();
        Followed::Replaced
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Follower({} at {})", self.city, self.position())
    }
}
