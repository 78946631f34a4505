//! XSTAR against its definition: k users, l segments, connected, whole stars, the user inside, and
//! cheaper stars drawn more often.

use super::*;
use crate::testing::Scene;
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::town::town;
use meshcloak::units::Length;
use std::collections::BTreeSet;
use std::time::Duration;

/// Number of street ends at each terminal.
fn degrees(map: &StreetMap) -> Vec<u32> {
    let mut degrees = vec![0; map.terminal_count()];
    for street in map.streets().map(|street| map.street(street)) {
        degrees[street.from.index()] += 1;
        degrees[street.to.index()] += 1;
    }
    degrees
}

/// By street: number of its group; streets that share a terminal accepted by `joins` are in one group.
fn groups(map: &StreetMap, among: &[StreetId], joins: impl Fn(TerminalId) -> bool) -> Vec<usize> {
    let mut group: Vec<usize> = (0..map.street_count()).collect();
    let touches = |street: StreetId, terminal: TerminalId| {
        let street = map.street(street);
        street.from == terminal || street.to == terminal
    };
    for terminal in map.terminals().filter(|&terminal| joins(terminal)) {
        let here: Vec<usize> =
            among.iter().filter(|&&s| touches(s, terminal)).map(|s| group[s.index()]).collect();
        for number in &mut group {
            if here.contains(number) {
                *number = here[0];
            }
        }
    }
    group
}

fn distinct(group: &[usize], streets: &[StreetId]) -> usize {
    streets.iter().map(|street| group[street.index()]).collect::<BTreeSet<_>>().len()
}

#[test]
fn regions_meet_the_definition_and_unserved_queries_have_none() {
    let (mut served, mut unserved) = (0, 0);
    for scene in Scene::many() {
        let (map, users) = (&scene.town.map, scene.first_queries());
        let settings = XStarSettings { segments: 1 + scene.seed as u32 % 7, seed: scene.seed };
        let cloaked = scene.cloaked(&mut XStar::new(&scene.atlas, settings));
        let all: Vec<StreetId> = map.streets().collect();
        let degree = degrees(map);
        let segment = groups(map, &all, |terminal| degree[terminal.index()] == 2);
        let part = groups(map, &all, |_| true);
        for query in users.iter().copied() {
            let at = format!("seed {} {query:?}\n{}", scene.seed, scene.town);
            let own = query.position.street;
            let Some((members, Region::Mesh(streets))) = &cloaked[query.id.0 as usize] else {
                let same = |street: StreetId| part[street.index()] == part[own.index()];
                let near = users.iter().filter(|user| same(user.position.street)).count();
                let component: Vec<StreetId> = all.iter().copied().filter(|&s| same(s)).collect();
                let segments = distinct(&segment, &component) as u32;
                assert!((near as u32) < query.k || segments < settings.segments, "{at}");
                unserved += 1;
                continue;
            };
            let on: Vec<QueryId> = users
                .iter()
                .filter(|user| streets.contains(&user.position.street))
                .map(|user| user.id)
                .collect();
            assert_eq!(*members, on, "{at}");
            assert!(members.len() >= query.k as usize && members.contains(&query.id), "{at}");
            assert!(distinct(&segment, streets) as u32 >= settings.segments, "{at}");
            assert_eq!(distinct(&groups(map, streets, |_| true), streets), 1, "{at}");
            whole_stars(map, &segment, &degree, streets);
            served += 1;
        }
        let first: BTreeSet<QueryId> = users.iter().map(|query| query.id).collect();
        let others = scene.state.waiting.iter().filter(|query| !first.contains(&query.id));
        assert!(others.into_iter().all(|query| cloaked[query.id.0 as usize].is_none()));
    }
    assert!(served > 3_000 && unserved > 1_000, "{served} served, {unserved} not served");
}

/// Every segment of a region belongs to a junction all of whose segments are in it, or to none.
fn whole_stars(map: &StreetMap, segment: &[usize], degree: &[u32], region: &[StreetId]) {
    let held =
        |street: StreetId| region.iter().any(|s| segment[s.index()] == segment[street.index()]);
    let is_whole = |terminal: TerminalId| {
        let at = |street: &StreetId| {
            let street = map.street(*street);
            street.from == terminal || street.to == terminal
        };
        degree[terminal.index()] >= 3 && map.streets().filter(at).all(held)
    };
    for &street in region {
        let same = map.streets().filter(|s| segment[s.index()] == segment[street.index()]);
        let ends: Vec<TerminalId> =
            same.flat_map(|s| [map.street(s).from, map.street(s).to]).collect();
        let junctions = || ends.iter().copied().filter(|end| degree[end.index()] >= 3);
        assert!(held(street) && (junctions().next().is_none() || junctions().any(is_whole)));
    }
}

#[test]
fn a_star_that_adds_fewer_segments_is_drawn_more_often() {
    // J has two neighbours: A adds two segments, B adds six.
    //
    //   ──A── J ──B══      one user at J, one beyond A, one beyond B
    //         │
    let town = town(
        "J 0,0 D 0,-9 A -99,0 P -150,9 Q -150,-9 \
         B 99,0 R 150,1 S 150,2 T 150,3 U 150,4 V 150,5 W 150,6 | \
         J-D J-A A-P A-Q J-B B-R B-S B-T B-U B-V B-W",
    );
    let user = |id: u64, street: &str| {
        Query::builder(UserId(id), town.at(street, 5.0))
            .id(QueryId(id))
            .at(Time::from_millis(0))
            .k(2)
            .dt(Duration::ZERO)
            .dc(Length::metres(9.0))
            .build_unchecked()
    };
    let state = State::with_waiting(vec![user(0, "A-P"), user(1, "B-R"), user(2, "J-D")]);
    let atlas = Atlas::new(town.map.clone(), Length::metres(9.0));
    let mut scheme = XStar::new(&atlas, XStarSettings::default());
    let (mut cheap, mut costly) = (0, 0);
    for batch in 0..6_000 {
        let published = scheme.cloak(&state, Time::from_millis(batch), &mut ());
        let region = published.set(published.served()[2].set).region;
        let holds = |street: &str| region.contains(&town.map, town.at(street, 1.0));
        assert!(holds("J-D") && (holds("A-Q") != holds("B-W")));
        cheap += i32::from(holds("A-Q"));
        costly += i32::from(holds("B-W"));
    }
    // Probabilities 1/2 to 1/6, so three of four.
    assert!((cheap - 4_500).abs() < 150, "{cheap} against {costly}");
}

#[test]
fn queries_with_the_same_first_star_and_k_publish_the_same_set() {
    let mut shared = 0;
    for scene in Scene::many() {
        let mut scheme = XStar::new(&scene.atlas, XStarSettings { segments: 2, seed: scene.seed });
        let cloaked = scene.cloaked(&mut scheme);
        for pair in scheme.starts.windows(2).filter(|pair| pair[0].star == pair[1].star) {
            let [a, b] =
                [0, 1].map(|n| cloaked[pair[n].waiting_index as usize].as_ref().expect("served"));
            let nested = a.0.iter().all(|member| b.0.contains(member));
            assert!(nested && (pair[0].k != pair[1].k || a == b), "seed {}", scene.seed);
            shared += 1;
        }
    }
    assert!(shared > 1_000, "{shared}");
}

#[test]
fn thousands_at_one_position_form_two_sets() {
    let town = town("A 0,0 B 99,0 C 0,99 D 0,-99 E 99,99 F 99,-99 | A-B A-C A-D B-E B-F");
    let user = |id: u64| {
        Query::builder(UserId(id), town.at("A-B", 5.0))
            .id(QueryId(id))
            .at(Time::from_millis(0))
            .k(2 + id as u32 % 1_000)
            .dt(Duration::ZERO)
            .dc(Length::metres(9.0))
            .build_unchecked()
    };
    let state = State::with_waiting((0..20_000).map(user).collect());
    let mut scheme =
        XStar::new(&Atlas::new(town.map, Length::metres(9.0)), XStarSettings::default());
    let published = scheme.cloak(&state, Time::from_millis(0), &mut ());
    assert_eq!((published.served().len(), published.set_count()), (20_000, 2));
}
