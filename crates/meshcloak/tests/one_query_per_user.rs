//! One waiting query per user (docs/SPEC.md §6): no user is in two sets of a batch, and no query
//! leaves after a later one of the same user.

use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, Turn, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::LastPositions;
use meshcloak::mesh_cloak::{Hold, MeshCloak, Settings};
use meshcloak::naive;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Scheme and state of a run.
struct Run {
    scheme: MeshCloak,
    state: State,
    positions: LastPositions,
}

impl Run {
    fn new(town: &Town, settings: Settings) -> Run {
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let scheme = MeshCloak::new(atlas, settings);
        Run { scheme, state: State::default(), positions: LastPositions::new(settings.horizon) }
    }

    fn turn(&mut self, second: u64, arrivals: &[Query]) -> Turn<'_> {
        self.positions.record_all(arrivals, &mut self.state.history);
        let now = Time::from_millis(second * 1_000);
        let batch = Batch { now, arrivals: arrivals.to_vec(), cancelled: Vec::new() };
        turn(&mut self.scheme, &mut self.state, batch, &mut ())
    }
}

/// The members of each set as query numbers.
fn sets(turn: &Turn<'_>) -> Vec<Vec<u64>> {
    let members = |set| turn.published.set(set).members.iter().map(|id| id.0).collect();
    (0..turn.published.set_count() as u32).map(members).collect()
}

fn ids(queries: &[Query]) -> Vec<u64> {
    queries.iter().map(|query| query.id.0).collect()
}

/// Two places 2 km apart; the user asks at both.
const PLACES: &str = "A 0,0  B 400,0  C 2400,0  D 2800,0 | A-B B-C C-D";

fn query(town: &Town, id: u64, user: u64, seconds: u64, at: (&str, f64)) -> Query {
    Query::builder(UserId(user), town.at(at.0, at.1))
        .id(QueryId(id))
        .at(Time::from_millis(seconds * 1_000))
        .dt(Duration::from_secs(30))
        .dc(Length::metres(400.0))
        .speed(Speed::metres_per_second(900.0))
        .build_unchecked()
}

#[test]
fn a_user_with_two_waiting_queries_is_not_in_two_sets() {
    let town = town(PLACES);
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let mut run = Run::new(&town, Settings { guarantee, ..Settings::default() });
        let (a1, a2) = (query(&town, 1, 1, 1, ("A-B", 10.0)), query(&town, 2, 1, 6, ("C-D", 10.0)));
        let (b, c) = (query(&town, 3, 2, 8, ("A-B", 30.0)), query(&town, 4, 3, 8, ("C-D", 30.0)));
        assert_eq!(sets(&run.turn(1, &[a1])), Vec::<Vec<u64>>::new());
        assert_eq!(ids(&run.turn(6, &[a2]).replaced), [1], "{guarantee:?}");
        assert_eq!(sets(&run.turn(8, &[b, c])), [[2, 4]], "{guarantee:?}");
        assert_eq!(ids(&run.state.waiting), [3]);
    }
}

#[test]
fn an_older_query_does_not_leave_after_a_newer_one() {
    let town = town(PLACES);
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let mut run = Run::new(&town, Settings { guarantee, ..Settings::default() });
        run.turn(1, &[query(&town, 1, 1, 1, ("A-B", 10.0))]);
        let arrivals = [query(&town, 2, 1, 6, ("C-D", 10.0)), query(&town, 3, 2, 6, ("C-D", 30.0))];
        assert_eq!(sets(&run.turn(6, &arrivals)), [[2, 3]]);
        let partner = query(&town, 4, 3, 8, ("A-B", 30.0));
        assert_eq!(sets(&run.turn(8, &[partner])), Vec::<Vec<u64>>::new(), "{guarantee:?}");
    }
}

#[test]
fn queries_expire_before_they_replace() {
    let town = town(PLACES);
    let mut run = Run::new(&town, Settings::default());
    let at = |id, seconds, tolerance| {
        let mut query = query(&town, id, 1, seconds, ("A-B", 10.0));
        query.temporal_tolerance = Duration::from_secs(tolerance);
        query
    };
    run.turn(1, &[at(1, 1, 3)]);
    let turn = run.turn(5, &[at(2, 5, 9)]);
    assert_eq!(
        (ids(&turn.expired), ids(&turn.replaced)),
        (vec![1], vec![]),
        "expired, not replaced"
    );
    let turn = run.turn(8, &[at(3, 6, 1), at(4, 7, 1), at(5, 8, 1)]);
    assert_eq!((ids(&turn.expired), ids(&turn.replaced)), (vec![3], vec![2, 4]), "the last stays");
    let turn = run.turn(9, &[at(6, 7, 1)]);
    assert_eq!((ids(&turn.expired), ids(&turn.replaced)), (vec![6], vec![]), "6 replaces nothing");
    assert_eq!(ids(&run.state.waiting), [5]);
}

#[test]
fn paper_lets_the_queries_of_a_user_wait_side_by_side() {
    let town = town(PLACES);
    let mut run = Run::new(&town, Settings::paper());
    let arrivals = [query(&town, 1, 1, 1, ("A-B", 10.0)), query(&town, 2, 1, 1, ("C-D", 10.0))];
    assert!(run.turn(1, &arrivals).replaced.is_empty());
    assert_eq!(ids(&run.state.waiting), [1, 2]);
}

#[test]
fn a_set_without_an_asker_waits_for_one() {
    let town = town(PLACES);
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let mut run = Run::new(&town, Settings { guarantee, ..Settings::default() });
        let mut present =
            [query(&town, 1, 1, 1, ("A-B", 10.0)), query(&town, 2, 2, 1, ("A-B", 30.0))];
        present.iter_mut().for_each(|query| query.asks = false);
        let done = run.turn(1, &present);
        // Grouping forms no set without a question; the cliques of `paper` do not regard it.
        let idle = usize::from(guarantee == Guarantee::Paper);
        assert_eq!((done.served.len(), done.published.stats.idle), (0, idle), "{guarantee:?}");
        assert_eq!(sets(&done), Vec::<Vec<u64>>::new());
        let done = run.turn(2, &[query(&town, 3, 3, 2, ("A-B", 20.0))]);
        assert_eq!((sets(&done), done.published.stats.idle), (vec![vec![1, 2, 3]], 0));
    }
}

/// Queries of few users in order of time; some only report presence.
fn random_workload(town: &Town, seed: u64) -> Vec<Query> {
    let mut random = Town::generator(seed + 4_711);
    let count = random.random_range(10..60);
    let mut workload = town.random_queries(&mut random, count);
    workload.sort_by_key(|query| query.asked_at);
    for (number, query) in workload.iter_mut().enumerate() {
        query.id = QueryId(number as u64);
        query.user = UserId(random.random_range(0..2 + count as u64 / 4));
        query.k = random.random_range(2..=3);
        query.speed = Some(Speed::metres_per_second(random.random_range(10.0..900.0)));
        query.asks = random.random_bool(0.4);
    }
    workload
}

/// Checks one turn by user, and returns the numbers of replaced and served queries.
fn check(turn: &Turn<'_>, newest: &mut BTreeMap<UserId, u64>, what: &str) -> [usize; 2] {
    let mut users = BTreeSet::new();
    for (query, _) in &turn.served {
        assert!(users.insert(query.user), "a user is in two sets: {what}");
        let newest = newest.entry(query.user).or_default();
        assert!(*newest <= query.id.0, "a later query has left before: {what}");
        *newest = query.id.0;
    }
    let is_asked = |set| turn.served.iter().any(|(query, of)| *of == set && query.asks);
    assert!((0..turn.published.set_count() as u32).all(is_asked), "no member asks: {what}");
    assert_eq!(turn.published.stats.rejected.total(), 0, "{what}");
    [turn.replaced.len(), turn.served.len()]
}

#[test]
fn users_leave_once_a_batch_and_in_order_on_random_towns() {
    let (mut replaced, mut served, mut idle) = (0, 0, 0);
    for seed in 0..300 {
        let town = Town::random(seed * 2);
        let workload = random_workload(&town, seed);
        let guarantee = [Guarantee::Reciprocal, Guarantee::History][seed as usize % 2];
        let hold = (seed % 3 == 0)
            .then_some(Hold { max_wait: Duration::from_secs(3), margin: Duration::from_secs(1) });
        let mut run = Run::new(&town, Settings { guarantee, hold, ..Settings::default() });
        let (mut newest, mut ended) = (BTreeMap::new(), 0);
        for second in 0..=12 {
            let what = format!("seed {seed}, second {second}\n{town}");
            let now = Time::from_millis(second * 1_000);
            let arrived = |query: &&Query| query.asked_at.as_millis().div_ceil(1_000) == second;
            let arrivals: Vec<Query> = workload.iter().filter(arrived).cloned().collect();
            let all = run.state.waiting.iter().chain(&arrivals);
            let all: Vec<Query> = all.filter(|query| !query.has_expired(now)).cloned().collect();
            let turn = run.turn(second, &arrivals);
            let expected: Vec<u64> = naive::replaced(&all).iter().map(|id| id.0).collect();
            assert_eq!(ids(&turn.replaced), expected, "{what}");
            let counts = check(&turn, &mut newest, &what);
            (replaced, served) = (replaced + counts[0], served + counts[1]);
            idle += turn.published.stats.idle;
            ended += counts[0] + counts[1] + turn.expired.len();
        }
        assert_eq!(ended, workload.len(), "every query has one outcome: seed {seed}");
    }
    assert!(replaced > 1_000 && served > 1_000, "{replaced} {served}");
    assert_eq!(idle, 0, "sets without a question are not formed");
}
