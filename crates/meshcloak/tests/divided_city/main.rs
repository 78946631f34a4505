//! With region `cell` (docs/SPEC.md §7) what is published in a cell is a function of the queries of
//! that cell. So a city can be divided: engines that each have the queries of some cells publish
//! together, byte by byte, what one engine with all queries publishes.
//!
//! One waiting query per user holds over the whole city. In the divided city the test withdraws what
//! a newer query in another engine replaces. At each tick, in this order:
//!
//! 1. Queries that their users cancel leave; they replace nothing.
//! 2. Queries whose tolerance has ended leave as expired; they replace nothing.
//! 3. Of the other queries of a user, waiting or arriving in any engine, the last to arrive stays. The
//!    others are cancelled in their engines, in the batch of the same tick, and count as replaced.
//! 4. Every engine runs its turn.
//! 5. With the clock `published` of `history`, all engines are told what has left.

mod city;

use city::City;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::town::Town;
use rand::RngExt as _;

const GUARANTEES: [Guarantee; 3] = [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History];

/// Number of runs whose divided city publishes something else, and totals over all runs.
#[derive(Debug, Default)]
struct Totals {
    different: usize,
    /// The first difference.
    first: Option<String>,
    cells: usize,
    served: usize,
    replaced: usize,
    expired: usize,
    cancelled: usize,
    /// Sets of a cell that shared a tick with sets of other engines.
    concurrent: usize,
}

/// Compares one engine with two to five that own random cells.
fn compare(cities: impl Iterator<Item = City>) -> Totals {
    let mut totals = Totals::default();
    for (seed, city) in (0..).zip(cities) {
        let mut random = Town::generator(seed + 5);
        let engines = random.random_range(2..=5);
        let owners: Vec<usize> =
            city.cells.iter().map(|_| random.random_range(0..engines)).collect();
        let one = city.run(1, |_| 0);
        let divided =
            city.run(engines, |query| owners[city.cells.of(query.position.street).index()]);
        totals.different += usize::from(one != divided);
        totals.first = totals.first.or_else(|| {
            let mut seconds = one.iter().zip(&divided).enumerate();
            let (second, (one, divided)) = seconds.find(|(_, (one, divided))| one != divided)?;
            Some(format!("seed {seed}, {second} s: {one:?}\n{divided:?}\n{}", city.town))
        });
        totals.cells += city.cells.count();
        for events in &one {
            totals.served += events.served.len();
            totals.replaced += events.replaced.len();
            totals.expired += events.expired.len();
            totals.cancelled += events.cancelled.len();
            totals.concurrent += usize::from(events.disclosed.len() > 1);
        }
    }
    totals
}

#[test]
fn engines_that_share_the_cells_publish_what_one_engine_publishes() {
    for guarantee in GUARANTEES {
        let cities = (0..120).map(|seed| City::random(seed, guarantee, RegionRule::Cell));
        let totals = compare(cities);
        assert_eq!(totals.different, 0, "{guarantee:?}, {}", totals.first.unwrap_or_default());
        let Totals { cells, served, replaced, expired, cancelled, concurrent, .. } = totals;
        let has_one = guarantee.has_one_query_per_user();
        assert!(served > 4_000 && expired > 4_000 && cancelled > 500, "{totals:?}");
        assert!(cells > 400 && concurrent > 200 && (replaced > 1_000) == has_one, "{totals:?}");
    }
}

#[test]
fn with_sets_across_cells_a_divided_city_publishes_something_else() {
    let cells = RegionRule::Cells;
    for guarantee in GUARANTEES {
        let totals = compare((0..30).map(|seed| City::random(seed, guarantee, cells)));
        assert!(totals.different > 20, "{guarantee:?}: {totals:?}");
    }
}

#[test]
fn without_withdrawals_a_divided_city_publishes_something_else() {
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let totals = compare((0..30).map(|seed| {
            let mut city = City::random(seed, guarantee, RegionRule::Cell);
            city.withdraws = false;
            city
        }));
        assert!(totals.different > 10, "{guarantee:?}: {totals:?}");
    }
}

#[test]
fn engines_that_do_not_know_what_left_elsewhere_publish_something_else() {
    let totals = compare((0..120).map(|seed| {
        let mut city = City::random(seed, Guarantee::History, RegionRule::Cell);
        city.tells_what_left = false;
        city
    }));
    assert!(totals.different > 10, "{totals:?}");
}
