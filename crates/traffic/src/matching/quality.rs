//! Quality of matched trips.

use super::{Matched, Sighting};
use meshcloak::map::StreetMap;

/// Counts and distances over many trips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// Number of sightings.
    pub sightings: usize,
    /// Sightings within the bounding rectangle of the map, which is larger than its covered area.
    pub in_bounds: usize,
    /// Sightings on a route: matched together with at least one neighbour.
    pub matched: usize,
    /// Matched sightings between two breaks: they have a position but no route.
    pub alone: usize,
    /// Sightings without a street within the radius.
    pub off_map: usize,
    /// Breaks for lack of a plausible path.
    pub no_path: usize,
    /// Breaks by time without sightings.
    pub silent: usize,
    gaps: Vec<f64>,
}

impl Quality {
    /// Computes the quality of matched trips.
    pub fn of<T: AsRef<[Sighting]>>(map: &StreetMap, trips: &[T], matched: &[Matched]) -> Quality {
        let bounds = map.bounds();
        let mut quality = Quality::default();
        for (trip, matched) in trips.iter().zip(matched) {
            let trip = trip.as_ref();
            quality.sightings += trip.len();
            quality.in_bounds += trip
                .iter()
                .filter(|sighting| bounds.nearest(sighting.point) == sighting.point)
                .count();
            quality.off_map += matched.off_map;
            quality.no_path += matched.no_path;
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

    /// Sightings on the map (docs/SPEC.md §1): with a street within the radius.
    pub fn inside(&self) -> usize {
        self.sightings - self.off_map
    }

    /// Share of the sightings on the map that are on a route.
    pub fn share(&self) -> f64 {
        share(self.matched, self.inside())
    }

    /// Share of the sightings within the bounding rectangle that are on a route.
    pub fn share_in_bounds(&self) -> f64 {
        share(self.matched, self.in_bounds)
    }

    /// Quantile of the distance between sightings and their positions, in metres.
    pub fn gap(&self, share: f64) -> f64 {
        quantile(&self.gaps, share)
    }
}

/// Nearest-rank quantile of ascending values; 0 if there are none.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let index = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
    sorted.get(index).copied().unwrap_or(0.0)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
