//! One tick of a reign.

use super::inbox::Received;
use super::intake::{NotAccepted, Receipt, Surroundings};
use super::parts::{Destination, messages, pendings};
use super::reign::{Reign, ReignEnd};
use super::remote::Remote;
use crate::message::{
    Beat, Cancel, CarriedItem, EndCode, PlanItem, QueryItem, RoundKey, encode, frontend_subject,
    owner_beat_subject,
};
use cluster::{Body, Entry, Members, Tick};
use gateway::batch::log_rejections;
use gateway::city_engine::Round;
use gateway::mailbox::{Arrival, Collected};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::query::{Query, QueryId};
use meshcloak::units::Time;
use rand::SeedableRng as _;
use rand_pcg::Pcg64Mcg;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

impl Reign {
    /// Ticks until the reign ends.
    pub async fn run(&mut self) -> ReignEnd {
        loop {
            if let Err(end) = self.tick().await {
                return end;
            }
        }
    }

    async fn tick(&mut self) -> Result<(), ReignEnd> {
        let at = self.wait_for_tick().await?;
        let due = Instant::now();
        self.check_log(at).await?;
        self.announce_plan(at).await?;
        let received = self.receive(at);
        let received = self.claim_users(at, received).await;
        let collected = tokio::task::block_in_place(|| self.collect(at, received));
        let accepted = self.accepted(&collected.arrivals);
        let round = match self.city.shards {
            1 => {
                let round = tokio::task::block_in_place(|| self.engine.turn(at, collected));
                self.commit(at, Some(accepted), &round).await?;
                round
            }
            _ => self.divided_turn(at, collected, accepted).await?,
        };
        if let Some(admission) = &mut self.intake.admission {
            round.left.iter().for_each(|query| admission.leave(query));
        }
        self.end_presence(&round);
        self.last_tick = at.as_millis();
        self.send(&round).await;
        self.read_log().await?;
        self.change_plan(at).await;
        self.send_beat(at, due).await;
        self.report_load().await;
        let unknown = self.unknown_seconds(at);
        self.host.metrics.set_unknown(&self.shard.to_string(), unknown);
        self.host.metrics.record_tick(&self.city.name, due.elapsed(), &round);
        log_rejections(round.stats.rejected);
        self.move_if_wanted().await
    }

    /// Waits for the next tick by city time, or until another shard has begun it.
    async fn wait_for_tick(&mut self) -> Result<Time, ReignEnd> {
        let tick = u64::try_from(self.host.config.engine.tick.as_millis()).unwrap_or(1000).max(1);
        loop {
            if let Some(begun) = self.begun_by_others() {
                self.clock.advance_to(begun, Instant::now());
                return Ok(begun);
            }
            let now = Instant::now();
            let number = (self.last_tick / tick + 1).max(self.clock.at(now).as_millis() / tick);
            let at = Time::from_millis(number * tick);
            tokio::select! {
                () = sleep_until(self.clock.instant_of(at, now)) => return Ok(at),
                () = self.lease.lost() => return Err(ReignEnd::LeaseLost),
                () = self.host.stopped() => return Err(ReignEnd::Stopped),
                found = self.follower.next_again(), if self.city.shards > 1 => self.apply(&found?)?,
            }
            if self.lease.is_held() && self.clock.now() >= at && self.begun_by_others().is_none() {
                return Ok(at);
            }
        }
    }

    /// Turns the received messages into the input of a batch.
    pub(super) fn collect(&mut self, at: Time, received: Received) -> Collected<Remote> {
        self.adopt(received.adopts);
        let mut arrivals = std::mem::take(&mut self.adopted);
        for (arrived, submit) in received.submits {
            let time = self.clock.at(arrived).min(at).max(Time::from_millis(self.last_tick + 1));
            let unknown_seconds = self.unknown_seconds(at);
            let receipt = Receipt { frontend: submit.frontend, at: time, unknown_seconds };
            for item in &submit.queries {
                arrivals.extend(self.accept(item, receipt));
            }
        }
        let find = |cancels: &[Cancel]| -> Vec<QueryId> {
            let numbers = cancels
                .iter()
                .flat_map(|cancel| cancel.numbers.iter().map(|number| (cancel.frontend, *number)));
            numbers.filter_map(|(frontend, number)| self.intake.find(frontend, number)).collect()
        };
        let (mut cancelled, withdrawn) = (find(&received.cancels), find(&received.withdrawals));
        self.withdrawn.extend(&withdrawn);
        cancelled.extend(withdrawn);
        cancelled.extend(self.note_presence(&arrivals));
        cancelled.extend(self.transfers.moving.iter().copied());
        Collected { arrivals, cancelled }
    }

    /// Accepts a query, or notes how it ended.
    fn accept(&mut self, item: &QueryItem, receipt: Receipt) -> Option<Arrival<Remote>> {
        let frontend = receipt.frontend;
        if self.intake.find(frontend, item.number).is_some() {
            return None; // a repeated message
        }
        let street = meshcloak::map::Position::from(item.place).street;
        if self.plan.shard(street) != self.shard.number {
            self.transfers.misrouted.extend(item.numbers().map(|number| (frontend, number)));
            return None;
        }
        let (peers, plan, shard) = (&self.host.peers, &self.plan, self.shard.number);
        let surroundings = Surroundings {
            is_alive: |frontend| peers.is_alive(frontend),
            is_own: |street| plan.shard(street) == shard,
        };
        match self.intake.accept(item, receipt, &surroundings) {
            Ok(arrival) => {
                if let Some(cells) = &self.city.cells {
                    self.counts.add(cells, arrival.query.expose().position.street);
                }
                Some(arrival)
            }
            Err(NotAccepted::Elsewhere(position)) => {
                self.transfers.relocated.push((frontend, item.numbers().collect(), position));
                None
            }
            Err(NotAccepted::Ended(code)) => {
                self.end_unaccepted(frontend, item, code);
                None
            }
        }
    }

    /// Ends a query that was not accepted, and those that it carries.
    fn end_unaccepted(&mut self, frontend: u64, item: &QueryItem, code: EndCode) {
        let account = meshcloak::accounts::AccountId(item.account);
        self.ended.push((Remote { frontend, number: item.number, account }, code));
        // The code of a ticket is about that ticket alone.
        let is_of_ticket = matches!(code, EndCode::TicketTaken | EndCode::HeldBy(_));
        let code = if is_of_ticket { EndCode::Failed } else { code };
        for &CarriedItem { number, .. } in &item.carried {
            self.ended.push((Remote { frontend, number, account }, code));
        }
    }

    /// The clock of `history`, if it is the guarantee.
    pub(super) fn history_clock(&self) -> Option<HistoryClock> {
        let engine = &self.host.config.engine;
        (engine.guarantee == Guarantee::History).then_some(engine.history_clock)
    }

    /// Returns what the log records of the arrivals: positions under `history` with the clock `asked`,
    /// users if shards must compare them, otherwise nothing.
    fn accepted(&self, arrivals: &[Arrival<Remote>]) -> Members {
        let queries = arrivals.iter().map(|arrival| arrival.query.expose());
        if self.history_clock() == Some(HistoryClock::Asked) {
            return Members::Positions(queries.map(entry).collect());
        }
        match self.city.shards {
            1 => Members::Users(Vec::new()),
            _ => Members::Users(queries.map(|query| query.user).collect()),
        }
    }

    /// Appends what a batch has published.
    pub(super) async fn commit(
        &mut self,
        at: Time,
        accepted: Option<Members>,
        round: &Round<Remote>,
    ) -> Result<(), ReignEnd> {
        let left = match self.history_clock() {
            None => Members::Users(Vec::new()),
            Some(HistoryClock::Asked) => {
                Members::Users(round.left.iter().map(|query| query.user).collect())
            }
            Some(HistoryClock::Published) => {
                Members::Positions(round.left.iter().map(entry).collect())
            }
        };
        self.append(Body::Tick(Tick { at, accepted, left: Some(left) })).await
    }

    /// Sends the results of a round to the frontends.
    pub(super) async fn send(&mut self, round: &Round<Remote>) {
        let now = round.at;
        let in_sets = round.sets.iter().flat_map(pendings);
        for pending in in_sets.chain(round.ended.iter().map(|(pending, _)| pending)) {
            let Remote { frontend, number, .. } = pending.origin;
            match self.withdrawn.contains(&pending.id)
                || self.transfers.moving.contains(&pending.id)
            {
                true => self.intake.forget(frontend, number),
                false => self.intake.end(&pending.origin, now),
            }
        }
        self.intake.purge(now);
        let ended = std::mem::take(&mut self.ended);
        let key = RoundKey {
            city: self.city.name.clone(),
            shard: self.shard.number,
            epoch: self.lease.epoch(),
            at: now.as_millis(),
        };
        let askers = self.host.peers.askers();
        let destination = Destination {
            round: key,
            seen: self.seen(),
            withdrawn: &self.withdrawn,
            moved: &self.transfers.moving,
            askers: &askers,
            max_payload: self.host.cluster.max_payload().saturating_sub(1024),
        };
        let mut seed = [0; 16];
        let mut random = match getrandom::fill(&mut seed) {
            Ok(()) => Pcg64Mcg::from_seed(seed),
            Err(_) => Pcg64Mcg::seed_from_u64(now.as_millis()),
        };
        let messages = messages(round, &ended, &destination, &mut random);
        self.withdrawn.clear();
        self.transfers.moving.clear();
        self.return_misrouted().await;
        for (frontend, bytes) in messages {
            if !self.lease.is_held() {
                return; // the frontends fail what they are not told
            }
            self.host.publish(frontend_subject(frontend), bytes).await;
        }
    }

    /// Tells all processes that this engine owns the shard.
    pub(super) async fn send_beat(&mut self, at: Time, due: Instant) {
        let lag = due.elapsed().min(Duration::from_secs(3600));
        let beat = Beat {
            city: self.city.name.clone(),
            shard: self.shard.number,
            shards: self.city.shards,
            epoch: self.lease.epoch(),
            moved_from: self.moved_from,
            engine: self.host.id.0,
            name: self.host.name.clone(),
            seen: self.seen(),
            complete_since: self.past.complete_since().unwrap_or(at).as_millis(),
            plan: PlanItem {
                revision: self.plan.revision(),
                cell_length: self.city.cell_length(),
                starts: self.plan.starts().to_vec(),
            },
            map: self.city.digest,
            guarantee: gateway::receipt::guarantee_name(self.host.config.engine.guarantee).into(),
            at: at.as_millis(),
            waiting: (self.engine.waiting().len() as u64).next_multiple_of(10),
            lag_ms: u32::try_from(lag.as_millis()).unwrap_or(u32::MAX),
            unknown_seconds: self.unknown_seconds(at),
        };
        let subject = owner_beat_subject(&self.city.name, self.shard.number);
        self.host.publish(subject, encode(&beat)).await;
    }
}

/// Returns what the log holds of a query.
fn entry(query: &Query) -> Entry {
    Entry { user: query.user, position: query.position, at: query.asked_at, speed: query.speed }
}
