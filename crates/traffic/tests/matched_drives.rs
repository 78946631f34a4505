//! Matching of noisy drives of simulated agents, and queries along the matched routes.

use import::{Options, read_map};
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::Point;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::time::Duration;
use traffic::matching::{MatchSettings, Matched, Matcher, Quality, Sighting};
use traffic::traces::TraceSettings;
use traffic::traces::along::{MatchedTrip, queries_along};
use traffic::{Profile, Simulation, SimulationSettings, naive};

fn city(name: &str) -> StreetMap {
    let source = name.parse().expect("the name of a built-in city");
    read_map(&source, &Options::default(), &()).expect("a city is always built").map
}

/// True positions and noisy sightings (deviation 10 m) of agents of profile `p1`.
fn drives(map: &StreetMap, users: u32, seed: u64) -> Vec<(Vec<Position>, Vec<Sighting>)> {
    let profile = Profile::named("p1").expect("a built-in profile");
    let settings = SimulationSettings { users, seed, ..SimulationSettings::default() };
    let mut simulation = Simulation::new(map, &profile, settings);
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut noise = || (0..12).map(|_| random.random_range(-5.0..5.0)).sum::<f64>();
    let mut drives = vec![(Vec::new(), Vec::new()); users as usize];
    while let Some(batch) = simulation.step() {
        for query in &batch.queries {
            let Point { x, y } = map.point(query.position);
            let point = Point::new(x + noise(), y + noise());
            let (truth, sightings) = &mut drives[query.user as usize];
            truth.push(query.position);
            sightings.push(Sighting { at: Duration::from_millis(query.asked_at), point });
        }
    }
    drives
}

#[test]
fn agents_of_the_built_in_city_are_matched_to_their_streets() {
    let map = city("city:3000:5");
    let (truths, trips): (Vec<_>, Vec<_>) = drives(&map, 300, 5).into_iter().unzip();
    let settings = MatchSettings { sigma: 10.0, ..MatchSettings::default() };
    let matched = Matcher::match_all(&map, settings, &trips, &|_| ());
    let quality = Quality::of(&map, &trips, &matched);
    let [mut by_matching, mut by_snapping] = [0_usize; 2];
    for ((truth, trip), matched) in truths.iter().zip(&trips).zip(&matched) {
        for piece in &matched.pieces {
            let stops = piece.stops.iter().zip(&truth[piece.first..]);
            by_matching +=
                stops.filter(|(stop, position)| stop.position.street == position.street).count();
        }
        let nearest =
            |sighting: &Sighting| map.snap(sighting.point, None).map(|s| s.position.street);
        by_snapping += truth.iter().zip(trip).filter(|(p, s)| nearest(s) == Some(p.street)).count();
    }
    let wrong = |right: usize| (quality.sightings - right) as f64 / quality.sightings as f64;
    let (matching, snapping) = (wrong(by_matching), wrong(by_snapping));
    assert!(quality.share() > 0.99, "{}", quality.share());
    assert!(matching < snapping * 0.75, "wrong: matching {matching:.3}, snapping {snapping:.3}");
}

#[test]
fn queries_along_matched_drives_stay_within_dc() {
    let map = city("city:500:3");
    let trips: Vec<Vec<Sighting>> = drives(&map, 25, 3).into_iter().map(|drive| drive.1).collect();
    let matched: Vec<Matched> = Matcher::match_all(&map, MatchSettings::default(), &trips, &|_| ());
    let rows = trips.iter().zip(&matched);
    let rows = rows.map(|(sightings, matched)| MatchedTrip { name: "p", sightings, matched });
    let result =
        queries_along(rows, &TraceSettings::new(&Profile::named("p1").unwrap()).every(7_000));
    let mut compared = 0;
    for user in 0..result.names.len() as u32 {
        let own: Vec<_> = result.queries.iter().filter(|query| query.user == user).collect();
        for pair in own.windows(2) {
            let way = naive::distance(&map, pair[0].position, pair[1].position).unwrap();
            assert!(way <= u64::from(pair[0].distance_constraint.units()), "{pair:?}");
            assert_eq!(pair[1].asked_at - pair[0].asked_at, 7_000);
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared} pairs");
}
