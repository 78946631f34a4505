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
pub(super) enum End {
    /// The corner where `halves[n]` begins.
    Corner(usize),
    /// The interior of `halves[n]`.
    Edge(usize),
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

    /// Returns the smallest and the largest projection of the face on a direction.
    pub(super) fn extent(&self, way: Point) -> (f64, f64) {
        let along = self.points.iter().map(|p| p.x * way.x + p.y * way.y);
        along.fold((f64::MAX, f64::MIN), |(low, high), s| (low.min(s), high.max(s)))
    }

    /// Returns whether a segment stays at least `distance` metres from the boundary, except at the
    /// boundary positions `ends` where it begins and ends.
    pub(super) fn is_clear(&self, segment: (Point, Point), ends: &[End], distance: f64) -> bool {
        let (a, b) = segment;
        let n = self.len();
        let at_edge = |k: usize| ends.iter().any(|end| matches!(end, End::Edge(e) if *e == k));
        let at_corner = |k: usize| {
            ends.iter().any(|end| {
                matches!(end, End::Corner(c)
            if self.points[*c] == self.points[k])
            })
        };
        (0..n).all(|k| {
            let touches = at_edge(k) || at_corner(k) || at_corner((k + 1) % n);
            (touches || meeting(a, b, self.points[k], self.after(k)).is_none())
                && (at_corner(k) || distance_to(self.points[k], a, b) >= distance)
        })
    }

    /// Returns the share of the area on the left of a chord.
    pub(super) fn share_left(&self, from: (End, Point), to: (End, Point)) -> f64 {
        let first = match to.0 {
            End::Corner(n) => n,
            End::Edge(n) => (n + 1) % self.len(),
        };
        let last = match from.0 {
            End::Corner(n) | End::Edge(n) => n,
        };
        let zero = from.1;
        let mut doubled = 0.0;
        let mut previous = sub(to.1, zero);
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
