//! Meshes are those of the definition, and are remembered while that is worth its memory.

use super::*;
use crate::distance::LARGEST_DC_MAX;
use crate::naive;
use crate::town::{Town, town};
use rand::RngExt as _;

#[test]
fn a_mesh_is_the_union_of_what_its_members_can_reach() {
    let mut missed = 0;
    for seed in 0..400 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let most_bytes = if seed % 2 == 0 { usize::MAX } else { 0 };
        let atlas = Arc::new(Atlas::within(town.map.clone(), LARGEST_DC_MAX, most_bytes));
        let table = naive::terminal_distances(&town.map);
        let mut builder = MeshBuilder::new(Arc::clone(&atlas), MeshRule::Reach);
        let members: Vec<MeshKey> = (0..random.random_range(1..5))
            .map(|_| MeshKey {
                street: town.position(&mut random).street,
                dc: Length::from_units(random.random_range(1..=LARGEST_DC_MAX.units())),
            })
            .collect();
        let expected = naive::cloaking_mesh(&town.map, &table, &members);
        for known in 0..2 {
            let mut mesh = Vec::new();
            builder.cloaking_mesh(members.iter().copied(), &mut mesh);
            assert_eq!(mesh, expected, "seed {seed}, {known} {members:?}\n{town}");
        }
        let mut printed = Vec::new();
        MeshBuilder::new(atlas, MeshRule::Printed)
            .cloaking_mesh(members.iter().copied(), &mut printed);
        missed += usize::from(expected.iter().any(|street| !printed.contains(street)));
    }
    assert!(missed > 100, "Algorithm 3 as printed missed a street in {missed} of 400 towns");
}

#[test]
fn meshes_of_many_sets_at_once_are_those_of_each_alone() {
    for seed in 0..100 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
        let rule = if seed % 2 == 0 { MeshRule::Reach } else { MeshRule::Printed };
        let mut builder = MeshBuilder::new(Arc::clone(&atlas), rule);
        for _ in 0..5 {
            // More than can be kept, as few of them are in tests.
            let sets: [Vec<MeshKey>; 30] = std::array::from_fn(|_| {
                let member = |_| MeshKey {
                    street: town.position(&mut random).street,
                    dc: Length::metres(f64::from(random.random_range(1..40)) * 50.0),
                };
                (0..7).map(member).collect()
            });
            let (mut meshes, mut ends) = (vec![StreetId(7)], Vec::new());
            builder.begin();
            for set in &sets {
                let mut noted = builder.note();
                set.iter().for_each(|&member| noted.add(member));
                noted.end();
            }
            builder.draw(&mut meshes, |end| ends.push(end));
            let mut expected = vec![StreetId(7)];
            for (set, end) in sets.iter().zip(ends) {
                let mut alone = MeshBuilder::new(Arc::clone(&atlas), rule);
                alone.cloaking_mesh(set.iter().copied(), &mut expected);
                assert_eq!(end, expected.len(), "seed {seed}, {set:?}");
            }
            assert_eq!(meshes, expected, "seed {seed}");
        }
    }
}

#[test]
fn algorithm_3_as_printed_misses_a_street_between_two_visited_terminals() {
    //  A ── B ── C      all within reach of someone on A-B, but A and C are both
    //   ╰────────╯      visited before the street between them is looked at
    let town = town("A 0,0  B 100,0  C 200,0  D 100,80 | A-B B-C A-C(100,-50) B-D D-C");
    let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
    let member = MeshKey { street: town.street("A-B"), dc: Length::metres(1000.0) };
    let mesh = |rule| {
        let mut mesh = Vec::new();
        MeshBuilder::new(Arc::clone(&atlas), rule).cloaking_mesh([member].into_iter(), &mut mesh);
        let mut names: Vec<&str> =
            mesh.iter().map(|&street| town.map.street_label(street)).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(mesh(MeshRule::Reach), ["A-B", "A-C", "B-C", "B-D", "D-C"]);
    assert_eq!(mesh(MeshRule::Printed), ["A-B", "B-C", "B-D"]);
}

#[test]
fn parts_are_forgotten_unless_they_are_asked_for_again_and_again() {
    let town = Town::random(300);
    let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
    let mut builder = MeshBuilder::new(atlas, MeshRule::Reach);
    let ask = |builder: &mut MeshBuilder, dc: u32| {
        let member = MeshKey { street: StreetId(0), dc: Length::from_units(dc) };
        builder.cloaking_mesh([member].into_iter(), &mut Vec::new());
    };
    ask(&mut builder, 1);
    assert_eq!(builder.stencils.known(), 1);
    builder.forget();
    assert_eq!(builder.stencils.known(), 0);
    (0..=WORTH_KEEPING).for_each(|_| ask(&mut builder, 1));
    builder.forget();
    assert_eq!(builder.stencils.known(), 1, "it was asked for often");
    builder.forget();
    assert_eq!(builder.stencils.known(), 0, "but not since");
    // Odd constraints come first and take all numbers; what is asked for more often gets one later.
    (1..=100).for_each(|dc| ask(&mut builder, dc));
    let known = builder.stencils.known();
    (0..1_000).for_each(|_| ask(&mut builder, 5_000));
    assert_eq!(builder.stencils.known(), known, "there is no number left");
    builder.forget();
    ask(&mut builder, 5_000);
    assert_eq!(builder.stencils.known(), 1);
}
