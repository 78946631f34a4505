//! A face of the subdivision in the form used to search for a new street through it.

use super::plane::{Corner, Half, Plane};
use super::vector::{cross, distance_to, meeting, norm, sub, unit};
use meshcloak::units::Point;

/// The boundary of a face: `halves[n]` begins at `points[n]`.
#[derive(Default)]
pub(super) struct Face {
    pub halves: Vec<Half>,
    pub points: Vec<Point>,
    pub area: f64,
    pub middle: Point,
}

/// A position on the boundary of a face.
#[derive(Clone, Copy, Debug)]
pub(super) enum Site {
    /// The corner where `halves[n]` begins.
    Corner(usize),
    /// The interior of `halves[n]`.
    Edge(usize),
}

/// An end of a chord.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChordEnd {
    pub site: Site,
    pub point: Point,
}

/// Smallest and largest value of a projection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub low: f64,
    pub high: f64,
}

impl Span {
    pub(super) fn length(self) -> f64 {
        self.high - self.low
    }

    /// Returns the value at a fraction of the span.
    pub(super) fn at(self, fraction: f64) -> f64 {
        self.low + (self.high - self.low) * fraction
    }
}

impl Face {
    /// Loads the face on the left of `half`; reuses the buffers.
    pub(super) fn load(&mut self, plane: &Plane, half: Half) {
        plane.face(half, &mut self.halves);
        self.points.clear();
        self.points.extend(self.halves.iter().map(|half| plane.point(plane.origin(*half))));
        let zero = self.points[0];
        let (mut doubled, mut x, mut y) = (0.0, 0.0, 0.0);
        for n in 0..self.points.len() {
            let (a, b) = (sub(self.points[n], zero), sub(self.after(n), zero));
            let part = cross(a, b);
            doubled += part;
            x += (a.x + b.x) * part;
            y += (a.y + b.y) * part;
        }
        self.area = doubled / 2.0;
        let share = if doubled > 0.0 { 1.0 / (3.0 * doubled) } else { 0.0 };
        self.middle = Point::new(zero.x + x * share, zero.y + y * share);
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns the end of `halves[n]`.
    pub(super) fn after(&self, n: usize) -> Point {
        self.points[(n + 1) % self.points.len()]
    }

    /// Returns the index of the half-edge before `halves[n]`.
    pub(super) fn before(&self, n: usize) -> usize {
        (n + self.points.len() - 1) % self.points.len()
    }

    /// Returns the unit vector along `halves[n]`.
    pub(super) fn way(&self, n: usize) -> Point {
        unit(sub(self.after(n), self.points[n]))
    }

    /// Returns the index of the longest street on the boundary, or of the longest edge if no edge is
    /// a street.
    pub(super) fn longest(&self, plane: &Plane) -> usize {
        let size = |n: usize| {
            let bonus = if plane.is_street(self.halves[n]) { 1e7 } else { 0.0 };
            norm(sub(self.after(n), self.points[n])) + bonus
        };
        (0..self.len()).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(0)
    }

    pub(super) fn corner(&self, n: usize) -> Corner {
        Corner(self.halves[self.before(n)])
    }

    /// Returns whether the boundary includes a street and no half-edge is barred.
    pub(super) fn may_be_built(&self, plane: &Plane) -> bool {
        self.halves.iter().any(|half| plane.is_street(*half))
            && !self.halves.iter().any(|half| plane.is_barred(*half))
    }

    /// Projects the face on a direction.
    pub(super) fn extent(&self, way: Point) -> Span {
        let along = self.points.iter().map(|p| p.x * way.x + p.y * way.y);
        let empty = Span { low: f64::MAX, high: f64::MIN };
        along.fold(empty, |span, s| Span { low: span.low.min(s), high: span.high.max(s) })
    }

    /// Returns whether segment `a`–`b` stays at least `distance` metres from the boundary, except at the
    /// boundary positions `ends` where it begins and ends.
    pub(super) fn is_clear(&self, a: Point, b: Point, ends: &[Site], distance: f64) -> bool {
        let n = self.len();
        let at_edge = |k: usize| ends.iter().any(|end| matches!(end, Site::Edge(e) if *e == k));
        let at_corner = |k: usize| {
            let is_here =
                |end: &Site| matches!(end, Site::Corner(c) if self.points[*c] == self.points[k]);
            ends.iter().any(is_here)
        };
        (0..n).all(|k| {
            let touches = at_edge(k) || at_corner(k) || at_corner((k + 1) % n);
            (touches || meeting(a, b, self.points[k], self.after(k)).is_none())
                && (at_corner(k) || distance_to(self.points[k], a, b) >= distance)
        })
    }

    /// Returns the share of the area on the left of a chord.
    pub(super) fn share_left(&self, from: ChordEnd, to: ChordEnd) -> f64 {
        let first = match to.site {
            Site::Corner(n) => n,
            Site::Edge(n) => (n + 1) % self.len(),
        };
        let last = match from.site {
            Site::Corner(n) | Site::Edge(n) => n,
        };
        let zero = from.point;
        let mut doubled = 0.0;
        let mut previous = sub(to.point, zero);
        let mut n = first;
        loop {
            let here = sub(self.points[n], zero);
            doubled += cross(previous, here);
            previous = here;
            if n == last {
                break;
            }
            n = (n + 1) % self.len();
        }
        doubled / 2.0 / self.area
    }
}
