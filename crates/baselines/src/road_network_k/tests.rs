use super::*;
use crate::hilbert;
use crate::square::Square;
use crate::street_walk::StreetWalk;
use crate::testing::Scene;
use meshcloak::map::{Position, StreetId};
use meshcloak::region::Region;
use meshcloak::units::Length;
use std::collections::BTreeSet;

const ORDERS: [EdgeOrderKind; 3] =
    [EdgeOrderKind::Hilbert, EdgeOrderKind::DepthFirst, EdgeOrderKind::BreadthFirst];

#[test]
fn every_street_is_in_an_order_once() {
    for scene in Scene::many() {
        for kind in ORDERS {
            let order = EdgeOrder::new(&scene.town.map, kind);
            let ranks: BTreeSet<u32> =
                scene.town.map.streets().map(|street| order.rank(street)).collect();
            assert_eq!(ranks.len(), scene.town.map.street_count());
            let is_inverse = |rank: &u32| order.rank(order.street(*rank)) == *rank;
            assert!(ranks.iter().all(is_inverse));
        }
    }
}

#[test]
fn orders_follow_the_hilbert_curve_and_the_depth_first_walk() {
    for scene in Scene::many() {
        let map = &scene.town.map;
        let streets = |kind| {
            let order = EdgeOrder::new(map, kind);
            (0..order.len() as u32).map(move |rank| order.street(rank))
        };
        let square = Square::around(map);
        let along_the_curve = streets(EdgeOrderKind::Hilbert).map(|street| {
            let half = Length::from_units(map.street(street).length.units() / 2);
            hilbert::key(square.cell(map.point(Position { street, offset: half })))
        });
        assert!(along_the_curve.is_sorted(), "seed {}\n{}", scene.seed, scene.town);
        let walk = StreetWalk::new(map);
        let of_the_walk = streets(EdgeOrderKind::DepthFirst)
            .map(|street| walk.key(map, Position { street, offset: Length::ZERO }));
        assert!(of_the_walk.is_sorted(), "seed {}\n{}", scene.seed, scene.town);
    }
}

#[test]
fn a_breadth_first_order_goes_outwards_from_the_first_terminal_of_each_component() {
    for scene in Scene::many() {
        let map = &scene.town.map;
        let order = EdgeOrder::new(map, EdgeOrderKind::BreadthFirst);
        // Reference: streets on the way from the first terminal of the component to each terminal.
        let mut hops = vec![usize::MAX; map.terminal_count()];
        for start in map.terminals() {
            if hops[start.index()] != usize::MAX {
                continue;
            }
            hops[start.index()] = 0;
            for _ in 0..map.terminal_count() {
                for street in map.streets().map(|street| map.street(street)) {
                    for (a, b) in [(street.from, street.to), (street.to, street.from)] {
                        let next = hops[a.index()].saturating_add(1);
                        hops[b.index()] = next.min(hops[b.index()]);
                    }
                }
            }
        }
        let near = |rank: u32| {
            let street = map.street(order.street(rank));
            hops[street.from.index()].min(hops[street.to.index()])
        };
        let is_outwards = |rank: &u32| near(*rank) <= near(rank + 1) || near(rank + 1) == 0;
        let last = order.len() as u32 - 1;
        assert!((0..last).all(|rank| is_outwards(&rank)), "seed {}\n{}", scene.seed, scene.town);
    }
}

#[test]
fn the_list_of_a_query_is_that_of_a_walk_along_the_edges() {
    let mut served = 0;
    for scene in Scene::many() {
        let map = &scene.town.map;
        let kind = ORDERS[scene.seed as usize % 3];
        let publishes_all = scene.seed % 2 == 1;
        let order = EdgeOrder::new(map, kind);
        let mut scheme = RoadNetworkK::new(&scene.atlas, kind, publishes_all);
        served += scene.assert_publishes(&mut scheme, |users, query| {
            // Walk along the edges; a list ends with the edge on which it has k users. What remains
            // after the last list belongs to it.
            let mut lists: Vec<Vec<u32>> = vec![Vec::new()];
            let order = &order;
            let on = move |rank: u32| {
                users.iter().filter(move |user| order.rank(user.position.street) == rank)
            };
            for rank in 0..order.len() as u32 {
                let last = lists.last_mut().unwrap();
                last.push(rank);
                let count: usize = last.iter().map(|&rank| on(rank).count()).sum();
                if count >= query.k as usize {
                    lists.push(Vec::new());
                }
            }
            let rest = lists.pop().unwrap();
            lists.last_mut()?.extend(rest);
            let own = order.rank(query.position.street);
            let list = lists.into_iter().find(|list| list.contains(&own))?;
            let members: Vec<_> = list.iter().flat_map(|&rank| on(rank)).map(|u| u.id).collect();
            let used: Vec<u32> = list.into_iter().filter(|&rank| on(rank).count() > 0).collect();
            let mut streets: Vec<StreetId> = if publishes_all {
                (used[0]..=*used.last().unwrap()).map(|rank| order.street(rank)).collect()
            } else {
                used.iter().map(|&rank| order.street(rank)).collect()
            };
            streets.sort_unstable();
            Some((members, Region::Mesh(streets.into())))
        });
    }
    assert!(served > 5_000, "{served}");
}

#[test]
fn with_one_k_all_users_of_a_list_publish_it() {
    let mut served = 0;
    for mut scene in Scene::many() {
        let k = 2 + scene.seed as u32 % 5;
        scene.state.waiting.iter_mut().for_each(|query| query.k = k);
        let mut scheme = RoadNetworkK::new(&scene.atlas, EdgeOrderKind::Hilbert, false);
        let cloaked = scene.cloaked(&mut scheme);
        for shown in cloaked.iter().flatten() {
            let same = cloaked.iter().flatten().filter(|other| *other == shown).count();
            assert_eq!(same, shown.0.len(), "seed {}", scene.seed);
            assert!(same >= k as usize);
            served += 1;
        }
    }
    assert!(served > 5_000, "{served}");
}
