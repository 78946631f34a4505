//! One tick of a reign.

use super::intake::Receipt;
use super::parts::{Destination, messages};
use super::reign::{Reign, ReignEnd};
use super::remote::Remote;
use crate::message::{Beat, RoundKey, encode, frontend_subject, owner_beat_subject};
use cluster::{Body, Entry, Followed, Members, Tick};
use gateway::batch::log_rejections;
use gateway::city_engine::Round;
use gateway::mailbox::{Arrival, Collected};
use meshcloak::guarantee::Guarantee;
use meshcloak::query::QueryId;
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
        let collected = tokio::task::block_in_place(|| self.collect(at));
        let accepted = self.accepted(&collected.arrivals);
        let round = match self.city.plan.shards() {
            1 => {
                let round = tokio::task::block_in_place(|| self.engine.turn(at, collected));
                self.commit(at, Some(accepted), &round).await?;
                round
            }
            _ => self.divided_turn(at, collected, accepted).await?,
        };
        self.last_tick = at.as_millis();
        self.send(&round).await;
        self.read_log().await?;
        self.send_beat(at, due).await;
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
                found = self.follower.next(), if self.city.plan.shards() > 1 => self.apply(&found?)?,
            }
            if self.lease.is_held() && self.clock.now() >= at && self.begun_by_others().is_none() {
                return Ok(at);
            }
        }
    }

    /// Turns the received messages into the input of a batch.
    pub(super) fn collect(&mut self, at: Time) -> Collected<Remote> {
        let until = self.clock.instant_of(at, Instant::now());
        let received = self.inbox.take(until, self.engine.waiting().len());
        for seen in self.host.peers.seen(&self.city.name) {
            self.compare_logs(&seen.into(), at);
        }
        let mut arrivals = std::mem::take(&mut self.adopted);
        for (arrived, submit) in received.submits {
            self.compare_logs(&submit.seen.into(), at);
            let time = self.clock.at(arrived).min(at).max(Time::from_millis(self.last_tick + 1));
            for item in &submit.queries {
                if self.intake.find(submit.frontend, item.number).is_some() {
                    continue; // a repeated message
                }
                let frontend = submit.frontend;
                let receipt =
                    Receipt { frontend, at: time, unknown_seconds: self.unknown_seconds(at) };
                match self.intake.accept(item, receipt, |id| self.host.peers.is_alive(id)) {
                    Ok(arrival) => arrivals.push(arrival),
                    Err(code) => {
                        let account = meshcloak::accounts::AccountId(item.account);
                        let origin = Remote { frontend, number: item.number, account };
                        self.ended.push((origin, code));
                    }
                }
            }
        }
        let find = |frontend, number: &u64| self.intake.find(frontend, *number);
        let cancelled: Vec<QueryId> = received
            .cancels
            .iter()
            .flat_map(|cancel| {
                cancel.numbers.iter().filter_map(|number| find(cancel.frontend, number))
            })
            .collect();
        Collected { arrivals, cancelled }
    }

    /// Refuses `history` for a horizon if a frontend has seen what this log does not hold.
    fn compare_logs(&mut self, seen: &cluster::Seen, now: Time) {
        let is_other_log = seen.log.0 != 0 && seen.log != self.log_id;
        // What this engine has not read yet may be there.
        let is_read = seen.log.0 != 0 && seen.sequence <= self.follower.position();
        let is_unknown = is_other_log || (is_read && !self.past.contains(*seen));
        let is_history = self.host.config.engine.guarantee == Guarantee::History;
        if is_unknown && is_history && self.unknown_until <= now {
            self.unknown_until = now + self.host.config.engine.horizon;
            self.host.metrics.count_lost_log();
            tracing::error!(
                city = self.city.name,
                "a frontend has seen more than the log holds: `history` is refused for one horizon"
            );
        }
    }

    /// Returns what the log records of the arrivals: positions under `history`, users if shards
    /// must compare them, otherwise nothing.
    fn accepted(&self, arrivals: &[Arrival<Remote>]) -> Members {
        let queries = arrivals.iter().map(|arrival| arrival.query.expose());
        if self.host.config.engine.guarantee == Guarantee::History {
            let entry = |query: &meshcloak::query::Query| Entry {
                user: query.user,
                position: query.position,
                at: query.asked_at,
                speed: query.speed,
            };
            return Members::Positions(queries.map(entry).collect());
        }
        match self.city.plan.shards() {
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
        let is_history = self.host.config.engine.guarantee == Guarantee::History;
        let left = if is_history { round.left.clone() } else { Vec::new() };
        self.append(Body::Tick(Tick { at, accepted, left: Some(Members::Users(left)) })).await
    }

    /// Sends the results of a round to the frontends.
    pub(super) async fn send(&mut self, round: &Round<Remote>) {
        let now = round.at;
        let in_sets = round.sets.iter().flat_map(|set| &set.members).map(|m| &m.pending);
        for pending in in_sets.chain(round.ended.iter().map(|(pending, _)| pending)) {
            self.intake.end(&pending.origin, now);
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
        for (frontend, bytes) in messages {
            if !self.lease.is_held() {
                return; // the frontends fail what they are not told
            }
            self.host.publish(frontend_subject(frontend), bytes).await;
        }
    }

    /// Reads the log up to the own last record.
    async fn read_log(&mut self) -> Result<(), ReignEnd> {
        while self.follower.position() < self.sequence {
            let found = tokio::select! {
                found = self.follower.next() => found?,
                () = self.lease.lost() => return Err(ReignEnd::LeaseLost),
            };
            self.apply(&found)?;
        }
        Ok(())
    }

    /// Adds a record to the past.
    pub(super) fn apply(&mut self, found: &Followed) -> Result<(), ReignEnd> {
        if matches!(found, Followed::Replaced | Followed::Rewound { .. }) {
            return Err(ReignEnd::LogLost);
        }
        self.past.apply(found);
        self.note_other_shard(found);
        Ok(())
    }

    /// Tells all processes that this engine owns the shard.
    pub(super) async fn send_beat(&mut self, at: Time, due: Instant) {
        let lag = due.elapsed().min(Duration::from_secs(3600));
        let beat = Beat {
            city: self.city.name.clone(),
            shard: self.shard.number,
            shards: self.city.plan.shards(),
            epoch: self.lease.epoch(),
            moved_from: self.moved_from,
            engine: self.host.id.0,
            name: self.host.name.clone(),
            seen: self.seen(),
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
