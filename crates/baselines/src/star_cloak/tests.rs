use super::*;
use crate::query_aware::tests::is_connected;
use crate::testing::Scene;
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::town::town;
use meshcloak::units::Length;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

fn settings(scene: &Scene) -> StarCloakSettings {
    let reach = [200.0, 600.0, 1e5][scene.seed as usize % 3];
    StarCloakSettings { segments: 1 + scene.seed as u32 % 6, reach, seed: scene.seed }
}

#[test]
fn regions_hold_the_asker_k_users_and_l_segments_within_reach() {
    let (mut served, mut unserved) = (0, 0);
    for scene in Scene::many() {
        let settings = settings(&scene);
        let mut scheme = StarCloak::new(&scene.atlas, settings);
        let cloaked = scene.cloaked(&mut scheme);
        let (map, stars, centres) = (&scene.town.map, &scheme.stars, &scheme.centres);
        for query in scene.first_queries() {
            let at = format!("seed {} {query:?}\n{}", scene.seed, scene.town);
            let index = scene.state.waiting.iter().position(|q| q.id == query.id).unwrap();
            let Some((members, Region::Mesh(streets))) = &cloaked[index] else {
                unserved += 1;
                continue;
            };
            let inside = |user: &&Query| streets.contains(&user.position.street);
            let mut users: Vec<_> =
                scene.first_queries().into_iter().filter(inside).map(|user| user.id).collect();
            users.sort_unstable();
            assert_eq!(*members, users, "{at}");
            assert!(members.contains(&query.id) && members.len() >= query.k as usize, "{at}");
            let segments: BTreeSet<u32> = streets.iter().map(|&s| stars.segment_of(s)).collect();
            assert!(segments.len() >= settings.segments as usize, "{at}");
            assert!(is_connected(map, streets), "{at}");
            // Some star of the asker's segment is near enough to a star of each segment.
            let own = stars.segment_of(query.position.street);
            let is_near = |a: u32, b: u32| {
                centres[a as usize].distance(centres[b as usize]) <= settings.reach
            };
            let covers = |first: u32| {
                segments.iter().all(|&segment| stars.ends(segment).any(|end| is_near(first, end)))
            };
            assert!(stars.ends(own).any(covers), "{at}");
            served += 1;
        }
    }
    assert!(served > 2_000 && unserved > 500, "{served} {unserved}");
}

/// Whether each star can be reached from the first along shared segments.
fn are_joined(stars: &Stars, of: &[u32]) -> bool {
    let mut reached = BTreeSet::from([of[0]]);
    loop {
        let ends = reached.iter().flat_map(|&star| stars.segments(star));
        let next: BTreeSet<u32> = ends
            .flat_map(|&segment| stars.ends(segment))
            .filter(|star| of.contains(star))
            .collect();
        if next == reached {
            return reached.len() == of.len();
        }
        reached.extend(next);
    }
}

#[test]
fn the_border_and_its_weights_are_those_of_the_definition() {
    let mut checked = 0;
    for scene in Scene::many() {
        let waiting = &scene.state.waiting;
        let mut scheme = StarCloak::new(&scene.atlas, settings(&scene));
        let indices = scheme.users.select(waiting).to_vec();
        scheme.segment_users.fill(&scheme.stars, waiting, &indices);
        let StarCloak { stars, segment_users, region, .. } = &mut scheme;
        let mut random = SchemeRandom::new(scene.seed, &[]);
        let is_near = |star: u32| star % 7 != scene.seed as u32 % 7;
        for step in 0..60 {
            // Five regions, one after another.
            if step % 12 == 0 {
                let first = step / 12 * 7 % stars.star_count() as u32;
                region.start(stars, segment_users, is_near, first);
            }
            let inside: BTreeSet<u32> = region.segments().iter().copied().collect();
            let taken: BTreeSet<u32> = region.stars().iter().copied().collect();
            let ends: BTreeSet<u32> = inside.iter().flat_map(|&s| stars.ends(s)).collect();
            let expected = ends.into_iter().filter(|star| is_near(*star) && !taken.contains(star));
            let weighed = expected.map(|star| {
                let new: Vec<u32> =
                    stars.segments(star).iter().copied().filter(|s| !inside.contains(s)).collect();
                let users: usize = new.iter().map(|&s| segment_users.on(s).len()).sum();
                (star, (1 + users as u64) * 27_720 / (1 + new.len() as u64))
            });
            let expected: Vec<(u32, u64)> = weighed.collect();
            let mut border = region.border();
            border.sort_unstable();
            assert_eq!(border, expected, "seed {}\n{}", scene.seed, scene.town);
            checked += border.len();
            region.grow(stars, segment_users, is_near, &mut random);
        }
    }
    assert!(checked > 2_000, "{checked}");
}

#[test]
fn no_star_of_a_pruned_region_can_be_removed() {
    let mut checked = 0;
    for scene in Scene::many() {
        let settings = StarCloakSettings { reach: 1e5, ..settings(&scene) };
        let waiting = &scene.state.waiting;
        let mut scheme = StarCloak::new(&scene.atlas, settings);
        let indices = scheme.users.select(waiting).to_vec();
        scheme.segment_users.fill(&scheme.stars, waiting, &indices);
        for first in 0..scheme.stars.star_count().min(5) as u32 {
            let start = Start { star: first, k: 3, waiting_index: 0 };
            if scheme.publish(waiting, Time::from_millis(scene.seed), start).is_none() {
                continue;
            }
            let StarCloak { stars, segment_users, region, .. } = &scheme;
            let of = region.stars().to_vec();
            assert_eq!(of[0], first);
            for removed in 1..of.len() {
                let rest: Vec<u32> =
                    (0..of.len()).filter(|&index| index != removed).map(|i| of[i]).collect();
                let segments: BTreeSet<u32> =
                    rest.iter().flat_map(|&star| stars.segments(star)).copied().collect();
                let users: usize = segments.iter().map(|&s| segment_users.on(s).len()).sum();
                let suffices = users >= 3 && segments.len() >= settings.segments as usize;
                assert!(!suffices || !are_joined(stars, &rest));
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn another_seed_gives_other_regions() {
    let mut differing = 0;
    let regions = |scene: &Scene, seed: u64| {
        let settings = StarCloakSettings { seed, reach: 1e5, segments: 3 };
        scene.cloaked(&mut StarCloak::new(&scene.atlas, settings))
    };
    for scene in Scene::many() {
        let (a, b) = (regions(&scene, 1), regions(&scene, 2));
        assert_eq!(a, regions(&scene, 1));
        differing += a.iter().zip(&b).filter(|(a, b)| a != b).count();
    }
    assert!(differing > 1_000, "{differing}");
}

#[test]
fn users_of_a_dense_star_never_publish_the_region_of_a_sparse_one() {
    //   X, Y ── S ──── D ── U, V     one user beyond S, three at D; all have k = 3
    let town = town("S 0,0 X -99,9 Y -99,-9 D 300,0 U 400,9 V 400,-9 | S-X S-Y S-D D-U D-V");
    let user = |id: u64, street: &str| {
        Query::builder(UserId(id), town.at(street, 50.0))
            .id(QueryId(id))
            .k(3)
            .dt(Duration::ZERO)
            .dc(Length::metres(9.0))
            .build_unchecked()
    };
    let users = vec![user(0, "S-X"), user(1, "D-U"), user(2, "D-U"), user(3, "D-V")];
    let state = State::with_waiting(users);
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(9.0)));
    for seed in 0..50 {
        for name in ["xstar", "star-cloak"] {
            let mut scheme = crate::by_name(&atlas, &format!("{name}:seed={seed}")).unwrap();
            let published = scheme.cloak(&state, Time::from_millis(seed), &mut ());
            let sets = published.served().iter().map(|served| published.set(served.set));
            let lengths: Vec<usize> = sets.map(|set| set.region.streets(&town.map).len()).collect();
            // The star at D is complete before it grows: only the user beyond S publishes all streets.
            assert_eq!(lengths, [5, 3, 3, 3], "{name}, seed {seed}");
        }
    }
}
