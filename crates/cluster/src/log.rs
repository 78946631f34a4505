//! The log of a city: a stream in the memory of the servers that every owner appends to before
//! anything leaves its engine.
//!
//! ```text
//! MC_LOG_<city>   mc.log.<city>.id        identity, once per log, never ages out
//!                 mc.log.<city>.<shard>   records of the shard's owners, for `max_age`
//! ```
//!
//! An append names the sequence of the last record of its shard. So an engine that was replaced
//! cannot append: the new owner's first record has changed that sequence.

use crate::connection::Cluster;
use crate::error::ClusterError;
use crate::follower::Follower;
use crate::log_config::{check, config};
use crate::names::{City, random_u64};
use crate::piece::{Assembler, split};
use crate::record::{Identity, LogId, Record};
use crate::stream::{MAX_HEADERS, Stored, Stream, Terms, Written};
use bytes::Bytes;
use meshcloak::units::Time;
use std::time::Duration;

/// Settings of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// Servers that hold a copy: 1 or 3.
    pub replicas: usize,
    /// Age at which records vanish: the horizon and a margin.
    pub max_age: Duration,
}

/// Result of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Append {
    /// Written; the sequence is what the next append of this shard follows.
    Acknowledged(u64),
    /// Refused: the shard's last record is not the expected one. The caller is no longer the owner.
    Fenced,
    /// Written or not, or written later. The only way on is the same append again: it returns
    /// `Acknowledged` also if the first attempt was written.
    Unknown,
}

/// Size and replicas of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogState {
    /// Bytes of all messages.
    pub bytes: u64,
    /// Messages, the identity included.
    pub messages: u64,
    /// Last sequence.
    pub last: u64,
    /// Name of the server that leads the replicas; `None` without replicas.
    pub leader: Option<String>,
    /// Servers with all messages.
    pub current: usize,
}

/// The log of a city.
#[derive(Clone, Debug)]
pub struct Log {
    cluster: Cluster,
    city: City,
    stream: Stream,
}

impl Log {
    /// Creates the log of a city, or checks the settings of the present one.
    ///
    /// # Errors
    /// If NATS is unavailable, or the stream exists with settings that lose or persist records.
    pub async fn open(
        cluster: &Cluster,
        city: &City,
        settings: &LogSettings,
    ) -> Result<Log, ClusterError> {
        let config = config(city, settings);
        let (stream, info) = Stream::open(cluster, &config).await?;
        check(&config, &info.config)?;
        Ok(Log { cluster: cluster.clone(), city: city.clone(), stream })
    }

    /// Returns the city.
    pub fn city(&self) -> &City {
        &self.city
    }

    /// Returns the identity of the log, or `None` if the log is new and has none.
    ///
    /// # Errors
    /// If NATS is unavailable or the identity is unreadable.
    pub async fn identity(&self) -> Result<Option<Identity>, ClusterError> {
        let stored = self.stream.last(&self.city.identity()).await?;
        stored.map(|stored| decode_identity(&stored)).transpose()
    }

    /// Gives a new log its identity, and returns that which the log has: another engine may have
    /// been faster. City time begins at the Unix time of the writer.
    ///
    /// `is_first` is the operator's word that no earlier log was lost.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn identify(&self, wall_ms: u64, is_first: bool) -> Result<Identity, ClusterError> {
        if let Some(identity) = self.identity().await? {
            return Ok(identity);
        }
        let log = LogId(random_u64()?);
        let identity = Identity { log, since: Time::from_millis(wall_ms), wall_ms, is_first };
        let [piece] = self.split(&identity.encode())?.try_into().map_err(|_| self.too_large())?;
        let terms = Terms { expected: 0, ttl: Some("never"), header: None };
        match self.stream.write(&self.city.identity(), piece, terms).await {
            Written::Refused(problem) => Err(self.stream.refused("begin the log", problem)),
            // What the log holds decides, whoever wrote it.
            Written::Stored(_) | Written::WrongSequence(_) | Written::Unknown(_) => {
                let missing = || ClusterError::Unavailable {
                    action: format!("begin the log of {}", self.city),
                    problem: "the identity is not written".into(),
                };
                self.identity().await?.ok_or_else(missing)
            }
        }
    }

    /// Returns the sequence of the last message of a shard; 0 if there is none. Only good for the
    /// first append of an owner: a stale value is refused by the fence.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn last_sequence(&self, shard: u16) -> Result<u64, ClusterError> {
        let last = self.stream.last(&self.subject(shard)).await?;
        Ok(last.map_or(0, |stored| stored.sequence))
    }

    /// Appends a record if the last message of the shard is `expected`.
    ///
    /// A large record is several messages; it counts only if the last of them is written, so a
    /// record that is fenced halfway has no effect.
    ///
    /// # Errors
    /// If the server refuses the record (too large, memory exhausted); it is then not written.
    pub async fn append(
        &self,
        shard: u16,
        expected: u64,
        record: &Record,
    ) -> Result<Append, ClusterError> {
        let subject = self.subject(shard);
        let mut last = expected;
        for piece in self.split(&record.encode())? {
            match self.append_piece(&subject, last, piece).await? {
                Append::Acknowledged(sequence) => last = sequence,
                stopped => return Ok(stopped),
            }
        }
        Ok(Append::Acknowledged(last))
    }

    /// Appends one message. If it is refused because of a later message, that message may be this
    /// very one from an earlier attempt: no other writer writes the same bytes, since they hold
    /// the log, the epoch and the tick.
    async fn append_piece(
        &self,
        subject: &str,
        expected: u64,
        piece: Bytes,
    ) -> Result<Append, ClusterError> {
        let terms = Terms { expected, ..Terms::default() };
        match self.stream.write(subject, piece.clone(), terms).await {
            Written::Stored(sequence) => Ok(Append::Acknowledged(sequence)),
            // Without the stream the log is lost, and with it the ownership.
            Written::Unknown(problem) => match self.stream.info().await {
                Ok(None) => Ok(Append::Fenced),
                Ok(Some(_)) | Err(_) => {
                    tracing::warn!(city = %self.city, problem, "no acknowledgement of an append");
                    Ok(Append::Unknown)
                }
            },
            Written::Refused(problem) => Err(self.stream.refused("append to", problem)),
            // The log has lost what this writer has seen.
            Written::WrongSequence(Some(last)) if last < expected => Ok(Append::Fenced),
            Written::WrongSequence(_) => {
                match self.stream.next(subject, expected.saturating_add(1)).await {
                    Ok(Some(stored)) if stored.payload == piece => {
                        Ok(Append::Acknowledged(stored.sequence))
                    }
                    Ok(Some(_)) => Ok(Append::Fenced),
                    Ok(None) | Err(_) => Ok(Append::Unknown),
                }
            }
        }
    }

    /// Reads the log from its beginning, then live.
    ///
    /// # Errors
    /// If the announcements of the server cannot be subscribed to.
    pub async fn follow(&self) -> Result<Follower, ClusterError> {
        Follower::start(self.cluster.clone(), self.city.clone(), self.stream.clone()).await
    }

    /// Returns the size and the replicas of the log, for display.
    ///
    /// # Errors
    /// If NATS is unavailable or has no such log.
    pub async fn state(&self) -> Result<LogState, ClusterError> {
        let missing = || self.stream.refused("look up", "there is no such stream".into());
        let info = self.stream.info().await?.ok_or_else(missing)?;
        let peers = info.cluster.as_ref().map_or(&[][..], |cluster| &cluster.replicas);
        Ok(LogState {
            bytes: info.state.bytes,
            messages: info.state.messages,
            last: info.state.last_sequence,
            leader: info.cluster.as_ref().and_then(|cluster| cluster.leader.clone()),
            current: peers.iter().filter(|peer| peer.current && !peer.offline).count() + 1,
        })
    }

    fn subject(&self, shard: u16) -> String {
        self.city.shard(shard).records()
    }

    fn split(&self, record: &[u8]) -> Result<Vec<Bytes>, ClusterError> {
        let limit = self.cluster.max_payload().saturating_sub(MAX_HEADERS);
        split(record, limit).ok_or_else(|| self.too_large())
    }

    fn too_large(&self) -> ClusterError {
        self.stream.refused("append to", "the record is too large".into())
    }
}

pub(crate) fn decode_identity(stored: &Stored) -> Result<Identity, ClusterError> {
    let damaged = |error| ClusterError::Damaged {
        place: format!("{}, sequence {}", stored.subject, stored.sequence),
        problem: format!("the identity {error}"),
    };
    let bytes = Assembler::default().push(&stored.payload).map_err(damaged)?.unwrap_or_default();
    Identity::decode(&bytes).map_err(damaged)
}
