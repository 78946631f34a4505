//! Operations that extend a subdivision: split an edge, join two corners, add a dangling edge.

use super::{Corner, Half, Plane, Vertex};
use crate::city::lines::LineId;
use crate::city::vector::to_centimetres;
use meshcloak::units::Point;

impl Plane {
    pub(super) fn add_vertex(&mut self, point: Point, leaving: Half) -> Vertex {
        self.points.push(to_centimetres(point));
        self.leaving.push(leaving);
        self.degree.push(0);
        self.pinned.push(false);
        self.points.len() as u32 - 1
    }

    /// Adds a vertex that belongs to no face, for grade-separated roads.
    pub(in crate::city) fn add_lone(&mut self, point: Point) -> Vertex {
        self.add_vertex(point, Plane::OUTSIDE)
    }

    pub(super) fn add_edge(&mut self, from: Vertex, to: Vertex, line: LineId) -> Half {
        let half = self.halves();
        self.origin.extend([from, to]);
        self.next.extend([half + 1, half]);
        self.prev.extend([half + 1, half]);
        self.barred.extend([false, false]);
        self.line.push(line);
        half
    }

    pub(super) fn link(&mut self, first: Half, second: Half) {
        self.next[first as usize] = second;
        self.prev[second as usize] = first;
    }

    /// Splits an edge at `point`. `half` then ends there; returns that corner.
    pub(in crate::city) fn cut(&mut self, half: Half, point: Point) -> Corner {
        let (back, end) = (half ^ 1, self.target(half));
        let line = self.line(half);
        let vertex = self.add_vertex(point, back);
        // The new edge has the same direction along its line.
        let (from, to) = if half & 1 == 0 { (vertex, end) } else { (end, vertex) };
        let added = self.add_edge(from, to, line) | (half & 1);
        let (ahead, behind) = (self.next(half), self.prev(back));
        self.origin[back as usize] = vertex;
        self.link(half, added);
        self.link(added ^ 1, back);
        if ahead == back {
            self.link(added, added ^ 1);
        } else {
            self.link(added, ahead);
            self.link(behind, added ^ 1);
        }
        self.barred[added as usize] = self.is_barred(half);
        self.barred[added as usize ^ 1] = self.is_barred(back);
        if self.leaving[end as usize] == back {
            self.leaving[end as usize] = added ^ 1;
        }
        if line.is_street() {
            self.degree[vertex as usize] = 2;
        }
        Corner(half)
    }

    /// Joins two corners of one face by an edge, which divides the face. Returns the half-edge
    /// `from` → `to`; the two new faces are on its left and on its right.
    pub(in crate::city) fn join(&mut self, from: Corner, to: Corner, line: LineId) -> Half {
        let (a, b) = (self.vertex_of(from), self.vertex_of(to));
        let (after_a, after_b) = (self.next(from.0), self.next(to.0));
        let half = self.add_edge(a, b, line);
        self.link(from.0, half);
        self.link(half, after_b);
        self.link(to.0, half + 1);
        self.link(half + 1, after_a);
        self.count(half);
        half
    }

    /// Adds an edge from a corner to a new vertex inside the face. Returns the corner at its end.
    pub(in crate::city) fn reach(&mut self, from: Corner, point: Point, line: LineId) -> Corner {
        let a = self.vertex_of(from);
        let after = self.next(from.0);
        let vertex = self.add_vertex(point, self.halves() + 1);
        let half = self.add_edge(a, vertex, line);
        self.link(from.0, half);
        self.link(half, half + 1);
        self.link(half + 1, after);
        self.count(half);
        Corner(half)
    }

    fn count(&mut self, half: Half) {
        if self.is_street(half) {
            self.raise_degree(self.origin(half));
            self.raise_degree(self.target(half));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Plane {
        let corners = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)];
        Plane::new(&corners.map(|(x, y)| Point::new(x, y)))
    }

    fn size(plane: &Plane, half: Half) -> usize {
        let mut halves = Vec::new();
        plane.face(half, &mut halves);
        halves.len()
    }

    #[test]
    fn joining_corners_divides_a_face_and_a_dangling_edge_does_not() {
        let mut plane = square();
        let line = LineId::FIRST_STREET;
        let south = plane.cut(0, Point::new(50.0, 0.0));
        let north = plane.cut(4, Point::new(50.0, 100.0));
        assert_eq!(size(&plane, 0), 6);
        let half = plane.join(south, north, line);
        assert_eq!((size(&plane, half), size(&plane, half ^ 1)), (4, 4));
        assert_eq!(size(&plane, Plane::OUTSIDE), 6);
        let middle = plane.cut(half, Point::new(50.0, 50.0));
        assert_eq!(plane.streets(), 1);
        let tip = plane.reach(middle, Point::new(20.0, 50.0), line);
        assert_eq!(size(&plane, half), 7);
        assert_eq!(plane.streets(), 3);
        assert_eq!(plane.around(plane.target(half)).count(), 3);
        plane.cut(tip.0, Point::new(30.0, 50.0));
        assert_eq!(size(&plane, half), 9);
        assert_eq!(plane.streets(), 3);
    }
}
