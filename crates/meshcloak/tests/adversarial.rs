//! Worst-case batches stay within their step budget and memory, and publish correct sets.

use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, Turn, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::LastPositions;
use meshcloak::map::{Position, StreetId};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Time};
use rand::RngExt as _;
use std::sync::Arc;
use std::time::Duration;

fn query(id: u64, position: Position, dc: Length) -> Query {
    Query::builder(UserId(id), position)
        .id(QueryId(id))
        .at(Time::default())
        .k(3)
        .dt(Duration::from_secs(3))
        .dc(dc)
        .build_unchecked()
}

/// Asserts that every set of a turn is a clique of distinct users and meets the k of its members.
fn check(atlas: &Atlas, queries: &[Query], done: &Turn) {
    for set in 0..done.published.set_count() as u32 {
        let members: Vec<&Query> =
            done.published.set(set).members.iter().map(|id| &queries[id.0 as usize]).collect();
        let covers = |a: &Query, b: &Query| {
            atlas.distance(a.position, b.position).is_some_and(|d| d <= a.distance_constraint)
        };
        // Samples the pairs of very large sets.
        let step = 1 + members.len() / 100;
        for (index, a) in members.iter().enumerate().step_by(step) {
            for b in members.iter().skip(index + 1).step_by(step) {
                assert!(a.user != b.user && covers(a, b) && covers(b, a), "{a:?} {b:?}");
            }
        }
    }
    for (query, set) in &done.served {
        assert!(done.published.set(*set).members.len() >= query.k as usize);
    }
}

/// Result of one batch.
#[derive(Debug, PartialEq, Eq)]
struct Summary {
    served: usize,
    largest_set: usize,
    truncated: bool,
}

fn one_turn(town: &Town, queries: &[Query]) -> Summary {
    one_turn_under(town, queries, Guarantee::Paper)
}

/// Runs and checks one batch.
fn one_turn_under(town: &Town, queries: &[Query], guarantee: Guarantee) -> Summary {
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let settings = Settings { guarantee, ..Settings::default() };
    let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
    let mut state = State::default();
    LastPositions::new(settings.horizon).record_all(queries, &mut state.history);
    let batch = Batch { now: Time::default(), arrivals: queries.to_vec(), cancelled: Vec::new() };
    let done = turn(&mut scheme, &mut state, batch, &mut ());
    check(&atlas, queries, &done);
    let sizes = done.served.iter().map(|(_, set)| done.published.set(*set).members.len());
    let largest_set = sizes.max().unwrap_or(0);
    let (served, truncated) = (done.served.len(), done.published.stats.truncated);
    assert_eq!(done.published.stats.rejected.total(), 0);
    assert!(done.published.stats.edges <= 1 << 26, "{} edges", done.published.stats.edges);
    assert_eq!(served + state.waiting.len() + done.replaced.len(), queries.len());
    Summary { served, largest_set, truncated }
}

#[test]
fn a_ring_road_where_each_query_reaches_all_but_the_opposite_one() {
    // A square ring of 4 × 400 m; dc is just under half of it.
    let ring = town("A 0,0  B 400,0  C 400,400  D 0,400 | A-B B-C C-D D-A");
    for count in [60, 200, 1_000_u64] {
        let apart = 1_600.0 / count as f64;
        let queries: Vec<Query> = (0..count)
            .map(|id| {
                let metres = id as f64 * apart;
                let street = StreetId((metres / 400.0) as u32);
                let offset = Length::metres(metres % 400.0);
                query(id, Position { street, offset }, Length::metres(800.0 - apart / 2.0))
            })
            .collect();
        let Summary { served, largest_set, truncated } = one_turn(&ring, &queries);
        assert_eq!(served as u64, count);
        // The larger rings are crowds, in which 32 members are enough.
        let expected = if count == 60 { (30, false) } else { (32, true) };
        assert_eq!((largest_set, truncated), expected, "{count}");
        for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
            if count > 200 && guarantee == Guarantee::History {
                continue;
            }
            let served = one_turn_under(&ring, &queries, guarantee).served;
            assert_eq!(served as u64, count, "{guarantee:?}");
        }
    }
}

#[test]
fn the_printed_pipeline_stays_within_its_budget_and_serves_cliques() {
    let ring = town("A 0,0  B 400,0  C 400,400  D 0,400 | A-B B-C C-D D-A");
    let atlas = Arc::new(Atlas::new(ring.map.clone(), MAX_DC_MAX));
    let queries: Vec<Query> = (0..100)
        .map(|id| {
            let position = Position {
                street: StreetId(id as u32 / 25),
                offset: Length::metres((id % 25 * 16) as f64),
            };
            query(id, position, Length::metres(792.0))
        })
        .collect();
    for budget in [0, 1, 7, 500] {
        let settings = Settings { budget, ..Settings::default() };
        let mut scheme = Printed::new(Arc::clone(&atlas), settings);
        let mut state = State::default();
        let batch =
            Batch { now: Time::default(), arrivals: queries.clone(), cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        check(&atlas, &queries, &done);
        assert!(done.published.stats.truncated);
        assert!(done.published.stats.steps <= 100 * u64::from(budget + 1));
        assert_eq!(done.served.len() + state.waiting.len(), queries.len());
        assert!(budget < 500 || done.served.len() == queries.len(), "{}", done.served.len());
    }
}

#[test]
fn five_thousand_queries_on_one_street_are_served_in_sets_of_enough_members() {
    let street = town("A 0,0  B 300,0 | A-B");
    let queries: Vec<Query> = (0..5_000)
        .map(|id| {
            let offset = Length::from_units(id as u32);
            query(id, Position { street: StreetId(0), offset }, Length::metres(400.0))
        })
        .collect();
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let Summary { served, largest_set, truncated } =
            one_turn_under(&street, &queries, guarantee);
        assert_eq!((served, truncated), (5_000, true), "{guarantee:?}");
        assert!((32..=64).contains(&largest_set), "{guarantee:?}: {largest_set}");
    }
}

#[test]
fn a_moon_moser_graph_is_served_completely() {
    // Moon–Moser graph: a star of streets with three queries of one user on each ray.
    let text: String = (0..30).map(|ray| format!("R{ray} {},{} ", ray * 7, 90)).collect();
    let rays: String = (0..30).map(|ray| format!(" M-R{ray}:120")).collect();
    let star = town(&format!("M 100,0 {text}|{rays}"));
    let queries: Vec<Query> = (0..90)
        .map(|id| {
            let position =
                Position { street: StreetId(id as u32 / 3), offset: Length::metres(50.0) };
            let mut query = query(id, position, Length::metres(500.0));
            query.user = UserId(id / 3);
            query
        })
        .collect();
    let expected = Summary { served: 90, largest_set: 30, truncated: false };
    assert_eq!(one_turn(&star, &queries), expected);
    // One waiting query per user.
    assert_eq!(one_turn_under(&star, &queries, Guarantee::Reciprocal).served, 30);
}

#[test]
fn a_thousand_queries_of_one_user_do_not_hide_each_other() {
    let street = town("A 0,0  B 300,0 | A-B");
    let mut queries: Vec<Query> = (0..1_000)
        .map(|id| {
            let position = Position { street: StreetId(0), offset: Length::from_units(id as u32) };
            let mut query = query(id, position, Length::metres(400.0));
            query.user = UserId(7);
            query
        })
        .collect();
    let nothing = Summary { served: 0, largest_set: 0, truncated: false };
    assert_eq!(one_turn(&street, &queries), nothing);
    queries[500].user = UserId(8);
    queries[501].user = UserId(9);
    let expected = Summary { served: 1_000, largest_set: 3, truncated: false };
    assert_eq!(one_turn(&street, &queries), expected);
    let expected = Summary { served: 3, largest_set: 3, truncated: false };
    let reciprocal = one_turn_under(&street, &queries, Guarantee::Reciprocal);
    assert_eq!(reciprocal, expected, "three users, one query each");
}

#[test]
fn fifty_thousand_queries_in_a_square_kilometre_fit_into_memory() {
    // Blocks of 100 m; the constraints of profile P1.
    let mut text: String =
        (0..121).map(|n| format!("T{n} {},{} ", n % 11 * 100, n / 11 * 100)).collect();
    text.push('|');
    for n in 0..121 {
        if n % 11 < 10 {
            text += &format!(" T{n}-T{}", n + 1);
        }
        if n / 11 < 10 {
            text += &format!(" T{n}-T{}", n + 11);
        }
    }
    let blocks = town(&text);
    let mut random = Town::generator(1);
    let queries: Vec<Query> = (0..50_000)
        .map(|id| {
            let speed = [10.0, 20.0, 30.0, 50.0][random.random_range(0..4)];
            let interval = [5.0, 5.0, 10.0, 20.0][random.random_range(0..4)];
            query(id, blocks.position(&mut random), Length::metres(speed * interval))
        })
        .collect();
    let Summary { served, truncated, .. } = one_turn(&blocks, &queries);
    assert!(truncated && served > 49_000, "{served} served");
    let summary = one_turn_under(&blocks, &queries, Guarantee::Reciprocal);
    let Summary { served, truncated, .. } = summary;
    assert!(truncated && served > 45_000, "{served} served");
}
