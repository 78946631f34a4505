//! Division of a city among its shards, and its change without a pause.
//!
//! ```text
//! bucket: plan.CITY changes
//!   owner of shard 0, tick T     appends Plan, then what it has accepted
//!   all owners, tick T           read both before they group: all know the change
//!   all owners, after tick T     hand waiting queries of lost cells to their new owners
//!   all owners, tick T + 1       use the new division
//! ```
//!
//! A frontend that has not heard of the change sends queries to the wrong shard; they come back.

use super::EngineCity;
use super::host::Host;
use super::reign::{Reign, ReignEnd};
use super::remote::Remote;
use crate::message::{
    Adopt, EndCode, RejectReason, Rejected, ToEngine, ToFrontend, WaitingItem, encode,
    engine_subject, frontend_subject, groups,
};
use crate::plan::{CellCounts, CityCells, Plan};
use cluster::past::PastPlan;
use cluster::{Body, City, Division};
use gateway::mailbox::Arrival;
use meshcloak::units::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time between two reports of the number of queries by cell.
const LOAD_INTERVAL: Duration = Duration::from_secs(60);

impl EngineCity {
    /// Length of the cells that are divided, in units; 0 without a division.
    pub(super) fn cell_length(&self) -> u32 {
        self.cells.as_ref().map_or(0, CityCells::length)
    }

    /// Whether a division of the bucket is one of this city as configured.
    fn fits(&self, division: &Division) -> bool {
        division.fits(self.digest, self.cell_length(), usize::from(self.shards))
    }

    /// Returns the plan of a division.
    fn plan(&self, revision: u64, starts: &[u32]) -> Plan {
        match &self.cells {
            Some(cells) => Plan::new(self.atlas.map(), cells, revision, starts),
            None => Plan::single(),
        }
    }

    /// Returns empty counts of the cells of a shard.
    pub(super) fn counts(&self, plan: &Plan, shard: u16) -> CellCounts {
        let cells = self.cells.as_ref();
        cells.map_or_else(CellCounts::default, |cells| CellCounts::new(cells, plan, shard))
    }

    /// Whether a division of the log is one into the same shards.
    fn has_shards(&self, plan: &PastPlan) -> bool {
        self.cells.is_some() && plan.starts.len() == usize::from(self.shards)
    }
}

impl Plan {
    /// Returns the plan of the log if that is newer, and the tick after which it holds.
    pub(super) fn or_newer(self, city: &EngineCity, log: Option<&PastPlan>) -> (Plan, Time) {
        match log.filter(|log| city.has_shards(log)) {
            Some(log) => (city.plan(log.revision, &log.starts), log.after),
            None => (self, Time::default()),
        }
    }
}

impl Host {
    /// Returns the division of a city in the bucket. A city without one, or with one of an earlier
    /// configuration that no live engine uses, is divided by street length.
    pub(super) async fn current_plan(
        &self,
        city: &EngineCity,
        name: &City,
    ) -> Result<Plan, ReignEnd> {
        let Some(cells) = &city.cells else { return Ok(Plan::single()) };
        let known = Division::get(&self.bucket, name).await?;
        let division = match known {
            Some(known) if city.fits(&known) => known,
            Some(_) if self.peers.owners().iter().any(|owner| owner.city == city.name) => {
                return Err(ReignEnd::Division(city.name.clone()));
            }
            known => {
                let mut first = cells.divide(city.atlas.map(), city.digest, city.shards);
                if first.starts.len() < usize::from(city.shards) {
                    return Err(ReignEnd::Division(city.name.clone()));
                }
                first.revision = known.map_or(0, |known| known.revision);
                match first.put(&self.bucket, name).await? {
                    Some(written) => written,
                    // Another engine was faster, or there was no answer.
                    None => {
                        let written = Division::get(&self.bucket, name).await?;
                        let written = written.filter(|written| city.fits(written));
                        written.ok_or_else(|| ReignEnd::Division(city.name.clone()))?
                    }
                }
            }
        };
        Ok(city.plan(division.revision, &division.starts))
    }
}

impl Reign {
    /// As the owner of shard 0, tells all owners of a newer division before the tick `at`.
    pub(super) async fn announce_plan(&mut self, at: Time) -> Result<(), ReignEnd> {
        if self.city.cells.is_none() || self.shard.number != 0 {
            return Ok(());
        }
        let Ok(Some(division)) = Division::get(&self.host.bucket, &self.shard.city).await else {
            return Ok(());
        };
        let is_known = self.past.plan().is_some_and(|plan| plan.revision == division.revision);
        if is_known || !self.city.fits(&division) {
            return Ok(());
        }
        let Division { revision, starts, .. } = division;
        self.append(Body::Plan { after: at, revision, starts }).await
    }

    /// Uses the division of the log after the tick `at`, and hands queries of lost cells over.
    pub(super) async fn change_plan(&mut self, at: Time) {
        let newest = self.past.plan().filter(|plan| {
            plan.after <= at && plan.revision != self.plan.revision() && self.city.has_shards(plan)
        });
        let Some(newest) = newest else { return };
        self.plan = self.city.plan(newest.revision, &newest.starts);
        self.counts = self.city.counts(&self.plan, self.shard.number);
        let mut lost: BTreeMap<u16, Vec<WaitingItem>> = BTreeMap::new();
        for (query, previous, pendings) in self.engine.waiting_with_pendings() {
            let shard = self.plan.shard(query.position.street);
            if shard != self.shard.number && !pendings.is_empty() {
                self.transfers.moving.extend(pendings.iter().map(|pending| pending.id));
                let item = WaitingItem::new(query, previous, pendings.iter());
                lost.entry(shard).or_default().push(item);
            }
        }
        let count: usize = lost.values().map(Vec::len).sum();
        for (shard, queries) in lost {
            self.hand_over(shard, at, queries).await;
        }
        let (shard, revision) = (&self.shard, self.plan.revision());
        tracing::info!(%shard, revision, queries = count.next_multiple_of(10), "division changed");
    }

    /// Sends waiting queries to the owner of another shard; without one they fail.
    async fn hand_over(&mut self, shard: u16, at: Time, queries: Vec<WaitingItem>) {
        let Some(owner) = self.host.peers.owner(&self.city.name, shard) else {
            let pendings = queries.iter().flat_map(|query| &query.pendings);
            self.ended.extend(pendings.map(|pending| (pending.origin(), EndCode::Failed)));
            return;
        };
        for queries in groups(queries, self.host.cluster.max_payload()) {
            let adopt = Adopt { epoch: owner.epoch, after: at.as_millis(), queries };
            let bytes = encode(&ToEngine::Adopt(adopt));
            self.host.publish(engine_subject(&self.city.name, shard), bytes).await;
        }
    }

    /// Takes waiting queries of cells that were of another shard. Late ones fail: a newer query of
    /// their user may have been published since.
    pub(super) fn adopt(&mut self, adopts: Vec<Adopt>) {
        for Adopt { after, queries, .. } in adopts {
            for query in queries {
                let arrival = match after == self.last_tick {
                    true => self.intake.adopt(&query),
                    false => None,
                };
                match arrival {
                    Some(arrival) => self.transfers.moved_in.push(arrival),
                    None => {
                        let pendings = query.pendings.iter();
                        let failed = pendings.map(|pending| (pending.origin(), EndCode::Failed));
                        self.ended.extend(failed);
                    }
                }
            }
        }
    }

    /// Ends all questions of an arrival that is not passed to the engine.
    pub(super) fn end_arrival(&mut self, arrival: Arrival<Remote>, code: EndCode) {
        for pending in arrival.carried.into_iter().chain([arrival.pending]) {
            self.intake.forget(pending.origin.frontend, pending.origin.number);
            self.ended.push((pending.origin, code));
        }
    }

    /// Sends queries of other shards back.
    pub(super) async fn return_misrouted(&mut self) {
        let mut by_frontend: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (frontend, number) in self.transfers.misrouted.drain(..) {
            by_frontend.entry(frontend).or_default().push(number);
        }
        let plan = RejectReason::Plan(self.plan.revision());
        let misrouted =
            by_frontend.into_iter().map(|(frontend, numbers)| (frontend, numbers, plan));
        let relocated = self.transfers.relocated.drain(..).map(|(frontend, numbers, position)| {
            (frontend, numbers, RejectReason::Street(position.into()))
        });
        for (frontend, numbers, reason) in misrouted.chain(relocated) {
            let (city, shard) = (self.city.name.clone(), self.shard.number);
            let rejected = Rejected { city, shard, reason, numbers };
            let bytes = encode(&ToFrontend::Rejected(rejected));
            self.host.publish(frontend_subject(frontend), bytes).await;
        }
    }

    /// Reports the number of queries by cell once a minute.
    pub(super) async fn report_load(&mut self) {
        if self.city.cells.is_none() || self.counted_since.elapsed() < LOAD_INTERVAL {
            return;
        }
        self.counted_since = tokio::time::Instant::now();
        if let Err(error) = self.counts.take().put(&self.host.bucket, &self.shard).await {
            tracing::warn!(%error, shard = %self.shard, "cannot report the load");
        }
    }
}
