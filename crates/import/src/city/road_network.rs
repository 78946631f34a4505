//! The finished streets as a list: chains of edges between terminals, and the grade-separated
//! streets.

use super::lines::{LineId, Lines, Traffic};
use super::motorway::Elevated;
use super::plane::{Half, Plane, Vertex};
use meshcloak::map::{Street, TerminalId, strongly_connected_parts};
use meshcloak::units::{Length, Point};

/// A street between two terminals.
#[derive(Clone, Debug)]
pub(super) struct Road {
    pub from: u32,
    pub to: u32,
    pub bends: Vec<Point>,
    pub line: LineId,
    pub traffic: Traffic,
}

/// Terminals and the streets between them.
pub(super) struct RoadNetwork {
    pub terminals: Vec<Point>,
    pub roads: Vec<Road>,
}

impl RoadNetwork {
    pub(super) fn new(plane: &Plane, lines: &Lines, elevated: Vec<Elevated>) -> RoadNetwork {
        let mut terminal_of = vec![None; plane.points.len()];
        let mut net = RoadNetwork { terminals: Vec::new(), roads: Vec::new() };
        for half in (0..plane.halves()).step_by(2) {
            if plane.is_street(half) && breaks(plane, plane.origin(half)) {
                let Chain { end, bends } = follow(plane, half);
                let from = net.terminal(&mut terminal_of, plane, plane.origin(half));
                let to = net.terminal(&mut terminal_of, plane, end);
                let line = plane.line(half);
                net.roads.push(Road { from, to, bends, line, traffic: lines.get(line).traffic });
            }
        }
        for Elevated { from, to, bends, line } in elevated {
            let from = net.terminal(&mut terminal_of, plane, from);
            let to = net.terminal(&mut terminal_of, plane, to);
            net.roads.push(Road { from, to, bends, line, traffic: lines.get(line).traffic });
        }
        net
    }

    fn terminal(&mut self, known: &mut [Option<u32>], plane: &Plane, vertex: Vertex) -> u32 {
        *known[vertex as usize].get_or_insert_with(|| {
            self.terminals.push(plane.point(vertex));
            self.terminals.len() as u32 - 1
        })
    }

    /// Makes the network strongly connected by turning one-way streets into two-way streets.
    ///
    /// The undirected network is connected. Once every street between two strongly connected
    /// components is two-way, one component remains.
    pub(super) fn make_strongly_connected(&mut self) {
        let streets: Vec<Street> = self.roads.iter().map(as_street).collect();
        let parts = strongly_connected_parts(self.terminals.len(), &streets);
        for road in &mut self.roads {
            if parts.of(TerminalId(road.from)) != parts.of(TerminalId(road.to)) {
                road.traffic = Traffic::BothWays;
            }
        }
    }
}

fn as_street(road: &Road) -> Street {
    Street {
        from: TerminalId(road.from),
        to: TerminalId(road.to),
        length: Length::UNIT,
        name: 0,
        class: 0,
        one_way: road.traffic == Traffic::AsDrawn,
    }
}

/// Returns whether a street begins or ends at a vertex.
fn breaks(plane: &Plane, vertex: Vertex) -> bool {
    if plane.is_terminal(vertex) {
        return true;
    }
    let mut streets = plane.around(vertex).filter(|half| plane.is_street(*half));
    match (streets.next(), streets.next()) {
        // Also where the two half-edges point towards or away from each other.
        (Some(a), Some(b)) => plane.line(a) != plane.line(b) || a & 1 == b & 1,
        _ => true,
    }
}

/// A street followed from its first half-edge.
struct Chain {
    end: Vertex,
    bends: Vec<Point>,
}

/// Follows a street from its first half-edge to the vertex where it ends.
fn follow(plane: &Plane, half: Half) -> Chain {
    let mut bends = Vec::new();
    let mut half = half;
    loop {
        let here = plane.target(half);
        let ahead = plane.around(here).find(|h| *h != half ^ 1 && plane.is_street(*h));
        match ahead {
            Some(next) if !breaks(plane, here) => {
                bends.push(plane.point(here));
                half = next;
            }
            _ => return Chain { end: here, bends },
        }
    }
}
