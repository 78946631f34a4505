//! Ticks of a city that several engines divide among them.
//!
//! The accepted queries of all shards are in the log before any shard groups, so every engine
//! knows which users have asked elsewhere in the same tick. The last query of a user stays; earlier
//! ones, and waiting ones, end as replaced: one waiting query per user over all engines
//! (docs/SPEC.md §6). Order of the queries of a user within a tick: by time under `history`, where
//! the log has it, then by shard.

use super::reign::{Reign, ReignEnd};
use super::remote::Remote;
use crate::message::EndCode;
use cluster::{Body, Entry, Followed, Members, Tick};
use gateway::city_engine::Round;
use gateway::mailbox::{Arrival, Collected};
use meshcloak::guarantee::{Admitted, check_travel};
use meshcloak::history::PastPosition;
use meshcloak::map::Position;
use meshcloak::query::UserId;
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Accepted queries of other shards.
#[derive(Default)]
pub struct OtherShards {
    /// Last tick that each shard has begun.
    begun: BTreeMap<u16, Time>,
    /// Accepted queries of the ticks that this shard has not run, by tick and shard.
    accepted: BTreeMap<(Time, u16), Members>,
}

/// A query of a user in another shard, in the same tick.
struct Elsewhere {
    shard: u16,
    /// Under `history`.
    entry: Option<Entry>,
}

impl Elsewhere {
    /// Order of the queries of a user within a tick.
    fn order(&self) -> (Option<Time>, u16) {
        (self.entry.map(|entry| entry.at), self.shard)
    }
}

impl OtherShards {
    /// Notes the records of other shards.
    pub fn note(&mut self, own: u16, found: &Followed) {
        let Followed::Record(record) = found else { return };
        let Body::Tick(Tick { at, accepted: Some(accepted), .. }) = &record.record.body else {
            return;
        };
        if record.shard != own {
            self.begun.insert(record.shard, *at);
            self.accepted.insert((*at, record.shard), accepted.clone());
        }
    }

    /// Returns the first tick after `last` that another shard has begun.
    pub fn begun_after(&self, last: Time) -> Option<Time> {
        self.accepted.keys().map(|(at, _)| *at).find(|at| *at > last)
    }

    /// Whether all other shards have begun a tick.
    pub fn have_begun(&self, at: Time, own: u16, shards: u16) -> bool {
        let has_begun = |shard| self.begun.get(&shard).is_some_and(|begun| *begun >= at);
        (0..shards).filter(|shard| *shard != own).all(has_begun)
    }

    /// Takes what the other shards accepted up to a tick: the last query of each user.
    fn take(&mut self, at: Time) -> Vec<(Time, u16, Members)> {
        let later = self.accepted.split_off(&(at + std::time::Duration::from_millis(1), 0));
        let due = std::mem::replace(&mut self.accepted, later);
        due.into_iter().map(|((at, shard), members)| (at, shard, members)).collect()
    }
}

impl Reign {
    /// Returns the tick that another shard has begun and this one has not.
    pub(super) fn begun_by_others(&self) -> Option<Time> {
        self.others.begun_after(Time::from_millis(self.last_tick))
    }

    /// Notes what another shard has accepted.
    pub(super) fn note_other_shard(&mut self, found: &Followed) {
        if self.city.shards > 1 {
            self.others.note(self.shard.number, found);
        }
    }

    /// Runs a tick in step with the other shards.
    pub(super) async fn divided_turn(
        &mut self,
        at: Time,
        collected: Collected<Remote>,
        accepted: Members,
    ) -> Result<Round<Remote>, ReignEnd> {
        self.append(Body::Tick(Tick { at, accepted: Some(accepted), left: None })).await?;
        while !self.others.have_begun(at, self.shard.number, self.city.shards) {
            let found = tokio::select! {
                found = self.follower.next_again() => found?,
                () = self.lease.lost() => return Err(ReignEnd::LeaseLost),
                () = self.host.stopped() => return Err(ReignEnd::Stopped),
            };
            self.apply(&found)?;
        }
        let round = tokio::task::block_in_place(|| {
            let collected = self.withdraw(at, collected);
            self.engine.turn(at, collected)
        });
        self.commit(at, None, &round).await?;
        Ok(round)
    }

    /// Removes the queries of users who have asked in another shard since.
    fn withdraw(&mut self, at: Time, collected: Collected<Remote>) -> Collected<Remote> {
        let Collected { arrivals, mut cancelled } = collected;
        let mut elsewhere: FxHashMap<UserId, Elsewhere> = FxHashMap::default();
        for (tick, shard, members) in self.others.take(at) {
            let is_now = tick == at;
            let mut add = |user: UserId, entry: Option<Entry>| {
                let other = Elsewhere { shard, entry };
                let is_last = |known: &Elsewhere| known.order() <= other.order();
                if is_now && elsewhere.get(&user).is_none_or(is_last) {
                    elsewhere.insert(user, other);
                }
                let waiting = self.engine.pendings_of(user);
                self.withdrawn.extend(&waiting);
                cancelled.extend(waiting);
            };
            match members {
                Members::Users(users) => users.into_iter().for_each(|user| add(user, None)),
                Members::Positions(entries) => {
                    entries.iter().for_each(|entry| add(entry.user, Some(*entry)));
                    if let Some(admission) = &mut self.intake.admission {
                        let mut present = self.present.lock();
                        for Entry { user, at, position, speed } in entries {
                            admission.insert(user, at, position, speed);
                            present.bind(user, at, position, speed);
                        }
                    }
                }
            }
        }
        let mut kept = Vec::with_capacity(arrivals.len());
        for arrival in std::mem::take(&mut self.transfers.moved_in) {
            match elsewhere.contains_key(&arrival.query.expose().user) {
                true => self.end_arrival(arrival, EndCode::Replaced),
                false => kept.push(arrival),
            }
        }
        kept.extend(arrivals.into_iter().filter_map(|arrival| self.keep(arrival, &elsewhere)));
        Collected { arrivals: kept, cancelled }
    }

    /// Returns an arrival unless another shard has a later one of the same user, or under `history`
    /// an earlier one from which this one cannot be reached.
    fn keep(
        &mut self,
        mut arrival: Arrival<Remote>,
        elsewhere: &FxHashMap<UserId, Elsewhere>,
    ) -> Option<Arrival<Remote>> {
        let query = arrival.query.expose();
        let Some(other) = elsewhere.get(&query.user) else { return Some(arrival) };
        let own = (other.entry.map(|_| query.asked_at), self.shard.number);
        if other.order() > own {
            self.end_arrival(arrival, EndCode::Replaced);
            return None;
        }
        if let Some(Entry { at, position, .. }) = other.entry {
            let previous = PastPosition { at, position, travelled: None };
            let admitted = check_travel(&self.city.atlas, query, Some(previous)).ok();
            // The log already tells all shards that the query is of this one.
            let is_own = |position: Position| self.plan.shard(position.street) == self.shard.number;
            match admitted.filter(|admitted| is_own(admitted.position)) {
                Some(Admitted { position, previous }) => {
                    arrival.query.expose_mut().position = position;
                    arrival.previous = previous.into();
                }
                None => {
                    self.end_arrival(arrival, EndCode::FasterThanDeclared);
                    return None;
                }
            }
        }
        Some(arrival)
    }
}
