//! Avoided streets and the distribution of traffic in a city.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use meshcloak::map::{Extent, MapBuilder, Position, Rank, RawStreet, StreetId, StreetMap};
use meshcloak::units::{Length, Point};
use traffic::{
    AvoidedStreets, Profile, RouteEnds, RouteStart, Routes, Simulation, SimulationSettings,
};

const CITY: &str = include_str!("../profiles/city.toml");

fn city(seed: u64, streets: usize) -> StreetMap {
    let source = import::MapSource::City(import::CityPlan::new(seed, streets).unwrap());
    import::read_map(&source, &import::Options::default(), &()).unwrap().map
}

/// Share of time that agents spend on motorways, for shares of cars, bicycles and pedestrians.
fn share_on_motorways(map: &StreetMap, shares: [&str; 3]) -> f64 {
    let mut text =
        CITY.replace("duration = 3600", "duration = 900").replace("to = 2400", "to = 60");
    let old = ["share = 0.6\n", "share = 0.15\n", "share = 0.25\n"];
    for (old, new) in old.into_iter().zip(shares) {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, &format!("share = {new}\n"), 1);
    }
    let profile = Profile::from_toml(&text).unwrap();
    let motorway = AvoidedStreets::named(["motorway"]).unwrap();
    let settings = SimulationSettings { users: 400, ..SimulationSettings::default() };
    let mut simulation = Simulation::new(map, &profile, settings);
    let (mut on, mut all) = (0, 0);
    while simulation.step().is_some() {
        for agent in simulation.agents() {
            on += u32::from(motorway.contains(map, agent.position.street));
            all += 1;
        }
    }
    f64::from(on) / f64::from(all)
}

#[test]
fn only_cars_use_motorways() {
    for (seed, streets) in [(1, 500), (2, 2000)] {
        let map = city(seed, streets);
        assert!(map.streets().any(|street| map.rank(street) == Rank::Motorway));
        assert_eq!(share_on_motorways(&map, ["0.0", "1.0", "0.0"]), 0.0, "city:{streets}:{seed}");
        assert_eq!(share_on_motorways(&map, ["0.0", "0.0", "1.0"]), 0.0, "city:{streets}:{seed}");
        assert!(share_on_motorways(&map, ["1.0", "0.0", "0.0"]) > 0.01, "city:{streets}:{seed}");
    }
}

/// Shares of street length and of travelled length of the streets that are `wanted`.
fn shares(map: &StreetMap, after: &Simulation, wanted: impl Fn(StreetId) -> bool) -> (f64, f64) {
    let sum = |weight: &dyn Fn(StreetId) -> f64| {
        let all: f64 = map.streets().map(weight).sum();
        map.streets().filter(|&street| wanted(street)).map(weight).sum::<f64>() / all
    };
    let length = |street| map.metres(street);
    (sum(&length), sum(&|street| length(street) * after.uses(street) as f64))
}

#[test]
fn main_roads_and_bridges_carry_most_traffic() {
    let map = city(1, 7000);
    let profile = Profile::named("city").unwrap();
    let mut simulation = Simulation::new(&map, &profile, SimulationSettings::default());
    while simulation.step().is_some() {}
    let is_bridge = |street| map.street_name(street).is_some_and(|name| name.contains("Bridge"));
    for rank in Rank::ALL {
        let (length, travel) = shares(&map, &simulation, |street| map.rank(street) == rank);
        eprintln!("{rank:?}: {:.1} % of street, {:.1} % of travel", length * 100.0, travel * 100.0);
    }
    let (length, travel) = shares(&map, &simulation, is_bridge);
    eprintln!("bridges: {:.2} % of street, {:.2} % of travel", length * 100.0, travel * 100.0);
    assert!(travel > 3.0 * length, "bridges: {length} {travel}");
    let (length, travel) = shares(&map, &simulation, |street| map.rank(street) <= Rank::Secondary);
    assert!(travel > 0.5 && travel > 2.0 * length, "main roads: {length} {travel}");
}

#[test]
fn an_avoided_street_is_taken_only_if_all_others_are_twenty_times_as_long() {
    //  A straight motorway of 100 m, and a detour.
    for (metres, avoids) in [(1990, true), (2010, false)] {
        let mut builder = MapBuilder::new();
        let terminals = [(0.0, 0.0), (100.0, 0.0), (-9.0, 0.0), (109.0, 0.0)].map(|(x, y)| {
            let point = Point::new(x, y);
            builder.terminal(&x.to_string(), point).unwrap()
        });
        let streets = [(0, 1, "motorway", 100), (0, 1, "primary", metres)];
        let all = streets.into_iter().chain([(2, 0, "", 9), (1, 3, "", 9)]);
        for (number, (from, to, class, metres)) in all.enumerate() {
            let street = RawStreet {
                label: &number.to_string(),
                from: terminals[from],
                to: terminals[to],
                written_metres: Some(f64::from(metres)),
                one_way: false,
                bends: &[],
                name: "",
                class,
            };
            builder.street(street).unwrap();
        }
        let map = builder.build(Extent::Whole).unwrap().map;
        let avoided = AvoidedStreets::named(["motorway"]).unwrap();
        let speeds = vec![10_000; 8];
        for speed in [None, Some(5000)] {
            let routes = Routes::avoiding(&map, speed, &speeds, avoided);
            let mut legs = Vec::new();
            let [from, to] = [(2, 0), (3, 9)].map(|(street, at)| {
                let street = StreetId(street);
                Position { street, offset: Length::metres(f64::from(at)) }
            });
            let trip = RouteEnds { from: RouteStart::Position(from), to };
            routes.cheapest(&map, &mut routes.planner(), trip, &mut legs).unwrap();
            let on_motorway = legs.iter().any(|leg| avoided.contains(&map, leg.street()));
            assert_eq!(on_motorway, !avoids, "{metres} m {legs:?}");
        }
    }
}
