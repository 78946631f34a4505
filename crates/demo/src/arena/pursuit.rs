//! Path of the tracker (attack K) through the regions of the recorded minute.

use super::side::SchemeScene;
use attacks::tracker::{LegPace, Movement, RegionStream, StreetWeight, Tracker};
use attacks::{Piece, Posterior};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, UserId};
use meshcloak::region::Region;
use meshcloak::units::{Length, Point, Time};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Where the adversary believes the target to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrackedPoint {
    /// Longitude of the mean position, degrees.
    pub lon: f64,
    /// Latitude of the mean position, degrees.
    pub lat: f64,
    /// Standard deviation of the position, in metres.
    pub radius: f64,
}

/// Result of following a target.
pub(super) struct Path {
    /// One point for each second, from the known position on.
    pub points: Vec<TrackedPoint>,
    /// Streets at the end.
    pub posterior: Posterior,
}

/// Number of particles.
const PARTICLES: usize = 1_000;
/// Mean speed as a share of the target's top speed, and its deviation.
const PACE: (f64, f64) = (0.6, 0.25);

impl SchemeScene<'_> {
    /// Follows a user from the first query of the recording, whose position is known, to the end.
    /// Users turn at random at junctions.
    pub(super) fn follow(&self, user: UserId) -> Option<Path> {
        let map = self.arena.atlas.map();
        let start = self.replay.queries.values().find(|query| query.user == user)?;
        let (stream, asks) = self.stream(start.asked_at);
        let top = start.speed.map_or(10.0, |speed| (speed * Duration::from_secs(1)).as_metres());
        let pace = LegPace { mean: PACE.0 * top, deviation: PACE.1 * top };
        let movement = Movement::new(map, |_| pace, |_, _, _| 1.0);
        let mut tracker = Tracker::new(map, &movement, start.position, PARTICLES, user.0);
        let mut points = vec![self.known(start)];
        for tick in 1..stream.tick_count() {
            tracker.advance(1.0);
            tracker.observe(|street| stream.likelihood(tick, street, asks));
            points.push(self.mean(&tracker.streets()));
        }
        let mut pieces: Vec<Piece> =
            tracker.streets().iter().map(|one| whole_street(map, one)).collect();
        pieces.sort_by_key(|piece| piece.street);
        Some(Path { points, posterior: Posterior::of_pieces(pieces) })
    }

    /// Returns all regions since a time by seconds, and the probability that a user is published
    /// in a second.
    fn stream(&self, since: Time) -> (RegionStream, f64) {
        let map = self.arena.atlas.map();
        let mut regions: BTreeMap<u64, Vec<Region<'_>>> = BTreeMap::new();
        let mut published = 0;
        for one in self.replay.published.values().flatten().filter(|one| one.at >= since) {
            let second = (one.at - since).as_millis() as u64;
            regions.entry(second).or_default().push((*one.region).clone());
            published += 1;
        }
        let mut stream = RegionStream::new(Duration::from_secs(1));
        for (millis, regions) in regions {
            stream.add(map, Time::from_millis(millis), regions);
        }
        stream.finish(map);
        let users = self.replay.queries.values().map(|query| query.user);
        let users = users.collect::<std::collections::BTreeSet<UserId>>().len();
        let asks = f64::from(published) / (stream.tick_count() * users).max(1) as f64;
        (stream, asks.min(1.0))
    }

    fn known(&self, start: &Query) -> TrackedPoint {
        let at = self.arena.frame.lon_lat(self.arena.atlas.map().point(start.position));
        TrackedPoint { lon: at.lon, lat: at.lat, radius: 0.0 }
    }

    fn mean(&self, streets: &[StreetWeight]) -> TrackedPoint {
        let map = self.arena.atlas.map();
        let points: Vec<(Point, f64)> =
            streets.iter().map(|one| (middle(map, one), one.weight)).collect();
        let mean = points.iter().fold(Point::new(0.0, 0.0), |sum, (point, weight)| {
            Point::new(sum.x + weight * point.x, sum.y + weight * point.y)
        });
        let variance: f64 =
            points.iter().map(|(point, weight)| weight * point.distance(mean).powi(2)).sum();
        let at = self.arena.frame.lon_lat(mean);
        TrackedPoint { lon: at.lon, lat: at.lat, radius: variance.sqrt() }
    }
}

fn middle(map: &StreetMap, one: &StreetWeight) -> Point {
    let half = Length::from_units(map.street(one.street).length.units() / 2);
    map.point(Position { street: one.street, offset: half })
}

fn whole_street(map: &StreetMap, one: &StreetWeight) -> Piece {
    let StreetWeight { street, weight } = *one;
    Piece { street, from: Length::ZERO, to: map.street(street).length, weight }
}
