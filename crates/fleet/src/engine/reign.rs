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
use super::claims::HeldQuery;
use super::divided::OtherShards;
use super::host::Host;
use super::inbox::Inbox;
use super::intake::Intake;
use super::presence::Presence;
use super::present_users::PresentUsers;
use super::remote::Remote;
use super::takeover::{Fence, Inherited, ReplayedCity};
use crate::message::{EndCode, Seen};
use crate::plan::{CellCounts, Plan};
use cluster::replay::Replay;
use cluster::{
    Append, Body, CityClock, ClusterError, Follower, KeptLease, Log, LogId, Past, Record, Shard,
};
use gateway::city_engine::CityEngine;
use gateway::mailbox::Arrival;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::Position;
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
    /// The city is divided in another way than this engine is configured for.
    #[error("{0} is divided in another way than `cluster.shards` and `engine.cell_length` say")]
    Division(String),
    /// The shard was handed to another engine.
    #[error("handed over")]
    Moved,
    /// The process stops.
    #[error("the process stops")]
    Stopped,
}

/// Queries that change between the shards of a divided city.
#[derive(Default)]
pub(super) struct Transfers {
    /// Questions of waiting queries whose cells belong to another shard. They leave with the next
    /// tick, without an end.
    pub(super) moving: FxHashSet<QueryId>,
    /// Waiting queries of cells that were of another shard, for the next tick.
    pub(super) moved_in: Vec<Arrival<Remote>>,
    /// Queries that belong to another shard: frontend and number.
    pub(super) misrouted: Vec<(u64, u64)>,
    /// Queries that another shard can accept at a position: frontend, numbers, position.
    pub(super) relocated: Vec<(u64, Vec<u64>, Position)>,
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
    /// Epoch from which queries were handed over; 0 without.
    pub(super) moved_from: u64,
    /// Division of the city.
    pub(super) plan: Plan,
    /// Accepted queries of this minute, by cell.
    pub(super) counts: CellCounts,
    pub(super) counted_since: Instant,
    /// Accepted queries of the other shards.
    pub(super) others: OtherShards,
    pub(super) transfers: Transfers,
    /// Users who have asked here, for the engines of other cities.
    pub(super) present: PresentUsers,
    /// Queries that wait until other cities have withdrawn those of their users.
    pub(super) held: Vec<HeldQuery>,
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
        let Fence { log, log_id, plan, expected, sequence } =
            Fence::append(&host, &city, &shard, &lease).await?;
        let engine = &host.config.engine;
        let Replay { past, follower } = tokio::select! {
            replay = log.replay(shard.number, sequence, engine.history_clock, engine.horizon_rule()) => replay?,
            () = lease.lost() => return Err(ReignEnd::LeaseLost),
            () = host.stopped() => return Err(ReignEnd::Stopped),
        };
        let ReplayedCity { engine: city_engine, mut intake, bound } =
            ReplayedCity::new(&host.config, &city, &past)?;
        let Inherited { inbox, moved_from, adopted } =
            Inherited::take(&host, &city, &shard, (lease.epoch(), expected), &mut intake).await?;
        let users = Presence::new(bound, adopted.iter().map(|one| one.query.expose().user));
        let present = PresentUsers::register(&host, &shard, lease.epoch(), users);
        let (plan, after) = plan.or_newer(&city, past.plan());
        let ticked = past.shard(shard.number).and_then(|s| s.tick).unwrap_or_default();
        Ok(Reign {
            engine: city_engine,
            log_id,
            last_tick: ticked.max(after).as_millis(),
            counts: city.counts(&plan, shard.number),
            plan,
            counted_since: Instant::now(),
            transfers: Transfers::default(),
            present,
            held: Vec::new(),
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
            clock: CityClock::start(
                past.mark().map_or(Time::default(), |m| m.city),
                Instant::now(),
            ),
            past,
            intake,
            inbox,
            sequence,
        })
    }

    /// What has been written of the log.
    pub(super) fn seen(&self) -> Seen {
        let at = self.past.mark().map_or(0, |mark| mark.city.as_millis()).max(self.last_tick);
        Seen { log: self.log_id.0, sequence: self.sequence, epoch: self.lease.epoch(), at }
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
        let horizon = self.host.config.engine.horizon_rule().longest();
        let until = match self.past.is_complete(now) {
            true => Time::default(),
            // A gap that no record follows yet ends with the next record.
            false => self.past.complete_since().unwrap_or(now) + horizon,
        };
        match until <= now {
            true => 0,
            false => u32::try_from((until - now).as_secs()).unwrap_or(u32::MAX).saturating_add(1),
        }
    }
}
