//! Search for a new street through a face: both ends on the boundary, nearly perpendicular to the
//! streets it meets, dividing the area evenly, and preferably continuing a street on the other
//! side.

use super::face::{ChordEnd, Face, Site};
use super::plane::Plane;
use super::vector::{along, cross, dot, left, norm, sub, unit};
use meshcloak::units::Point;

/// A line given by a point and a unit vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub base: Point,
    pub way: Point,
}

/// A straight street through a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    pub from: ChordEnd,
    pub to: ChordEnd,
    /// Whether the far end is not a street (a bank, the edge of the map), so that the street must
    /// stop before it.
    pub is_blind: bool,
    /// Whether the chord continues a street beyond `from`.
    pub continues: bool,
    pub score: f64,
}

/// Constraints and weights for chords.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Smallest distance between junctions, in metres.
    pub spacing: f64,
    /// Largest cosine of the angle with a street it meets.
    pub sharpest: f64,
    /// Score of continuing a street on the other side.
    pub crossing_bonus: f64,
    /// Smallest share of the face that may be cut off.
    pub smallest: f64,
}

/// How a chord meets the boundary at one end.
#[derive(Clone, Copy)]
struct Meeting {
    /// Cosine of the sharpest angle; 0 is perpendicular.
    sharpness: f64,
    /// Whether the chord continues a street on the other side.
    continues: bool,
}

impl Chord {
    pub(super) fn length(&self) -> f64 {
        self.from.point.distance(self.to.point)
    }

    /// Returns the chord on `ray`, if it satisfies the rules.
    pub(super) fn through(plane: &Plane, face: &Face, ray: Ray, rules: &Rules) -> Option<Chord> {
        let Stretch { enter, leave } = longest_inside(face, ray)?;
        let is_street = |passage: Passage| plane.is_street(face.halves[passage.edge]);
        let (mut first, mut second) = (enter, leave);
        if !is_street(first) {
            std::mem::swap(&mut first, &mut second);
        }
        if !is_street(first) {
            return None;
        }
        let point = |passage: Passage| along(ray.base, ray.way, passage.s);
        let from = snap_to_corner(plane, face, first.edge, point(first), rules);
        let to = if is_street(second) {
            snap_to_corner(plane, face, second.edge, point(second), rules)
        } else {
            ChordEnd { site: Site::Edge(second.edge), point: point(second) }
        };
        let is_blind = !is_street(second);
        let chord = Chord { from, to, is_blind, continues: false, score: 0.0 };
        chord.scored(plane, face, rules)
    }

    /// Returns the chord with its score, if it satisfies the rules.
    fn scored(mut self, plane: &Plane, face: &Face, rules: &Rules) -> Option<Chord> {
        let way = unit(sub(self.to.point, self.from.point));
        let length = self.length();
        if length < 1.2 * rules.spacing {
            return None;
        }
        let back = Point::new(-way.x, -way.y);
        let start = meeting_at(plane, face, self.from, way, rules)?;
        let end = if self.is_blind {
            Meeting { sharpness: 0.5, continues: false }
        } else {
            meeting_at(plane, face, self.to, back, rules)?
        };
        let sites = [self.from.site, self.to.site];
        let distance = (0.3 * rules.spacing).max(7.0);
        if !face.is_clear(self.from.point, self.to.point, &sites, distance) {
            return None;
        }
        let share = face.share_left(self.from, self.to);
        let balance = share.min(1.0 - share);
        if balance < rules.smallest {
            return None;
        }
        let crossings = f64::from(u8::from(start.continues)) + f64::from(u8::from(end.continues));
        self.continues = start.continues;
        self.score = balance * 2.0 + crossings * rules.crossing_bonus
            - 0.6 * (start.sharpness + end.sharpness)
            - if self.is_blind { 1.5 } else { 0.0 }
            - 0.5 * length / face.area.sqrt();
        Some(self)
    }
}

/// Returns how a chord in direction `way` meets the boundary; `None` if the angle is too sharp,
/// another junction is too near, or `way` does not point into the face.
fn meeting_at(
    plane: &Plane,
    face: &Face,
    end: ChordEnd,
    way: Point,
    rules: &Rules,
) -> Option<Meeting> {
    let meeting = match end.site {
        Site::Edge(n) => Meeting { sharpness: dot(way, face.way(n)).abs(), continues: false },
        Site::Corner(n) => {
            if !plane.opens(face.corner(n), way) {
                return None;
            }
            let vertex = plane.origin(face.halves[n]);
            let mut sharpest: f64 = -1.0;
            let mut across = false;
            for half in plane.around(vertex).filter(|half| plane.is_street(*half)) {
                let other = unit(sub(plane.point(plane.target(half)), end.point));
                let cosine = dot(way, other);
                across |= cosine < -0.95;
                sharpest = sharpest.max(cosine);
            }
            if plane.degree(vertex) > 3 {
                return None;
            }
            let continues = across && plane.degree(vertex) == 3;
            Meeting { sharpness: sharpest.max(0.0), continues }
        }
    };
    let is_crowded = (0..face.len()).any(|n| {
        let apart = face.points[n].distance_squared(end.point);
        apart > 0.01
            && apart < rules.spacing * rules.spacing
            && plane.is_terminal(plane.origin(face.halves[n]))
    });
    (meeting.sharpness <= rules.sharpest && !is_crowded).then_some(meeting)
}

/// Moves a point on the boundary to a corner that is near enough.
fn snap_to_corner(
    plane: &Plane,
    face: &Face,
    edge: usize,
    point: Point,
    rules: &Rules,
) -> ChordEnd {
    let near = |n: usize| face.points[n].distance_squared(point);
    let is_junction = |n: &usize| {
        let vertex = plane.origin(face.halves[*n]);
        plane.is_terminal(vertex) && plane.degree(vertex) > 1
    };
    let junction = (0..face.len()).filter(is_junction).min_by(|a, b| near(*a).total_cmp(&near(*b)));
    let reach = 1.3 * rules.spacing;
    if let Some(n) = junction.filter(|n| near(*n) < reach * reach) {
        return ChordEnd { site: Site::Corner(n), point: face.points[n] };
    }
    let next = (edge + 1) % face.len();
    let n = if near(edge) < near(next) { edge } else { next };
    let limit = (0.4 * rules.spacing).min(14.0);
    let is_street_corner = plane.is_street(face.halves[n]) && plane.is_street(face.corner(n).0);
    if near(n) < limit * limit && is_street_corner {
        ChordEnd { site: Site::Corner(n), point: face.points[n] }
    } else {
        ChordEnd { site: Site::Edge(edge), point }
    }
}

/// Intersection of a ray with the boundary.
#[derive(Clone, Copy)]
struct Passage {
    /// Signed distance along the ray.
    s: f64,
    /// Index of the boundary edge.
    edge: usize,
    /// Whether the ray enters the face here.
    is_entry: bool,
}

/// Part of a ray inside a face.
#[derive(Clone, Copy)]
struct Stretch {
    enter: Passage,
    leave: Passage,
}

impl Stretch {
    fn length(self) -> f64 {
        self.leave.s - self.enter.s
    }
}

/// Returns the longest part of a ray inside the face.
fn longest_inside(face: &Face, Ray { base, way }: Ray) -> Option<Stretch> {
    let mut passages: Vec<Passage> = Vec::new();
    let normal = left(way);
    let mut side = dot(sub(face.points[0], base), normal);
    for edge in 0..face.len() {
        let (a, b) = (face.points[edge], face.after(edge));
        let next = dot(sub(b, base), normal);
        if (side < 0.0) != (next < 0.0) {
            let t = side / (side - next);
            let s = dot(sub(a.towards(b, t), base), way);
            passages.push(Passage { s, edge, is_entry: cross(sub(b, a), way) > 0.0 });
        }
        side = next;
    }
    // At equal distance an exit sorts before an entry: both sides of a dead end.
    passages.sort_by(|a, b| a.s.total_cmp(&b.s).then(a.is_entry.cmp(&b.is_entry)));
    let mut best: Option<Stretch> = None;
    for pair in passages.windows(2) {
        let stretch = Stretch { enter: pair[0], leave: pair[1] };
        let is_inside = stretch.enter.is_entry && !stretch.leave.is_entry;
        if is_inside && best.is_none_or(|best| best.length() < stretch.length()) {
            best = Some(stretch);
        }
    }
    best.filter(|stretch| stretch.length() > 1.0)
}

/// Stores the rays that continue streets ending at the face's boundary from outside.
pub(super) fn continuations(plane: &Plane, face: &Face, into: &mut Vec<Ray>) {
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
                into.push(Ray { base: here, way: unit(beyond) });
            }
        }
    }
}
