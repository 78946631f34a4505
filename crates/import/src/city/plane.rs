//! A subdivision of the plane: vertices, edges and the faces between them, in flat arrays.
//!
//! Each edge is two halves, `2e` along its line and `2e + 1` back; each half has its face on its
//! left. Edges are only ever added inside a face or cut in two, so no two of them can cross.

mod changes;

use super::lines::LineId;
use super::vector::{between, sub};
use meshcloak::units::Point;

/// A vertex of the subdivision.
pub(super) type Vertex = u32;
/// One side of an edge.
pub(super) type Half = u32;

/// The subdivision, and how many streets it makes so far.
pub(super) struct Plane {
    pub points: Vec<Point>,
    origin: Vec<Vertex>,
    next: Vec<Half>,
    prev: Vec<Half>,
    /// The line of each edge.
    line: Vec<LineId>,
    /// Halves whose face nothing may be built in: water, motorway land.
    barred: Vec<bool>,
    /// One half that leaves each vertex.
    leaving: Vec<Half>,
    /// How many edges at each vertex are streets.
    degree: Vec<u16>,
    /// Vertices that are terminals even if just two streets meet there.
    pinned: Vec<bool>,
    /// Twice the number of streets between terminals.
    ends: i64,
}

/// A place on the border of a face where an edge can begin or end: the half that arrives there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner(pub Half);

impl Plane {
    /// A single face inside `outline`, which runs round to the left and is no street.
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

    /// A half of the face outside everything.
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

    /// How many streets meet at a vertex.
    pub(super) fn degree(&self, vertex: Vertex) -> u16 {
        self.degree[vertex as usize]
    }

    /// Whether streets begin and end at a vertex, rather than run through.
    pub(super) fn is_terminal(&self, vertex: Vertex) -> bool {
        let degree = self.degree(vertex);
        degree > 0 && (degree != 2 || self.pinned[vertex as usize])
    }

    /// How many streets there are between terminals.
    pub(super) fn streets(&self) -> usize {
        (self.ends / 2).max(0) as usize
    }

    /// The halves round a face, from one of them.
    pub(super) fn face(&self, start: Half, into: &mut Vec<Half>) {
        into.clear();
        into.push(start);
        let mut half = self.next(start);
        while half != start {
            into.push(half);
            half = self.next(half);
        }
    }

    /// The halves that leave a vertex, one after the other to the right.
    pub(super) fn around(&self, vertex: Vertex) -> impl Iterator<Item = Half> + '_ {
        let first = self.leaving[vertex as usize];
        let step = move |&half: &Half| Some(self.next(half ^ 1)).filter(|&after| after != first);
        std::iter::successors(Some(first), step)
    }

    /// Whether an edge that leaves a corner towards `way` begins inside the corner's face.
    pub(super) fn opens(&self, corner: Corner, way: Point) -> bool {
        let here = self.point(self.target(corner.0));
        let back = sub(self.point(self.origin(corner.0)), here);
        let ahead = sub(self.point(self.target(self.next(corner.0))), here);
        between(ahead, way, back)
    }

    /// The corner of a vertex that `way` leads into.
    pub(super) fn corner(&self, vertex: Vertex, way: Point) -> Option<Corner> {
        self.around(vertex).map(|half| Corner(half ^ 1)).find(|&corner| self.opens(corner, way))
    }

    pub(super) fn vertex_of(&self, corner: Corner) -> Vertex {
        self.target(corner.0)
    }

    /// Makes a vertex a terminal for good.
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

    /// Gives an edge to another line, which may make it a street.
    pub(super) fn set_line(&mut self, half: Half, line: LineId) {
        let becomes_street = !self.is_street(half) && line.is_street();
        self.line[half as usize / 2] = line;
        if becomes_street {
            self.raise_degree(self.origin(half));
            self.raise_degree(self.target(half));
        }
    }
}
