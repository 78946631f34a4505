//! Handles the result of a tick: ends, sets, and requests to the service.

use super::answers::pieces;
use super::link::Ended;
use super::running::Frontend;
use crate::message::{EndCode, MemberItem, Part, RequestItem, RoundKey, SetItem, frontend_subject};
use gateway::answers::{OpenRound, finish_refused, finish_unserved};
use gateway::city::City;
use gateway::error::Refusal;
use gateway::inquiry::Inquiry;
use gateway::mailbox::Pending;
use gateway::outcome::Outcome;
use gateway::receipt::ServedQuery;
use gateway::requests::{Member, ServedSet};
use gateway::service::HeldObjects;
use meshcloak::map::StreetId;
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
            link.see(round.shard, seen);
            let ended =
                ended.into_iter().filter_map(|(number, code)| Some((link.end(number)?, code)));
            let ended: Vec<Ended> = ended.collect();
            let guarantee = self.gateway.guarantee();
            let sets: Vec<ServedSet> = sets
                .into_iter()
                .filter_map(|set| served_set(set, guarantee, |number| link.end(number)))
                .collect();
            (ended, sets, link.sent_count())
        };
        let members: usize = sets.iter().map(|set| set.members.len()).sum();
        city.requests().load().record_batch(requests.len(), members + ended.len(), staying);
        let patience = self.patience();
        let open = (!sets.is_empty()).then(|| OpenRound::new(&self.gateway, sets));
        self.rounds.lock().add_part(&round, parts, open, patience);
        if !requests.is_empty() {
            tokio::spawn(Arc::clone(self).ask(Arc::clone(&city), round, requests));
        }
        self.finish(&city, ended).await;
    }

    /// Asks the service, and hands the answers to the frontends that need them.
    async fn ask(self: Arc<Self>, city: Arc<City>, round: RoundKey, items: Vec<RequestItem>) {
        let inquiry = |item: &RequestItem| {
            let region: Arc<[StreetId]> = item.region.iter().map(|id| StreetId(*id)).collect();
            let is_known = region.iter().all(|street| street.index() < city.map().street_count());
            let kind = item.question.kind().filter(|_| is_known)?;
            Some(Inquiry::new(region, kind, item.question.rung))
        };
        let items: Vec<(RequestItem, Inquiry)> = items
            .into_iter()
            .filter_map(|item| Some((inquiry(&item)?, item)).map(|(i, r)| (r, i)))
            .collect();
        let (items, inquiries): (Vec<RequestItem>, Vec<Inquiry>) = items.into_iter().unzip();
        let mut ends = city.requests().send(inquiries);
        while let Some(end) = ends.recv().await {
            let Some(item) = items.get(end.number) else { continue };
            self.gateway.metrics().waits.record(end.waited, 1);
            if let Err(error) = &end.response {
                self.gateway.metrics().service_error(error.label());
            }
            let others: Vec<u64> =
                item.recipients.iter().copied().filter(|id| *id != self.id.0).collect();
            if !others.is_empty() {
                let answer = end.response.as_ref().map(HeldObjects::objects);
                let max = self.cluster.max_payload();
                let pieces =
                    tokio::task::block_in_place(|| pieces(&round, item.number, answer, max));
                for other in others {
                    for piece in &pieces {
                        self.publish(frontend_subject(other), piece.clone()).await;
                    }
                }
            }
            if item.recipients.contains(&self.id.0) {
                self.rounds.lock().end(&round, item.number, end.response, self.patience());
            }
        }
    }

    /// Tells users how their queries ended without an answer.
    pub(super) async fn finish(&self, city: &Arc<City>, ended: Vec<Ended>) {
        let mut unserved = Vec::new();
        for (pending, code) in ended {
            match refusal(code) {
                Some(refusal) => finish_refused(&self.gateway, pending, &refusal),
                None => match code {
                    EndCode::HeldBy(frontend) => self.fetch(city, pending, frontend).await,
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
fn served_set(
    set: SetItem,
    guarantee: meshcloak::guarantee::Guarantee,
    mut end: impl FnMut(u64) -> Option<Pending>,
) -> Option<ServedSet> {
    let SetItem { requests, size, members } = set;
    let member = |item: MemberItem| {
        let pending = end(item.number)?;
        let served = ServedQuery {
            guarantee,
            k: pending.k,
            set_size: size as usize,
            streets: item.streets as usize,
            asked_at: Time::default(),
            served_at: Time::from_millis(u64::from(item.delay_ms)),
            has_past: item.has_past,
        };
        let position = meshcloak::map::Position::from(item.place).into();
        Some(Member { pending, position, served, request: item.request as usize })
    };
    let members: Vec<Member> = members.into_iter().filter_map(member).collect();
    let requests = requests.into_iter().map(|request| request as usize).collect();
    (!members.is_empty()).then_some(ServedSet { members, requests })
}

/// Returns the refusal that a code stands for.
fn refusal(code: EndCode) -> Option<Refusal> {
    match code {
        EndCode::FasterThanDeclared => Some(Refusal::FasterThanDeclared),
        EndCode::Speed => Some(Refusal::Speed),
        EndCode::HistoryUnknown(seconds) => Some(Refusal::AfterStart(seconds)),
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
