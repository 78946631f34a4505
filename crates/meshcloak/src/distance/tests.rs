//! Distances and rows agree with Floyd–Warshall on random towns.

use super::*;
use crate::map::StreetId;
use crate::naive;
use crate::town::{Town, town};

/// Short, so that small towns have far parts.
const NEAR_LEN: usize = 5;

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
        let matrix = DistanceMatrix::new(map, MAX_DC_MAX);
        let reach = Reach::with_near_len(map, &matrix, NEAR_LEN);
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
            assert_eq!(reach.own(street), crossing(street, street), "seed {seed}\n{town}");
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
        let matrix = DistanceMatrix::new(&town.map, MAX_DC_MAX);
        let reach = Reach::with_near_len(&town.map, &matrix, NEAR_LEN);
        for street in town.map.streets() {
            let row = reach.near(street).entries;
            let others = row.iter().map(|reached| (u32::from(reached.rank), reached.street));
            let mut ranks: Vec<_> = others.chain([(reach.rank(street), street)]).collect();
            ranks.sort_unstable();
            assert!(ranks.is_sorted_by_key(|(_, street)| *street), "seed {seed}\n{town}");
            assert!((0..).zip(&ranks).all(|(number, (rank, _))| *rank == number));
            for max_distance in [-1, 0, 3_000, 10_000, 65_000] {
                let within = |reached: &&ReachedStreet| i32::from(reached.nearest) <= max_distance;
                let needed = reach.row(street).filter(within).count();
                assert_eq!(
                    reach.is_near(street, max_distance),
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
