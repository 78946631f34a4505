use super::*;
use crate::privacy::recorded::RecordedPublication;
use crate::privacy::truth::Truth;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::naive;
use meshcloak::query::QueryId;
use meshcloak::region::Region;
use meshcloak::scheme::State;
use meshcloak::town::Town;
use meshcloak::units::Time;
use std::sync::Arc;

/// Runs random queries of a town in batches of a second.
fn recorded(town: &Town, atlas: &Arc<Atlas>, settings: Settings, seed: u64) -> RecordedRun {
    let mut random = Town::generator(seed + 99);
    let mut queries = town.random_queries(&mut random, 5 + seed as usize % 40);
    queries.sort_by_key(|query| query.asked_at);
    (0..).zip(&mut queries).for_each(|(number, query)| query.id = QueryId(number));
    let mut run = RecordedRun::default();
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut state = State::default();
    for second in 0..=12 {
        let now = Time::from_millis(second * 1_000);
        let arrived = |query: &&Query| query.asked_at.as_millis().div_ceil(1_000) == second;
        let arrivals = queries.iter().filter(arrived).cloned().collect();
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        run.expired.extend(done.expired.iter().map(|query| query.id.0 as u32));
        for (query, set) in &done.served {
            let members = done.published.set(*set).members.iter().map(|id| id.0 as u32).collect();
            let (query, region) = (query.id.0 as u32, Arc::new(Region::Mesh(Vec::new().into())));
            let publication = RecordedPublication { query, region, members };
            run.batches.entry(now).or_default().push(publication);
        }
    }
    assert!(state.waiting.is_empty());
    run.truth = Truth::new(queries);
    run
}

/// Reference: compares every expired query with every member of every set, by naive distances.
fn naive_missed_sets(town: &Town, run: &RecordedRun, rule: EdgeRule<'_>) -> MissedSets {
    let (map, table) = (&town.map, naive::terminal_distances(&town.map));
    let queries = run.truth.queries();
    let edges = match rule.cells {
        Some(cells) => naive::edges_in_cells(map, &table, rule.coverage, cells, queries),
        None => naive::edges(map, &table, rule.coverage, queries),
    };
    let adjacent = |a: u32, b: u32| edges.contains(&(a.min(b), a.max(b)));
    let mut missed = MissedSets { expired: run.expired.len() as u64, ..MissedSets::default() };
    for &expired in &run.expired {
        let query = run.truth.of(expired);
        let end = query.asked_at + query.temporal_tolerance;
        let sizes = run.batches.iter().filter(|(at, _)| (query.asked_at..=end).contains(at));
        let sizes = sizes.flat_map(|(_, publications)| publications);
        let sizes = sizes.filter(|set| set.members.iter().all(|&member| adjacent(expired, member)));
        if let Some(size) = sizes.map(|set| set.members.len()).max() {
            missed.beside_set += 1;
            missed.larger_k += u64::from(query.k as usize > size + 1);
        }
    }
    missed
}

/// Compares with the reference on random towns; returns the sums of all runs.
fn compared(guarantee: Guarantee, coverage: Coverage, region: RegionRule) -> MissedSets {
    let mut sum = MissedSets::default();
    for seed in 0..300 {
        let town = Town::random(seed);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let settings = Settings { guarantee, coverage, region, ..Settings::default() };
        let run = recorded(&town, &atlas, settings, seed);
        let cells = match region {
            RegionRule::Cell(length) => Some(Cells::new(&town.map, length)),
            _ => None,
        };
        let rule = EdgeRule { coverage, cells: cells.as_ref() };
        let found = run.missed_sets(&atlas, rule);
        assert_eq!(found, naive_missed_sets(&town, &run, rule), "seed {seed}\n{town}");
        sum.expired += found.expired;
        sum.beside_set += found.beside_set;
        sum.larger_k += found.larger_k;
    }
    sum
}

#[test]
fn a_query_that_waits_beside_a_set_has_a_larger_k() {
    let cell = RegionRule::Cell(Length::metres(400.0));
    let cases = [
        (Coverage::Own, RegionRule::default()),
        (Coverage::Both, RegionRule::default()),
        (Coverage::Own, cell),
    ];
    for (coverage, region) in cases {
        let sum = compared(Guarantee::Reciprocal, coverage, region);
        assert!(sum.beside_set > 20, "{coverage:?} {region:?}: {sum:?}");
        assert!(sum.beside_set < sum.expired, "{coverage:?} {region:?}: {sum:?}");
        assert_eq!(sum.larger_k, sum.beside_set, "{coverage:?} {region:?}");
    }
    let sum = compared(Guarantee::Paper, Coverage::Own, RegionRule::default());
    assert!(sum.expired > 1_000 && sum.beside_set == 0, "sets are largest cliques: {sum:?}");
}

#[test]
fn the_share_is_of_all_expired_queries() {
    let missed = MissedSets { expired: 8, beside_set: 2, larger_k: 1 };
    assert_eq!(missed.share(), Some(0.25));
    assert_eq!(MissedSets::default().share(), None);
}
