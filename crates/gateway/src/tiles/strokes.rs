//! Strokes: streets that go on as one another across junctions, as an eye follows them. Maps that
//! cut their streets at every bend become whole again by them, and a far view that shows or leaves
//! out whole strokes is coarser, but not torn.

use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;
use std::cmp::Reverse;

/// All strokes of a map, the most important first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strokes {
    streets: Vec<StreetId>,
    starts: Vec<u32>,
}

/// A street at one of its ends.
#[derive(Clone, Copy)]
struct End {
    street: StreetId,
    /// Where it leaves the junction to, of length one; zero if it goes nowhere.
    way: Point,
}

/// Two streets are one stroke if they meet at less than about 45° from straight.
const STRAIGHT: f64 = -0.7;

/// No stroke goes on through a junction with more ends than that.
const MOST: usize = 16;

/// A stroke has no more streets than that; what goes on is the next one.
const LONGEST: usize = 256;

impl Strokes {
    /// The strokes of a map. Important is what has a high rank, then what is long.
    pub fn of(map: &StreetMap) -> Strokes {
        let mut sets = Sets::new(map.street_count());
        for ends in junctions(map).chunk_by(|one, other| one.0 == other.0) {
            join(map, ends, &mut sets);
        }
        let mut metres = vec![0.0; map.street_count()];
        for street in map.streets() {
            metres[sets.first(street.0) as usize] += map.metres(street);
        }
        let mut keyed: Vec<_> = map
            .streets()
            .map(|street| {
                let first = sets.first(street.0);
                // Whole centimetres, so that order is by a number that compares.
                let long = (metres[first as usize] * 100.0) as u64;
                (map.rank(street).number(), Reverse(long), first, street)
            })
            .collect();
        keyed.sort_unstable();
        let mut starts = vec![0];
        let ends =
            keyed.chunk_by(|one, other| one.2 == other.2).flat_map(|all| all.chunks(LONGEST));
        starts.extend(ends.scan(0, |end, stroke| {
            *end += stroke.len() as u32;
            Some(*end)
        }));
        Strokes { streets: keyed.into_iter().map(|key| key.3).collect(), starts }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The streets of one, ascending.
    pub fn streets(&self, stroke: u32) -> &[StreetId] {
        let run = &self.starts[stroke as usize..stroke as usize + 2];
        &self.streets[run[0] as usize..run[1] as usize]
    }
}

/// All ends of streets by the number of their terminal, ascending.
fn junctions(map: &StreetMap) -> Vec<(u32, End)> {
    let ends = |street: StreetId| {
        let (row, shape) = (map.street(street), map.shape(street));
        let back = way(shape.iter().rev());
        [(row.from, way(shape.iter())), (row.to, back)]
    };
    let mut all: Vec<(u32, End)> = map
        .streets()
        .flat_map(|street| ends(street).map(|(at, way)| (at.0, End { street, way })))
        .collect();
    all.sort_by_key(|&(at, _)| at);
    all
}

/// Which way a shape sets off.
fn way<'a>(mut shape: impl Iterator<Item = &'a Point>) -> Point {
    let nowhere = Point::new(0.0, 0.0);
    let Some(&from) = shape.next() else { return nowhere };
    let apart = shape.map(|&to| (to, from.distance(to))).find(|&(_, gap)| gap > 0.0);
    apart.map_or(nowhere, |(to, gap)| Point::new((to.x - from.x) / gap, (to.y - from.y) / gap))
}

/// Joins the ends that meet at one junction, the straightest pairs first.
fn join(map: &StreetMap, ends: &[(u32, End)], sets: &mut Sets) {
    if ends.len() > MOST {
        return;
    }
    let mut pairs = Vec::new();
    for (a, (_, one)) in ends.iter().enumerate() {
        for (b, (_, other)) in ends.iter().enumerate().skip(a + 1) {
            let bend = one.way.x * other.way.x + one.way.y * other.way.y;
            // A bend in a street that the map has cut in two is no junction.
            let goes_on = bend < STRAIGHT || ends.len() == 2;
            if goes_on && map.rank(one.street) == map.rank(other.street) {
                pairs.push((bend, a, b));
            }
        }
    }
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0)); // stable: ties stay in order
    let mut taken = [false; MOST];
    for (_, a, b) in pairs {
        if !taken[a] && !taken[b] {
            (taken[a], taken[b]) = (true, true);
            sets.join(ends[a].1.street.0, ends[b].1.street.0);
        }
    }
}

/// Which streets belong together; each set is named by its smallest member.
struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        Sets { parent: (0..count as u32).collect() }
    }

    fn first(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let above = self.parent[member as usize];
            self.parent[member as usize] = self.parent[above as usize];
            member = above;
        }
        member
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first(one), self.first(other));
        self.parent[one.max(other) as usize] = one.min(other);
    }
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
    fn a_bend_is_no_end_but_a_corner_with_a_third_street_is() {
        assert_eq!(strokes("A 0,0  B 100,0  C 100,100 | A-B  B-C"), [vec![0, 1]]);
        let three = strokes("A 0,0  B 100,0  C 150,87  D 150,-87 | A-B  B-C  B-D");
        assert_eq!(three.len(), 3, "{three:?}");
    }

    #[test]
    fn every_street_is_of_one_stroke_whatever_the_junction() {
        let names: Vec<String> =
            (0..20).map(|n| format!("P{n} {},{}", 100 + n * 7, n * 31)).collect();
        let arms: Vec<String> = (0..20).map(|n| format!("O-P{n}")).collect();
        let star = strokes(&format!("O 0,0  {} | {}", names.join("  "), arms.join("  ")));
        assert_eq!(star.len(), 20);
        let ring = strokes("A 0,0  B 100,0  C 100,100 | A-B  B-C  C-A");
        assert_eq!(ring, [vec![0, 1, 2]]);
    }
}
