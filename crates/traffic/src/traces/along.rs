//! Queries along the way that a matched trip took.
//!
//! Between two sightings a person moves at constant speed along the matched route. Every unbroken
//! piece of a trip is a person of its own: nobody knows how one got across the break.

use super::{Asked, Asking, name_of};
use crate::matching::{Matched, Piece, Sighting};
use crate::tape::Query;
use meshcloak::units::Length;

/// A trip and what the matcher found.
#[derive(Clone, Copy, Debug)]
pub struct MatchedTrip<'a> {
    /// Its name.
    pub name: &'a str,
    /// What was matched.
    pub sightings: &'a [Sighting],
    /// The pieces.
    pub matched: &'a Matched,
}

/// What the people of these trips ask: each from the beginning of their piece to its end, at an
/// interval drawn for them. Sightings that stand alone between two breaks ask nothing.
pub fn queries_along<'a>(
    trips: impl IntoIterator<Item = MatchedTrip<'a>>,
    asking: &Asking,
) -> Asked {
    let mut asked = Asked::default();
    for trip in trips {
        let pieces = trip.matched.pieces.iter().filter(|piece| piece.stops.len() > 1);
        for (number, piece) in pieces.enumerate() {
            let times = &trip.sightings[piece.first..piece.first + piece.stops.len()];
            ask_along(piece, times, asking, &mut asked);
            asked.people.push(name_of(trip.name, number));
        }
    }
    asked.sorted()
}

fn ask_along(piece: &Piece, times: &[Sighting], asking: &Asking, asked: &mut Asked) {
    let person = asked.people.len();
    let mut random = asking.generator(person);
    let query_interval = asking.interval(&mut random);
    let milliseconds = |seen: &Sighting| u64::try_from(seen.at.as_millis()).unwrap_or(u64::MAX);
    let (begin, end) = (milliseconds(&times[0]), milliseconds(&times[times.len() - 1]));
    let moments = || (begin..=end).step_by(query_interval as usize);
    let mut stop = 0;
    let ways: Vec<Length> = moments()
        .map(|moment| {
            while stop + 2 < times.len() && milliseconds(&times[stop + 1]) <= moment {
                stop += 1;
            }
            let span = (milliseconds(&times[stop]), milliseconds(&times[stop + 1]));
            between(piece.stops[stop].way, piece.stops[stop + 1].way, span, moment)
        })
        .collect();
    let steps = ways.windows(2).map(|pair| pair[1] - pair[0]);
    let rest = piece.route.length() - ways[ways.len() - 1];
    let needed = steps.fold(rest, Length::max);
    let (speed, distance_constraint) = asking.pace(needed, query_interval);
    for (number, (asked_at, way)) in moments().zip(ways).enumerate() {
        asked.queries.push(Query {
            user: person as u32,
            number: number as u32,
            asked_at,
            position: piece.route.at(way),
            k: asking.k(&mut random),
            temporal_tolerance: asking.temporal_tolerance,
            speed,
            query_interval,
            distance_constraint,
        });
    }
}

/// How far along someone is at `moment` who goes from `from` to `to` during `span`; whole units,
/// so that every machine finds the same place.
fn between(from: Length, to: Length, span: (u64, u64), moment: u64) -> Length {
    let (whole, gone) = (span.1.saturating_sub(span.0).max(1), moment.saturating_sub(span.0));
    let way = u128::from((to - from).units()) * u128::from(gone.min(whole)) / u128::from(whole);
    from + Length::from_units(u32::try_from(way).unwrap_or(u32::MAX))
}
