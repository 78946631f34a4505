//! Strokes: streets that go on as one another across junctions, as an eye follows them. Maps that
//! cut their streets at every bend become whole again by them, and a far view that shows or leaves
//! out whole strokes is coarser, but not torn.

use super::detail::Shapes;
use super::streets::joined;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;
use std::cmp::Reverse;

/// All strokes of a map, the most important first; the streets of each in the order of its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strokes {
    streets: Vec<StreetId>,
    starts: Vec<u32>,
}

/// One end of a street: twice its number, and one more for the far end.
type End = usize;

/// Two streets are one stroke if they meet at less than about 45° from straight.
const STRAIGHT: f64 = -0.7;

/// No stroke goes on through a junction with more ends than that.
const MOST: usize = 16;

/// A stroke has no more streets than that; what goes on is the next one.
const LONGEST: usize = 256;

impl Strokes {
    /// The strokes of a map. Important is what has a high rank, then what is long.
    pub fn of(map: &StreetMap) -> Strokes {
        let links = links(map);
        let mut seen = vec![false; map.street_count()];
        let mut strokes = Vec::new();
        // Those that have an end, then those that run in a ring.
        let ends = (0..links.len()).filter(|&end| links[end].is_none());
        for end in ends.chain(0..links.len()) {
            if !seen[end / 2] {
                strokes.push(walk(end ^ 1, &links, &mut seen));
            }
        }
        let key = |stroke: &Vec<StreetId>| {
            let metres: f64 = stroke.iter().map(|&street| map.metres(street)).sum();
            // Whole centimetres, so that order is by a number that compares.
            (map.rank(stroke[0]).number(), Reverse((metres * 100.0) as u64), stroke[0])
        };
        strokes.sort_by_cached_key(key);
        let mut starts = vec![0];
        let lengths = strokes.iter().flat_map(|stroke| stroke.chunks(LONGEST)).map(<[_]>::len);
        starts.extend(lengths.scan(0, |end, length| {
            *end += length as u32;
            Some(*end)
        }));
        Strokes { streets: strokes.concat(), starts }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The line of each, as far as its streets meet: always, but where points of a map were moved.
    pub fn lines(&self, shapes: Shapes<'_>) -> Vec<Vec<Point>> {
        let line = |stroke| {
            let streets = self.streets(stroke).iter();
            joined(streets.map(|&street| shapes.of(street))).concat()
        };
        (0..self.count() as u32).map(line).collect()
    }

    /// The streets of one, in the order of its way.
    pub fn streets(&self, stroke: u32) -> &[StreetId] {
        let run = &self.starts[stroke as usize..stroke as usize + 2];
        &self.streets[run[0] as usize..run[1] as usize]
    }
}

/// Follows a stroke from the street that is left by this end.
fn walk(mut leaving: End, links: &[Option<End>], seen: &mut [bool]) -> Vec<StreetId> {
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

/// By end, the end of the street that it goes on as.
fn links(map: &StreetMap) -> Vec<Option<End>> {
    let mut ends: Vec<(u32, End)> = map
        .streets()
        .flat_map(|street| {
            let row = map.street(street);
            [(row.from.0, street.index() * 2), (row.to.0, street.index() * 2 + 1)]
        })
        .collect();
    ends.sort_unstable();
    let mut links = vec![None; ends.len()];
    for junction in ends.chunk_by(|one, other| one.0 == other.0) {
        join(map, junction, &mut links);
    }
    links
}

/// Joins the ends that meet at one junction, the straightest pairs first.
fn join(map: &StreetMap, ends: &[(u32, End)], links: &mut [Option<End>]) {
    if ends.len() > MOST {
        return;
    }
    let rank = |end: End| map.rank(StreetId((end / 2) as u32));
    let mut pairs = Vec::new();
    for (place, &(_, one)) in ends.iter().enumerate() {
        for &(_, other) in &ends[place + 1..] {
            let (a, b) = (way(map, one), way(map, other));
            let bend = a.x * b.x + a.y * b.y;
            // A bend in a street that the map has cut in two is no junction.
            let goes_on = bend < STRAIGHT || ends.len() == 2;
            if goes_on && one / 2 != other / 2 && rank(one) == rank(other) {
                pairs.push((bend, one, other));
            }
        }
    }
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0)); // stable: ties stay in order
    for (_, one, other) in pairs {
        if links[one].is_none() && links[other].is_none() {
            (links[one], links[other]) = (Some(other), Some(one));
        }
    }
}

/// Which way a street sets off from one of its ends, of length one; zero if it goes nowhere.
fn way(map: &StreetMap, end: End) -> Point {
    let shape = map.shape(StreetId((end / 2) as u32));
    let set_off = |from: Point, points: &mut dyn Iterator<Item = &Point>| {
        let (to, gap) = points.map(|&to| (to, from.distance(to))).find(|&(_, gap)| gap > 0.0)?;
        Some(Point::new((to.x - from.x) / gap, (to.y - from.y) / gap))
    };
    let way = match (end % 2, shape) {
        (0, [from, rest @ ..]) => set_off(*from, &mut rest.iter()),
        (1, [rest @ .., from]) => set_off(*from, &mut rest.iter().rev()),
        _ => None,
    };
    way.unwrap_or(Point::new(0.0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    fn strokes(text: &str) -> Vec<Vec<u32>> {
        let strokes = Strokes::of(&town(text).map);
        let of = |stroke| strokes.streets(stroke).iter().map(|street| street.0).collect();
        (0..strokes.count() as u32).map(of).collect()
    }

    #[test]
    fn a_street_goes_on_straight_across_a_junction() {
        // A–B–C runs east, D–B–E north; the longer stroke comes first.
        let cross = "A 0,0  B 100,0  C 200,5  D 100,-300  E 100,300 | A-B  B-C  D-B  B-E";
        assert_eq!(strokes(cross), [vec![2, 3], vec![0, 1]]);
    }

    #[test]
    fn a_bend_is_no_end_but_a_fork_is() {
        assert_eq!(strokes("A 0,0  B 100,0  C 100,100 | A-B  B-C"), [vec![0, 1]]);
        let fork = strokes("A 0,0  B 100,0  C 150,87  D 150,-87 | A-B  B-C  B-D");
        assert_eq!(fork.len(), 3, "{fork:?}");
    }

    #[test]
    fn the_streets_of_a_stroke_are_in_the_order_of_its_way() {
        let mixed = strokes("A 0,0  B 10,0  C 20,0  D 30,0  E 40,0 | C-D  A-B  E-D  C-B");
        assert_eq!(mixed, [vec![1, 3, 0, 2]]);
        assert_eq!(strokes("A 0,0  B 100,0  C 100,100 | A-B  B-C  C-A")[0].len(), 3);
    }

    #[test]
    fn no_stroke_goes_on_through_a_large_junction() {
        let names: Vec<String> = (0..20).map(|n| format!("P{n} {},{}", 100 + n, n * 31)).collect();
        let arms: Vec<String> = (0..20).map(|n| format!("O-P{n}")).collect();
        let star = strokes(&format!("O 0,0  {} | {}", names.join("  "), arms.join("  ")));
        assert_eq!(star.len(), 20);
    }
}
