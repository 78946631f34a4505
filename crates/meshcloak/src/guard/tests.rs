//! One injected violation for each check, each caught by a turn of the engine. The queries wait
//! before the turn, as if the engine had let them in, so that two of one user stay.

use super::faulty::Faulty;
use super::*;
use crate::engine::{Batch, turn};
use crate::history::LastPositions;
use crate::map::StreetId;
use crate::query::UserId;
use crate::scheme::State;
use crate::town::{Town, town};
use crate::units::{Length, Speed, Time};
use std::time::Duration;

/// A  0 ── 1 ── 2 ──────── 3     four streets of 100 m and one of 1,000 m
pub(super) fn road() -> Town {
    town("A 0,0  B 100,0  C 200,0  D 300,0  E 1300,0 | A-B B-C C-D D-E")
}

/// Three queries on the first three streets, and one far away.
pub(super) fn queries(town: &Town) -> Vec<Query> {
    let at = [("A-B", 50.0), ("B-C", 50.0), ("C-D", 50.0), ("D-E", 900.0)];
    let query = |(number, (street, metres)): (usize, (&str, f64))| Query {
        id: QueryId(number as u64 + 10),
        user: UserId(number as u64),
        asked_at: Time::from_millis(10_000),
        position: town.at(street, metres),
        k: 3,
        temporal_tolerance: Duration::from_secs(3),
        distance_constraint: Length::metres(300.0),
        speed: Some(Speed::metres_per_second(20.0)),
        asks: true,
    };
    at.into_iter().enumerate().map(query).collect()
}

pub(super) fn faulty(guarantee: Guarantee) -> Faulty {
    let map = road().map;
    let sets = vec![(vec![0, 1, 2], map.streets().collect())];
    let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
    Faulty {
        promise: Promise {
            guarantee,
            history_clock: HistoryClock::Asked,
            coverage: Coverage::Own,
            across_accounts: false,
            presence: PresenceRule::default(),
            cells: None,
            atlas,
        },
        sets,
        served: vec![(0, 0), (1, 0), (2, 0)],
        published: Published::default(),
    }
}

/// Returns the number of served queries and the violation of each rejected set.
pub(super) fn run(
    mut scheme: Faulty,
    queries: Vec<Query>,
    before: &[Query],
) -> (usize, Vec<Violation>) {
    let mut state = State::default();
    let mut positions = LastPositions::new(Duration::from_secs(600));
    positions.record_all(before, &mut History::default());
    positions.record_all(&queries, &mut state.history);
    let all = queries.len();
    state.waiting = queries;
    let batch = Batch { now: Time::from_millis(11_000), ..Batch::default() };
    let done = turn(&mut scheme, &mut state, batch, &mut ());
    let (served, rejected) = (done.served.len(), done.published.stats.rejected);
    assert_eq!(served + state.waiting.len(), all, "a query that is not served goes on waiting");
    let repeat = |violation| std::iter::repeat_n(violation, rejected.count(violation));
    (served, Violation::ALL.into_iter().flat_map(repeat).collect())
}

#[test]
fn a_set_that_keeps_every_promise_passes() {
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let queries = queries(&road());
        assert_eq!(run(faulty(guarantee), queries, &[]), (3, vec![]), "{guarantee:?}");
    }
}

#[test]
fn a_set_with_two_queries_of_one_user_is_rejected() {
    let mut queries = queries(&road());
    queries[2].user = queries[0].user;
    let found = run(faulty(Guarantee::Reciprocal), queries, &[]);
    assert_eq!(found, (0, vec![Violation::DuplicateUser]));
}

#[test]
fn of_two_sets_with_a_common_user_the_second_is_rejected() {
    // {a1, b} and {a2, c}: user a is the only common member.
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let town = road();
        let mut queries = queries(&town);
        queries[3].position = town.at("C-D", 20.0);
        queries[2].user = queries[0].user;
        queries.iter_mut().for_each(|query| query.k = 2);
        let mut scheme = faulty(guarantee);
        let region = scheme.sets[0].1.clone();
        scheme.sets = vec![(vec![0, 1], region.clone()), (vec![2, 3], region)];
        scheme.served = vec![(0, 0), (1, 0), (2, 1), (3, 1)];
        let expected = match guarantee {
            Guarantee::Paper => (4, vec![]),
            _ => (2, vec![Violation::UserInTwoSets]),
        };
        assert_eq!(run(scheme, queries, &[]), expected, "{guarantee:?}");
    }
}

#[test]
fn a_query_that_a_later_one_has_overtaken_is_rejected() {
    let town = road();
    let mut queries = queries(&town);
    queries[2].user = queries[0].user; // the later query of the user
    queries.iter_mut().for_each(|query| query.k = 2);
    queries[3].position = town.at("A-B", 20.0);
    let mut scheme = faulty(Guarantee::Reciprocal);
    let mut state = State { waiting: queries, ..State::default() };
    let mut leave = |members: [u32; 2], state: &mut State| {
        scheme.sets =
            vec![(members.map(|index| index as usize).to_vec(), scheme.sets[0].1.clone())];
        scheme.served = members.map(|index| (index, 0)).to_vec();
        let batch = Batch { now: Time::from_millis(11_000), ..Batch::default() };
        let done = turn(&mut scheme, state, batch, &mut ());
        (done.served.len(), done.published.stats.rejected.count(Violation::Overtaken))
    };
    assert_eq!(leave([1, 2], &mut state), (2, 0));
    // A copy of the state does not forget: the older query waits at index 0, a partner at 1.
    let mut state = state.clone();
    assert_eq!(leave([0, 1], &mut state), (0, 1));
    state.waiting[0].user = UserId(99);
    assert_eq!(leave([0, 1], &mut state), (2, 0), "of another user");
}

#[test]
fn a_set_that_is_not_a_clique_is_rejected() {
    let mut scheme = faulty(Guarantee::Reciprocal);
    scheme.sets[0].0.push(3);
    scheme.served.push((3, 0));
    assert_eq!(run(scheme, queries(&road()), &[]), (0, vec![Violation::NotClique]));
    let mut short = queries(&road());
    short[1].distance_constraint = Length::metres(99.0);
    let found = run(faulty(Guarantee::Reciprocal), short, &[]);
    assert_eq!(found, (0, vec![Violation::NotClique]));
}

#[test]
fn a_set_smaller_than_a_served_k_is_rejected() {
    let mut queries = queries(&road());
    queries[1].k = 4;
    let found = run(faulty(Guarantee::Reciprocal), queries.clone(), &[]);
    assert_eq!(found, (0, vec![Violation::TooSmall]));
    let mut scheme = faulty(Guarantee::Paper);
    scheme.served = vec![(0, 0), (2, 0)];
    assert_eq!(run(scheme, queries, &[]), (2, vec![]), "that query is not served by it");
}

#[test]
fn a_set_that_does_not_serve_exactly_its_members_is_rejected() {
    for served in [vec![(0, 0), (2, 0)], vec![(0, 0), (1, 0), (2, 0), (3, 0)], vec![]] {
        let mut scheme = faulty(Guarantee::Reciprocal);
        scheme.served = served;
        let found = run(scheme, queries(&road()), &[]);
        assert_eq!(found, (0, vec![Violation::NotOneRegion]));
    }
    let mut scheme = faulty(Guarantee::Reciprocal);
    scheme.sets.push(scheme.sets[0].clone());
    scheme.served = vec![(0, 0), (1, 0), (2, 1)];
    let found = run(scheme, queries(&road()), &[]);
    assert_eq!(found, (0, vec![Violation::NotOneRegion, Violation::NotOneRegion]), "sets overlap");
}

#[test]
fn a_set_with_a_member_outside_its_region_is_rejected() {
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let mut scheme = faulty(guarantee);
        scheme.sets[0].1 = vec![StreetId(0), StreetId(1)];
        assert_eq!(run(scheme, queries(&road()), &[]), (0, vec![Violation::OutsideRegion]));
    }
}

#[test]
fn a_set_that_is_not_in_one_cell_or_publishes_another_region_is_rejected() {
    // Cells of 100 m are single streets, a cell of 1,300 m is the whole road.
    let run_with = |cell_length: f64, region: &[u32]| {
        let mut scheme = faulty(Guarantee::Reciprocal);
        let cells = Cells::new(&road().map, Length::metres(cell_length));
        scheme.promise.cells = Some(Arc::new(cells));
        scheme.sets[0].1 = region.iter().copied().map(StreetId).collect();
        run(scheme, queries(&road()), &[])
    };
    assert_eq!(run_with(1_300.0, &[0, 1, 2, 3]), (3, vec![]));
    let rejected = (0, vec![Violation::NotOneCell]);
    assert_eq!(run_with(1_300.0, &[0, 1, 2]), rejected, "part of the cell");
    assert_eq!(run_with(100.0, &[0, 1, 2]), rejected, "members in three cells");
    assert_eq!(run_with(300.0, &[0, 1, 2, 3]), rejected, "more than the cell");
    assert_eq!(run_with(300.0, &[0, 1, 2]), (3, vec![]));
}

#[test]
fn a_set_with_too_few_reachable_members_is_rejected() {
    // The user was at the left end 6 s ago and moves at 20 m/s: the third member is 130 m too far.
    let town = road();
    let mut before = queries(&town);
    before.truncate(1);
    before[0].id = QueryId(1);
    before[0].asked_at = Time::from_millis(4_000);
    before[0].position = town.at("A-B", 0.0);
    let found = run(faulty(Guarantee::History), queries(&town), &before);
    assert_eq!(found, (0, vec![Violation::History]));
    let found = run(faulty(Guarantee::Reciprocal), queries(&town), &before);
    assert_eq!(found, (3, vec![]), "not promised");
    before[0].asked_at = Time::default();
    let found = run(faulty(Guarantee::History), queries(&town), &before);
    assert_eq!(found, (0, vec![Violation::History]), "200 m are too few as well");
}

#[test]
fn a_set_whose_members_can_only_swap_places_is_rejected() {
    // Everyone can reach k places, but the first two only each other's: the third is alone.
    let town = road();
    let mut queries = queries(&town);
    (queries[0].position, queries[1].position) = (town.at("A-B", 50.0), town.at("A-B", 80.0));
    (queries[0].k, queries[1].k) = (2, 2);
    let mut before = queries[..2].to_vec();
    for query in &mut before {
        (query.id, query.asked_at) = (QueryId(query.user.0), Time::from_millis(7_000));
        query.position = town.at("A-B", 60.0);
    }
    let found = run(faulty(Guarantee::History), queries.clone(), &before);
    assert_eq!(found, (0, vec![Violation::History]));
    // The first can also be at the place of the third: all three are one component.
    before[0].asked_at = Time::from_millis(0);
    assert_eq!(run(faulty(Guarantee::History), queries, &before), (3, vec![]));
}

#[test]
fn with_the_clock_published_users_can_move_until_the_batch() {
    // The farthest place is 250 m from the past of the first user, who moves at 25 m/s.
    let (town, mut queries) = (road(), queries(&road()));
    queries[0].speed = Some(Speed::metres_per_second(25.0));
    let passes = |history_clock: HistoryClock, past_ms: u64| {
        let (asked_at, position) = (Time::from_millis(past_ms), town.at("A-B", 0.0));
        let before = Query { id: QueryId(1), asked_at, position, ..queries[0].clone() };
        let mut scheme = faulty(Guarantee::History);
        scheme.promise.history_clock = history_clock;
        run(scheme, queries.clone(), &[before]) == (3, vec![])
    };
    let (asked, published) = (HistoryClock::Asked, HistoryClock::Published);
    assert!(passes(asked, 0) && !passes(asked, 1) && !passes(asked, 1_000), "asked at 10 s");
    assert!(passes(published, 1_000) && !passes(published, 1_001), "published at 11 s");
}
