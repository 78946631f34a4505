//! Tests of the division of a round among frontends.

use super::*;
use crate::message::decode;
use gateway::inquiry::Inquiry;
use gateway::mailbox::Pending;
use gateway::question::{Along, Category, Find, Operation, Question, QuestionKind};
use gateway::receipt::ServedQuery;
use meshcloak::Private;
use meshcloak::accounts::AccountId;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::{Length, Time};
use rand::SeedableRng as _;
use std::collections::BTreeSet;

const REQUESTS: usize = 12;

fn member(request: usize, frontend: u64) -> Member<Remote> {
    let at = Time::default();
    let served = ServedQuery {
        guarantee: Guarantee::Reciprocal,
        k: 2,
        set_size: 2,
        asking: 2,
        streets: 1,
        asked_at: at,
        served_at: at,
        has_past: false,
    };
    let origin = Remote { frontend, number: 0, account: AccountId::default() };
    let operation = Operation::Nearest { count: 2, along: Along::Plane };
    let question = Private::new(Some(Question { operation, category: Category::Any }));
    let pending = Pending { origin, question, id: QueryId(0), k: 2, asked_at: at, deadline: at };
    let street = StreetId(request as u32);
    let position = Private::new(Position { street, offset: Length::default() });
    Member { pending, position, served, request }
}

/// A presence report.
fn report_of(frontend: u64, number: u64) -> Pending<Remote> {
    let mut pending = member(0, frontend).pending;
    (pending.origin.number, pending.question) = (number, Private::new(None));
    pending
}

/// A round of one set for each request, whose members are connected at random.
fn round(connections: u64) -> Round<Remote> {
    let mut random = Pcg64Mcg::seed_from_u64(connections);
    let mut round = Round::empty(Time::default());
    for request in 0..REQUESTS {
        let (find, along) = (Find::Nearest, Along::Plane);
        let kind = QuestionKind { find, along, category: Category::Any };
        round.requests.push(Inquiry::new([StreetId(request as u32)].into(), kind, 0));
        let members = (0..2).map(|_| member(request, random.random_range(1..4))).collect();
        round.sets.push(ServedSet { members, present: Vec::new(), requests: vec![request] });
    }
    round
}

/// The frontend that sends each request.
fn askers(round: &Round<Remote>, seed: u64) -> BTreeMap<u32, u64> {
    let shares = request_shares(round, &[1, 2, 3], &mut Pcg64Mcg::seed_from_u64(seed));
    let numbers = |(asker, share): (u64, Share)| {
        share.requests.into_iter().map(move |request| (request.number, asker))
    };
    shares.into_iter().flat_map(numbers).collect()
}

#[test]
fn the_frontend_that_asks_does_not_depend_on_where_members_are_connected() {
    let mut requests_of = BTreeMap::<u64, usize>::new();
    for seed in 0..100 {
        let chosen = askers(&round(0), seed);
        assert_eq!(chosen.len(), REQUESTS);
        for connections in 1..20 {
            assert_eq!(chosen, askers(&round(connections), seed), "{connections} {seed}");
        }
        chosen.values().for_each(|asker| *requests_of.entry(*asker).or_default() += 1);
    }
    // 400 of 1,200 are expected, with a standard deviation of 16.
    assert!(requests_of.values().all(|count| (300..500).contains(count)), "{requests_of:?}");
}

/// A round of one request with many members, cut into messages of different sizes.
#[test]
fn a_request_with_many_members_is_told_in_parts_and_merged() {
    let mut round = round(0);
    for (number, member) in round.sets.iter_mut().flat_map(|set| &mut set.members).enumerate() {
        (member.request, member.pending.origin.number) = (0, number as u64);
    }
    round.requests.truncate(1);
    round.sets.iter_mut().for_each(|set| set.requests = vec![0]);
    let key = RoundKey { city: "town".into(), shard: 0, epoch: 1, at: 0 };
    let (withdrawn, moved) = (FxHashSet::default(), FxHashSet::default());
    for max_payload in [40, 80, 1 << 20] {
        let destination = Destination {
            round: key.clone(),
            seen: Seen::default(),
            withdrawn: &withdrawn,
            moved: &moved,
            askers: &[9],
            max_payload,
        };
        let messages = messages(&round, &[], &destination, &mut Pcg64Mcg::seed_from_u64(1));
        let to_asker = messages.iter().filter(|(frontend, _)| *frontend == 9);
        let mut items: Vec<RequestItem> = Vec::new();
        for (_, bytes) in to_asker {
            let ToFrontend::Part(part) = decode(bytes).unwrap() else { panic!("no part") };
            assert!(
                part.requests.iter().map(RequestItem::member_count).sum::<usize>() < 2
                    || bytes.len() <= max_payload
            );
            items.extend(part.requests);
        }
        assert!(max_payload > 1_000 || items.len() > 1, "{max_payload}");
        items.dedup_by(|later, first| first.merge(later));
        let [request] = &items[..] else { panic!("one request") };
        let numbers = |recipient: &RecipientItem| -> Vec<u64> {
            recipient.members.iter().map(|member| member.number).collect()
        };
        let mut all: Vec<u64> = request.recipients.iter().flat_map(numbers).collect();
        all.sort_unstable();
        assert_eq!(all, (0..2 * REQUESTS as u64).collect::<Vec<_>>(), "{max_payload}");
        let frontends: Vec<u64> = request.recipients.iter().map(|r| r.frontend).collect();
        assert_eq!(frontends.len(), 3, "each frontend once: {frontends:?}");
    }
}

#[test]
fn every_frontend_of_a_set_is_told_the_end_and_each_member_is_refined_once() {
    let mut round = round(4);
    // The members of a set ask different kinds.
    for (set, next) in round.sets.iter_mut().zip((0..REQUESTS).map(|n| (n + 1) % REQUESTS)) {
        set.members[1].request = next;
        set.requests = vec![set.members[0].request, next];
    }
    let all = recipients(&round);
    let mut refined = 0;
    for (number, recipients) in all.iter().enumerate() {
        let waiting = round.sets.iter().filter(|set| set.requests.contains(&number));
        let members = waiting.flat_map(|set| &set.members);
        let frontends: BTreeSet<u64> =
            members.map(|member| member.pending.origin.frontend).collect();
        assert_eq!(recipients.keys().copied().collect::<BTreeSet<_>>(), frontends);
        refined += recipients.values().map(Vec::len).sum::<usize>();
    }
    assert_eq!(refined, 2 * REQUESTS);
}

#[test]
fn a_frontend_with_present_members_only_is_told_the_set_and_its_end() {
    let mut round = round(4);
    for (number, set) in (0..).zip(&mut round.sets) {
        let frontends: BTreeSet<u64> =
            set.members.iter().map(|m| m.pending.origin.frontend).collect();
        // Frontend 7 has no question of any set; frontend 8 only reports of every second one.
        let present = [7, 7, 8].into_iter().take(2 + number % 2).chain(frontends.first().copied());
        set.present =
            (0..).zip(present).map(|(report, frontend)| report_of(frontend, report)).collect();
    }
    for (set, number) in round.sets.iter().zip(0..) {
        let items = set_items(set);
        let numbers = |frontend| items.get(&frontend).map(|item: &SetItem| item.present.clone());
        assert_eq!(numbers(7), Some(vec![0, 1]));
        assert_eq!(numbers(8), (number % 2 == 1).then(|| vec![2]));
        let of_frontend = |frontend| items.get(&frontend).map_or(0, |item| item.members.len());
        assert_eq!(of_frontend(7) + of_frontend(8), 0);
        assert!(items.values().all(|item| item.requests == [number]));
        let told: usize = items.values().map(|item| item.present.len()).sum();
        assert_eq!(told, set.present.len(), "each report once");
    }
    for (number, recipients) in recipients(&round).iter().enumerate() {
        assert_eq!(recipients.get(&7).map(Vec::len), Some(0), "the end, and nothing to refine");
        assert_eq!(recipients.contains_key(&8), number % 2 == 1);
        assert_eq!(recipients.values().map(Vec::len).sum::<usize>(), 2);
    }
}
