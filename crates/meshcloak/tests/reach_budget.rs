//! Reach searches of `history` stay within their steps when many users jump across a large map, and
//! fail closed.

use meshcloak::distance::{Atlas, REACH_STEPS, probe_path};
use meshcloak::guarantee::{AdmissionError, Guarantee, check_travel};
use meshcloak::history::PastPosition;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::Settings;
use meshcloak::query::{Query, UserId};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Speed, Time};
use meshcloak::{Engine, SubmitError};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// Terminals in a row; their square exceeds the steps of a search.
const SIDE: usize = 100;
/// Length of a street, in metres.
const BLOCK: usize = 150;
/// Seconds between the two queries of a user.
const PAUSE: u64 = 590;

/// A square grid of two-way streets, 15 km wide.
fn grid() -> Town {
    let (mut terminals, mut streets) = (String::new(), String::new());
    for x in 0..SIDE {
        for y in 0..SIDE {
            let _ = write!(terminals, "{x}_{y} {},{} ", x * BLOCK, y * BLOCK);
            if x + 1 < SIDE {
                let _ = write!(streets, "{x}_{y}-{}_{y} ", x + 1);
            }
            if y + 1 < SIDE {
                let _ = write!(streets, "{x}_{y}-{x}_{} ", y + 1);
            }
        }
    }
    assert!(SIDE * SIDE > REACH_STEPS as usize);
    town(&format!("{terminals}| {streets}"))
}

/// Positions of a user before and after the jump from corner to corner.
fn jump(town: &Town, user: u64) -> [Position; 2] {
    let metres = 1.0 + user as f64 / 10.0;
    [town.at("0_0-1_0", metres), town.at("98_99-99_99", metres)]
}

fn query(user: u64, position: Position, seconds: u64, speed: Speed) -> Query {
    Query::builder(UserId(user), position)
        .at(Time::from_millis(seconds * 1_000))
        .dt(Duration::from_secs(2))
        .dc(Length::metres(300.0))
        .speed(speed)
        .build_unchecked()
}

/// Served users, steps of the reach searches, and whether one was cut short, when `users` jump.
fn run(town: &Town, users: u64, speed: impl Fn(u64) -> Speed) -> (usize, u64, bool) {
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let mut engine = Engine::new(atlas, settings);
    for seconds in [0, PAUSE] {
        for user in 0..users {
            let [before, after] = jump(town, user);
            let position = if seconds == 0 { before } else { after };
            engine.submit(query(user, position, seconds, speed(user))).expect("it is admitted");
        }
        let turn = engine.tick(Time::from_millis(seconds * 1_000));
        if seconds > 0 {
            let stats = turn.published.stats;
            assert_eq!(stats.rejected.total(), 0, "{stats:?}");
            return (turn.served.len(), stats.reach_steps, stats.truncated);
        }
        assert_eq!(turn.served.len(), users as usize, "no user has a past");
    }
    unreachable!("the second batch returns")
}

/// The largest speed of the default settings of the gateway.
fn fast() -> Speed {
    Speed::metres_per_second(70.0)
}

#[test]
fn a_generous_speed_needs_no_search_in_the_batch() {
    assert_eq!(run(&grid(), 1_000, |_| fast()), (1_000, 0, false));
}

#[test]
fn a_tight_speed_costs_bounded_steps_and_fails_closed() {
    let town = grid();
    let atlas = Atlas::new(town.map.clone(), Length::metres(400.0));
    // The slowest speed at which the jump is possible: no neighbour is known to be reachable.
    let slowest = |user: u64| {
        let [before, after] = jump(&town, user);
        let previous = PastPosition { at: Time::default(), position: before, travelled: None };
        let query = query(user, after, PAUSE, fast());
        let checked = check_travel(&atlas, &query, Some(previous)).expect("fast enough");
        let metres = checked.and_then(|past| past.travelled).expect("a path").as_metres();
        Speed::metres_per_second(metres / PAUSE as f64 + 1.0 / 32.0)
    };
    let users = 60;
    let (served, steps, truncated) = run(&town, users, slowest);
    assert!(steps > 0 && steps <= users * 2 * u64::from(REACH_STEPS), "{steps} steps");
    assert!(truncated && served == 0, "{served} served: undecided members do not count");
}

#[test]
fn admission_searches_in_few_steps_and_refuses_when_they_are_spent() {
    let town = grid();
    let [before, after] = jump(&town, 7);
    let generous = probe_path(&town.map, before, after, Length::metres(41_300.0), REACH_STEPS);
    assert!(generous.length.is_some() && generous.steps < 1_000, "{} steps", generous.steps);
    let shortest = generous.length.expect("a path on a grid");
    let bound = shortest - Length::metres(1.0);
    let none = probe_path(&town.map, before, after, bound, REACH_STEPS);
    assert_eq!((none.length, none.steps <= REACH_STEPS), (None, true));
    let few = probe_path(&town.map, before, after, Length::metres(41_300.0), generous.steps - 1);
    assert_eq!((few.length, few.steps), (None, generous.steps - 1));
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let mut engine = Engine::new(atlas, settings);
    let slow = Speed::metres_per_second(bound.as_metres() / PAUSE as f64);
    engine.submit(query(7, before, 0, slow)).expect("no past");
    let refused = engine.submit(query(7, after, PAUSE, slow));
    assert_eq!(refused, Err(SubmitError::Admission(AdmissionError::FasterThanDeclared)));
}
