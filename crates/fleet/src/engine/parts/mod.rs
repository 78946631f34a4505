//! Result of a tick, divided among the frontends.
//!
//! Each request goes to a live frontend chosen at random. The choice does not depend on where the
//! members of a set are connected, because the service sees which frontend asks. That frontend
//! refines the answer for the members of all frontends: it is decoded once and never forwarded.

use super::remote::Remote;
use crate::message::{
    AskingMember, EndCode, MemberItem, Part, QuestionItem, RecipientItem, RequestItem, RoundKey,
    Seen, SetItem, ToFrontend, encode,
};
use bytes::Bytes;
use gateway::city_engine::Round;
use gateway::mailbox::Pending;
use gateway::outcome::Outcome;
use gateway::requests::{Member, ServedSet};
use meshcloak::query::QueryId;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Where the parts of a round go.
pub struct Destination<'a> {
    /// The batch.
    pub round: RoundKey,
    /// State of the log after the batch.
    pub seen: Seen,
    /// Queries that were withdrawn because their users have asked in another shard.
    pub withdrawn: &'a FxHashSet<QueryId>,
    /// Queries that another engine has now: their end is not told.
    pub moved: &'a FxHashSet<QueryId>,
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
    let mut shares = request_shares(round, destination.askers, random);
    for set in &round.sets {
        for (frontend, item) in set_items(set) {
            shares.entry(frontend).or_default().sets.push(item);
        }
    }
    for (pending, outcome) in &round.ended {
        if destination.moved.contains(&pending.id) {
            continue;
        }
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

/// Assigns the requests to live frontends at random; without one, to a frontend that needs the answer.
fn request_shares(
    round: &Round<Remote>,
    askers: &[u64],
    random: &mut Pcg64Mcg,
) -> BTreeMap<u64, Share> {
    let mut shares: BTreeMap<u64, Share> = BTreeMap::new();
    for ((number, inquiry), recipients) in (0..).zip(&round.requests).zip(recipients(round)) {
        let asker = match askers {
            [] => recipients.keys().next().copied(),
            askers => Some(askers[random.random_range(0..askers.len())]),
        };
        let Some(asker) = asker else { continue };
        let recipient = |(frontend, members)| RecipientItem { frontend, members };
        shares.entry(asker).or_default().requests.push(RequestItem {
            number,
            region: inquiry.region().iter().map(|street| street.0).collect(),
            question: QuestionItem::of(&inquiry.question()),
            recipients: recipients.into_iter().map(recipient).collect(),
        });
    }
    shares
}

/// Returns the frontends that wait for each request, those with a member in one of its sets, and
/// their members whose questions it answers.
fn recipients(round: &Round<Remote>) -> Vec<BTreeMap<u64, Vec<AskingMember>>> {
    let mut recipients = vec![BTreeMap::<u64, Vec<AskingMember>>::new(); round.requests.len()];
    for set in &round.sets {
        for &request in &set.requests {
            let Some(recipients) = recipients.get_mut(request) else { continue };
            for pending in pendings(set) {
                recipients.entry(pending.origin.frontend).or_default();
            }
            for member in set.members.iter().filter(|member| member.request == request) {
                let asking = recipients.entry(member.pending.origin.frontend).or_default();
                asking.extend(asking_member(member));
            }
        }
    }
    recipients
}

fn asking_member(member: &Member<Remote>) -> Option<AskingMember> {
    let (number, place) = (member.pending.origin.number, (*member.position.expose()).into());
    let extent = QuestionItem::extent_of(member.question()?);
    Some(AskingMember { number, place, extent })
}

/// Returns the questions and presence reports of a set.
pub(super) fn pendings(set: &ServedSet<Remote>) -> impl Iterator<Item = &Pending<Remote>> {
    set.members.iter().map(|member| &member.pending).chain(&set.present)
}

/// Returns what each frontend learns of a set.
fn set_items(set: &ServedSet<Remote>) -> BTreeMap<u64, SetItem> {
    let mut items: BTreeMap<u64, SetItem> = BTreeMap::new();
    let served = set.members.first().map(|member| member.served);
    let count = |count: Option<usize>| u32::try_from(count.unwrap_or(0)).unwrap_or(u32::MAX);
    for pending in pendings(set) {
        items.entry(pending.origin.frontend).or_insert_with(|| SetItem {
            requests: set.requests.iter().map(|&request| request as u32).collect(),
            size: count(served.map(|served| served.set_size)),
            asking: count(served.map(|served| served.asking)),
            members: Vec::new(),
            present: Vec::new(),
        });
    }
    for member in &set.members {
        let item = items.get_mut(&member.pending.origin.frontend);
        item.into_iter().for_each(|item| item.members.push(member_item(member)));
    }
    for Remote { frontend, number, .. } in set.present.iter().map(|pending| &pending.origin) {
        items.get_mut(frontend).into_iter().for_each(|item| item.present.push(*number));
    }
    items
}

fn member_item(member: &Member<Remote>) -> MemberItem {
    MemberItem {
        number: member.pending.origin.number,
        request: member.request as u32,
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
            let is_single = share.len() < 2;
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

    /// Number of items, with each member of a request.
    fn len(&self) -> usize {
        let requests: usize = self.requests.iter().map(RequestItem::member_count).sum();
        requests + self.sets.len() + self.ended.len()
    }

    /// Divides the items into two halves.
    fn halve(mut self) -> [Share; 2] {
        if let ([request], [], []) = (&mut self.requests[..], &self.sets[..], &self.ended[..]) {
            let requests = vec![request.split_off()];
            return [self, Share { requests, ..Share::default() }];
        }
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

#[cfg(test)]
mod tests;
