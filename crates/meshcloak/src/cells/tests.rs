//! Cells are connected, balanced and deterministic; regions depend on the members' cells alone.

use super::*;
use crate::town::{Town, town};
use rand::RngExt as _;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Returns the connected components of streets, by exhaustive search.
fn parts(map: &StreetMap, streets: &[StreetId]) -> Vec<Vec<StreetId>> {
    let mut open: BTreeSet<StreetId> = streets.iter().copied().collect();
    let meet = |a: StreetId, b: StreetId| {
        let (a, b) = (map.street(a), map.street(b));
        [a.from, a.to].iter().any(|end| [b.from, b.to].contains(end))
    };
    let mut parts = Vec::new();
    while let Some(first) = open.pop_first() {
        let mut part = vec![first];
        let mut index = 0;
        while index < part.len() {
            let next: Vec<StreetId> =
                open.iter().copied().filter(|&other| meet(part[index], other)).collect();
            next.iter().for_each(|street| _ = open.remove(street));
            part.extend(next);
            index += 1;
        }
        parts.push(part);
    }
    parts
}

fn weigh(weights: &[u32], streets: &[StreetId]) -> u64 {
    streets.iter().map(|street| u64::from(weights[street.index()])).sum()
}

fn lengths(map: &StreetMap) -> Vec<u32> {
    map.streets().map(|id| map.street(id).length.units()).collect()
}

/// Asserts that each street is in one cell, cells are connected, and neighbours are correct.
fn check(town: &Town, cells: &Cells, message: &str) {
    let map = &town.map;
    let mut all: Vec<StreetId> = Vec::new();
    for cell in cells.iter() {
        let streets = cells.streets(cell);
        assert!(streets.is_sorted_by(|a, b| a < b), "{message}");
        assert!(streets.iter().all(|&street| cells.of(street) == cell), "{message}");
        assert_eq!(parts(map, streets).len(), 1, "{message}, {cell:?} {streets:?}\n{town}");
        let meets = |other: &CellId| {
            let both = [streets, cells.streets(*other)].concat();
            *other != cell && parts(map, &both).len() == 1
        };
        let expected: Vec<CellId> = cells.iter().filter(meets).collect();
        assert_eq!(cells.neighbours(cell), expected, "{message}\n{town}");
        all.extend(streets);
    }
    all.sort_unstable();
    assert!(all.iter().copied().eq(map.streets()), "{message}: each street once\n{town}");
}

#[test]
fn every_street_is_in_one_connected_cell_and_cells_are_deterministic() {
    let (mut cut, mut whole) = (0, 0);
    for seed in 0..600 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let length = Length::metres([1.0, 100.0, 400.0, 1200.0, 9e5][random.random_range(0..5)]);
        let cells = Cells::new(&town.map, length);
        check(&town, &cells, &format!("seed {seed}, {length:?}"));
        assert_eq!(cells, Cells::new(&town.map, length), "seed {seed}");
        let weights: Vec<u32> = town.map.streets().map(|_| random.random_range(0..4) * 7).collect();
        check(&town, &Cells::balanced(&town.map, length, &weights), &format!("weighed {seed}"));
        let connected = parts(&town.map, &town.map.streets().collect::<Vec<_>>()).len();
        cut += usize::from(cells.count() > connected);
        whole += usize::from(cells.count() == connected);
    }
    assert!(cut > 150 && whole > 150, "{cut} towns cut, {whole} whole");
}

#[test]
fn with_short_streets_every_cell_has_half_to_one_and_a_half_of_the_target_length() {
    let mut many = 0;
    for seed in 0..300 {
        let town = Town::random(seed * 2);
        let lengths = lengths(&town.map);
        let longest = lengths.iter().copied().max().unwrap();
        for target in [2 * longest, 3 * longest, 7 * longest] {
            let cells = Cells::new(&town.map, Length::from_units(target));
            let all: Vec<StreetId> = town.map.streets().collect();
            let small = parts(&town.map, &all).into_iter();
            let small = small.filter(|part| 2 * weigh(&lengths, part) < u64::from(target)).count();
            let sizes = cells.iter().map(|cell| weigh(&lengths, cells.streets(cell)));
            let sizes: Vec<u64> = sizes.collect();
            let target = u64::from(target);
            assert!(
                sizes.iter().all(|size| 2 * size < 3 * target),
                "seed {seed} {sizes:?}\n{town}"
            );
            let too_small = sizes.iter().filter(|size| **size * 2 < target).count();
            assert_eq!(too_small, small, "seed {seed}, {target}: {sizes:?}\n{town}");
            many += usize::from(cells.count() > 2);
        }
    }
    assert!(many > 50, "only {many} with more than two cells");
}

#[test]
fn a_star_a_comb_and_a_ring_are_cut_evenly() {
    let mut star = String::from("Z 0,0 ");
    let mut spokes = String::new();
    let mut comb = String::from("| ");
    let mut teeth = String::new();
    for number in 0..40 {
        write!(star, "S{number} {number},100 ").unwrap();
        write!(spokes, " Z-S{number}:300").unwrap();
        write!(teeth, "B{number} {},0 T{number} {},100 ", number * 100, number * 100).unwrap();
        write!(comb, "B{number}-T{number}:100 ").unwrap();
        if number > 0 {
            write!(comb, "B{}-B{number} ", number - 1).unwrap();
        }
    }
    let ring: String = (0..40).map(|n| format!(" B{n}-B{}:4000", (n + 1) % 40)).collect();
    for (text, metres) in [
        (format!("{star}|{spokes}"), 1200.0),
        (format!("{teeth}{comb}"), 800.0),
        (format!("{teeth}|{ring}"), 12_000.0),
    ] {
        let town = town(&text);
        let cells = Cells::new(&town.map, Length::metres(metres));
        check(&town, &cells, "drawn");
        for cell in cells.iter() {
            let size: f64 = cells.streets(cell).iter().map(|&id| town.map.metres(id)).sum();
            assert!((0.66 * metres..=1.34 * metres).contains(&size), "{size} of {metres}");
        }
    }
}

#[test]
fn a_cell_spans_a_river_only_over_a_bridge() {
    //  A ── B ── C ── D      400 m each, the banks 20 m apart,
    //                  │     one bridge far to the east
    //  E ── F ── G ── H
    let town = town(
        "A 0,20 B 400,20 C 800,20 D 1200,20 E 0,0 F 400,0 G 800,0 H 1200,0 | A-B B-C C-D E-F F-G G-H D-H",
    );
    let cells = Cells::new(&town.map, Length::metres(800.0));
    check(&town, &cells, "river");
    assert_ne!(cells.of(town.street("A-B")), cells.of(town.street("E-F")));
    assert_eq!(cells.count(), 3);
}

#[test]
fn popular_streets_make_small_cells() {
    //  twenty streets of 100 m in a row; the first five have most of the weight
    let terminals: String = (0..21).map(|n| format!("T{n} {},0 ", n * 100)).collect();
    let streets: String = (0..20).map(|n| format!(" T{n}-T{}", n + 1)).collect();
    let town = town(&format!("{terminals}|{streets}"));
    let weights: Vec<u32> = (0..20).map(|n| if n < 5 { 13 } else { 1 }).collect();
    let cells = Cells::balanced(&town.map, Length::metres(500.0), &weights);
    check(&town, &cells, "popular");
    let size = |street: &str| cells.streets(cells.of(town.street(street))).len();
    assert!(size("T0-T1") <= 2 && size("T19-T20") >= 14, "{} {}", size("T0-T1"), size("T19-T20"));
}

#[test]
fn neighbours_have_different_colours() {
    for seed in 0..200 {
        let town = Town::random(seed * 3);
        let cells = Cells::new(&town.map, Length::metres(150.0));
        let colours = cells.colours();
        for cell in cells.iter() {
            let others = cells.neighbours(cell).iter();
            let mut others = others.map(|other| colours[other.index()]);
            assert!(others.all(|other| other != colours[cell.index()]), "seed {seed}\n{town}");
        }
    }
}

#[test]
fn a_region_is_the_union_of_the_members_cells_and_depends_on_them_alone() {
    let mut several = 0;
    for seed in 0..400 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let cells = Arc::new(Cells::new(&town.map, Length::metres(200.0)));
        let mut builder = CellRegions::new(Arc::clone(&cells));
        let members: Vec<StreetId> =
            (0..random.random_range(1..5)).map(|_| town.position(&mut random).street).collect();
        let occupied: BTreeSet<CellId> = members.iter().map(|&street| cells.of(street)).collect();
        let mut region = Vec::new();
        builder.region(members.iter().copied(), &mut region);
        let published: BTreeSet<CellId> = region.iter().map(|&street| cells.of(street)).collect();
        assert_eq!(published, occupied, "seed {seed}\n{town}");
        let mut all: Vec<StreetId> =
            published.iter().flat_map(|&cell| cells.streets(cell)).copied().collect();
        all.sort_unstable();
        assert_eq!(region, all, "seed {seed}\n{town}");
        // Other members in the same cells, in any order, have the same region.
        let mut others: Vec<StreetId> =
            occupied.iter().rev().flat_map(|&cell| cells.streets(cell).last()).copied().collect();
        others.extend(members.iter().rev());
        let mut other_region = Vec::new();
        builder.region(others.into_iter(), &mut other_region);
        assert_eq!(region, other_region, "seed {seed}\n{town}");
        several += usize::from(published.len() > 1);
    }
    assert!(several > 100, "only {several} regions have several cells");
}
