//! Distances and rows agree with Floyd–Warshall on random towns.

use super::*;
use crate::map::StreetId;
use crate::naive;
use crate::town::{Town, town};
use rayon::prelude::*;
use std::sync::Arc;

/// Short, so that small towns have far parts.
const NEAR_LEN: usize = 5;

/// Rows that are computed on demand, or all in advance.
fn rows(map: &StreetMap, is_filled: bool) -> Reach {
    let source = RowSource::new(Arc::new(map.clone()), MAX_DC_MAX);
    let reach = Reach::new(Arc::new(source), NEAR_LEN);
    if is_filled {
        reach.fill();
    }
    reach
}

#[test]
fn a_one_way_street_is_short_in_one_direction_only() {
    //            C
    //    125 m ╱ │ 75 m
    //        ╱   │
    //       A ─▶ B      100 m, one way
    let town = town("A 0,0  B 100,0  C 100,75 | A>B B-C C-A");
    let (a, b) = (town.at("A>B", 10.0), town.at("A>B", 60.0));
    let atlas = Atlas::new(town.map, Length::metres(2000.0));
    assert_eq!(atlas.distance(a, b), Some(Length::metres(50.0)));
    assert_eq!(atlas.distance(b, a), Some(Length::metres(250.0)));
}

#[test]
fn the_path_around_may_be_shorter_than_straight_along() {
    //  a long bend from A to B, and a short street parallel to it
    let town = town("A 0,0  B 10,0 | A-B(5,500) A-B");
    let (a, b) = (town.at("A-B", 10.0), town.at("A-B", 990.0));
    let atlas = Atlas::new(town.map, Length::metres(2000.0));
    assert!(atlas.distance(a, b).unwrap() < Length::metres(40.0));
}

#[test]
fn distance_agrees_with_floyd_warshall() {
    let (mut within, mut beyond) = (0, 0);
    for seed in 0..500 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let dc_max = Length::metres(200.0 + (seed % 10) as f64 * 200.0);
        let table = naive::terminal_distances(&town.map);
        let atlas = Atlas::new(town.map.clone(), dc_max);
        for _ in 0..20 {
            let (a, b) = (town.position(&mut random), town.position(&mut random));
            let expected = naive::distance(&town.map, &table, a, b);
            let expected = expected.filter(|&length| length <= dc_max);
            assert_eq!(atlas.distance(a, b), expected, "seed {seed} {a:?} {b:?}\n{town}");
            within += usize::from(expected.is_some());
            beyond += usize::from(expected.is_none());
        }
    }
    assert!(within > 1000 && beyond > 1000, "{within} within, {beyond} beyond");
}

#[test]
fn a_row_holds_the_distances_between_the_ends_of_two_streets() {
    let mut entries = 0;
    for seed in 0..200 {
        let town = Town::random(seed);
        let map = &town.map;
        let reach = rows(map, seed % 2 == 1);
        let table = naive::terminal_distances(map);
        let crossing = |from: StreetId, to: StreetId| -> Crossing {
            let (a, b) = (map.street(from), map.street(to));
            let ends = [(a.from, b.from), (a.from, b.to), (a.to, b.from), (a.to, b.to)];
            let is_usable = [!a.one_way, !a.one_way && !b.one_way, true, !b.one_way];
            std::array::from_fn(|path| {
                let (u, w) = ends[path];
                let length = table[u.index()][w.index()].filter(|d| *d <= MAX_DC_MAX);
                let length = length.filter(|_| is_usable[path]);
                length.map_or(UNREACHABLE, |length| length.units() as u16)
            })
        };
        for street in map.streets() {
            let row: Vec<&ReachedStreet> = reach.row(street).collect();
            let back: Vec<Option<Crossing>> = reach
                .parts(street, i32::MAX)
                .into_iter()
                .flat_map(|part| {
                    (0..part.entries.len()).map(move |at| part.back.map(|back| back[at]))
                })
                .collect();
            assert!(row.is_sorted_by_key(|reached| (reached.nearest, reached.street)));
            assert_eq!(reach.near(street).own, crossing(street, street), "seed {seed}\n{town}");
            for (entry, reached) in row.iter().enumerate() {
                let there = crossing(street, reached.street);
                assert_eq!(reached.crossing, there, "seed {seed} {street:?}\n{town}");
                assert_eq!(Some(reached.nearest), there.into_iter().min());
                let expected = crossing(reached.street, street);
                assert_eq!(back[entry].unwrap_or(expected), expected, "seed {seed}\n{town}");
                assert_eq!(back[entry].is_none(), reach.is_two_way());
            }
            let others = map.streets().filter(|&other| other != street);
            let near = others.filter(|&other| crossing(street, other) != [UNREACHABLE; 4]).count();
            assert_eq!(near, row.len(), "seed {seed} {street:?}\n{town}");
            entries += near;
        }
    }
    assert!(entries > 4_000, "only {entries} entries were compared");
}

#[test]
fn near_entries_are_ranked_in_street_order() {
    let (mut near, mut far) = (0, 0);
    for seed in 0..200 {
        let town = Town::random(seed);
        let reach = rows(&town.map, seed % 2 == 1);
        for street in town.map.streets() {
            let row = reach.near(street).part.entries;
            let others = row.iter().map(|reached| (u32::from(reached.rank), reached.street));
            let mut ranks: Vec<_> = others.chain([(reach.near(street).rank, street)]).collect();
            ranks.sort_unstable();
            assert!(ranks.is_sorted_by_key(|(_, street)| *street), "seed {seed}\n{town}");
            assert!((0..).zip(&ranks).all(|(number, (rank, _))| *rank == number));
            for max_distance in [-1, 0, 3_000, 10_000, 65_000] {
                let within = |reached: &&ReachedStreet| i32::from(reached.nearest) <= max_distance;
                let needed = reach.row(street).filter(within).count();
                assert_eq!(
                    reach.near(street).is_enough(max_distance),
                    needed <= row.len(),
                    "{max_distance}"
                );
                let rest = reach.parts(street, max_distance)[1].entries;
                assert!(needed <= row.len() + rest.len());
                assert_eq!(rest.is_empty(), needed <= row.len());
                *if needed <= row.len() { &mut near } else { &mut far } += 1;
            }
        }
    }
    assert!(near > 1_000 && far > 500, "{near} near, {far} far");
}

/// Everything that a reader can see of a row up to a distance.
fn visible(reach: &Reach, street: StreetId, max_distance: i32) -> Vec<(ReachedStreet, Crossing)> {
    let parts = reach.parts(street, max_distance).into_iter();
    let entries = parts.flat_map(|part| {
        let back = move |entry: usize| part.back.map_or([0; 4], |back| back[entry]);
        part.entries.iter().enumerate().map(move |(entry, reached)| (*reached, back(entry)))
    });
    entries.take_while(|(reached, _)| i32::from(reached.nearest) <= max_distance).collect()
}

#[test]
fn rows_do_not_depend_on_who_computes_them_when() {
    let mut middle = 0;
    for seed in 0..120 {
        let town = Town::random(seed);
        let expected = rows(&town.map, true);
        let limits = [65_000, 20_000, 4_000, 0, -1].map(|limit: i32| limit - seed as i32);
        // Streets and distances in other orders, by several threads at once.
        let streets: Vec<StreetId> = town.map.streets().collect();
        for turn in 0..3 {
            let reach = rows(&town.map, false);
            let tasks = streets.iter().flat_map(|&street| limits.map(|limit| (street, limit)));
            let mut tasks: Vec<(StreetId, i32)> = tasks.collect();
            let key = |task: &(StreetId, i32)| (task.1 as u32 ^ task.0.0).wrapping_mul(77_777_777);
            match turn {
                0 => tasks.reverse(),
                1 => tasks.sort_by_key(key),
                _ => {}
            }
            tasks.into_par_iter().for_each(|(street, limit)| {
                let found = visible(&reach, street, limit);
                assert_eq!(found, visible(&expected, street, limit), "seed {seed}\n{town}");
            });
            assert!(reach.entry_count() >= expected.entry_count());
            middle += usize::from(reach.entry_count() > expected.entry_count());
        }
        let few = rows(&town.map, false);
        few.near(streets[0]);
        assert!(few.bytes() <= expected.bytes() && few.entry_count() <= expected.entry_count());
    }
    assert!(middle > 20, "middle tails were computed in {middle} cases");
}

#[test]
fn the_number_of_entries_is_estimated_within_a_factor_of_two() {
    for seed in 0..200 {
        let town = Town::random(seed);
        let source = RowSource::new(Arc::new(town.map.clone()), MAX_DC_MAX);
        let estimate = source.estimate_entries();
        let entries = rows(&town.map, true).entry_count();
        assert!(2 * estimate >= entries, "seed {seed}: {estimate} for {entries}\n{town}");
        assert!(estimate <= 2 * (entries + town.map.street_count()), "seed {seed}: {estimate}");
    }
}
