//! Sample points of a region such that every point of it is within [`SAMPLE_RADIUS`] of one.

use super::polylines::{Segment, segments};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;

/// Largest distance in metres between a point of the region and the nearest sample.
pub(crate) const SAMPLE_RADIUS: f64 = 25.0;

/// Returns the samples of a region.
pub(crate) fn samples<'a>(
    map: &'a StreetMap,
    region: &'a [StreetId],
) -> impl Iterator<Item = Point> + 'a {
    segments(map, region).flat_map(|Segment { start, end }| {
        // 1.99 instead of 2: tolerance for rounding.
        let count = (start.distance(end) / (SAMPLE_RADIUS * 1.99)).ceil().max(1.0);
        (0..count as u32).map(move |part| start.towards(end, (f64::from(part) + 0.5) / count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    #[test]
    fn every_position_in_a_region_is_near_a_sample() {
        for seed in 0..100 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            for _ in 0..20 {
                let position = town.position(&mut random);
                let here = town.map.point(position);
                let region = [position.street];
                let gap = |sample: Point| sample.distance(here);
                let nearest = samples(&town.map, &region).map(gap).fold(f64::INFINITY, f64::min);
                assert!(nearest <= SAMPLE_RADIUS, "seed {seed} {nearest}\n{town}");
            }
        }
    }
}
