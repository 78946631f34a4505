//! A planar subdivision as a doubly connected edge list in flat arrays.
//!
//! ```text
//! edge e   half-edge 2e      along its line     twin(h) = h ^ 1
//!          half-edge 2e + 1  against it         face of h: on its left
//! ```
//!
//! Edges are only added inside a face or split, so no two edges cross.

mod changes;

use super::lines::LineId;
use super::vector::{between, sub};
use meshcloak::units::Point;

/// Index of a vertex.
pub(super) type Vertex = u32;
/// Index of a half-edge.
pub(super) type Half = u32;

/// The subdivision, with a running count of streets.
pub(super) struct Plane {
    pub points: Vec<Point>,
    origin: Vec<Vertex>,
    next: Vec<Half>,
    prev: Vec<Half>,
    /// The line of each edge.
    line: Vec<LineId>,
    /// Half-edges whose face must stay empty: water, motorway corridors.
    barred: Vec<bool>,
    /// One outgoing half-edge per vertex.
    leaving: Vec<Half>,
    /// Number of streets at each vertex.
    degree: Vec<u16>,
    /// Vertices that are terminals even with two streets.
    pinned: Vec<bool>,
    /// Twice the number of streets between terminals.
    ends: i64,
}

/// A corner of a face, given by the half-edge that ends there. An edge can begin or end at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner(pub Half);

impl Plane {
    /// Returns the subdivision with one face inside the counter-clockwise `outline`.
    pub(super) fn new(outline: &[Point]) -> Plane {
        let n = outline.len() as u32;
        let mut plane = Plane {
            points: outline.to_vec(),
            origin: Vec::new(),
            next: Vec::new(),
            prev: Vec::new(),
            line: vec![LineId::OUTLINE; outline.len()],
            barred: vec![false; 2 * outline.len()],
            leaving: (0..n).map(|v| 2 * v).collect(),
            degree: vec![0; outline.len()],
            pinned: vec![false; outline.len()],
            ends: 0,
        };
        for v in 0..n {
            let (after, before) = ((v + 1) % n, (v + n - 1) % n);
            plane.origin.extend([v, after]);
            plane.next.extend([2 * after, 2 * before + 1]);
            plane.prev.extend([2 * before, 2 * after + 1]);
        }
        plane
    }

    /// A half-edge of the unbounded face.
    pub(super) const OUTSIDE: Half = 1;

    pub(super) fn point(&self, vertex: Vertex) -> Point {
        self.points[vertex as usize]
    }

    pub(super) fn origin(&self, half: Half) -> Vertex {
        self.origin[half as usize]
    }

    pub(super) fn target(&self, half: Half) -> Vertex {
        self.origin(half ^ 1)
    }

    pub(super) fn next(&self, half: Half) -> Half {
        self.next[half as usize]
    }

    pub(super) fn prev(&self, half: Half) -> Half {
        self.prev[half as usize]
    }

    pub(super) fn line(&self, half: Half) -> LineId {
        self.line[half as usize / 2]
    }

    pub(super) fn is_street(&self, half: Half) -> bool {
        self.line(half).is_street()
    }

    pub(super) fn is_barred(&self, half: Half) -> bool {
        self.barred[half as usize]
    }

    pub(super) fn bar(&mut self, half: Half) {
        self.barred[half as usize] = true;
    }

    pub(super) fn halves(&self) -> u32 {
        self.origin.len() as u32
    }

    /// Returns the number of streets at a vertex.
    pub(super) fn degree(&self, vertex: Vertex) -> u16 {
        self.degree[vertex as usize]
    }

    /// Returns whether streets end at a vertex instead of passing through it.
    pub(super) fn is_terminal(&self, vertex: Vertex) -> bool {
        let degree = self.degree(vertex);
        degree > 0 && (degree != 2 || self.pinned[vertex as usize])
    }

    /// Returns the number of streets between terminals.
    pub(super) fn streets(&self) -> usize {
        (self.ends / 2).max(0) as usize
    }

    /// Stores the half-edges around a face in `into`, beginning with `start`.
    pub(super) fn face(&self, start: Half, into: &mut Vec<Half>) {
        into.clear();
        into.push(start);
        let mut half = self.next(start);
        while half != start {
            into.push(half);
            half = self.next(half);
        }
    }

    /// Iterates over the outgoing half-edges of a vertex, clockwise.
    pub(super) fn around(&self, vertex: Vertex) -> impl Iterator<Item = Half> + '_ {
        let first = self.leaving[vertex as usize];
        let step = move |&half: &Half| Some(self.next(half ^ 1)).filter(|&after| after != first);
        std::iter::successors(Some(first), step)
    }

    /// Returns whether direction `way` points from a corner into the corner's face.
    pub(super) fn opens(&self, corner: Corner, way: Point) -> bool {
        let here = self.point(self.target(corner.0));
        let back = sub(self.point(self.origin(corner.0)), here);
        let ahead = sub(self.point(self.target(self.next(corner.0))), here);
        between(ahead, way, back)
    }

    /// Returns the corner of a vertex that contains direction `way`.
    pub(super) fn corner(&self, vertex: Vertex, way: Point) -> Option<Corner> {
        self.around(vertex).map(|half| Corner(half ^ 1)).find(|&corner| self.opens(corner, way))
    }

    pub(super) fn vertex_of(&self, corner: Corner) -> Vertex {
        self.target(corner.0)
    }

    /// Makes a vertex a permanent terminal.
    pub(super) fn pin(&mut self, vertex: Vertex) {
        self.ends -= self.ends_at(vertex);
        self.pinned[vertex as usize] = true;
        self.ends += self.ends_at(vertex);
    }

    fn ends_at(&self, vertex: Vertex) -> i64 {
        if self.is_terminal(vertex) { i64::from(self.degree(vertex)) } else { 0 }
    }

    fn raise_degree(&mut self, vertex: Vertex) {
        self.ends -= self.ends_at(vertex);
        self.degree[vertex as usize] += 1;
        self.ends += self.ends_at(vertex);
    }

    /// Assigns an edge to another line; this can turn it into a street.
    pub(super) fn set_line(&mut self, half: Half, line: LineId) {
        let becomes_street = !self.is_street(half) && line.is_street();
        self.line[half as usize / 2] = line;
        if becomes_street {
            self.raise_degree(self.origin(half));
            self.raise_degree(self.target(half));
        }
    }
}
