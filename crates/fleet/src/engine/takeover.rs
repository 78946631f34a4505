//! Steps of a takeover: the record that fences earlier owners, the state that the log tells, and what
//! an earlier owner has handed over.

use super::EngineCity;
use super::first_record::{append_first, is_first_log};
use super::host::Host;
use super::inbox::{Inbox, Terms};
use super::intake::Intake;
use super::presence::BoundUsers;
use super::reign::ReignEnd;
use super::remote::Remote;
use crate::plan::Plan;
use cluster::{Body, KeptLease, Log, LogId, Past, Record, Shard};
use gateway::city_engine::CityEngine;
use gateway::config::{AfterStart, Config};
use gateway::mailbox::Arrival;
use meshcloak::guarantee::{Admission, Guarantee, HistoryClock};
use std::sync::Arc;

/// The first record of a reign.
pub(super) struct Fence {
    pub(super) log: Log,
    pub(super) log_id: LogId,
    /// Division of the city, as the record names it.
    pub(super) plan: Plan,
    /// Sequence of the last record of the earlier owner.
    pub(super) expected: u64,
    /// Sequence of the record.
    pub(super) sequence: u64,
}

impl Fence {
    /// Appends the record: appends of earlier owners are refused from now on.
    pub(super) async fn append(
        host: &Host,
        city: &EngineCity,
        shard: &Shard,
        lease: &KeptLease,
    ) -> Result<Fence, ReignEnd> {
        let log = Log::open(&host.cluster, &shard.city, &host.log_settings()).await?;
        let is_first = host.config.engine.after_start == AfterStart::New
            && is_first_log(&host.bucket, &shard.city, city.shards, &log).await?;
        let log_id = log.identify(host.wall_ms(), is_first).await?.log;
        let plan = host.current_plan(city, &shard.city).await?;
        let body = Body::Epoch { engine: host.id, plan: plan.revision() };
        let (epoch, map, wall_ms) = (lease.epoch(), city.digest, host.wall_ms());
        let record = Record { log: log_id, epoch, map, wall_ms, body };
        let (expected, sequence) = append_first(&log, shard, lease, &record).await?;
        Ok(Fence { log, log_id, plan, expected, sequence })
    }
}

/// State of a city that was read from its log.
pub(super) struct ReplayedCity {
    pub(super) engine: CityEngine<Remote>,
    pub(super) intake: Intake,
    /// Under `history`.
    pub(super) bound: Option<BoundUsers>,
}

impl ReplayedCity {
    /// Builds the state; under `history` with the last positions of users.
    pub(super) fn new(
        config: &Config,
        city: &EngineCity,
        past: &Past,
    ) -> Result<ReplayedCity, ReignEnd> {
        let settings = &config.engine;
        let mut engine = CityEngine::new(Arc::clone(&city.atlas), config)
            .with_decoys(config.questions.without_past());
        let (mut admission, mut bound) = (None, None);
        if settings.guarantee == Guarantee::History {
            let positions = past.positions(city.atlas.map());
            let positions = positions.ok_or_else(|| ReignEnd::Map(city.name.clone()))?;
            if settings.history_clock == HistoryClock::Published {
                engine.set_left(positions.clone());
            }
            bound = Some(BoundUsers {
                horizon: settings.horizon_rule().longest(),
                positions: positions.clone(),
            });
            admission = Some(Admission::with_positions(settings.history_clock, positions));
        }
        let intake = Intake::new(Arc::clone(&city.atlas), admission, config.results.keep);
        Ok(ReplayedCity { engine, intake, bound })
    }
}

/// What an earlier owner has handed over, or nothing.
pub(super) struct Inherited {
    pub(super) inbox: Inbox,
    /// Epoch of the earlier owner; 0 without a handover.
    pub(super) moved_from: u64,
    pub(super) adopted: Vec<Arrival<Remote>>,
}

impl Inherited {
    /// Takes the handover if it is complete: its last record is the one before the own first.
    pub(super) async fn take(
        host: &Host,
        city: &EngineCity,
        shard: &Shard,
        (epoch, expected): (u64, u64),
        intake: &mut Intake,
    ) -> Result<Inherited, ReignEnd> {
        let prepared = host.prepared.lock().remove(shard);
        if let Some(prepared) = prepared.filter(|it| it.sequence == Some(expected)) {
            prepared.inbox.set_epoch(epoch);
            let adopted = prepared.queries.iter().filter_map(|query| intake.adopt(query)).collect();
            return Ok(Inherited { inbox: prepared.inbox, moved_from: prepared.epoch, adopted });
        }
        let (shard, queue) = (shard.clone(), host.config.engine.queue);
        let terms = Terms { shard, epoch, earlier_epoch: None, map: city.digest, queue };
        let inbox = Inbox::open(&host.cluster, terms).await?;
        Ok(Inherited { inbox, moved_from: 0, adopted: Vec::new() })
    }
}
