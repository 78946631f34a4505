//! How well trips were matched, in numbers.

use super::{Matched, Sighting};
use meshcloak::map::StreetMap;

/// Counts and distances over many trips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// All sightings.
    pub sightings: usize,
    /// Those inside the map: within the rectangle around its streets.
    pub inside: usize,
    /// Those that lie on a way: matched together with at least one neighbour.
    pub matched: usize,
    /// Matched, but alone between two breaks: they have a place and no way.
    pub alone: usize,
    /// Without a street within the radius.
    pub off_map: usize,
    /// Breaks where there was no plausible way between neighbours.
    pub no_way: usize,
    gaps: Vec<f64>,
}

impl Quality {
    /// Measures what became of `trips`.
    pub fn of<T: AsRef<[Sighting]>>(map: &StreetMap, trips: &[T], matched: &[Matched]) -> Quality {
        let bounds = map.bounds();
        let mut quality = Quality::default();
        for (trip, matched) in trips.iter().zip(matched) {
            let trip = trip.as_ref();
            quality.sightings += trip.len();
            quality.inside +=
                trip.iter().filter(|seen| bounds.nearest(seen.point) == seen.point).count();
            quality.off_map += matched.off_map;
            quality.no_way += matched.no_way;
            for piece in &matched.pieces {
                match piece.stops.len() {
                    1 => quality.alone += 1,
                    stops => quality.matched += stops,
                }
                quality.gaps.extend(piece.stops.iter().map(|stop| stop.gap));
            }
        }
        quality.gaps.sort_unstable_by(f64::total_cmp);
        quality
    }

    /// Share of the sightings inside the map that lie on a way.
    pub fn share(&self) -> f64 {
        if self.inside == 0 { 0.0 } else { self.matched as f64 / self.inside as f64 }
    }

    /// The distance between a sighting and its place that the part `share` of them stays within.
    pub fn gap(&self, share: f64) -> f64 {
        let last = self.gaps.len().saturating_sub(1);
        let index = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.gaps.get(index).copied().unwrap_or(0.0)
    }
}
