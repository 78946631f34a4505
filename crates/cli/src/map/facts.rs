//! What can be counted on a map.

use meshcloak::map::{StreetMap, strongly_connected_parts};
use std::collections::BTreeMap;

/// Counts of a map as it is used.
#[derive(Debug)]
pub struct Facts {
    /// Unrounded length of all streets.
    pub metres: f64,
    /// Streets that can be travelled one way only.
    pub one_way: usize,
    /// Strongly connected parts.
    pub parts: usize,
    /// Terminals in the largest of them.
    pub largest_part: usize,
    /// How many terminals have how many street ends.
    pub degrees: BTreeMap<usize, usize>,
    /// How many points of interest each category has.
    pub categories: BTreeMap<String, usize>,
    /// How far the farthest point of interest is from its street, in metres.
    pub farthest_poi: f64,
}

impl Facts {
    /// Counts `map`.
    pub fn of(map: &StreetMap) -> Facts {
        let parts = strongly_connected_parts(map.terminal_count(), &map.tables().streets);
        let mut categories = BTreeMap::new();
        for poi in map.pois() {
            *categories.entry(map.category(poi).to_owned()).or_default() += 1;
        }
        let gap = |poi| map.poi(poi).point.distance(map.point(map.poi(poi).position));
        Facts {
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

/// A loop has both its ends at one terminal and counts twice there.
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
    fn a_small_town_is_counted_right() {
        //  A ── B ─▶ C, and a loop at A
        let facts = Facts::of(&town("A 0,0  B 100,0  C 200,0 | A-B B>C A-A:50").map);
        assert_eq!(facts.metres, 250.0);
        assert_eq!((facts.one_way, facts.parts, facts.largest_part), (1, 2, 2));
        assert_eq!(facts.degrees, BTreeMap::from([(1, 1), (2, 1), (3, 1)]));
    }
}
