//! Queries along the routes of matched trips.
//!
//! Speed is constant between two sightings, and at most the top speed of the matcher. Each piece of a trip is a user of its own, since the
//! path across a break is unknown.

use super::{TraceQueries, TraceSettings, name_of};
use crate::matching::{MatchSettings, Matched, MatchedPiece, Sighting};
use crate::simulated_query::SimulatedQuery;
use meshcloak::units::{Length, Speed};
use std::ops::Range;

/// A trip and its matching result.
#[derive(Clone, Copy, Debug)]
pub struct MatchedTrip<'a> {
    /// Name of the trip.
    pub name: &'a str,
    /// Matched sightings.
    pub sightings: &'a [Sighting],
    /// Matching result.
    pub matched: &'a Matched,
}

/// Creates the queries of matched trips, from start to end of each piece at a drawn interval. Pieces
/// of one sighting have no queries.
pub fn queries_along<'a>(
    trips: impl IntoIterator<Item = MatchedTrip<'a>>,
    settings: &TraceSettings,
) -> TraceQueries {
    let mut result = TraceQueries::default();
    for trip in trips {
        let pieces = trip.matched.pieces.iter().filter(|piece| piece.stops.len() > 1);
        for (number, piece) in pieces.enumerate() {
            let times = &trip.sightings[piece.first..piece.first + piece.stops.len()];
            push_queries(piece, times, settings, &mut result);
            result.names.push(name_of(trip.name, number));
        }
    }
    result.sorted()
}

fn push_queries(
    piece: &MatchedPiece,
    times: &[Sighting],
    settings: &TraceSettings,
    result: &mut TraceQueries,
) {
    let user = result.names.len();
    let mut random = settings.generator(user);
    let query_interval = settings.interval(&mut random);
    let milliseconds =
        |sighting: &Sighting| u64::try_from(sighting.at.as_millis()).unwrap_or(u64::MAX);
    let (begin, end) = (milliseconds(&times[0]), milliseconds(&times[times.len() - 1]));
    let moments = || (begin..=end).step_by(query_interval as usize);
    let reached = plausible_distances(piece, times);
    let mut stop = 0;
    let distances: Vec<Length> = moments()
        .map(|moment| {
            while stop + 2 < times.len() && milliseconds(&times[stop + 1]) <= moment {
                stop += 1;
            }
            let span = milliseconds(&times[stop])..milliseconds(&times[stop + 1]);
            interpolate(reached[stop], reached[stop + 1], span, moment)
        })
        .collect();
    let steps = distances.windows(2).map(|pair| pair[1] - pair[0]);
    let rest = reached[reached.len() - 1] - distances[distances.len() - 1];
    let needed = steps.fold(rest, Length::max);
    let (speed, distance_constraint) = settings.speed_and_dc(needed, query_interval);
    for (number, (asked_at, distance)) in moments().zip(distances).enumerate() {
        result.queries.push(SimulatedQuery {
            user: user as u32,
            number: number as u32,
            asked_at,
            position: piece.route.at(distance),
            k: settings.k(&mut random),
            temporal_tolerance: settings.temporal_tolerance,
            speed,
            query_interval,
            distance_constraint,
        });
    }
}

/// Returns the distances of the stops along the route, held back where the way from the stop before
/// needs more than the top speed. The matcher accepts such jumps, since a sighting may be off by its
/// radius; recorded every second, 100 m of error would be a speed of 100 m/s.
fn plausible_distances(piece: &MatchedPiece, times: &[Sighting]) -> Vec<Length> {
    let top_speed = Speed::metres_per_second(MatchSettings::default().top_speed);
    let mut reached = piece.stops[0].distance;
    let mut before = times[0].at;
    let stops = piece.stops.iter().zip(times);
    stops
        .map(|(stop, sighting)| {
            let most = reached + top_speed * sighting.at.saturating_sub(before);
            before = sighting.at;
            reached = stop.distance.clamp(reached, most);
            reached
        })
        .collect()
}

/// Interpolates the distance at `moment` between `from` and `to`, reached at the ends of `span`;
/// integer arithmetic, identical on all machines.
fn interpolate(from: Length, to: Length, span: Range<u64>, moment: u64) -> Length {
    let (whole, passed) =
        (span.end.saturating_sub(span.start).max(1), moment.saturating_sub(span.start));
    let distance =
        u128::from((to - from).units()) * u128::from(passed.min(whole)) / u128::from(whole);
    from + Length::from_units(u32::try_from(distance).unwrap_or(u32::MAX))
}
