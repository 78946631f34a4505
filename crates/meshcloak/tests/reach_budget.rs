//! Reach searches of `history` stay within their steps when many users jump across a large map, and
//! fail closed.

use meshcloak::accounts::AccountId;
use meshcloak::distance::{Atlas, BATCH_REACH_STEPS, REACH_STEPS, probe_path};
use meshcloak::engine::{Batch as Arrivals, turn};
use meshcloak::guarantee::{AdmissionError, Guarantee, check_travel};
use meshcloak::history::PastPosition;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
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

/// As [`run_for`], with one account.
fn run(town: &Town, jumps: &[Jump]) -> [Batch; 3] {
    run_for(town, jumps, |_| AccountId::default())
}

/// Batches after the jumps, one each second while the queries wait.
fn run_for(town: &Town, jumps: &[Jump], account: impl Fn(u64) -> AccountId) -> [Batch; 3] {
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let mut engine = Engine::new(atlas, settings);
    let submit = |engine: &mut Engine, seconds: u64, place: usize| {
        for (user, jump) in (0..).zip(jumps) {
            let query = query(user, jump.places[place], seconds, jump.speed);
            engine.submit_for(account(user), query).expect("it is admitted");
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
    let found = checked.previous.and_then(|past| past.travelled).expect("a path");
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

/// Tight jumps of several users between the same streets. A user's offset is the same on both, so
/// that all jumps have one length.
fn equal_jumps(town: &Town, streets: [&str; 2], users: u64) -> Vec<Jump> {
    let atlas = Atlas::new(town.map.clone(), Length::metres(400.0));
    let places =
        |user: u64| streets.map(|street| town.at(street, 1.0 + (user % 1_000) as f64 / 10.0));
    let Jump { speed, .. } = tight(town, &atlas, places(0));
    (0..users).map(|user| Jump { places: places(user), speed }).collect()
}

fn corner_jumps(town: &Town, users: u64) -> Vec<Jump> {
    equal_jumps(town, ["0_0-1_0", "98_99-99_99"], users)
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
    assert_eq!((first.served.len(), first.steps), (1_000, 0));
}

#[test]
fn a_tight_query_is_searched_once_with_bounded_steps_and_fails_closed() {
    let town = grid();
    let [first, second, third] = run(&town, &corner_jumps(&town, 60));
    assert_eq!(first.steps, 60 * u64::from(REACH_STEPS), "no search is decided");
    assert_eq!([second.steps, third.steps], [0, 0], "the result is kept while a query waits");
    for batch in [first, second, third] {
        assert!(batch.truncated && batch.served.is_empty(), "undecided members do not count");
    }
}

#[test]
fn searches_beyond_the_steps_of_a_batch_are_left_for_the_next() {
    let town = grid();
    let batches = run(&town, &corner_jumps(&town, 1_000));
    let steps = batches.each_ref().map(|batch| batch.steps);
    assert_eq!(steps, [BATCH_REACH_STEPS, BATCH_REACH_STEPS, 0]);
    assert!(batches.iter().all(|batch| batch.truncated && batch.served.is_empty()));
    const { assert!(BATCH_REACH_STEPS <= 4_000_000) };
}

/// Users of an honest account who move 60 blocks at the edge of their speed.
const HONEST: u64 = 4;

#[test]
fn honest_users_are_served_beside_a_thousand_hostile_jumps() {
    let town = grid();
    let honest = equal_jumps(&town, ["0_20-1_20", "60_20-61_20"], HONEST);
    // The hostile queries arrive first. Those by 55 blocks have smaller limits than the honest
    // ones, so that only the turns of the accounts help.
    let far = corner_jumps(&town, 1_000);
    let near = equal_jumps(&town, ["0_50-1_50", "55_50-56_50"], 1_500);
    for mut jumps in [far, near] {
        let first_honest = jumps.len() as u64;
        jumps.extend(&honest);
        let account = |user: u64| AccountId(if user < first_honest { 7 } else { 9 });
        let [first, ..] = run_for(&town, &jumps, account);
        let served: Vec<u64> =
            first.served.into_iter().filter(|user| *user >= first_honest).collect();
        assert_eq!(served, (first_honest..first_honest + HONEST).collect::<Vec<u64>>());
    }
}

/// Tight jumps of 250 users each by 20, 40, 60 and 80 blocks in both directions: a search visits
/// most of the square between the corners.
fn jumps_of_several_lengths(town: &Town) -> Vec<Jump> {
    let jumps = [20, 40, 60, 80].map(|blocks| {
        let street = format!("{blocks}_{blocks}-{}_{blocks}", blocks + 1);
        equal_jumps(town, ["0_0-1_0", &street], 250)
    });
    jumps.concat()
}

#[test]
fn the_shortest_limits_are_served_first_with_any_number_of_threads() {
    let town = grid();
    let jumps = jumps_of_several_lengths(&town);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(&town, &jumps))
    };
    let batches = with_threads(1);
    let [first, second, third] = &batches;
    // The users of a length are a crowd and form several groups.
    let (shortest, longest) = first.served.split_at(750);
    assert_eq!(shortest, (0..750).collect::<Vec<u64>>());
    assert!((1..100).contains(&longest.len()), "the guard has steps for three lengths and a group");
    let mut all = [&first.served[..], &second.served, &third.served].concat();
    all.sort_unstable();
    let left: Vec<u64> = (0..1_000).filter(|user| !all.contains(user)).collect();
    assert!(all.is_sorted_by(|a, b| a < b) && left.is_empty(), "{left:?} are not served");
    assert!(first.truncated && third.served.is_empty(), "{:?}", third.served);
    assert!(first.steps > BATCH_REACH_STEPS / 2 && first.steps < BATCH_REACH_STEPS);
    assert_eq!(second.steps + third.steps, 0, "all were searched in the first batch");
    for threads in [2, 3, 7] {
        assert_eq!(with_threads(threads), batches, "{threads} threads");
    }
}

/// Ids of the queries served in each batch after the jumps; every batch has the scheme that
/// `scheme` returns.
fn served_by(
    town: &Town,
    jumps: &[Jump],
    mut scheme: impl FnMut(MeshCloak) -> MeshCloak,
) -> Vec<usize> {
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let new = || MeshCloak::new(Arc::clone(&atlas), settings);
    let (mut state, mut present) = (State::default(), new());
    let mut served = Vec::new();
    for second in [0, PAUSE, PAUSE + 1, PAUSE + 2] {
        let place = usize::from(second > 0);
        let now = Time::from_millis(second * 1_000);
        let mut batch = Arrivals { now, ..Arrivals::default() };
        for (user, jump) in (0..).zip(jumps).filter(|_| second <= PAUSE) {
            let mut query = query(user, jump.places[place], second, jump.speed);
            query.id = QueryId(second * 10_000 + user);
            let past =
                PastPosition { at: Time::default(), position: jump.places[0], travelled: None };
            state.history.set_previous(query.id, Some(past).filter(|_| second > 0));
            batch.arrivals.push(query);
        }
        present = scheme(present);
        served.push(turn(&mut present, &mut state, batch, &mut ()).served.len());
    }
    served
}

#[test]
fn a_new_scheme_goes_on_with_the_searches_in_the_state() {
    let town = grid();
    // More steps than a batch has.
    let jumps = equal_jumps(&town, ["0_0-1_0", "80_80-81_80"], 900);
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let kept = served_by(&town, &jumps, |scheme| scheme);
    let renewed = served_by(&town, &jumps, |_| MeshCloak::new(Arc::clone(&atlas), settings));
    assert_eq!(kept, renewed);
    assert!(kept[1] > 0 && kept[2..].iter().any(|count| *count > 0), "{kept:?}");
}

#[test]
fn admission_accepts_what_its_steps_do_not_decide_and_no_set_has_it() {
    let town = grid();
    let [before, after] = jump(&town, 7);
    let generous = probe_path(&town.map, before, after, Length::metres(41_300.0), REACH_STEPS);
    assert!(generous.length.is_some() && generous.steps < 1_000, "{} steps", generous.steps);
    let bound = generous.length.expect("a path on a grid") - Length::metres(1.0);
    let spent = probe_path(&town.map, before, after, bound, REACH_STEPS);
    assert_eq!((spent.length, spent.steps, spent.is_complete), (None, REACH_STEPS, false));
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(400.0)));
    let settings = Settings { guarantee: Guarantee::History, ..Settings::default() };
    let mut engine = Engine::new(atlas, settings);
    let slow = Speed::metres_per_second(bound.as_metres() / PAUSE as f64);
    let slower = Speed::metres_per_second(5.0);
    engine.submit(query(7, before, 0, slow)).expect("no past");
    engine.submit(query(8, before, 0, slower)).expect("no past");
    engine.submit(query(7, after, PAUSE, slow)).expect("undecided");
    let refused = engine.submit(query(8, after, PAUSE, slower));
    assert_eq!(refused, Err(SubmitError::Admission(AdmissionError::FasterThanDeclared)));
    // Two users without a past beside the undecided one.
    for user in [1, 2] {
        engine.submit(query(user, after, PAUSE, slow)).expect("no past");
    }
    for later in 0..4 {
        let served = engine.tick(Time::from_millis((PAUSE + later) * 1_000)).served;
        assert!(served.iter().all(|(query, _)| query.user != UserId(7)));
        assert_eq!(served.len(), if later == 0 { 2 } else { 0 });
    }
}
