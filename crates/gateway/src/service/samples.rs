//! Points of a region such that everyone in it is near one: what is true at each of them is
//! nearly true everywhere.

use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;

/// The pieces of street of a region, in order.
pub(crate) fn segments<'a>(
    map: &'a StreetMap,
    region: &'a [StreetId],
) -> impl Iterator<Item = (Point, Point)> + 'a {
    region.iter().flat_map(|&street| map.shape(street).windows(2)).map(|pair| (pair[0], pair[1]))
}

/// No place of the region is farther than this from a sample; metres.
pub(crate) const NEAR_A_SAMPLE: f64 = 25.0;

/// The samples of a region.
pub(crate) fn samples<'a>(
    map: &'a StreetMap,
    region: &'a [StreetId],
) -> impl Iterator<Item = Point> + 'a {
    segments(map, region).flat_map(|(a, b)| {
        // A hair closer together than needed, so that rounding cannot matter.
        let pieces = (a.distance(b) / (NEAR_A_SAMPLE * 1.99)).ceil().max(1.0);
        (0..pieces as u32).map(move |piece| a.towards(b, (f64::from(piece) + 0.5) / pieces))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    #[test]
    fn everyone_in_a_region_is_near_a_sample() {
        for seed in 0..100 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            for _ in 0..20 {
                let position = town.position(&mut random);
                let here = town.map.point(position);
                let region = [position.street];
                let gap = |sample: Point| sample.distance(here);
                let nearest = samples(&town.map, &region).map(gap).fold(f64::INFINITY, f64::min);
                assert!(nearest <= NEAR_A_SAMPLE, "seed {seed} {nearest}\n{town}");
            }
        }
    }
}
