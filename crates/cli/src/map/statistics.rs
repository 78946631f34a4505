//! Statistics of a map.

use meshcloak::map::{StreetMap, strongly_connected_parts};
use std::collections::BTreeMap;

/// Statistics of a map after import.
#[derive(Debug)]
pub struct MapStatistics {
    /// Unrounded length of all streets.
    pub metres: f64,
    /// Streets that can be travelled one way only.
    pub one_way: usize,
    /// Number of strongly connected components.
    pub parts: usize,
    /// Number of terminals in the largest component.
    pub largest_part: usize,
    /// Number of terminals by degree (number of street ends).
    pub degrees: BTreeMap<usize, usize>,
    /// Number of points of interest by category.
    pub categories: BTreeMap<String, usize>,
    /// Largest distance of a point of interest from its street, in metres.
    pub farthest_poi: f64,
}

impl MapStatistics {
    /// Computes the statistics of `map`.
    pub fn of(map: &StreetMap) -> MapStatistics {
        let parts = strongly_connected_parts(map.terminal_count(), &map.tables().streets);
        let mut categories = BTreeMap::new();
        for poi in map.pois() {
            *categories.entry(map.category(poi).to_owned()).or_default() += 1;
        }
        let gap = |poi| map.poi(poi).point.distance(map.point(map.poi(poi).position));
        MapStatistics {
            metres: map.streets().map(|street| map.metres(street)).sum(),
            one_way: map.streets().filter(|&street| map.street(street).one_way).count(),
            parts: parts.count(),
            largest_part: parts.largest().map_or(0, |part| parts.size(part)),
            degrees: degrees(map),
            categories,
            farthest_poi: map.pois().map(gap).fold(0.0, f64::max),
        }
    }
}

/// Counts terminals by degree. A loop counts twice at its terminal.
fn degrees(map: &StreetMap) -> BTreeMap<usize, usize> {
    let mut ends = vec![0; map.terminal_count()];
    for street in map.streets() {
        ends[map.street(street).from.index()] += 1;
        ends[map.street(street).to.index()] += 1;
    }
    let mut degrees = BTreeMap::new();
    for degree in ends {
        *degrees.entry(degree).or_default() += 1;
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    #[test]
    fn a_small_town_has_the_expected_statistics() {
        //  A ── B ─▶ C, and a loop at A
        let statistics = MapStatistics::of(&town("A 0,0  B 100,0  C 200,0 | A-B B>C A-A:50").map);
        assert_eq!(statistics.metres, 250.0);
        assert_eq!((statistics.one_way, statistics.parts, statistics.largest_part), (1, 2, 2));
        assert_eq!(statistics.degrees, BTreeMap::from([(1, 1), (2, 1), (3, 1)]));
    }
}
