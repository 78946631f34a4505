use super::*;
use crate::matching::{MatchSettings, Matcher};
use meshcloak::town::{Town, town};
use std::time::Duration;

fn waypoint(at: u64, leg: Leg, along: f64, event: WaypointEvent) -> Waypoint {
    Waypoint { at, leg, along: Length::metres(along), event }
}

#[test]
fn crossings_are_where_one_leg_ends_and_the_next_begins() {
    let town = town("A 0,0  B 100,0  C 100,100 | A-B B-C");
    let [ab, _] = Leg::both(town.street("A-B"));
    let [bc, _] = Leg::both(town.street("B-C"));
    let waypoints = [
        waypoint(1_000, ab, 40.0, WaypointEvent::SetsOut),
        waypoint(7_000, bc, 0.0, WaypointEvent::Enters),
        waypoint(9_000, bc, 20.0, WaypointEvent::Continues),
    ];
    let journey = Journey::from_waypoints(&town.map, "a".into(), &waypoints);
    let crossings: Vec<Crossing> = journey.crossings(&town.map).collect();
    assert_eq!(crossings.len(), 1);
    assert_eq!((crossings[0].at, crossings[0].from, crossings[0].to), (7_000, ab, bc));
    assert_eq!(journey.point(&town.map, 4_000), Some(Point::new(70.0, 0.0)));
    assert_eq!(journey.point(&town.map, 8_000), Some(Point::new(100.0, 10.0)));
    assert_eq!(journey.point(&town.map, 999), None);
    assert_eq!(journey.point(&town.map, 9_001), None);
    let first = journey.passages()[0];
    assert_eq!(first.time(Length::metres(70.0)), 4_000);
    assert_eq!(first.along(4_000), Length::metres(70.0));
}

#[test]
fn a_two_way_loop_travelled_twice_is_two_passages() {
    let town = town("A 0,0  B 50,0 | A-A(30,30;60,0) A-B");
    let [round, _] = Leg::both(town.street("A-A"));
    let waypoints = [
        waypoint(0, round, 0.0, WaypointEvent::SetsOut),
        waypoint(5_000, round, 0.0, WaypointEvent::Enters),
        waypoint(9_000, round, 10.0, WaypointEvent::Continues),
    ];
    let journey = Journey::from_waypoints(&town.map, "a".into(), &waypoints);
    assert_eq!(journey.passages().len(), 2);
    assert_eq!(journey.crossings(&town.map).count(), 1);
}

#[test]
fn matched_trips_pass_their_stops_in_time() {
    for seed in 0..200 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let sightings: Vec<Sighting> = (0..8)
            .map(|step| Sighting {
                at: Duration::from_secs(20 * step),
                point: town.map.point(town.position(&mut random)),
            })
            .collect();
        let mut matcher = Matcher::new(&town.map, MatchSettings::default());
        for piece in matcher.match_trip(&sightings).pieces {
            let times = &sightings[piece.first..piece.first + piece.stops.len()];
            let name = seed.to_string();
            let Some(journey) = Journey::from_matched(&town.map, name, &piece, times) else {
                continue;
            };
            let ordered = journey.passages().windows(2).all(|pair| {
                let end = pair[0].leg.position(&town.map, pair[0].to);
                let begin = pair[1].leg.position(&town.map, pair[1].from);
                let gap = town.map.point(end).distance(town.map.point(begin));
                pair[0].left <= pair[1].entered && gap < 0.1
            });
            assert!(ordered, "seed {seed} {journey:?}\n{town}");
            assert!(journey.start() >= times[0].at.as_millis() as u64, "seed {seed}");
            assert!(journey.end() <= times[times.len() - 1].at.as_millis() as u64);
            let length: u64 = journey
                .passages()
                .iter()
                .map(|passage| u64::from((passage.to - passage.from).units()))
                .sum();
            assert_eq!(length, u64::from(piece.route.length().units()), "seed {seed}\n{town}");
        }
    }
}
