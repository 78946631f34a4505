//! The clock `published` of `history` (docs/SPEC.md §6): the past of a user is the last query that
//! left, and the user can have moved until the batch.

use meshcloak::engine::{Batch, turn};
use meshcloak::map::Position;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Speed, Time};
use meshcloak::{Admission, Atlas, Engine, Guarantee, HistoryClock, MeshCloak, Settings};
use std::sync::Arc;
use std::time::Duration;

fn road() -> Town {
    town("0 0,0  1 2000,0 | 0-1")
}

fn settings(history_clock: HistoryClock) -> Settings {
    Settings { guarantee: Guarantee::History, history_clock, ..Settings::default() }
}

fn seconds(seconds: u64) -> Time {
    Time::from_millis(seconds * 1_000)
}

/// A query at 10 m/s with dc 200 m.
fn query(user: u64, at: Time, position: Position, k: u32, dt: u64) -> Query {
    Query::builder(UserId(user), position)
        .at(at)
        .k(k)
        .dt(Duration::from_secs(dt))
        .dc(Length::metres(200.0))
        .speed(Speed::metres_per_second(10.0))
        .build_unchecked()
}

/// Users, time and metres along the road of queries, with k and dt.
type Wave<'a> = (u64, &'a [(u64, f64, u32, u64)]);

/// Runs a tick after each wave; returns the served users of each.
fn served(clock: HistoryClock, waves: &[Wave<'_>]) -> Vec<Vec<u64>> {
    let road = road();
    let atlas = Arc::new(Atlas::new(road.map.clone(), Length::metres(2_000.0)));
    let mut engine = Engine::new(atlas, settings(clock));
    let mut run = |&(at, queries): &Wave<'_>| {
        for &(user, metres, k, dt) in queries {
            let position = road.at("0-1", metres);
            engine.submit(query(user, seconds(at), position, k, dt)).expect("a lawful query");
        }
        engine.tick(seconds(at)).served.iter().map(|(query, _)| query.user.0).collect()
    };
    waves.iter().map(&mut run).collect()
}

#[test]
fn a_query_that_never_left_is_no_past() {
    // User 0 asks alone at 1000 m, and two seconds later with two new users 80 m ahead.
    let waves: [Wave<'_>; 2] = [
        (0, &[(0, 1_000.0, 3, 1)]),
        (2, &[(0, 1_020.0, 3, 0), (1, 1_100.0, 3, 0), (2, 1_110.0, 3, 0)]),
    ];
    assert_eq!(served(HistoryClock::Asked, &waves), [vec![], vec![]]);
    assert_eq!(served(HistoryClock::Published, &waves), [vec![], vec![0, 1, 2]]);
}

#[test]
fn the_bound_grows_while_a_query_waits() {
    // User 0 left at 0 s. At 2 s it can have moved 20 m, at 12 s 120 m, whenever it asked.
    let waves: [Wave<'_>; 3] = [
        (0, &[(0, 1_000.0, 2, 0), (1, 1_010.0, 2, 0)]),
        (2, &[(0, 1_020.0, 3, 20), (2, 1_100.0, 3, 20)]),
        (12, &[(3, 1_110.0, 3, 0)]),
    ];
    let published = served(HistoryClock::Published, &waves);
    assert_eq!(published, [vec![0, 1], vec![], vec![0, 2, 3]]);
    assert_eq!(served(HistoryClock::Asked, &waves), [vec![0, 1], vec![], vec![]]);
    // Without a query at 110 m there are also too few places at 12 s.
    let early = served(HistoryClock::Published, &waves[..2]);
    assert_eq!(early, [vec![0, 1], vec![]]);
}

#[test]
fn the_past_is_what_left_before_the_batch_not_before_admission() {
    let road = road();
    let atlas = Arc::new(Atlas::new(road.map.clone(), Length::metres(2_000.0)));
    let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings(HistoryClock::Published));
    let mut admission = Admission::new(HistoryClock::Published, Duration::from_secs(600));
    let mut state = State::default();
    let at = |user: u64, time: u64, metres: f64| {
        let mut query = query(user, seconds(time), road.at("0-1", metres), 2, 9);
        query.id = QueryId(10 * time + user);
        query
    };
    let first = [at(0, 0, 1_000.0), at(1, 0, 1_010.0)];
    // User 0 asks again while the turn that publishes its first query runs: 40 m in 2 s.
    let again = [at(0, 2, 1_040.0), at(2, 2, 1_041.0)];
    for query in first.iter().chain(&again) {
        let previous = admission.admit(&atlas, &mut query.clone()).expect("nothing has left");
        assert_eq!(previous, None);
        state.history.set_previous(query.id, previous);
    }
    let mut tick = |now: u64, arrivals: &[Query]| -> Vec<u64> {
        let batch = Batch { now: seconds(now), arrivals: arrivals.to_vec(), ..Batch::default() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        done.served.iter().for_each(|(query, _)| admission.leave(query));
        done.served.iter().map(|(query, _)| query.user.0).collect()
    };
    assert_eq!(tick(0, &first), [0, 1]);
    // Its position is impossible before 4 s have passed, so it counts for no member.
    assert_eq!(tick(2, &again), Vec::<u64>::new());
    assert_eq!(tick(3, &[]), Vec::<u64>::new());
    assert_eq!(tick(5, &[]), [0, 2], "at 5 s it can be at both places");
    let mut jump = at(0, 6, 1_500.0);
    assert!(admission.admit(&atlas, &mut jump).is_err(), "admission knows what has left");
}
