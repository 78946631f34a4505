//! Result of a tick, divided among the frontends.
//!
//! Each request goes to a live frontend chosen at random. The choice does not depend on where the
//! members of a set are connected, because the service sees which frontend asks.

use super::remote::Remote;
use crate::message::{
    EndCode, KindItem, MemberItem, Part, RequestItem, RoundKey, Seen, SetItem, ToFrontend, encode,
};
use bytes::Bytes;
use gateway::city_engine::Round;
use gateway::outcome::Outcome;
use gateway::requests::{Member, ServedSet};
use meshcloak::query::QueryId;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Where the parts of a round go.
pub struct Destination<'a> {
    /// The batch.
    pub round: RoundKey,
    /// State of the log after the batch.
    pub seen: Seen,
    /// Queries that were withdrawn because their users have asked in another shard.
    pub withdrawn: &'a FxHashSet<QueryId>,
    /// Live frontends, which ask the service.
    pub askers: &'a [u64],
    /// Largest payload of a message, in bytes.
    pub max_payload: usize,
}

/// What a round holds for one frontend.
#[derive(Default)]
struct Share {
    requests: Vec<RequestItem>,
    sets: Vec<SetItem>,
    ended: Vec<(u64, EndCode)>,
}

/// Divides a round into messages, each with the frontend it goes to. `ended` are further queries
/// that ended at the intake.
pub fn messages(
    round: &Round<Remote>,
    ended: &[(Remote, EndCode)],
    destination: &Destination<'_>,
    random: &mut Pcg64Mcg,
) -> Vec<(u64, Bytes)> {
    let mut shares: BTreeMap<u64, Share> = BTreeMap::new();
    let recipients = recipients(round);
    for (number, inquiry) in round.requests.iter().enumerate() {
        let recipients: Vec<u64> = recipients[number].iter().copied().collect();
        let asker = match destination.askers {
            [] => recipients.first().copied(),
            askers => Some(askers[random.random_range(0..askers.len())]),
        };
        let Some(asker) = asker else { continue };
        shares.entry(asker).or_default().requests.push(RequestItem {
            number: number as u32,
            region: inquiry.region().iter().map(|street| street.0).collect(),
            question: KindItem::new(inquiry.kind(), inquiry.rung()),
            recipients,
        });
    }
    for set in &round.sets {
        for (frontend, item) in set_items(set) {
            shares.entry(frontend).or_default().sets.push(item);
        }
    }
    for (pending, outcome) in &round.ended {
        let Remote { frontend, number, .. } = pending.origin;
        let code = match destination.withdrawn.contains(&pending.id) {
            true => EndCode::Replaced,
            false => end_code(*outcome),
        };
        shares.entry(frontend).or_default().ended.push((number, code));
    }
    for (origin, code) in ended {
        shares.entry(origin.frontend).or_default().ended.push((origin.number, *code));
    }
    let cut = |(frontend, share): (u64, Share)| {
        share.cut(destination).into_iter().map(move |bytes| (frontend, bytes))
    };
    shares.into_iter().flat_map(cut).collect()
}

/// Returns the frontends that need the answer of each request: those with a member in a set that
/// waits for it.
fn recipients(round: &Round<Remote>) -> Vec<BTreeSet<u64>> {
    let mut recipients = vec![BTreeSet::new(); round.requests.len()];
    for set in &round.sets {
        let frontends: BTreeSet<u64> =
            set.members.iter().map(|member| member.pending.origin.frontend).collect();
        for &request in &set.requests {
            if let Some(recipients) = recipients.get_mut(request) {
                recipients.extend(&frontends);
            }
        }
    }
    recipients
}

/// Returns what each frontend learns of a set.
fn set_items(set: &ServedSet<Remote>) -> BTreeMap<u64, SetItem> {
    let mut items: BTreeMap<u64, SetItem> = BTreeMap::new();
    for member in &set.members {
        let item = items.entry(member.pending.origin.frontend).or_insert_with(|| SetItem {
            requests: set.requests.iter().map(|&request| request as u32).collect(),
            size: u32::try_from(member.served.set_size).unwrap_or(u32::MAX),
            members: Vec::new(),
        });
        item.members.push(member_item(member));
    }
    items
}

fn member_item(member: &Member<Remote>) -> MemberItem {
    MemberItem {
        number: member.pending.origin.number,
        request: member.request as u32,
        place: (*member.position.expose()).into(),
        streets: u32::try_from(member.served.streets).unwrap_or(u32::MAX),
        delay_ms: u32::try_from(member.served.delay().as_millis()).unwrap_or(u32::MAX),
        has_past: member.served.has_past,
    }
}

fn end_code(outcome: Outcome) -> EndCode {
    match outcome {
        Outcome::Expired => EndCode::Expired,
        Outcome::Cancelled => EndCode::Cancelled,
        Outcome::Present => EndCode::Present,
        Outcome::Answered | Outcome::Failed | Outcome::Refused => EndCode::Failed,
    }
}

impl Share {
    /// Encodes the share as messages below the largest payload. A message that is too large is
    /// halved until it fits or holds a single item.
    fn cut(self, destination: &Destination<'_>) -> Vec<Bytes> {
        let part = |Share { requests, sets, ended }, parts| {
            let (round, seen) = (destination.round.clone(), destination.seen);
            ToFrontend::Part(Part { round, parts, seen, requests, sets, ended })
        };
        let (mut open, mut fitting) = (vec![self], Vec::new());
        while let Some(share) = open.pop() {
            let is_single = share.requests.len() + share.sets.len() + share.ended.len() < 2;
            let message = part(share, u32::MAX);
            let fits = is_single || encode(&message).len() <= destination.max_payload;
            let ToFrontend::Part(Part { requests, sets, ended, .. }) = message else { continue };
            let share = Share { requests, sets, ended };
            match fits {
                true => fitting.push(share),
                false => open.extend(share.halve()),
            }
        }
        let parts = fitting.len() as u32;
        fitting.into_iter().map(|share| encode(&part(share, parts))).collect()
    }

    /// Divides the items into two halves.
    fn halve(mut self) -> [Share; 2] {
        let mut half = (self.requests.len() + self.sets.len() + self.ended.len()) / 2;
        let mut take = |len: usize| {
            let taken = half.min(len);
            half -= taken;
            taken
        };
        let requests = self.requests.split_off(take(self.requests.len()));
        let sets = self.sets.split_off(take(self.sets.len()));
        let ended = self.ended.split_off(take(self.ended.len()));
        [self, Share { requests, sets, ended }]
    }
}
