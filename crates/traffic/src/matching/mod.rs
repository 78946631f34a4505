//! Map matching: from recorded points to the travelled route.
//!
//! Snapping to the nearest street jumps between parallel streets. Here a trip is a hidden Markov
//! model: emission probabilities are Gaussian in the distance of a sighting from a street,
//! transition probabilities exponential in the difference between path length and straight line, and
//! Viterbi finds the most likely sequence. One-way streets are respected. A trip breaks into pieces
//! where there is no street or no path.

#[cfg(test)]
mod checks;
mod lattice;
mod path_search;
mod quality;
mod route;

pub use path_search::PathSearch;
pub use quality::Quality;
pub(crate) use quality::quantile;
pub use route::{Route, RouteSection};

use lattice::{Lattice, Step};
use meshcloak::map::{Position, Snapped, StreetMap};
use meshcloak::units::{Length, Point};
use rayon::prelude::*;
use std::time::Duration;

/// A recorded point of a trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Time since the start of the recording.
    pub at: Duration,
    /// Point in map coordinates, metres.
    pub point: Point,
}

/// Settings of the matcher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchSettings {
    /// Maximum distance between a sighting and its street in metres (docs/SPEC.md §1).
    pub radius: f64,
    /// Standard deviation of sightings in metres.
    pub sigma: f64,
    /// Mean difference between path length and straight line in metres.
    pub beta: f64,
    /// Maximum number of candidate streets per sighting, the nearest.
    pub candidates: usize,
    /// A path may be at most twice the straight line plus this many metres.
    pub detour: f64,
    /// Maximum speed in metres per second.
    pub top_speed: f64,
    /// Maximum time between two sightings of a trip.
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
    /// Maximum path length between two sightings; each position may be off by `radius`.
    fn bound(&self, from: &Sighting, to: &Sighting) -> Length {
        let seconds = to.at.saturating_sub(from.at).as_secs_f64();
        let fastest = self.top_speed * seconds + 2.0 * self.radius;
        Length::metres_down(fastest.min(from.point.distance(to.point) * 2.0 + self.detour))
    }
}

/// A matched sighting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Matched position.
    pub position: Position,
    /// Distance between sighting and position in metres.
    pub gap: f64,
    /// Distance from the start of the piece's route.
    pub distance: Length,
}

/// A run of matched sightings without a break, and its route.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedPiece {
    /// Index of its first sighting within the trip.
    pub first: usize,
    /// One per sighting, at least one.
    pub stops: Vec<Stop>,
    /// Route through all stops.
    pub route: Route,
}

/// Result of matching a trip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matched {
    /// Pieces in order of time.
    pub pieces: Vec<MatchedPiece>,
    /// Sightings without any street within the radius.
    pub off_map: usize,
    /// Breaks between consecutive sightings without a plausible path.
    pub no_path: usize,
    /// Breaks between consecutive sightings too far apart in time.
    pub silent: usize,
}

/// Matches trips on one map.
pub struct Matcher<'a> {
    settings: MatchSettings,
    search: PathSearch<'a>,
    lattice: Lattice,
}

impl<'a> Matcher<'a> {
    /// Creates a matcher for a map.
    pub fn new(map: &'a StreetMap, settings: MatchSettings) -> Matcher<'a> {
        Matcher { settings, search: PathSearch::new(map), lattice: Lattice::default() }
    }

    /// Finds the most likely route through sightings in order of time.
    pub fn match_trip(&mut self, sightings: &[Sighting]) -> Matched {
        let mut matched = Matched::default();
        let mut first = 0;
        self.lattice.clear();
        for (index, sighting) in sightings.iter().enumerate() {
            let near = self.search.map().candidates(sighting.point, self.settings.radius);
            let near = &near[..near.len().min(self.settings.candidates.max(1))];
            if index == 0 || !self.extend(&sightings[index - 1], sighting, near, &mut matched) {
                self.finish(&sightings[first..index], first, &mut matched);
                first = index;
                matched.off_map += usize::from(near.is_empty());
                self.lattice.begin(near, self.settings.sigma);
            }
        }
        self.finish(&sightings[first..], first, &mut matched);
        matched
    }

    /// Extends the piece by a sighting; `false` if it breaks before it.
    fn extend(
        &mut self,
        before: &Sighting,
        sighting: &Sighting,
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
        let step = Step { from: before, to: sighting };
        let continues = self.lattice.extend(&mut self.search, &self.settings, step, near);
        matched.no_path += usize::from(!continues);
        continues
    }

    /// Matches trips in parallel; results are in the order of the trips. `done` receives the number of
    /// newly matched trips.
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

    /// Adds the piece of the most likely positions and its route.
    fn finish(&mut self, sightings: &[Sighting], first: usize, matched: &mut Matched) {
        let positions = self.lattice.most_likely();
        self.lattice.clear();
        let Some(&start) = positions.first() else {
            return;
        };
        let mut sections = Vec::new();
        let mut distance = Length::ZERO;
        let mut stops = Vec::with_capacity(positions.len());
        for (index, snapped) in positions.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                let known = sections.len();
                let bound = self.settings.bound(&sightings[before], &sightings[index]);
                let found = self.search.route(
                    positions[before].position,
                    snapped.position,
                    bound,
                    &mut sections,
                );
                debug_assert!(found, "Viterbi takes only steps with a path");
                distance = sections[known..]
                    .iter()
                    .map(RouteSection::length)
                    .fold(distance, saturating_sum);
            }
            stops.push(Stop { position: snapped.position, gap: snapped.distance, distance });
        }
        matched.pieces.push(MatchedPiece {
            first,
            stops,
            route: Route::new(start.position, sections),
        });
    }
}

/// Adds lengths without overflow, for malformed trips.
fn saturating_sum(a: Length, b: Length) -> Length {
    Length::from_units(a.units().saturating_add(b.units()))
}

#[cfg(test)]
mod tests;
