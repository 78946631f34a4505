//! Laying a line across the city: it meets whatever is there in junctions.

use super::lines::LineId;
use super::plane::{Corner, Half, Plane, Vertex};
use super::vector::{cross, dot, meeting, sub};
use meshcloak::units::Point;

/// Metres within which a line meets an existing junction rather than making a new one beside it.
const SNAP: f64 = 24.0;
/// The same for a mere bend.
const SNAP_TO_BEND: f64 = 4.0;

/// What a line met first on its way.
struct Hit {
    half: Half,
    fraction: f64,
    point: Point,
}

impl Plane {
    /// Lays a line through the whole map: from where `path` enters the outline to where it
    /// leaves. Gives back the vertex where it enters.
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

    /// Lays a line from a vertex along `path`; it ends early at the edge of the map.
    /// Gives back the vertex where it ends.
    pub(super) fn lay(&mut self, start: Vertex, path: &[Point], line: LineId) -> Vertex {
        let mut here = start;
        for &goal in path {
            // A leg meets few lines; the bound only guards against going to and fro.
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

    /// The corner of the same face at a vertex exactly at `goal`, if nothing lies between.
    fn corner_facing(&self, corner: Corner, goal: Point) -> Option<Corner> {
        let way = sub(self.point(self.vertex_of(corner)), goal);
        let mut face = Vec::new();
        self.face(corner.0, &mut face);
        let ends = face.into_iter().filter(|half| self.point(self.target(*half)) == goal);
        let mut ends = ends.map(Corner).filter(|end| self.opens(*end, way));
        ends.find(|end| self.is_clear(corner, self.vertex_of(*end)))
    }

    /// Joins a corner to where the way from it meets the border of its face.
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
        // A cut too near an end would leave an edge without length.
        let span = self.point(self.origin(hit.half)).distance(self.point(self.target(hit.half)));
        let margin = (2.0 / span.max(4.0)).min(0.5);
        let fraction = hit.fraction.clamp(margin, 1.0 - margin);
        let (a, b) = (self.point(self.origin(hit.half)), self.point(self.target(hit.half)));
        let end = self.cut(hit.half, a.towards(b, fraction));
        self.join(corner, end, line);
        self.vertex_of(end)
    }

    /// Whether more than one line runs through a vertex.
    fn is_junction(&self, vertex: Vertex) -> bool {
        self.around(vertex).count() > 2
    }

    /// Whether nothing lies between a corner and a vertex of the same face.
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

    /// The first edge of the corner's face on the way to `goal`.
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
            // The face lies on the left: its border is met from there.
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
