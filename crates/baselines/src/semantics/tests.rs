use super::place_areas::NONE;
use super::stay_time::{class, class_distance};
use super::*;
use crate::query_aware::tests::is_connected;
use crate::testing::Scene;
use meshcloak::map::{StreetId, TerminalId};
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::town::town;
use meshcloak::units::Length;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Reference: size of the largest set of places on some streets that differ pairwise, by trying all
/// sets of categories.
fn largest_diverse_set(scene: &Scene, streets: &[StreetId], theta: f64) -> u32 {
    let map = &scene.town.map;
    let on = map.pois().filter(|&poi| streets.contains(&map.poi(poi).position.street));
    let names: BTreeSet<&str> = on.map(|poi| map.category(poi)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let differ = |a: &str, b: &str| {
        let classes = f64::from(class(a).abs_diff(class(b)));
        0.2 + 0.8 * classes / 7.0 >= theta - 1e-9
    };
    let is_diverse = |subset: u32| {
        let inside: Vec<&str> =
            (0..names.len()).filter(|i| subset >> i & 1 == 1).map(|i| names[i]).collect();
        inside.iter().all(|a| inside.iter().all(|b| a == b || differ(a, b)))
    };
    let subsets = 0..1_u32 << names.len();
    subsets.filter(|&subset| is_diverse(subset)).map(u32::count_ones).max().unwrap_or(0)
}

/// Reference: streets of the lowest node around a query that has k users and enough different places,
/// by counting users and places of every node of the tree that holds the query's street.
fn lowest_sufficient(scene: &Scene, scheme: &Semantics, query: &Query) -> Option<Vec<StreetId>> {
    let Semantics { areas, tree, required, .. } = scheme;
    let mut nodes = Vec::new();
    for node in 0..tree.node_count() {
        let mut streets = Vec::new();
        tree.append_streets(areas, node, &mut streets);
        if streets.contains(&query.position.street) {
            nodes.push(streets);
        }
    }
    let suffices = |streets: &&Vec<StreetId>| {
        let inside = |user: &&&Query| streets.contains(&user.position.street);
        scene.first_queries().iter().filter(inside).count() >= query.k as usize
            && largest_diverse_set(scene, streets, required.theta) >= required.places
    };
    nodes.iter().filter(suffices).min_by_key(|streets| streets.len()).cloned()
}

#[test]
fn a_query_publishes_the_lowest_area_with_k_users_and_enough_different_places() {
    let (mut served, mut unserved, mut diverse) = (0, 0, 0);
    for scene in Scene::many().map(Scene::with_pois) {
        let theta = [0.0, 0.3, 0.45][scene.seed as usize % 3];
        let places = 1 + scene.seed as u32 % 4;
        let mut scheme = Semantics::new(&scene.atlas, PlaceRule { theta, places }).expect("places");
        let first = scene.first_queries();
        for (query, shown) in scene.state.waiting.iter().zip(scene.cloaked(&mut scheme)) {
            let at = format!("seed {} {query:?}\n{}", scene.seed, scene.town);
            if !first.iter().any(|one| one.id == query.id) {
                assert!(shown.is_none(), "{at}");
                continue;
            }
            let expected = lowest_sufficient(&scene, &scheme, query);
            let Some((members, region)) = shown else {
                assert_eq!(expected, None, "{at}");
                unserved += 1;
                continue;
            };
            let requirement = scheme.requirement(&scene.town.map, query, &region);
            let Region::Mesh(streets) = region else { panic!("meshes") };
            assert_eq!(Some(streets.to_vec()), expected, "{at}");
            let inside = |user: &&&Query| streets.contains(&user.position.street);
            let mut users: Vec<_> = first.iter().filter(inside).map(|user| user.id).collect();
            users.sort_unstable();
            assert_eq!(members, users, "{at}");
            assert!(is_connected(&scene.town.map, &streets), "{at}");
            let present = largest_diverse_set(&scene, &streets, theta);
            let stated = Some(DifferentPlaces { required: places, present });
            assert_eq!(requirement, Requirement { users: query.k, places: stated }, "{at}");
            served += 1;
            diverse += usize::from(present > places);
        }
    }
    assert!(served > 2_000 && unserved > 500 && diverse > 500, "{served} {unserved} {diverse}");
}

#[test]
fn areas_divide_the_streets_and_nodes_unite_adjacent_areas() {
    let mut unions = 0;
    for scene in Scene::many().map(Scene::with_pois) {
        let map = &scene.town.map;
        let Semantics { areas, tree, .. } =
            Semantics::new(&scene.atlas, PlaceRule { theta: 0.3, places: 2 }).unwrap();
        let mut roots: BTreeSet<u32> = BTreeSet::new();
        for street in map.streets() {
            let area = areas.of(street);
            if area == NONE {
                continue;
            }
            assert!(areas.streets.get(area).contains(&street));
            let mut last = 0;
            for node in tree.path(area) {
                let mut streets = Vec::new();
                tree.append_streets(&areas, node, &mut streets);
                assert!(streets.contains(&street) && is_connected(map, &streets));
                assert!(streets.len() > last, "a union is larger than its parts");
                assert_eq!(tree.diversity(node), largest_diverse_set(&scene, &streets, 0.3));
                last = streets.len();
                unions += 1;
            }
            roots.extend(tree.path(area).last());
        }
        // Each root is a component of the map.
        let mut all = Vec::new();
        roots.iter().for_each(|&root| tree.append_streets(&areas, root, &mut all));
        let known = map.streets().filter(|&street| areas.of(street) != NONE).count();
        assert_eq!(all.len(), known);
    }
    assert!(unions > 5_000, "{unions}");
}

/// Reference: area of each street, by number of the nearest street with places, from the distances of
/// all terminals to each of them.
fn nearest_places(scene: &Scene) -> Vec<Option<usize>> {
    let map = &scene.town.map;
    let ends = |street: StreetId| [map.street(street).from, map.street(street).to];
    let with_places: BTreeSet<StreetId> =
        map.pois().map(|poi| map.poi(poi).position.street).collect();
    let distances = |&place: &StreetId| {
        let mut distances = vec![u64::MAX; map.terminal_count()];
        ends(place).iter().for_each(|end| distances[end.index()] = 0);
        for _ in 0..map.terminal_count() {
            for street in map.streets() {
                let [a, b] = ends(street).map(TerminalId::index);
                let length = u64::from(map.street(street).length.units());
                distances[b] = distances[b].min(distances[a].saturating_add(length));
                distances[a] = distances[a].min(distances[b].saturating_add(length));
            }
        }
        distances
    };
    let tables: Vec<Vec<u64>> = with_places.iter().map(distances).collect();
    let area = |street: StreetId| {
        let own = with_places.iter().position(|&place| place == street);
        let distance =
            |place: usize| ends(street).map(|end| tables[place][end.index()]).into_iter().min();
        let all = (0..tables.len()).filter_map(|place| Some((distance(place)?, place)));
        let nearest = all.min().filter(|nearest| nearest.0 < u64::MAX);
        own.or(nearest.map(|nearest| nearest.1))
    };
    map.streets().map(area).collect()
}

/// Reference: streets of all nodes of the tree, from those of the areas of single places.
fn unions(scene: &Scene, areas: Vec<Vec<StreetId>>, rule: PlaceRule) -> Vec<Vec<StreetId>> {
    let map = &scene.town.map;
    let terminals = |streets: &[StreetId]| -> BTreeSet<TerminalId> {
        streets.iter().flat_map(|&s| [map.street(s).from, map.street(s).to]).collect()
    };
    let length = |streets: &[StreetId]| -> u64 {
        streets.iter().map(|&street| u64::from(map.street(street).length.units())).sum()
    };
    let missing = |streets: &[StreetId]| {
        rule.places.saturating_sub(largest_diverse_set(scene, streets, rule.theta))
    };
    let mut nodes = areas;
    let mut open: BTreeSet<usize> = (0..nodes.len()).collect();
    loop {
        let touches =
            |a: usize, b: usize| a != b && !terminals(&nodes[a]).is_disjoint(&terminals(&nodes[b]));
        let key = |node: &usize| (Reverse(missing(&nodes[*node])), length(&nodes[*node]), *node);
        let joinable = open.iter().copied().filter(|&a| open.iter().any(|&b| touches(a, b)));
        let Some(first) = joinable.min_by_key(key) else { return nodes };
        let union = |other: usize| [&nodes[first][..], &nodes[other]].concat();
        let near = open.iter().copied().filter(|&other| touches(first, other));
        let second =
            near.min_by_key(|&other| (missing(&union(other)), length(&nodes[other]), other));
        let second = second.expect("an open node touches the first");
        let mut joined = union(second);
        joined.sort_unstable();
        open.remove(&first);
        open.remove(&second);
        open.insert(nodes.len());
        nodes.push(joined);
    }
}

#[test]
fn areas_hold_the_streets_nearest_to_a_place_and_the_least_diverse_join_first() {
    let mut joined = 0;
    for scene in Scene::many().map(Scene::with_pois) {
        let at = format!("seed {}\n{}", scene.seed, scene.town);
        let rule = PlaceRule { theta: 0.3, places: 1 + scene.seed as u32 % 5 };
        let Semantics { areas, tree, .. } = Semantics::new(&scene.atlas, rule).unwrap();
        let expected = nearest_places(&scene);
        let mut single = vec![Vec::new(); expected.iter().flatten().max().map_or(0, |max| max + 1)];
        for (street, expected) in scene.town.map.streets().zip(expected) {
            let found = Some(areas.of(street)).filter(|&area| area != NONE);
            assert_eq!(found.map(|area| area as usize), expected, "{street:?} {at}");
            expected.into_iter().for_each(|area| single[area].push(street));
        }
        let nodes = 0..tree.node_count();
        let found = nodes.map(|node| {
            let mut streets = Vec::new();
            tree.append_streets(&areas, node, &mut streets);
            streets
        });
        let found: Vec<Vec<StreetId>> = found.collect();
        joined += found.len() - single.len();
        assert_eq!(found, unions(&scene, single, rule), "{at}");
    }
    assert!(joined > 500, "{joined}");
}

#[test]
fn a_map_without_categories_is_refused_with_a_sentence() {
    let map = town("A 0,0  B 300,0 | A-B").map;
    let atlas = Arc::new(Atlas::new(map, Length::metres(100.0)));
    let problem = crate::by_name(&atlas, "semantics").err().expect("no categories").to_string();
    assert!(
        problem.starts_with("scheme `semantics`: the map has no points of interest"),
        "{problem}"
    );
    assert_eq!(class_distance(0.3), Some(1));
}
