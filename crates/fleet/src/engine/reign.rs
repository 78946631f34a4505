//! The reign of an engine over one shard: from taking it over to losing it.
//!
//! ```text
//! lease ─▶ Epoch record (fences earlier owners) ─▶ replay ─▶ tick ─▶ tick ─▶ …
//!
//! tick, one shard:       intake ─▶ turn ─▶ append accepted + left ─▶ acknowledged ─▶ results
//! tick, several shards:  intake ─▶ append accepted ─▶ read accepted of all shards
//!                               ─▶ turn ─▶ append left ─▶ acknowledged ─▶ results
//! ```
//!
//! Nothing leaves before the acknowledgement. Any doubt ends the reign, and with it everything
//! that waited: the frontends tell the users.

use super::EngineCity;
use super::divided::OtherShards;
use super::host::Host;
use super::inbox::{Inbox, Terms};
use super::intake::Intake;
use super::remote::Remote;
use crate::message::{EndCode, Seen};
use cluster::replay::Replay;
use cluster::{
    Append, Body, CityClock, ClusterError, Follower, KeptLease, Log, LogId, Past, Record, Shard,
};
use gateway::city_engine::CityEngine;
use gateway::mailbox::Arrival;
use meshcloak::guarantee::{Admission, Guarantee};
use meshcloak::query::QueryId;
use meshcloak::units::Time;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use tokio::time::Instant;

/// Reason why a reign ended.
#[derive(Debug, thiserror::Error)]
pub enum ReignEnd {
    /// The lease was lost or not renewed in time.
    #[error("the lease was lost")]
    LeaseLost,
    /// An append was refused: another engine owns the shard.
    #[error("another engine has taken over")]
    Fenced,
    /// The log was lost or has lost its end.
    #[error("the log was lost")]
    LogLost,
    /// NATS failed.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The log was written with another map of this name.
    #[error("the log of {0} was written with another map")]
    Map(String),
    /// The shard was handed to another engine.
    #[error("handed over")]
    Moved,
    /// The process stops.
    #[error("the process stops")]
    Stopped,
}

/// State of a reign.
pub struct Reign {
    pub(super) host: Arc<Host>,
    pub(super) city: Arc<EngineCity>,
    pub(super) shard: Shard,
    pub(super) lease: KeptLease,
    pub(super) log: Log,
    pub(super) log_id: LogId,
    pub(super) follower: Follower,
    pub(super) past: Past,
    pub(super) clock: CityClock,
    pub(super) engine: CityEngine<Remote>,
    pub(super) intake: Intake,
    pub(super) inbox: Inbox,
    /// Sequence of the own last record.
    pub(super) sequence: u64,
    /// Time of the last tick, in milliseconds.
    pub(super) last_tick: u64,
    /// City time until which `history` is refused because a frontend has seen more than the log
    /// holds.
    pub(super) unknown_until: Time,
    /// Epoch from which queries were handed over; 0 without.
    pub(super) moved_from: u64,
    /// Accepted queries of the other shards.
    pub(super) others: OtherShards,
    /// Waiting queries whose users have asked in another shard, in this tick.
    pub(super) withdrawn: FxHashSet<QueryId>,
    /// Queries that another engine has handed over, for the first tick.
    pub(super) adopted: Vec<Arrival<Remote>>,
    /// Queries that ended at the intake and were not told yet.
    pub(super) ended: Vec<(Remote, EndCode)>,
}

impl Reign {
    /// Takes a shard over: fences earlier owners, and reads the log up to the own first record.
    ///
    /// # Errors
    /// If the lease is lost, or NATS fails.
    pub async fn begin(
        host: Arc<Host>,
        city: Arc<EngineCity>,
        shard: Shard,
        lease: KeptLease,
    ) -> Result<Reign, ReignEnd> {
        let engine = &host.config.engine;
        let log = Log::open(&host.cluster, &shard.city, &host.log_settings()).await?;
        let is_first = engine.after_start == gateway::config::AfterStart::New;
        let identity = log.identify(host.wall_ms(), is_first).await?;
        let body = Body::Epoch { engine: host.id, plan: u64::from(city.plan.shards()) };
        let record = Record {
            log: identity.log,
            epoch: lease.epoch(),
            map: city.digest,
            wall_ms: host.wall_ms(),
            body,
        };
        let (expected, sequence) = append_first(&log, &shard, &lease, &record).await?;
        let Replay { past, follower } = log.replay(shard.number, sequence, engine.horizon).await?;
        let first = past.mark().map_or(Time::default(), |mark| mark.city);
        let clock = CityClock::start(first, Instant::now());
        let admission = match engine.guarantee {
            Guarantee::History => {
                let positions = past.positions(city.atlas.map());
                let positions = positions.ok_or_else(|| ReignEnd::Map(city.name.clone()))?;
                Some(Admission::with_positions(positions))
            }
            _ => None,
        };
        let keep = host.config.results.keep;
        let mut intake = Intake::new(Arc::clone(&city.atlas), admission, keep);
        let prepared = host.prepared.lock().remove(&shard);
        let (inbox, moved_from, adopted) = match prepared {
            Some(prepared) if prepared.sequence == Some(expected) => {
                prepared.inbox.set_epoch(lease.epoch());
                let queries = prepared.queries.iter();
                let adopted = queries.filter_map(|query| intake.adopt(query)).collect();
                (prepared.inbox, prepared.epoch, adopted)
            }
            _ => {
                let (epoch, map) = (lease.epoch(), city.digest);
                let (shard, queue) = (shard.clone(), engine.queue);
                let terms = Terms { shard, epoch, earlier_epoch: None, map, queue };
                (Inbox::open(&host.cluster, terms).await?, 0, Vec::new())
            }
        };
        Ok(Reign {
            engine: CityEngine::new(Arc::clone(&city.atlas), engine),
            log_id: identity.log,
            last_tick: past.shard(shard.number).and_then(|s| s.tick).map_or(0, Time::as_millis),
            unknown_until: Time::default(),
            moved_from,
            adopted,
            others: OtherShards::default(),
            withdrawn: FxHashSet::default(),
            ended: Vec::new(),
            host,
            city,
            shard,
            lease,
            log,
            follower,
            past,
            clock,
            intake,
            inbox,
            sequence,
        })
    }

    /// What has been written of the log.
    pub(super) fn seen(&self) -> Seen {
        Seen { log: self.log_id.0, sequence: self.sequence, epoch: self.lease.epoch() }
    }

    /// Returns a record of this reign.
    pub(super) fn record(&self, body: Body) -> Record {
        Record {
            log: self.log_id,
            epoch: self.lease.epoch(),
            map: self.city.digest,
            wall_ms: self.host.wall_ms(),
            body,
        }
    }

    /// Appends a record. Returns only if it was acknowledged and the lease is held.
    pub(super) async fn append(&mut self, body: Body) -> Result<(), ReignEnd> {
        let record = self.record(body);
        loop {
            if !self.lease.is_held() {
                return Err(ReignEnd::LeaseLost);
            }
            match self.log.append(self.shard.number, self.sequence, &record).await? {
                Append::Acknowledged(sequence) => {
                    self.sequence = sequence;
                    break;
                }
                Append::Fenced => {
                    self.host.metrics.count_refused_append();
                    return Err(ReignEnd::Fenced);
                }
                Append::Unknown => tokio::task::yield_now().await,
            }
        }
        // The acknowledgement may have taken longer than the lease.
        if self.lease.is_held() { Ok(()) } else { Err(ReignEnd::LeaseLost) }
    }

    /// Gives the shard up. After an orderly end the lease is released, so that another engine can
    /// take over at once.
    pub async fn close(self, end: &ReignEnd) {
        if matches!(end, ReignEnd::Stopped | ReignEnd::Moved)
            && let Err(error) = self.lease.release().await
        {
            tracing::warn!(%error, "the lease was not released and will expire");
        }
    }

    /// Seconds for which `history` is refused at `now`; 0 if it is not.
    pub(super) fn unknown_seconds(&self, now: Time) -> u32 {
        if self.host.config.engine.guarantee != Guarantee::History {
            return 0;
        }
        let horizon = self.host.config.engine.horizon;
        let log_complete = match self.past.is_complete(now) {
            true => Time::default(),
            // A gap that no record follows yet ends with the next record.
            false => self.past.complete_since().unwrap_or(now) + horizon,
        };
        let until = log_complete.max(self.unknown_until);
        if until <= now {
            0
        } else {
            u32::try_from((until - now).as_secs()).unwrap_or(u32::MAX).saturating_add(1)
        }
    }
}

/// Appends the first record of a reign, after whatever the shard's last record is. Returns the
/// sequences of both.
async fn append_first(
    log: &Log,
    shard: &Shard,
    lease: &KeptLease,
    record: &Record,
) -> Result<(u64, u64), ReignEnd> {
    let mut expected = log.last_sequence(shard.number).await?;
    loop {
        if !lease.is_held() {
            return Err(ReignEnd::LeaseLost);
        }
        match log.append(shard.number, expected, record).await? {
            Append::Acknowledged(sequence) => return Ok((expected, sequence)),
            // A stale read, or a last append of the earlier owner.
            Append::Fenced => expected = log.last_sequence(shard.number).await?,
            Append::Unknown => tokio::task::yield_now().await,
        }
    }
}
