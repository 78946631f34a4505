//! Roads across the river and the motorway corridors: bridges, quays and interchanges.

use super::layout::Layout;
use super::lines::{LineId, Lines, Naming, RoadClass, RoadLine};
use super::plane::{Half, Plane, Vertex};
use super::vector::{between, dot, norm, sub, unit};

/// A road from one side of a barrier to the other.
pub(super) struct Crossing {
    /// Vertices on the right and on the left side of the barrier.
    pub sides: [Vertex; 2],
    /// Half-edges of the road between them.
    pub halves: Vec<Half>,
}

/// Returns the half-edges of a line in order, from its first vertex.
pub(super) fn trace(plane: &Plane, start: Vertex, line: LineId) -> Vec<Half> {
    let mut halves = Vec::new();
    let mut here = start;
    let ahead = |v: Vertex| plane.around(v).find(|half| half & 1 == 0 && plane.line(*half) == line);
    while let Some(half) = ahead(here) {
        halves.push(half);
        here = plane.target(half);
    }
    halves
}

/// Returns all roads across a barrier, in order along its right side.
pub(super) fn crossings(plane: &Plane, starts: [Vertex; 2], lines: [LineId; 2]) -> Vec<Crossing> {
    let side = trace(plane, starts[0], lines[0]);
    let mut found = Vec::new();
    for pair in side.windows(2) {
        let here = plane.target(pair[0]);
        let point = plane.point(here);
        let back = sub(plane.point(plane.origin(pair[0])), point);
        let ahead = sub(plane.point(plane.target(pair[1])), point);
        let inward = |half: &Half| {
            plane.is_street(*half)
                && between(ahead, sub(plane.point(plane.target(*half)), point), back)
        };
        let roads = plane.around(here).filter(inward);
        found.extend(roads.filter_map(|half| follow(plane, half, lines[1])));
    }
    found
}

/// Follows the road that begins with `half` up to the line `until`.
fn follow(plane: &Plane, half: Half, until: LineId) -> Option<Crossing> {
    let mut halves = vec![half];
    let mut half = half;
    loop {
        let here = plane.target(half);
        if plane.around(here).any(|other| plane.line(other) == until) {
            return Some(Crossing { sides: [plane.origin(halves[0]), here], halves });
        }
        half = straight_on(plane, half)?;
        if halves.len() > 64 {
            return None;
        }
        halves.push(half);
    }
}

/// Returns the street that continues a half-edge with the smallest turn.
fn straight_on(plane: &Plane, half: Half) -> Option<Half> {
    let way =
        |half: Half| unit(sub(plane.point(plane.target(half)), plane.point(plane.origin(half))));
    let onward = |other: &Half| *other != half ^ 1 && plane.is_street(*other);
    let ahead = plane.around(plane.target(half)).filter(onward);
    ahead.max_by(|a, b| dot(way(*a), way(half)).total_cmp(&dot(way(*b), way(half))))
}

/// Makes each road across the river a line of its own, a bridge. Returns the number of bridges.
pub(super) fn name_bridges(plane: &mut Plane, lines: &mut Lines, bridges: &[Crossing]) -> usize {
    for bridge in bridges {
        let road = *lines.get(plane.line(bridge.halves[0]));
        let at = plane.point(bridge.sides[0]);
        let line = lines.add(RoadLine { naming: Naming::Bridge, at, ..road });
        bridge.halves.iter().for_each(|half| plane.set_line(*half, line));
        bridge.sides.iter().for_each(|side| plane.pin(*side));
    }
    bridges.len()
}

/// Turns the banks into streets between the first and the last bridge near the inner ring.
pub(super) fn lay_quays(
    plane: &mut Plane,
    lines: &mut Lines,
    layout: &Layout,
    starts: [Vertex; 2],
) {
    for (side, bank) in LineId::BANKS.into_iter().enumerate() {
        let halves = trace(plane, starts[side], bank);
        let reach = 1.25 * layout.rings[0];
        let is_end = |vertex: Vertex| plane.degree(vertex) > 0 && norm(plane.point(vertex)) < reach;
        let first = halves.iter().position(|half| is_end(plane.origin(*half)));
        let last = halves.iter().rposition(|half| is_end(plane.target(*half)));
        let (Some(first), Some(last)) = (first, last) else { continue };
        if first > last {
            continue;
        }
        let at = plane.point(plane.origin(halves[first]));
        let line = lines.two_way(RoadClass::Tertiary, Naming::Quay(side as u32), at);
        halves[first..=last].iter().for_each(|half| plane.set_line(*half, line));
    }
}
