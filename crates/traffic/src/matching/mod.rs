//! Map matching: from what a receiver recorded to the way that was travelled.
//!
//! The nearest street alone jumps between parallel streets. Here a trip is a hidden Markov chain:
//! a sighting speaks for the streets near it (a Gaussian of the distance), two sightings in a row
//! for places whose way along streets is about as long as the straight line between the sightings
//! (an exponential of the difference), and Viterbi finds the likeliest sequence. One-way streets
//! are obeyed throughout. Where there is no street or no way, the trip breaks into pieces.

mod lattice;
#[cfg(test)]
mod naive;
mod quality;
mod route;
mod search;

pub use quality::Quality;
pub use route::{Leg, Route};
pub use search::Search;

use lattice::Lattice;
use meshcloak::map::{Position, Snapped, StreetMap};
use meshcloak::units::{Length, Point};
use rayon::prelude::*;
use std::time::Duration;

/// Where someone was seen, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Since the beginning of the record.
    pub at: Duration,
    /// In the map's own metres.
    pub point: Point,
}

/// What the matcher takes for likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchSettings {
    /// How far from a sighting its street may be, in metres; as the snap limit of SPEC §1.
    pub radius: f64,
    /// Standard deviation of a sighting around the truth, in metres.
    pub sigma: f64,
    /// How much the way along streets usually differs from the straight line, in metres.
    pub beta: f64,
    /// How many streets, the nearest ones, a sighting may speak for.
    pub candidates: usize,
    /// A way longer than twice the straight line plus this many metres is no way.
    pub detour: f64,
    /// Nobody is faster, in metres per second.
    pub top_speed: f64,
    /// Who is not seen for longer than this has ended one trip and begins another.
    pub silence: Duration,
}

impl Default for MatchSettings {
    fn default() -> MatchSettings {
        MatchSettings {
            radius: 50.0,
            sigma: 8.0,
            beta: 20.0,
            candidates: 16,
            detour: 300.0,
            top_speed: 50.0,
            silence: Duration::from_secs(600),
        }
    }
}

impl MatchSettings {
    /// The longest way that may lie between two sightings. The two places may each be `radius`
    /// off, which counts for them.
    fn bound(&self, from: &Sighting, to: &Sighting) -> Length {
        let seconds = to.at.saturating_sub(from.at).as_secs_f64();
        let fastest = self.top_speed * seconds + 2.0 * self.radius;
        Length::metres_down(fastest.min(from.point.distance(to.point) * 2.0 + self.detour))
    }
}

/// A sighting that found its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The place.
    pub position: Position,
    /// How far the sighting is from it, in metres.
    pub gap: f64,
    /// How far along the piece's route it lies.
    pub way: Length,
}

/// An unbroken run of matched sightings and the way through them.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Number of its first sighting within the trip; the others follow without gaps.
    pub first: usize,
    /// One per sighting; never empty.
    pub stops: Vec<Stop>,
    /// From the first stop to the last, through all of them.
    pub route: Route,
}

/// What became of a trip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matched {
    /// In order of time.
    pub pieces: Vec<Piece>,
    /// Sightings without any street within the radius.
    pub off_map: usize,
    /// Neighbouring sightings, each near a street, between which there is no plausible way.
    pub no_way: usize,
    /// Neighbouring sightings, each near a street, too far apart in time.
    pub silent: usize,
}

/// Matches trips, one after the other, on one map.
pub struct Matcher<'a> {
    settings: MatchSettings,
    search: Search<'a>,
    lattice: Lattice,
}

impl<'a> Matcher<'a> {
    /// A matcher for trips on `map`.
    pub fn new(map: &'a StreetMap, settings: MatchSettings) -> Matcher<'a> {
        Matcher { settings, search: Search::new(map), lattice: Lattice::default() }
    }

    /// The likeliest way through the sightings, which are in order of time.
    pub fn match_trip(&mut self, sightings: &[Sighting]) -> Matched {
        let mut matched = Matched::default();
        let mut first = 0;
        self.lattice.clear();
        for (index, sighting) in sightings.iter().enumerate() {
            let near = self.search.map().candidates(sighting.point, self.settings.radius);
            let near = &near[..near.len().min(self.settings.candidates.max(1))];
            if index == 0 || !self.extend((&sightings[index - 1], sighting), near, &mut matched) {
                self.finish(&sightings[first..index], first, &mut matched);
                first = index;
                matched.off_map += usize::from(near.is_empty());
                self.lattice.begin(near, self.settings.sigma);
            }
        }
        self.finish(&sightings[first..], first, &mut matched);
        matched
    }

    /// Continues the piece with the second of two sightings; `false` if it breaks between them.
    fn extend(
        &mut self,
        (before, sighting): (&Sighting, &Sighting),
        near: &[Snapped],
        matched: &mut Matched,
    ) -> bool {
        if self.lattice.is_empty() || near.is_empty() {
            return false;
        }
        if sighting.at.saturating_sub(before.at) > self.settings.silence {
            matched.silent += 1;
            return false;
        }
        let pair = (before, sighting);
        let continues = self.lattice.extend(&mut self.search, &self.settings, pair, near);
        matched.no_way += usize::from(!continues);
        continues
    }

    /// Matches many trips, on all threads; the answers are in the order of the trips. `done` is
    /// told of how many more trips are.
    pub fn match_all<T: AsRef<[Sighting]> + Sync>(
        map: &StreetMap,
        settings: MatchSettings,
        trips: &[T],
        done: &(dyn Fn(u64) + Sync),
    ) -> Vec<Matched> {
        let chunks = trips.par_chunks(16).map(|chunk| {
            let mut matcher = Matcher::new(map, settings);
            let matched = chunk.iter().map(|trip| matcher.match_trip(trip.as_ref()));
            let matched: Vec<Matched> = matched.collect();
            done(chunk.len() as u64);
            matched
        });
        chunks.flatten_iter().collect()
    }

    /// Takes the likeliest places off the lattice and finds the way through them.
    fn finish(&mut self, sightings: &[Sighting], first: usize, matched: &mut Matched) {
        let places = self.lattice.likeliest();
        self.lattice.clear();
        let Some(&start) = places.first() else {
            return;
        };
        let mut legs = Vec::new();
        let mut way = Length::ZERO;
        let mut stops = Vec::with_capacity(places.len());
        for (index, place) in places.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                let known = legs.len();
                let bound = self.settings.bound(&sightings[before], &sightings[index]);
                let found =
                    self.search.route(places[before].position, place.position, bound, &mut legs);
                debug_assert!(found, "Viterbi takes only steps that have a way");
                way = legs[known..].iter().map(Leg::length).fold(way, saturating_sum);
            }
            stops.push(Stop { position: place.position, gap: place.distance, way });
        }
        matched.pieces.push(Piece { first, stops, route: Route::new(start.position, legs) });
    }
}

/// No trip is as long as the longest length; a made-up one must not bring us down.
fn saturating_sum(a: Length, b: Length) -> Length {
    Length::from_units(a.units().saturating_add(b.units()))
}

#[cfg(test)]
mod tests;
