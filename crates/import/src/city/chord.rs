//! Finding where a new street should run through a face: both ends on the border, square to what
//! it meets, halves of like size, and onwards from a street across where there is one.

use super::face::{End, Face};
use super::plane::Plane;
use super::vector::{along, cross, dot, left, norm, sub, unit};
use meshcloak::units::Point;

/// A straight street through a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    pub from: (End, Point),
    pub to: (End, Point),
    /// Whether the far end is no street (a bank, the edge of the map): it has to stop before.
    pub is_blind: bool,
    /// Whether it goes on from a street beyond `from`.
    pub continues: bool,
    pub score: f64,
}

/// What a chord has to keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Metres between junctions.
    pub spacing: f64,
    /// Greatest cosine of the angle at which it may meet another street.
    pub sharpest: f64,
    /// What going on from a street across is worth.
    pub crossing_bonus: f64,
    /// Smallest part of the face that may be cut off.
    pub smallest: f64,
}

impl Chord {
    pub(super) fn length(&self) -> f64 {
        self.from.1.distance(self.to.1)
    }

    /// The chord on the line through `base` towards `way`, if it keeps the rules.
    pub(super) fn through(
        (plane, face): (&Plane, &Face),
        (base, way): (Point, Point),
        rules: &Rules,
    ) -> Option<Chord> {
        let (enter, leave) = longest_inside(face, base, way)?;
        let street = |n: usize| plane.is_street(face.halves[n]);
        let (mut first, mut second) = ((enter.edge, enter.s), (leave.edge, leave.s));
        if !street(first.0) {
            std::mem::swap(&mut first, &mut second);
        }
        if !street(first.0) {
            return None;
        }
        let from = settle(plane, face, (first.0, along(base, way, first.1)), rules);
        let to = if street(second.0) {
            settle(plane, face, (second.0, along(base, way, second.1)), rules)
        } else {
            (End::Edge(second.0), along(base, way, second.1))
        };
        let chord = Chord { from, to, is_blind: !street(second.0), continues: false, score: 0.0 };
        chord.judged(plane, face, rules)
    }

    /// The chord with its score, if it keeps the rules.
    fn judged(mut self, plane: &Plane, face: &Face, rules: &Rules) -> Option<Chord> {
        let way = unit(sub(self.to.1, self.from.1));
        let length = self.length();
        if length < 1.2 * rules.spacing {
            return None;
        }
        let back = Point::new(-way.x, -way.y);
        let starts = meets_well(plane, face, self.from, (way, rules))?;
        let ends = if self.is_blind {
            (0.5, false)
        } else {
            meets_well(plane, face, self.to, (back, rules))?
        };
        let ends_at = [self.from.0, self.to.0];
        let distance = (0.3 * rules.spacing).max(7.0);
        if !face.is_clear((self.from.1, self.to.1), &ends_at, distance) {
            return None;
        }
        let share = face.share_left(self.from, self.to);
        let balance = share.min(1.0 - share);
        if balance < rules.smallest {
            return None;
        }
        let crossings = f64::from(u8::from(starts.1)) + f64::from(u8::from(ends.1));
        self.continues = starts.1;
        self.score = balance * 2.0 + crossings * rules.crossing_bonus
            - 0.6 * (starts.0 + ends.0)
            - if self.is_blind { 1.5 } else { 0.0 }
            - 0.5 * length / face.area.sqrt();
        Some(self)
    }
}

/// How squarely a chord leaves an end (0: square) and whether it goes on from a street across;
/// `None` if too sharply, too near another junction, or not into this face.
fn meets_well(
    plane: &Plane,
    face: &Face,
    (end, point): (End, Point),
    (way, rules): (Point, &Rules),
) -> Option<(f64, bool)> {
    let (sharpness, across) = match end {
        End::Edge(n) => (dot(way, face.way(n)).abs(), false),
        End::Corner(n) => {
            if !plane.opens(face.corner(n), way) {
                return None;
            }
            let vertex = plane.origin(face.halves[n]);
            let mut sharpest: f64 = -1.0;
            let mut across = false;
            for half in plane.around(vertex).filter(|half| plane.is_street(*half)) {
                let other = unit(sub(plane.point(plane.target(half)), point));
                let cosine = dot(way, other);
                across |= cosine < -0.95;
                sharpest = sharpest.max(cosine);
            }
            if plane.degree(vertex) > 3 {
                return None;
            }
            (sharpest.max(0.0), across && plane.degree(vertex) == 3)
        }
    };
    let crowded = (0..face.len()).any(|n| {
        let apart = face.points[n].distance_squared(point);
        apart > 0.01
            && apart < rules.spacing * rules.spacing
            && plane.is_terminal(plane.origin(face.halves[n]))
    });
    (sharpness <= rules.sharpest && !crowded).then_some((sharpness, across))
}

/// Moves a place on the border to a corner that is near enough.
fn settle(
    plane: &Plane,
    face: &Face,
    (edge, point): (usize, Point),
    rules: &Rules,
) -> (End, Point) {
    let near = |n: usize| face.points[n].distance_squared(point);
    let is_junction = |n: &usize| {
        let vertex = plane.origin(face.halves[*n]);
        plane.is_terminal(vertex) && plane.degree(vertex) > 1
    };
    let junction = (0..face.len()).filter(is_junction).min_by(|a, b| near(*a).total_cmp(&near(*b)));
    let reach = 1.3 * rules.spacing;
    if let Some(n) = junction.filter(|n| near(*n) < reach * reach) {
        return (End::Corner(n), face.points[n]);
    }
    let next = (edge + 1) % face.len();
    let n = if near(edge) < near(next) { edge } else { next };
    let limit = (0.4 * rules.spacing).min(14.0);
    let is_street_corner = plane.is_street(face.halves[n]) && plane.is_street(face.corner(n).0);
    if near(n) < limit * limit && is_street_corner {
        (End::Corner(n), face.points[n])
    } else {
        (End::Edge(edge), point)
    }
}

/// Where a line meets the border: how far along the line, and at which edge.
#[derive(Clone, Copy)]
struct Passage {
    s: f64,
    edge: usize,
}

/// The longest stretch of a line that lies inside the face.
fn longest_inside(face: &Face, base: Point, way: Point) -> Option<(Passage, Passage)> {
    let mut passages: Vec<(f64, bool, usize)> = Vec::new();
    let normal = left(way);
    let mut side = dot(sub(face.points[0], base), normal);
    for edge in 0..face.len() {
        let (a, b) = (face.points[edge], face.after(edge));
        let next = dot(sub(b, base), normal);
        if (side < 0.0) != (next < 0.0) {
            let t = side / (side - next);
            let s = dot(sub(a.towards(b, t), base), way);
            passages.push((s, cross(sub(b, a), way) > 0.0, edge));
        }
        side = next;
    }
    // At one place leaving comes before entering again: both sides of a dead end.
    passages.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut best: Option<(Passage, Passage)> = None;
    for pair in passages.windows(2) {
        if pair[0].1 && !pair[1].1 {
            let length = pair[1].0 - pair[0].0;
            if best.as_ref().is_none_or(|(a, b)| b.s - a.s < length) {
                let passage = |n: usize| Passage { s: pair[n].0, edge: pair[n].2 };
                best = Some((passage(0), passage(1)));
            }
        }
    }
    best.filter(|(a, b)| b.s - a.s > 1.0)
}

/// Ways on from streets that end at this face's border: the point and the way.
pub(super) fn ways_on(plane: &Plane, face: &Face, into: &mut Vec<(Point, Point)>) {
    into.clear();
    for n in 0..face.len() {
        let vertex = plane.origin(face.halves[n]);
        if plane.degree(vertex) != 3 {
            continue;
        }
        let (ahead, back) = (face.way(n), face.way(face.before(n)));
        if dot(ahead, back) < 0.85 {
            continue;
        }
        let here = face.points[n];
        let ends = [face.halves[n], face.corner(n).0 ^ 1];
        let third =
            plane.around(vertex).find(|half| !ends.contains(half) && plane.is_street(*half));
        if let Some(third) = third {
            let beyond = sub(here, plane.point(plane.target(third)));
            if norm(beyond) > 1.0 && cross(ahead, beyond) > 0.0 {
                into.push((here, unit(beyond)));
            }
        }
    }
}
