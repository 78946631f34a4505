//! Inserts a polyline into the subdivision; it forms junctions with every line it crosses.

use super::lines::LineId;
use super::plane::{Corner, Half, Plane, Vertex};
use super::vector::{cross, dot, meeting, sub};
use meshcloak::units::Point;

/// Distance in metres within which a line ends at an existing junction instead of a new one.
const SNAP: f64 = 24.0;
/// The same distance for a bend.
const SNAP_TO_BEND: f64 = 4.0;

/// First intersection of a segment with the boundary of a face.
struct Hit {
    half: Half,
    fraction: f64,
    point: Point,
}

impl Plane {
    /// Inserts a line through the whole map, from where `path` enters the outline to where it
    /// leaves it. Returns the entry vertex.
    pub(super) fn lay_across(&mut self, path: &[Point], line: LineId) -> Option<Vertex> {
        let mut outline = Vec::new();
        self.face(Plane::OUTSIDE, &mut outline);
        for (n, leg) in path.windows(2).enumerate() {
            let inward = |half: &&Half| {
                let (a, b) = (self.point(self.origin(**half)), self.point(self.target(**half)));
                cross(sub(b, a), sub(leg[1], leg[0])) < 0.0
            };
            let meets = |half: &Half| {
                let (a, b) = (self.point(self.origin(*half)), self.point(self.target(*half)));
                meeting(leg[0], leg[1], a, b).map(|(s, _)| (*half, leg[0].towards(leg[1], s)))
            };
            let entry = outline.iter().filter(inward).find_map(meets);
            if let Some((half, point)) = entry {
                let corner = self.cut(half ^ 1, point);
                let start = self.vertex_of(corner);
                self.lay(start, &path[n + 1..], line);
                return Some(start);
            }
        }
        None
    }

    /// Inserts a line from a vertex along `path`; it stops at the edge of the map. Returns the last
    /// vertex.
    pub(super) fn lay(&mut self, start: Vertex, path: &[Point], line: LineId) -> Vertex {
        let mut here = start;
        for &goal in path {
            // A leg crosses few lines; the bound prevents an endless loop between two vertices.
            for _ in 0..64 {
                let way = sub(goal, self.point(here));
                if dot(way, way) < 1.0 {
                    break;
                }
                let Some(corner) = self.corner(here, way) else { break };
                if let Some(end) = self.corner_facing(corner, goal) {
                    self.join(corner, end, line);
                    here = self.vertex_of(end);
                    break;
                }
                let Some(hit) = self.first_hit(corner, goal) else {
                    let reached = self.reach(corner, goal, line);
                    here = self.vertex_of(reached);
                    break;
                };
                let at_edge = self.line(hit.half) == LineId::OUTLINE;
                here = self.meet(corner, &hit, line);
                if at_edge {
                    return here;
                }
            }
        }
        here
    }

    /// Returns the corner of the same face at a vertex exactly at `goal`, if it is visible.
    fn corner_facing(&self, corner: Corner, goal: Point) -> Option<Corner> {
        let way = sub(self.point(self.vertex_of(corner)), goal);
        let mut face = Vec::new();
        self.face(corner.0, &mut face);
        let ends = face.into_iter().filter(|half| self.point(self.target(*half)) == goal);
        let mut ends = ends.map(Corner).filter(|end| self.opens(*end, way));
        ends.find(|end| self.is_clear(corner, self.vertex_of(*end)))
    }

    /// Connects a corner to the intersection `hit` on the boundary of its face.
    fn meet(&mut self, corner: Corner, hit: &Hit, line: LineId) -> Vertex {
        let here = self.vertex_of(corner);
        for end in [Corner(hit.half), Corner(self.prev(hit.half))] {
            let vertex = self.vertex_of(end);
            let point = self.point(vertex);
            let snap = if self.is_junction(vertex) { SNAP } else { SNAP_TO_BEND };
            if point.distance(hit.point) > snap || vertex == here {
                continue;
            }
            if self.around(here).any(|half| self.target(half) == vertex) {
                return vertex;
            }
            let way = sub(self.point(here), point);
            let back = sub(point, self.point(here));
            if self.opens(end, way) && self.opens(corner, back) && self.is_clear(corner, vertex) {
                self.join(corner, end, line);
                return vertex;
            }
        }
        // Keeps 2 m from both ends so that no edge has zero length.
        let span = self.point(self.origin(hit.half)).distance(self.point(self.target(hit.half)));
        let margin = (2.0 / span.max(4.0)).min(0.5);
        let fraction = hit.fraction.clamp(margin, 1.0 - margin);
        let (a, b) = (self.point(self.origin(hit.half)), self.point(self.target(hit.half)));
        let end = self.cut(hit.half, a.towards(b, fraction));
        self.join(corner, end, line);
        self.vertex_of(end)
    }

    /// Returns whether more than one line passes through a vertex.
    fn is_junction(&self, vertex: Vertex) -> bool {
        self.around(vertex).count() > 2
    }

    /// Returns whether a vertex of the same face is visible from a corner.
    fn is_clear(&self, corner: Corner, vertex: Vertex) -> bool {
        let here = self.vertex_of(corner);
        let (a, b) = (self.point(here), self.point(vertex));
        let mut face = Vec::new();
        self.face(corner.0, &mut face);
        face.iter().all(|&half| {
            let (from, to) = (self.origin(half), self.target(half));
            let touches = [from, to].iter().any(|v| *v == here || *v == vertex);
            touches || meeting(a, b, self.point(from), self.point(to)).is_none()
        })
    }

    /// Returns the first edge of the corner's face on the segment to `goal`.
    fn first_hit(&self, corner: Corner, goal: Point) -> Option<Hit> {
        let here = self.vertex_of(corner);
        let from = self.point(here);
        let mut face = Vec::new();
        self.face(corner.0, &mut face);
        let mut best: Option<(f64, Hit)> = None;
        for half in face {
            let (u, v) = (self.origin(half), self.target(half));
            if u == here || v == here {
                continue;
            }
            let (a, b) = (self.point(u), self.point(v));
            // The face is on the left of its half-edges: skip those hit from the right.
            if cross(sub(b, a), sub(goal, from)) >= 0.0 {
                continue;
            }
            if let Some((s, fraction)) = meeting(from, goal, a, b)
                && best.as_ref().is_none_or(|(least, _)| s < *least)
            {
                best = Some((s, Hit { half, fraction, point: a.towards(b, fraction) }));
            }
        }
        best.map(|(_, hit)| hit)
    }
}
