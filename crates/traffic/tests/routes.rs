//! Routes on maps large enough for a hierarchy of many levels.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::town::Town;
use meshcloak::units::Length;
use rand::RngExt as _;
use traffic::{RouteEnds, RouteStart, Routes, naive};

fn city(seed: u64, streets: usize) -> StreetMap {
    let plan = import::CityPlan::new(seed, streets).unwrap();
    import::read_map(&import::MapSource::City(plan), &import::Options::default(), &()).unwrap().map
}

#[test]
fn routes_in_built_in_cities_agree_with_the_reference() {
    for (seed, streets) in [(1, 500), (5, 1500), (9, 3000)] {
        let map = city(seed, streets);
        let mut random = Town::generator(seed);
        let speeds: Vec<u32> =
            (0..2 * map.street_count()).map(|_| random.random_range(1000..30_000)).collect();
        for speed in [None, Some(20_000)] {
            let routes = Routes::new(&map, speed, &speeds);
            let mut planner = routes.planner();
            let mut legs = Vec::new();
            for _ in 0..60 {
                let [from, to] = [(); 2].map(|()| {
                    let street = StreetId(random.random_range(0..map.street_count() as u32));
                    let length = map.street(street).length.units();
                    Position { street, offset: Length::from_units(random.random_range(0..=length)) }
                });
                let trip = RouteEnds { from: RouteStart::Position(from), to };
                let cost = routes.cheapest(&map, &mut planner, trip, &mut legs);
                assert!(cost.is_some(), "the map is connected");
                assert_eq!(cost, naive::cheapest(&map, &routes, from, to), "{seed} {trip:?}");
                assert_eq!(cost, naive::cost_of(&map, &routes, &legs, from, to), "{seed} {trip:?}");
            }
        }
    }
}
