//! Strokes: chains of streets that continue each other across junctions. Maps split streets at every
//! junction and bend; showing or dropping whole strokes keeps a simplified map connected.

#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices are street and terminal numbers of a checked map"
)]

use super::detail::Shapes;
use super::streets::join_shapes;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;
use std::cmp::Reverse;

/// All strokes of a map, most important first; the streets of each in order along it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strokes {
    streets: Vec<StreetId>,
    starts: Vec<u32>,
}

/// End of a street: `2 × street`, plus 1 for the `to` end.
type StreetEnd = usize;

/// Largest cosine between the directions of two ends that continue each other: about 45° off
/// straight.
const MAX_COSINE: f64 = -0.7;

/// Largest number of ends at a junction that a stroke passes.
const MAX_JUNCTION_ENDS: usize = 16;

/// Largest number of streets of a stroke; longer chains are split.
const MAX_STREETS: usize = 256;

impl Strokes {
    /// Builds the strokes, ordered by rank and then by length.
    pub fn new(map: &StreetMap) -> Strokes {
        let links = links(map);
        let mut seen = vec![false; map.street_count()];
        let mut strokes = Vec::new();
        // Open chains first, then rings.
        let ends = (0..links.len()).filter(|&end| links[end].is_none());
        for end in ends.chain(0..links.len()) {
            if !seen[end / 2] {
                strokes.push(walk(end ^ 1, &links, &mut seen));
            }
        }
        let key = |stroke: &Vec<StreetId>| {
            let metres: f64 = stroke.iter().map(|&street| map.metres(street)).sum();
            // Whole centimetres, because floats have no total order.
            (map.rank(stroke[0]).number(), Reverse((metres * 100.0) as u64), stroke[0])
        };
        strokes.sort_by_cached_key(key);
        let mut starts = vec![0];
        let lengths = strokes.iter().flat_map(|stroke| stroke.chunks(MAX_STREETS)).map(<[_]>::len);
        starts.extend(lengths.scan(0, |end, length| {
            *end += length as u32;
            Some(*end)
        }));
        Strokes { streets: strokes.concat(), starts }
    }

    /// Number of strokes.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the line of each stroke.
    pub fn lines(&self, shapes: Shapes<'_>) -> Vec<Vec<Point>> {
        let line = |stroke| {
            let streets = self.streets(stroke).iter();
            join_shapes(streets.map(|&street| shapes.of(street))).concat()
        };
        (0..self.count() as u32).map(line).collect()
    }

    /// Returns the streets of a stroke in order along it.
    pub fn streets(&self, stroke: u32) -> &[StreetId] {
        let run = &self.starts[stroke as usize..stroke as usize + 2];
        &self.streets[run[0] as usize..run[1] as usize]
    }
}

/// Collects a stroke, starting with the street that is left by this end.
fn walk(mut leaving: StreetEnd, links: &[Option<StreetEnd>], seen: &mut [bool]) -> Vec<StreetId> {
    let mut stroke = Vec::new();
    loop {
        seen[leaving / 2] = true;
        stroke.push(StreetId((leaving / 2) as u32));
        match links[leaving] {
            Some(entered) if !seen[entered / 2] => leaving = entered ^ 1,
            _ => return stroke,
        }
    }
}

/// Returns for each end the end that continues it.
fn links(map: &StreetMap) -> Vec<Option<StreetEnd>> {
    let mut ends: Vec<(u32, StreetEnd)> = map
        .streets()
        .flat_map(|street| {
            let row = map.street(street);
            [(row.from.0, street.index() * 2), (row.to.0, street.index() * 2 + 1)]
        })
        .collect();
    ends.sort_unstable();
    let mut links = vec![None; ends.len()];
    for junction in ends.chunk_by(|one, other| one.0 == other.0) {
        link_junction(map, junction, &mut links);
    }
    links
}

/// Links the ends at one junction, straightest pairs first.
fn link_junction(map: &StreetMap, ends: &[(u32, StreetEnd)], links: &mut [Option<StreetEnd>]) {
    if ends.len() > MAX_JUNCTION_ENDS {
        return;
    }
    let rank = |end: StreetEnd| map.rank(StreetId((end / 2) as u32));
    let mut pairs = Vec::new();
    for (index, &(_, one)) in ends.iter().enumerate() {
        for &(_, other) in &ends[index + 1..] {
            let (a, b) = (direction(map, one), direction(map, other));
            let cosine = a.x * b.x + a.y * b.y;
            // Two ends are a bend of one street, not a junction.
            let continues = cosine < MAX_COSINE || ends.len() == 2;
            if continues && one / 2 != other / 2 && rank(one) == rank(other) {
                pairs.push((cosine, one, other));
            }
        }
    }
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0)); // stable sort: ties keep their order
    for (_, one, other) in pairs {
        if links[one].is_none() && links[other].is_none() {
            (links[one], links[other]) = (Some(other), Some(one));
        }
    }
}

/// Returns the unit vector in which a street leaves one of its ends; zero if all its points coincide.
fn direction(map: &StreetMap, end: StreetEnd) -> Point {
    let shape = map.shape(StreetId((end / 2) as u32));
    let towards_next = |from: Point, points: &mut dyn Iterator<Item = &Point>| {
        let (to, gap) = points.map(|&to| (to, from.distance(to))).find(|&(_, gap)| gap > 0.0)?;
        Some(Point::new((to.x - from.x) / gap, (to.y - from.y) / gap))
    };
    let direction = match (end % 2, shape) {
        (0, [from, rest @ ..]) => towards_next(*from, &mut rest.iter()),
        (1, [rest @ .., from]) => towards_next(*from, &mut rest.iter().rev()),
        _ => None,
    };
    direction.unwrap_or(Point::new(0.0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    fn strokes(text: &str) -> Vec<Vec<u32>> {
        let strokes = Strokes::new(&town(text).map);
        let of = |stroke| strokes.streets(stroke).iter().map(|street| street.0).collect();
        (0..strokes.count() as u32).map(of).collect()
    }

    #[test]
    fn a_stroke_continues_straight_across_a_junction() {
        // A–B–C runs east, D–B–E north; the longer stroke comes first.
        let cross = "A 0,0  B 100,0  C 200,5  D 100,-300  E 100,300 | A-B  B-C  D-B  B-E";
        assert_eq!(strokes(cross), [vec![2, 3], vec![0, 1]]);
    }

    #[test]
    fn a_bend_does_not_end_a_stroke_but_a_fork_does() {
        assert_eq!(strokes("A 0,0  B 100,0  C 100,100 | A-B  B-C"), [vec![0, 1]]);
        let fork = strokes("A 0,0  B 100,0  C 150,87  D 150,-87 | A-B  B-C  B-D");
        assert_eq!(fork.len(), 3, "{fork:?}");
    }

    #[test]
    fn streets_are_in_order_along_their_stroke() {
        let mixed = strokes("A 0,0  B 10,0  C 20,0  D 30,0  E 40,0 | C-D  A-B  E-D  C-B");
        assert_eq!(mixed, [vec![1, 3, 0, 2]]);
        assert_eq!(strokes("A 0,0  B 100,0  C 100,100 | A-B  B-C  C-A")[0].len(), 3);
    }

    #[test]
    fn no_stroke_passes_a_large_junction() {
        let names: Vec<String> = (0..20).map(|n| format!("P{n} {},{}", 100 + n, n * 31)).collect();
        let arms: Vec<String> = (0..20).map(|n| format!("O-P{n}")).collect();
        let star = strokes(&format!("O 0,0  {} | {}", names.join("  "), arms.join("  ")));
        assert_eq!(star.len(), 20);
    }
}
