//! Region `cell` (docs/SPEC.md §7): every set lies in one cell, its region is that cell, and no cell
//! has an effect on another, also if a budget is spent. `divided_city.rs` has the same over whole runs.

use meshcloak::cells::Cells;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::PastPosition;
use meshcloak::map::StreetId;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::naive;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Published, RegionDependence, Scheme, State};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Speed, Time};
use std::sync::Arc;

const GUARANTEES: [Guarantee; 3] = [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History];

fn settings(guarantee: Guarantee, metres: f64) -> Settings {
    let region = RegionRule::Cell(Length::metres(metres));
    Settings { guarantee, region, ..Settings::default() }
}

/// Returns the members and the region of each set, sorted.
fn sets(published: &Published, town: &Town) -> Vec<(Vec<QueryId>, Vec<StreetId>)> {
    let sets = (0..published.set_count() as u32).map(|number| published.set(number));
    let mut sets: Vec<_> = sets
        .map(|set| (set.members.to_vec(), set.region.streets(&town.map).into_owned()))
        .collect();
    sets.sort();
    sets
}

#[test]
fn every_set_lies_in_one_cell_which_is_its_region() {
    let mut found = 0;
    for seed in 0..200 {
        let town = Town::random(seed * 3);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let waiting = town.random_queries(&mut Town::generator(seed), 5 + seed as usize % 90);
        let state = State::with_waiting(waiting);
        let metres = [50.0, 200.0, 800.0][seed as usize % 3];
        let cells = Cells::new(&town.map, Length::metres(metres));
        for guarantee in GUARANTEES {
            let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings(guarantee, metres));
            assert_eq!(scheme.describe().regions, RegionDependence::Fixed);
            let published = scheme.cloak(&state, Time::default(), &mut ());
            for (members, region) in sets(published, &town) {
                let queries = members.iter().map(|id| &state.waiting[id.0 as usize]);
                let queries: Vec<&Query> = queries.collect();
                assert!(naive::is_one_cell(&cells, &queries, &region), "seed {seed}\n{town}");
                found += 1;
            }
        }
    }
    assert!(found > 1_000, "only {found} sets");
}

#[test]
fn sets_in_cells_depend_on_neither_threads_nor_scratch_buffers() {
    let town = Town::random(590);
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let pools = [1, 2, 8].map(|threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads")
    });
    for guarantee in GUARANTEES {
        let mut warm = MeshCloak::new(Arc::clone(&atlas), settings(guarantee, 300.0));
        let mut served = 0;
        for seed in 0..6 {
            let waiting = town.random_queries(&mut Town::generator(seed), 40 + 150 * seed as usize);
            let state = State::with_waiting(waiting);
            let expected = warm.cloak(&state, Time::default(), &mut ()).clone();
            served += expected.served().len();
            for pool in &pools {
                let mut fresh = MeshCloak::new(Arc::clone(&atlas), settings(guarantee, 300.0));
                let found = pool.install(|| fresh.cloak(&state, Time::default(), &mut ()).clone());
                assert_eq!(found, expected, "{guarantee:?}, {} queries", state.waiting.len());
            }
        }
        assert!(served > 300, "{guarantee:?}: only {served} were served");
    }
}

/// Two streets of 400 m, each a cell, 5 m apart.
fn two_cells() -> (Town, Arc<Atlas>) {
    let town = town("A 0,0  B 400,0  C 405,0  D 805,0 | A-B B-C C-D");
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    (town, atlas)
}

/// Queries on a street, evenly spaced, with small distance constraints on the street `C-D`.
fn queries_on(town: &Town, street: &str, count: u64, first: u64) -> Vec<Query> {
    let template = town.random_queries(&mut Town::generator(1), 1).remove(0);
    let query = |number: u64| {
        let mut query = template.clone();
        (query.id, query.user) = (QueryId(first + number), UserId(first + number));
        query.position = town.at(street, 400.0 * number as f64 / count as f64);
        query.k = 2 + number as u32 % 3;
        let dc = if street == "A-B" { 900.0 } else { 7.0 };
        query.distance_constraint = Length::metres(dc);
        query.speed = Some(Speed::metres_per_second(10.0));
        query
    };
    (0..count).map(query).collect()
}

/// Returns the sets in the cell of `C-D` that a batch publishes.
fn sets_of_second_cell(settings: Settings, state: &State) -> (Vec<Vec<QueryId>>, bool) {
    let (town, atlas) = two_cells();
    let mut scheme = MeshCloak::new(atlas, settings);
    let published = scheme.cloak(state, Time::default(), &mut ());
    let street = town.street("C-D");
    let own = sets(published, &town).into_iter().filter(|(_, region)| region.contains(&street));
    (own.map(|(members, _)| members).collect(), published.stats.truncated)
}

#[test]
fn a_cell_with_more_edges_than_fit_into_memory_has_no_effect_on_others() {
    let (town, _) = two_cells();
    let quiet = queries_on(&town, "C-D", 200, 0);
    // 4.5 million pairs, all within reach.
    let dense = queries_on(&town, "A-B", 3_000, 1_000);
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let settings = settings(guarantee, 400.0);
        let alone = sets_of_second_cell(settings, &State::with_waiting(quiet.clone()));
        assert!(alone.0.len() > 20 && !alone.1, "{} sets", alone.0.len());
        let both = State::with_waiting(quiet.iter().chain(&dense).cloned().collect());
        let (found, is_truncated) = sets_of_second_cell(settings, &both);
        assert_eq!(found, alone.0, "{guarantee:?}");
        assert!(is_truncated, "{guarantee:?}: the limit is not reached");
    }
}

#[test]
fn searches_for_reachable_positions_in_one_cell_take_no_steps_from_another() {
    // A long loop: the users of the second cell come from far away and need a search each.
    let mut text = String::from("A 0,0  B 400,0  C 405,0  D 805,0 ");
    let mut streets = String::from("| A-B B-C C-D");
    let last = 3_000;
    for number in 0..last {
        text.push_str(&format!("L{number} {},{} ", 805 + number % 2, number));
        let before = if number == 0 { "D".to_owned() } else { format!("L{}", number - 1) };
        streets.push_str(&format!(" {before}-L{number}:2"));
    }
    let town = town(&format!("{text}{streets}"));
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(300.0)));
    let far = town.at(&format!("L{}-L{}", last - 2, last - 1), 1.0);
    let state = |queries: Vec<Query>| {
        let mut state = State::with_waiting(queries);
        for query in &mut state.waiting {
            query.k = 2;
            query.distance_constraint = Length::metres(250.0);
            query.asked_at = Time::from_millis(1_000_000);
            let at = Time::from_millis(1_000_000 - 690_000);
            let past = PastPosition { at, position: far, travelled: None };
            state.history.set_previous(query.id, Some(past));
        }
        state
    };
    let settings = settings(Guarantee::History, 400.0);
    let run = |queries: Vec<Query>| {
        let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
        let published = scheme.cloak(&state(queries), Time::from_millis(1_000_000), &mut ());
        let own = sets(published, &town).into_iter().map(|(members, _)| members);
        (own.filter(|set| set[0].0 >= 5_000).collect::<Vec<_>>(), published.stats.truncated)
    };
    let quiet = queries_on(&town, "C-D", 2, 5_000);
    let alone = run(quiet.clone());
    assert_eq!(alone, (vec![vec![QueryId(5_000), QueryId(5_001)]], false));
    // The steps of a whole batch would be spent before the last two: a search has 3,000.
    let busy = queries_on(&town, "A-B", 1_500, 0);
    let (found, is_truncated) = run(busy.into_iter().chain(quiet).collect());
    assert_eq!(found, alone.0);
    assert!(is_truncated, "the budget of the busy cell is not spent");
}
