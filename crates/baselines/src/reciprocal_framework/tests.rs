use super::index::IndexNode;
use super::*;
use crate::hilbert;
use crate::square::Square;
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

/// Lowest node that holds all these users, which are ascending.
fn lowest_node<'a>(index: &'a UserIndex, node: &'a IndexNode, users: &[u32]) -> &'a IndexNode {
    let holds = |child: &&IndexNode| {
        let own = sorted_users(index, child);
        users.iter().all(|user| own.binary_search(user).is_ok())
    };
    node.children.iter().find(holds).map_or(node, |child| lowest_node(index, child, users))
}

fn sorted_users(index: &UserIndex, node: &IndexNode) -> Vec<u32> {
    let mut users = index.users[node.users.clone()].to_vec();
    users.sort_unstable();
    users
}

#[test]
fn groups_are_lowest_nodes_with_k_users_and_what_such_nodes_leave_over() {
    let (mut leaves, mut rests, mut joined) = (0, 0, 0);
    for scene in Scene::many() {
        let point = |query: &Query| scene.town.map.point(query.position);
        let points: Vec<Point> = scene.state.waiting.iter().map(point).collect();
        let k = 1 + scene.seed as usize % 6;
        for kind in [IndexKind::RTree, IndexKind::Quadtree] {
            let at = format!("seed {} {kind:?}, k {k}\n{}", scene.seed, scene.town);
            let index = UserIndex::new(kind, &scene.town.map, &points);
            let groups = divide(&index, &points, k);
            let mut all: Vec<u32> = groups.iter().flatten().copied().collect();
            all.sort_unstable();
            let served = if points.len() < k { 0 } else { points.len() };
            assert!(all.into_iter().eq(0..served as u32), "each user is in one group, {at}");
            for mut group in groups {
                group.sort_unstable();
                let node = lowest_node(&index, &index.root, &group);
                if node.children.is_empty() {
                    assert_eq!(group, sorted_users(&index, node), "{at}");
                    leaves += 1;
                    continue;
                }
                // All children with fewer than k users, and another one if they are too few together.
                let (heavy, light): (Vec<&IndexNode>, Vec<&IndexNode>) =
                    node.children.iter().partition(|child| child.users.len() >= k);
                let mut expected: Vec<u32> =
                    light.iter().flat_map(|child| sorted_users(&index, child)).collect();
                let rest = expected.clone();
                let half_perimeter =
                    |users: &[u32]| division::perimeter(&points, &mut users.iter().copied());
                let growth = |child: &&&IndexNode| {
                    let own = sorted_users(&index, child);
                    half_perimeter(&[&own[..], &rest].concat()) - half_perimeter(&own)
                };
                if expected.len() < k {
                    let chosen = heavy
                        .iter()
                        .find(|child| group.binary_search(&index.users[child.users.start]).is_ok());
                    let chosen = chosen.expect("the rest alone is too small");
                    let least = heavy.iter().map(|child| growth(&child)).fold(f64::MAX, f64::min);
                    assert!(growth(&chosen) <= least, "{at}");
                    expected.extend(sorted_users(&index, chosen));
                    joined += 1;
                } else {
                    rests += 1;
                }
                expected.sort_unstable();
                assert_eq!(group, expected, "{at}");
            }
        }
    }
    assert!(leaves > 500 && rests > 500 && joined > 300, "{leaves} {rests} {joined}");
}

#[test]
fn hilbert_buckets_are_runs_of_k_users_along_the_curve() {
    let mut buckets = 0;
    for scene in Scene::many() {
        let map = &scene.town.map;
        let point = |query: &Query| map.point(query.position);
        let points: Vec<Point> = scene.state.waiting.iter().map(point).collect();
        let k = 1 + scene.seed as usize % 6;
        let square = Square::around(map);
        let key = |user: &u32| hilbert::key(square.cell(points[*user as usize]));
        for kind in [IndexKind::RTree, IndexKind::Quadtree] {
            let index = UserIndex::new(kind, map, &points);
            for group in divide(&index, &points, k) {
                let size = group.len();
                let found = BucketSplit::Hilbert.buckets(&index, &points, group, k);
                let keys = found.iter().flatten().map(key);
                assert!(keys.is_sorted(), "seed {} {kind:?}\n{}", scene.seed, scene.town);
                let sizes: Vec<usize> = found.iter().map(Vec::len).collect();
                assert_eq!(sizes.iter().sum::<usize>(), size);
                assert!(sizes[..sizes.len() - 1].iter().all(|&size| size == k), "{sizes:?}");
                buckets += sizes.len();
            }
        }
    }
    assert!(buckets > 3_000, "{buckets}");
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
