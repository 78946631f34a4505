//! Reach searches of `history` stay within their steps when many users jump across a large map, and
//! fail closed.

use meshcloak::distance::{Atlas, BATCH_REACH_STEPS, REACH_STEPS, probe_path};
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

/// A user that jumps, and its top speed.
#[derive(Clone, Copy)]
struct Jump {
    places: [Position; 2],
    speed: Speed,
}

/// What a batch did: served users, steps of the reach searches, whether one was cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Batch {
    served: Vec<u64>,
    steps: u64,
    truncated: bool,
}

/// Batches after the jumps, one each second while the queries wait.
fn run(town: &Town, jumps: &[Jump]) -> [Batch; 3] {
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let mut engine = Engine::new(atlas, settings);
    let submit = |engine: &mut Engine, seconds: u64, place: usize| {
        for (user, jump) in (0..).zip(jumps) {
            let query = query(user, jump.places[place], seconds, jump.speed);
            engine.submit(query).expect("it is admitted");
        }
    };
    submit(&mut engine, 0, 0);
    let turn = engine.tick(Time::default());
    assert_eq!(turn.served.len(), jumps.len(), "no user has a past");
    submit(&mut engine, PAUSE, 1);
    [0, 1, 2].map(|later| {
        let turn = engine.tick(Time::from_millis((PAUSE + later) * 1_000));
        let stats = turn.published.stats;
        assert_eq!(stats.rejected.total(), 0, "{stats:?}");
        let mut served: Vec<u64> = turn.served.iter().map(|(query, _)| query.user.0).collect();
        served.sort_unstable();
        Batch { served, steps: stats.reach_steps, truncated: stats.truncated }
    })
}

/// The jump at the slowest speed at which it is possible: no neighbour is known to be reachable.
fn tight(town: &Town, atlas: &Atlas, places: [Position; 2]) -> Jump {
    let previous = PastPosition { at: Time::default(), position: places[0], travelled: None };
    let query = query(0, places[1], PAUSE, fast());
    let checked = check_travel(atlas, &query, Some(previous)).expect("fast enough");
    let found = checked.and_then(|past| past.travelled).expect("a path");
    // A path that the search found is not always the shortest.
    let mut shortest = found;
    while let Some(length) =
        probe_path(&town.map, places[0], places[1], shortest - Length::UNIT, REACH_STEPS).length
    {
        shortest = length;
    }
    let speed = Speed::metres_per_second(shortest.as_metres() / PAUSE as f64 + 1.0 / 32.0);
    Jump { places, speed }
}

fn corner_jumps(town: &Town, users: u64) -> Vec<Jump> {
    let atlas = Atlas::new(town.map.clone(), Length::metres(400.0));
    (0..users).map(|user| tight(town, &atlas, jump(town, user))).collect()
}

/// The largest speed of the default settings of the gateway.
fn fast() -> Speed {
    Speed::metres_per_second(70.0)
}

#[test]
fn a_generous_speed_needs_no_search_in_the_batch() {
    let town = grid();
    let jumps: Vec<Jump> =
        (0..1_000).map(|user| Jump { places: jump(&town, user), speed: fast() }).collect();
    let [first, ..] = run(&town, &jumps);
    assert_eq!((first.served.len(), first.steps, first.truncated), (1_000, 0, false));
}

#[test]
fn a_tight_speed_costs_bounded_steps_and_fails_closed() {
    let town = grid();
    for batch in run(&town, &corner_jumps(&town, 60)) {
        assert_eq!(batch.steps, 60 * u64::from(REACH_STEPS), "no search is decided");
        assert!(batch.truncated && batch.served.is_empty(), "undecided members do not count");
    }
}

#[test]
fn waiting_tight_queries_share_the_steps_of_each_batch() {
    let town = grid();
    let batches = run(&town, &corner_jumps(&town, 1_000));
    for batch in &batches {
        assert_eq!(batch.steps, BATCH_REACH_STEPS, "every share is spent");
        assert!(batch.truncated && batch.served.is_empty());
    }
    let steps: u64 = batches.iter().map(|batch| batch.steps).sum();
    assert!(steps <= 3 * BATCH_REACH_STEPS && BATCH_REACH_STEPS <= 4_000_000, "{steps} steps");
}

/// Tight jumps of 250 users each by 20, 40, 60 and 95 blocks. A jump by `n` blocks from a corner
/// takes about `n² / 2` steps, so that only the last exceeds a share of 4,000.
fn jumps_of_several_lengths(town: &Town) -> Vec<Jump> {
    let atlas = Atlas::new(town.map.clone(), Length::metres(400.0));
    let jump = |user: u64| {
        let blocks = [20, 40, 60, 95][(user / 250) as usize];
        let metres = 1.0 + (user % 250) as f64 / 50.0;
        let street = format!("{blocks}_0-{}_0", blocks + 1);
        tight(town, &atlas, [town.at("0_0-1_0", metres), town.at(&street, metres)])
    };
    (0..1_000).map(jump).collect()
}

#[test]
fn shares_leave_short_searches_alone_with_any_number_of_threads() {
    let town = grid();
    let jumps = jumps_of_several_lengths(&town);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(&town, &jumps))
    };
    let batches = with_threads(1);
    let [first, second, third] = &batches;
    assert_eq!(first.served, (0..750).collect::<Vec<u64>>(), "decided within the share");
    assert!(first.truncated && first.steps <= BATCH_REACH_STEPS, "{} steps", first.steps);
    assert_eq!(second.served, (750..1_000).collect::<Vec<u64>>(), "fewer searches, larger shares");
    assert!(!second.truncated && third.steps == 0);
    for threads in [2, 3, 7] {
        assert_eq!(with_threads(threads), batches, "{threads} threads");
    }
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
