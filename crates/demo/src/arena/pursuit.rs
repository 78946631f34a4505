//! Path of the tracker (attack K) through the regions of the recorded minute.

use super::replay::ReplayedPublication;
use super::side::SchemeScene;
use attacks::tracker::{
    Associations, Example, Lessons, RegionStream, SchemeModel, StreetWeight, Tracker,
};
use attacks::{Piece, Posterior};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, UserId};
use meshcloak::units::{Length, Point};
use serde::Serialize;
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
/// Confidence in regions: those of successive ticks are not independent.
const CONFIDENCE: f64 = 0.5;
/// Length of a tick.
const TICK: Duration = Duration::from_secs(1);

impl SchemeScene<'_> {
    /// Follows a user from the first query of the recording, whose position is known, to the end.
    /// The adversary knows when the user asks, and learns from all others how users move and what the
    /// scheme publishes.
    pub(super) fn follow(&self, user: UserId) -> Option<Path> {
        let map = self.arena.atlas.map();
        let own = |query: &&Query| query.user == user && query.asks;
        let asked: Vec<&Query> = self.replay.queries.values().filter(own).collect();
        let start = *asked.first()?;
        let mut stream = self.stream();
        let lessons = self.lessons(user, &mut stream);
        let dependence = self.arena.factory.make(self.scheme)?.describe().regions;
        let model = SchemeModel::learn(&self.arena.atlas, dependence, &stream, &lessons);
        let dc = model.depends_on_dc().then_some(start.distance_constraint);
        let is_alike = |one: &&Example| dc.is_none_or(|dc| one.dc == dc);
        let examples: Vec<Example> = lessons.published.iter().filter(is_alike).copied().collect();
        let associations =
            Associations::new(&model, &stream, dc, |_, _, _| 1.0).calibrated(&model, &examples);
        let movement = self.moment.trips(map).movement(map, user, start.speed);
        let mut tracker = Tracker::new(map, &movement, start.position, PARTICLES, user.0);
        let mut points = vec![self.known(start)];
        let (mut now, mut asked_at) = (start.asked_at, start.asked_at);
        let mut later = asked[1..].iter().map(|query| query.asked_at).peekable();
        for tick in stream.tick_after(now) + 1..stream.window().end {
            let end = stream.time(tick);
            while let Some(at) = later.next_if(|&at| at <= end) {
                tracker.advance((at - now).as_secs_f64());
                tracker.ask();
                (now, asked_at) = (at, at);
            }
            tracker.advance((end - now).as_secs_f64());
            now = end;
            let waited = tick - stream.tick_after(asked_at);
            tracker.observe(|street| {
                let likelihood = associations.likelihood(tick, street, CONFIDENCE);
                model.evidence(waited, street, likelihood)
            });
            points.push(self.mean(&tracker.streets()));
        }
        let mut pieces: Vec<Piece> =
            tracker.streets().iter().map(|one| whole_street(map, one)).collect();
        pieces.sort_by_key(|piece| piece.street);
        Some(Path { points, posterior: Posterior::of_pieces(pieces) })
    }

    /// Returns an empty stream of the recorded seconds.
    fn stream(&self) -> RegionStream {
        let begin = self.replay.queries.values().map(|query| query.asked_at).min();
        let ticks = RegionStream::new(TICK, 0..0);
        let first = ticks.tick_after(begin.unwrap_or(self.moment.end));
        RegionStream::new(TICK, first..ticks.tick_after(self.moment.end) + 1)
    }

    /// Adds all regions to the stream, and returns what the adversary learns from users other than
    /// the target.
    fn lessons(&self, user: UserId, stream: &mut RegionStream) -> Lessons {
        let map = self.arena.atlas.map();
        let mut lessons = Lessons { asked: vec![0; map.street_count()], published: Vec::new() };
        let is_other = |query: &Query| query.asks && query.user != user;
        for query in self.replay.queries.values().filter(|query| is_other(query)) {
            lessons.asked[query.position.street.index()] += 1;
        }
        let mut all: Vec<&ReplayedPublication> =
            self.replay.published.values().flatten().filter(|one| one.query.asks).collect();
        let order = |a: &ReplayedPublication, b: &ReplayedPublication| {
            a.at.cmp(&b.at).then_with(|| a.region.total_cmp(&b.region))
        };
        all.sort_by(|a, b| order(a, b));
        for together in all.chunk_by(|a, b| order(a, b).is_eq()) {
            let tick = stream.tick_after(together[0].at);
            let Some(region) = stream.add(together[0].at, vec![(*together[0].region).clone()])
            else {
                continue;
            };
            let others = together.iter().map(|one| &one.query).filter(|query| is_other(query));
            lessons.published.extend(others.map(|query| Example {
                tick,
                region,
                street: query.position.street,
                dc: query.distance_constraint,
                waited: tick.saturating_sub(stream.tick_after(query.asked_at)),
            }));
        }
        lessons
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
