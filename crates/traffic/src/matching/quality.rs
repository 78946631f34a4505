//! How well trips were matched, in numbers.

use super::{Matched, Sighting};
use meshcloak::map::StreetMap;

/// Counts and distances over many trips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// All sightings.
    pub sightings: usize,
    /// Those within the rectangle around the map's streets. It is larger than the map: streets
    /// that cross the edge of an extract stick out of it, with nothing around them.
    pub in_bounds: usize,
    /// Those that lie on a way: matched together with at least one neighbour.
    pub matched: usize,
    /// Matched, but alone between two breaks: they have a place and no way.
    pub alone: usize,
    /// Without a street within the radius.
    pub off_map: usize,
    /// Breaks where there was no plausible way between neighbours.
    pub no_way: usize,
    /// Breaks where nobody was seen for too long.
    pub silent: usize,
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
            quality.in_bounds +=
                trip.iter().filter(|seen| bounds.nearest(seen.point) == seen.point).count();
            quality.off_map += matched.off_map;
            quality.no_way += matched.no_way;
            quality.silent += matched.silent;
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

    /// Those inside the map in the sense of SPEC §1: not off it, a street within the radius.
    pub fn inside(&self) -> usize {
        self.sightings - self.off_map
    }

    /// Share of the sightings inside the map that lie on a way.
    pub fn share(&self) -> f64 {
        share(self.matched, self.inside())
    }

    /// Share of the sightings within the rectangle around the streets that lie on a way.
    pub fn share_in_bounds(&self) -> f64 {
        share(self.matched, self.in_bounds)
    }

    /// The distance between a sighting and its place that the part `share` of them stays within.
    pub fn gap(&self, share: f64) -> f64 {
        let last = self.gaps.len().saturating_sub(1);
        let index = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.gaps.get(index).copied().unwrap_or(0.0)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
