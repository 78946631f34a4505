//! Trips of the recorded users, from which the tracker (attack K) learns how users move.

use super::RecordedSecond;
use attacks::tracker::{LegPace, Movement};
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, UserId};
use meshcloak::units::Speed;
use std::collections::BTreeMap;
use std::time::Duration;
use traffic::matching::{MatchSettings, Matcher, Sighting};
use traffic::{Journey, Leg, LegSpeed, TrafficModel};

/// Largest number of users whose trips are matched.
const MAX_TRIPS: usize = 1_000;
/// Largest ratio of the top speeds of users who are alike.
const ALIKE: f64 = 1.4;

/// Trip of a user between its first and last recorded position.
struct Trip {
    user: UserId,
    speed: f64,
    journey: Journey,
}

/// Trips of some users.
pub(super) struct Trips(Vec<Trip>);

impl Trips {
    /// Matches the recorded positions of the first users that have two.
    pub(super) fn new(map: &StreetMap, seconds: &[RecordedSecond]) -> Trips {
        let mut users: BTreeMap<UserId, Vec<&Query>> = BTreeMap::new();
        for query in seconds.iter().flat_map(|second| second.queries.iter()) {
            users.entry(query.user).or_default().push(query);
        }
        let several = users.into_iter().filter(|(_, queries)| queries.len() > 1);
        let users: Vec<(UserId, Vec<&Query>)> = several.take(MAX_TRIPS).collect();
        let sighting = |query: &&Query| Sighting {
            at: Duration::from_millis(query.asked_at.as_millis()),
            point: map.point(query.position),
        };
        let seen: Vec<Vec<Sighting>> =
            users.iter().map(|(_, queries)| queries.iter().map(sighting).collect()).collect();
        let matched = Matcher::match_all(map, MatchSettings::default(), &seen, &|_| ());
        let mut trips = Vec::new();
        for (((user, queries), seen), matched) in users.iter().zip(&seen).zip(&matched) {
            for piece in &matched.pieces {
                let times = &seen[piece.first..piece.first + piece.stops.len()];
                let journey = Journey::from_matched(map, user.0.to_string(), piece, times);
                let speed = metres_per_second(queries[0].speed);
                trips.extend(journey.map(|journey| Trip { user: *user, speed, journey }));
            }
        }
        Trips(trips)
    }

    /// Movement of a user with that top speed: turns of all others, speeds of those like it.
    pub(super) fn movement(&self, map: &StreetMap, user: UserId, top: Option<Speed>) -> Movement {
        let top = metres_per_second(top);
        let others = || self.0.iter().filter(|trip| trip.user != user);
        let is_alike = |trip: &&Trip| trip.speed < ALIKE * top && top < ALIKE * trip.speed;
        let turns = TrafficModel::learn(map, others().map(|trip| &trip.journey));
        let speeds = TrafficModel::learn(map, others().filter(is_alike).map(|trip| &trip.journey));
        let pace = |leg| {
            let LegSpeed { mean, deviation } = speeds.speed(Leg::from_index(leg));
            LegPace { mean, deviation }
        };
        Movement::new(map, pace, |from, to, options| {
            turns.turn(Leg::from_index(from), Leg::from_index(to), options)
        })
    }
}

fn metres_per_second(speed: Option<Speed>) -> f64 {
    speed.map_or(10.0, |speed| (speed * Duration::from_secs(1)).as_metres())
}

#[cfg(test)]
mod tests {
    use super::super::tests::recorded;
    use super::*;

    #[test]
    fn the_trips_of_other_users_tell_where_they_turn() {
        let (arena, seconds) = recorded(1_500);
        let map = arena.atlas.map();
        let trips = Trips::new(map, &seconds);
        assert!(trips.0.len() > 200, "{} trips", trips.0.len());
        let journeys = |odd| (0..).zip(&trips.0).filter(move |(at, _)| at % 2 == odd);
        let learned = TrafficModel::learn(map, journeys(1).map(|(_, trip)| &trip.journey));
        let (mut seen, mut all) = (0, 0);
        for one in journeys(0).flat_map(|(_, trip)| trip.journey.crossings(map)) {
            seen += usize::from(learned.turn_count(one.from, one.to) > 0);
            all += 1;
        }
        assert!(all > 500 && 5 * seen > 2 * all, "{seen} of {all} turns were seen of other users");
    }
}
