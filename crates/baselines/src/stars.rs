//! Segments and stars of a map. A segment is a chain of streets between junctions; a star is a
//! junction of at least three street ends with its segments.

use crate::runs::Runs;
use crate::undirected_streets::UndirectedStreets;
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use meshcloak::units::Point;

/// Segments and stars by number, in flat arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stars {
    /// By street: segment.
    segment_of: Vec<u32>,
    /// By segment: stars at its ends; one for dead ends and loops.
    ends: Vec<[Option<u32>; 2]>,
    /// By segment: streets along the chain.
    streets: Runs<StreetId>,
    /// By star: distinct segments, ascending.
    segments: Runs<u32>,
    /// By segment: connected component.
    part_of: Vec<u32>,
    /// By component: number of segments.
    part_sizes: Vec<u32>,
}

const UNVISITED: u32 = u32::MAX;

impl Stars {
    /// Computes segments and stars of a map.
    pub(crate) fn new(map: &StreetMap) -> Stars {
        let network = UndirectedStreets::new(map);
        let mut star_at = vec![None; map.terminal_count()];
        let junctions: Vec<TerminalId> =
            map.terminals().filter(|&terminal| network.degree(terminal) >= 3).collect();
        for (star, junction) in junctions.iter().enumerate() {
            star_at[junction.index()] = Some(star as u32);
        }
        let mut stars =
            Stars { segment_of: vec![UNVISITED; map.street_count()], ..Stars::default() };
        // Start at junctions, then at dead ends, then on isolated rings.
        let dead_ends = map.terminals().filter(|&terminal| network.degree(terminal) == 1);
        for start in junctions.iter().copied().chain(dead_ends).chain(map.terminals()) {
            for arm in network.at(start) {
                if stars.segment_of[arm.street.index()] == UNVISITED {
                    let end = stars.follow(&network, arm.street, arm.terminal);
                    let ends = [star_at[start.index()], star_at[end.index()]];
                    stars.ends.push(if ends[0] == ends[1] { [ends[0], None] } else { ends });
                }
            }
        }
        stars.collect_segments(&network, &junctions);
        stars.find_parts();
        stars
    }

    /// Follows a segment from its first street and returns the terminal at its end.
    fn follow(
        &mut self,
        network: &UndirectedStreets,
        first: StreetId,
        to: TerminalId,
    ) -> TerminalId {
        let number = self.streets.len() as u32;
        let (mut street, mut terminal) = (first, to);
        loop {
            self.segment_of[street.index()] = number;
            self.streets.push(street);
            let next = match network.at(terminal) {
                [a, b] => {
                    [a, b].into_iter().find(|arm| self.segment_of[arm.street.index()] == UNVISITED)
                }
                _ => None,
            };
            let Some(next) = next else { break };
            (street, terminal) = (next.street, next.terminal);
        }
        self.streets.end_run();
        terminal
    }

    /// Collects the segments of each junction; a segment without junction becomes a star.
    fn collect_segments(&mut self, network: &UndirectedStreets, junctions: &[TerminalId]) {
        for &junction in junctions {
            let arms = network.at(junction).iter();
            let mut around: Vec<u32> =
                arms.map(|arm| self.segment_of[arm.street.index()]).collect();
            around.sort_unstable();
            around.dedup();
            around.into_iter().for_each(|segment| self.segments.push(segment));
            self.segments.end_run();
        }
        for segment in 0..self.ends.len() {
            if self.ends[segment] == [None, None] {
                self.ends[segment][0] = Some(self.segments.len() as u32);
                self.segments.push(segment as u32);
                self.segments.end_run();
            }
        }
    }

    fn find_parts(&mut self) {
        self.part_of = vec![UNVISITED; self.ends.len()];
        let mut open = Vec::new();
        for first in 0..self.ends.len() as u32 {
            if self.part_of[first as usize] != UNVISITED {
                continue;
            }
            let part = self.part_sizes.len() as u32;
            self.part_sizes.push(0);
            self.part_of[first as usize] = part;
            open.push(first);
            while let Some(segment) = open.pop() {
                self.part_sizes[part as usize] += 1;
                for star in self.ends[segment as usize].into_iter().flatten() {
                    for &next in self.segments.get(star) {
                        if self.part_of[next as usize] == UNVISITED {
                            self.part_of[next as usize] = part;
                            open.push(next);
                        }
                    }
                }
            }
        }
    }

    /// Segment of a street.
    pub(crate) fn segment_of(&self, street: StreetId) -> u32 {
        self.segment_of[street.index()]
    }

    /// Stars at the ends of a segment, at least one.
    pub(crate) fn ends(&self, segment: u32) -> impl Iterator<Item = u32> + use<> {
        self.ends[segment as usize].into_iter().flatten()
    }

    /// Streets of a segment.
    pub(crate) fn streets(&self, segment: u32) -> &[StreetId] {
        self.streets.get(segment)
    }

    /// Appends the streets of segments, ascending.
    pub(crate) fn append_streets(&self, segments: &[u32], mesh: &mut Vec<StreetId>) {
        let start = mesh.len();
        segments.iter().for_each(|&segment| mesh.extend_from_slice(self.streets(segment)));
        mesh[start..].sort_unstable();
    }

    /// Segments that share a star with a segment, with repetitions, including the segment itself.
    pub(crate) fn around(&self, segment: u32) -> impl Iterator<Item = u32> {
        self.ends(segment).flat_map(|star| self.segments(star).iter().copied())
    }

    /// A point of each star: its junction, or the start of its first street.
    pub(crate) fn centres(&self, map: &StreetMap) -> Vec<Point> {
        let centre = |star: u32| {
            let segments = self.segments(star);
            // A junction is an end of all its segments; with one segment any end will do.
            let ends = |segment: u32| {
                let streets = self.streets(segment).iter().map(|&street| map.street(street));
                streets.flat_map(|street| [street.from, street.to]).collect::<Vec<TerminalId>>()
            };
            let first = ends(segments[0]);
            let is_shared = |end: &&TerminalId| {
                segments[1..].iter().all(|&segment| ends(segment).contains(end))
            };
            map.terminal(*first.iter().find(is_shared).unwrap_or(&first[0]))
        };
        (0..self.star_count() as u32).map(centre).collect()
    }

    /// Length of each segment, in units of 1/32 m.
    pub(crate) fn lengths(&self, map: &StreetMap) -> Vec<u64> {
        let length = |&street: &StreetId| u64::from(map.street(street).length.units());
        let segments = 0..self.segment_count() as u32;
        segments.map(|segment| self.streets(segment).iter().map(length).sum()).collect()
    }

    /// Segments of a star.
    pub(crate) fn segments(&self, star: u32) -> &[u32] {
        self.segments.get(star)
    }

    /// Number of segments.
    pub(crate) fn segment_count(&self) -> usize {
        self.ends.len()
    }

    /// Number of stars.
    pub(crate) fn star_count(&self) -> usize {
        self.segments.len()
    }

    /// Connected component of a segment.
    pub(crate) fn part_of(&self, segment: u32) -> u32 {
        self.part_of[segment as usize]
    }

    /// Number of segments of each component.
    pub(crate) fn part_sizes(&self) -> &[u32] {
        &self.part_sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::{Town, town};

    #[test]
    fn a_segment_is_a_chain_between_junctions() {
        //  A ── B ── C ── D ─▶ E     C is a junction, F a dead end, the ring G–H apart
        //            │         │
        //            F         └─ back to C by a street of its own
        let town = town(
            "A 0,0 B 9,0 C 18,0 D 27,0 E 36,0 F 18,9 G 90,90 H 99,90 | \
             A-B B-C C-D D>E E-C C-F G-H G-H",
        );
        let stars = Stars::new(&town.map);
        let names = |segment: u32| -> Vec<&str> {
            stars.streets(segment).iter().map(|&street| town.map.street_label(street)).collect()
        };
        let of = |street: &str| stars.segment_of(town.street(street));
        assert_eq!((stars.star_count(), stars.segment_count()), (2, 4));
        assert_eq!(names(of("A-B")), ["B-C", "A-B"]);
        assert_eq!(names(of("D>E")), ["C-D", "D>E", "E-C"]);
        assert_eq!(names(of("G-H")), ["G-H", "G-H#2"]);
        assert_eq!(stars.segments(0), [of("A-B"), of("C-D"), of("C-F")]);
        assert!(stars.ends(of("D>E")).eq([0]) && stars.ends(of("G-H")).eq([1]));
        assert_eq!(stars.part_sizes(), [3, 1]);
    }

    #[test]
    fn every_street_is_in_one_segment_and_every_segment_in_the_stars_at_its_ends() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let stars = Stars::new(&town.map);
            let mut streets = Vec::new();
            for segment in 0..stars.segment_count() as u32 {
                let own = stars.streets(segment);
                assert!(own.iter().all(|&street| stars.segment_of(street) == segment));
                streets.extend_from_slice(own);
                let around = |star| stars.segments(star).contains(&segment);
                assert!(stars.ends(segment).count() > 0 && stars.ends(segment).all(around));
            }
            streets.sort_unstable();
            assert!(streets.into_iter().eq(town.map.streets()), "seed {seed}\n{town}");
        }
    }
}
