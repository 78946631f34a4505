use super::*;
use crate::testing::Scene;
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use meshcloak::region::Region;
use std::collections::BTreeSet;

fn settings(scene: &Scene) -> QueryAwareSettings {
    QueryAwareSettings {
        length: (scene.seed % 4) as f64 * 200.0,
        balance: (scene.seed % 3) as f64 / 2.0,
        randomised: scene.seed.is_multiple_of(5),
        shared: scene.seed.is_multiple_of(2),
        seed: scene.seed,
    }
}

/// Whether streets are connected, ignoring directions.
pub(crate) fn is_connected(map: &StreetMap, streets: &[StreetId]) -> bool {
    let ends = |street: StreetId| [map.street(street).from, map.street(street).to];
    let mut reached: BTreeSet<TerminalId> = ends(streets[0]).into();
    loop {
        let before = reached.len();
        for &street in streets {
            if ends(street).iter().any(|end| reached.contains(end)) {
                reached.extend(ends(street));
            }
        }
        if reached.len() == before {
            return streets.iter().all(|&street| reached.contains(&map.street(street).from));
        }
    }
}

#[test]
fn regions_are_connected_and_meet_k_and_l() {
    let mut served = 0;
    for scene in Scene::many() {
        let settings = settings(&scene);
        let map = &scene.town.map;
        let mut scheme = QueryAware::new(&scene.atlas, settings);
        let stars = Stars::new(map);
        for (query, shown) in scene.state.waiting.iter().zip(scene.cloaked(&mut scheme)) {
            let at = format!("seed {} {query:?}\n{}", scene.seed, scene.town);
            let own = stars.part_of(stars.segment_of(query.position.street));
            let in_part = |street: StreetId| stars.part_of(stars.segment_of(street)) == own;
            let Some((members, Region::Mesh(streets))) = shown else {
                let users = scene.first_queries();
                let near = users.iter().filter(|user| in_part(user.position.street)).count();
                let streets = map.streets().filter(|&street| in_part(street));
                let metres: f64 = streets.map(|street| map.metres(street)).sum();
                let is_first = users.iter().any(|user| user.id == query.id);
                let suffices = near >= query.k as usize && metres >= settings.length;
                assert!(!is_first || !suffices, "{at}");
                continue;
            };
            let inside = |user: &&Query| streets.contains(&user.position.street);
            let users = scene.first_queries().into_iter().filter(inside).map(|user| user.id);
            let mut users: Vec<_> = users.collect();
            users.sort_unstable();
            assert_eq!(members, users, "{at}");
            assert!(members.len() >= query.k as usize && members.contains(&query.id), "{at}");
            let metres: f64 = streets.iter().map(|&street| map.metres(street)).sum();
            assert!(metres >= settings.length && is_connected(map, &streets), "{at}");
            served += 1;
        }
    }
    assert!(served > 5_000, "{served}");
}

/// Number of open junctions of a region: junctions with segments inside and outside.
fn open_junctions(stars: &Stars, region: &BTreeSet<u32>) -> i32 {
    let is_open = |&star: &u32| {
        let inside = stars.segments(star).iter().filter(|segment| region.contains(segment)).count();
        inside > 0 && inside < stars.segments(star).len()
    };
    (0..stars.star_count() as u32).filter(is_open).count() as i32
}

#[test]
fn each_added_segment_has_the_least_cost_for_its_gain() {
    let (mut steps, mut with_objects) = (0, 0);
    for scene in Scene::many() {
        let scene = if scene.seed.is_multiple_of(2) { scene.with_pois() } else { scene };
        let settings = QueryAwareSettings { randomised: false, shared: false, ..settings(&scene) };
        let waiting = &scene.state.waiting;
        let mut scheme = QueryAware::new(&scene.atlas, settings);
        let indices = scheme.users.select(waiting).to_vec();
        scheme.segment_users.fill(&scheme.stars, waiting, &indices);
        for &index in indices.iter().take(5) {
            let query = &waiting[index as usize];
            if !scheme.grow(waiting, Time::from_millis(0), query) {
                continue;
            }
            let QueryAware { stars, lengths, segment_users, region, .. } = &scheme;
            let metres = |segment: u32| lengths[segment as usize] as f64 / 32.0;
            let map = &scene.town.map;
            let has =
                |poi, segment: u32| stars.streets(segment).contains(&map.poi(poi).position.street);
            let objects = |segment: u32| match map.pois().len() {
                0 => metres(segment) / 100.0,
                _ => map.pois().filter(|&poi| has(poi, segment)).count() as f64,
            };
            with_objects += usize::from(map.pois().len() > 0);
            let mut inside = BTreeSet::from([region.segments()[0]]);
            for &added in &region.segments()[1..] {
                let users: usize = inside.iter().map(|&s| segment_users.on(s).len()).sum();
                let length: f64 = inside.iter().map(|&s| metres(s)).sum();
                let border: BTreeSet<u32> = inside
                    .iter()
                    .flat_map(|&segment| stars.around(segment))
                    .filter(|segment| !inside.contains(segment))
                    .collect();
                let score = |segment: u32| {
                    let mut with = inside.clone();
                    with.insert(segment);
                    let opened = open_junctions(stars, &with) - open_junctions(stars, &inside);
                    let cost = settings.balance * f64::from(opened)
                        + (1.0 - settings.balance) * objects(segment);
                    let share = |value: f64, goal: f64| value.min(goal) / goal.max(1.0 / 32.0);
                    let more = users + segment_users.on(segment).len();
                    let gain = share(more as f64, query.k.into())
                        - share(users as f64, query.k.into())
                        + share(length + metres(segment), settings.length)
                        - share(length, settings.length);
                    (gain < 1e-12, if gain < 1e-12 { cost } else { cost / gain })
                };
                let (own_is_last, own) = score(added);
                for &other in &border {
                    let (is_last, cost) = score(other);
                    assert!(
                        own_is_last <= is_last && (own_is_last != is_last || own <= cost + 1e-6),
                        "seed {}: {added} before {other}\n{}",
                        scene.seed,
                        scene.town
                    );
                }
                inside.insert(added);
                steps += 1;
            }
        }
    }
    assert!(steps > 800 && with_objects > 200, "{steps} {with_objects}");
}

#[test]
fn only_randomised_regions_depend_on_the_seed() {
    let mut differing = 0;
    for scene in Scene::many() {
        for randomised in [false, true] {
            let regions = |seed: u64| {
                let settings = QueryAwareSettings { randomised, seed, ..settings(&scene) };
                scene.cloaked(&mut QueryAware::new(&scene.atlas, settings))
            };
            let (a, b) = (regions(1), regions(2));
            let count = a.iter().zip(&b).filter(|(a, b)| a != b).count();
            assert!(randomised || count == 0, "seed {}\n{}", scene.seed, scene.town);
            differing += count;
        }
    }
    assert!(differing > 1_000, "{differing}");
}
