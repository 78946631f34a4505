use super::*;
use crate::testing::Scene;
use meshcloak::query::{Query, QueryId};
use std::collections::{BTreeMap, BTreeSet};

const ALL: [ReciprocalSettings; 4] = {
    use {BucketSplit::*, IndexKind::*};
    [
        ReciprocalSettings { index: RTree, split: Perimeter },
        ReciprocalSettings { index: RTree, split: Hilbert },
        ReciprocalSettings { index: Quadtree, split: Perimeter },
        ReciprocalSettings { index: Quadtree, split: Hilbert },
    ]
};

/// Members that each query publishes.
fn sets(scene: &Scene, settings: ReciprocalSettings) -> BTreeMap<QueryId, Vec<QueryId>> {
    let mut scheme = ReciprocalFramework::new(Arc::clone(&scene.atlas), settings);
    let cloaked = scene.cloaked(&mut scheme);
    let served = scene.state.waiting.iter().zip(cloaked);
    served.filter_map(|(query, set)| Some((query.id, set?.0))).collect()
}

#[test]
fn with_one_k_all_members_of_a_bucket_publish_it() {
    let mut served = 0;
    for mut scene in Scene::many() {
        let k = 2 + scene.seed as u32 % 5;
        scene.state.waiting.iter_mut().for_each(|query| query.k = k);
        let users = scene.first_queries().len();
        for settings in ALL {
            let sets = sets(&scene, settings);
            let expected = if users < k as usize { 0 } else { users };
            assert_eq!(sets.len(), expected, "all users or none, seed {}", scene.seed);
            for members in sets.values() {
                assert!((k as usize..2 * k as usize).contains(&members.len()), "{members:?}");
                assert!(members.iter().all(|member| sets[member] == *members), "{members:?}");
            }
            served += sets.len();
        }
    }
    assert!(served > 20_000, "{served}");
}

#[test]
fn with_mixed_k_members_of_a_bucket_publish_other_buckets() {
    let (mut reciprocal, mut broken) = (0, 0);
    for scene in Scene::many() {
        let sets = sets(&scene, ReciprocalSettings::default());
        for (query, members) in &sets {
            let k = scene.state.waiting.iter().find(|other| other.id == *query).unwrap().k;
            let same = members.iter().filter(|member| sets.get(member) == Some(members)).count();
            *if same < k as usize { &mut broken } else { &mut reciprocal } += 1;
        }
    }
    assert!(broken > 1_000 && reciprocal > 100, "{broken} {reciprocal}");
}

#[test]
fn buckets_do_not_depend_on_the_order_of_arrival() {
    for mut scene in Scene::many().take(200) {
        let k = 2 + scene.seed as u32 % 5;
        scene.state.waiting = scene.first_queries().into_iter().cloned().collect();
        scene.state.waiting.iter_mut().for_each(|query| query.k = k);
        // Users at one point are interchangeable.
        let map = &scene.town.map;
        let bits = |point: Point| (point.x.to_bits(), point.y.to_bits());
        let mut points = BTreeSet::new();
        scene.state.waiting.retain(|query| points.insert(bits(map.point(query.position))));
        scene.state.arrived = scene.state.waiting.len();
        let before = ALL.map(|settings| sets(&scene, settings));
        scene.state.waiting.reverse();
        assert_eq!(ALL.map(|settings| sets(&scene, settings)), before, "seed {}", scene.seed);
    }
}

#[test]
fn the_best_line_is_that_of_all_lines() {
    let area = |points: &[Point], users: &[u32]| {
        let around = Rectangle::around(users.iter().map(|&user| points[user as usize]));
        around.map_or(0.0, |rectangle| rectangle.width() + rectangle.height())
    };
    for scene in Scene::many() {
        let point = |query: &Query| scene.town.map.point(query.position);
        let points: Vec<Point> = scene.state.waiting.iter().map(point).collect();
        let k = 2 + scene.seed as usize % 3;
        if points.len() < 2 * k {
            continue;
        }
        let index = UserIndex::new(IndexKind::Quadtree, &scene.town.map, &points);
        let group: Vec<u32> = (0..points.len() as u32).collect();
        let buckets = BucketSplit::Perimeter.buckets(&index, &points, group.clone(), k);
        assert_eq!(buckets.iter().map(Vec::len).sum::<usize>(), points.len());
        // The first cut leaves a union of buckets on each side; no line is shorter.
        let mut best = f64::INFINITY;
        for coordinate in [|point: Point| point.x, |point: Point| point.y] {
            let mut sorted = group.clone();
            let at = |user: &u32| coordinate(points[*user as usize]);
            sorted.sort_by(|a, b| at(a).total_cmp(&at(b)));
            for cut in k..=points.len() - k {
                best = best.min(area(&points, &sorted[..cut]) + area(&points, &sorted[cut..]));
            }
        }
        let mut cuts = (1..buckets.len()).map(|cut| {
            area(&points, &buckets[..cut].concat()) + area(&points, &buckets[cut..].concat())
        });
        assert!(cuts.any(|cost| cost <= best + 1e-9), "seed {}", scene.seed);
    }
}
