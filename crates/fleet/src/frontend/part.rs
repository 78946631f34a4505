//! Handles the result of a tick: ends, sets, and requests to the service.

use super::link::Ended;
use super::running::Frontend;
use crate::message::{EndCode, MemberItem, Part, SetItem};
use gateway::answers::{finish_refused, finish_unserved};
use gateway::city::City;
use gateway::error::Refusal;
use gateway::mailbox::Pending;
use gateway::open_round::{AwaitedMember, AwaitedSet, OpenRound};
use gateway::outcome::Outcome;
use gateway::receipt::ServedQuery;
use meshcloak::units::Time;
use std::sync::Arc;

impl Frontend {
    /// Handles a part of a round. One of a replaced owner is dropped: its queries have failed.
    pub(super) async fn take_part(self: &Arc<Self>, part: Part) {
        let Some((index, city)) = self.city(&part.round.city) else { return };
        let Part { round, parts, seen, requests, sets, ended } = part;
        let (ended, sets, staying) = {
            let mut link = self.links[index].lock();
            if !link.is_current(round.shard, round.epoch) {
                return;
            }
            link.log().note(seen);
            let mut end = |number, code| match code {
                EndCode::Replaced => link.give_back(number),
                _ => link.end(number),
            };
            let ended =
                ended.into_iter().filter_map(|(number, code)| Some((end(number, code)?, code)));
            let ended: Vec<Ended> = ended.collect();
            let guarantee = self.gateway.guarantee();
            let sets: Vec<AwaitedSet> = sets
                .into_iter()
                .filter_map(|set| awaited_set(set, guarantee, |number| link.end(number)))
                .collect();
            (ended, sets, link.sent_count())
        };
        let members: usize = sets.iter().map(|set| set.members.len() + set.present.len()).sum();
        city.requests().load().record_batch(requests.len(), members + ended.len(), staying);
        let patience = self.patience();
        let open = (!sets.is_empty()).then(|| OpenRound::new(&self.gateway, sets));
        let requests = self.rounds.lock().add_part(&round, parts, (open, requests), patience);
        if !requests.is_empty() {
            tokio::spawn(Arc::clone(self).ask(Arc::clone(&city), round, requests));
        }
        self.finish(&city, ended).await;
    }

    /// Tells users how their queries ended without an answer.
    pub(super) async fn finish(&self, city: &Arc<City>, ended: Vec<Ended>) {
        let mut unserved = Vec::new();
        for (pending, code) in ended {
            match refusal(code) {
                Some(refusal) => finish_refused(&self.gateway, pending, &refusal),
                None => match code {
                    EndCode::HeldBy(frontend) => self.fetch(city, pending, frontend).await,
                    EndCode::Replaced if !pending.asks() => {
                        unserved.push((pending, Outcome::Present));
                    }
                    code => unserved.push((pending, outcome(code))),
                },
            }
        }
        if !unserved.is_empty() {
            finish_unserved(&self.gateway, unserved).await;
        }
    }
}

/// Builds a set of this frontend's members; `None` if it knows none of them.
fn awaited_set(
    set: SetItem,
    guarantee: meshcloak::guarantee::Guarantee,
    mut end: impl FnMut(u64) -> Option<Pending>,
) -> Option<AwaitedSet> {
    let SetItem { requests, size, asking, members, present } = set;
    let present: Vec<Pending> = present.into_iter().filter_map(&mut end).collect();
    let member = |item: MemberItem| {
        let pending = end(item.number)?;
        let served = ServedQuery {
            guarantee,
            k: pending.k,
            set_size: size as usize,
            asking: asking as usize,
            streets: item.streets as usize,
            asked_at: Time::default(),
            served_at: Time::from_millis(u64::from(item.delay_ms)),
            has_past: item.has_past,
        };
        Some(AwaitedMember { pending, served, request: item.request as usize })
    };
    let members: Vec<AwaitedMember> = members.into_iter().filter_map(member).collect();
    let requests = requests.into_iter().map(|request| request as usize).collect();
    let is_known = !members.is_empty() || !present.is_empty();
    is_known.then_some(AwaitedSet { members, present, requests })
}

/// Returns the refusal that a code stands for.
fn refusal(code: EndCode) -> Option<Refusal> {
    match code {
        EndCode::FasterThanDeclared => Some(Refusal::FasterThanDeclared),
        EndCode::Speed => Some(Refusal::Speed),
        EndCode::HistoryUnknown(seconds) => Some(Refusal::AfterStart(seconds)),
        EndCode::OtherCity(seconds) => Some(Refusal::OtherCity(seconds)),
        EndCode::TicketTaken => Some(Refusal::TicketTaken),
        _ => None,
    }
}

/// Returns the outcome of a query that was neither refused nor answered.
fn outcome(code: EndCode) -> Outcome {
    match code {
        EndCode::Expired => Outcome::Expired,
        EndCode::Cancelled => Outcome::Cancelled,
        EndCode::Present => Outcome::Present,
        _ => Outcome::Failed,
    }
}
