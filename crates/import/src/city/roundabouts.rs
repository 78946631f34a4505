//! Roundabouts where avenues meet the ring: the junction is replaced by a circle of one-way
//! streets.

use super::lines::{LineId, Lines, Naming, RoadLine, Traffic};
use super::plane::{Plane, Vertex};
use super::road_network::{Road, RoadNetwork};
use super::vector::{along, cross, distance_to, scale, sub, to_centimetres, unit};
use meshcloak::units::Point;

/// Radius of a roundabout, in metres.
const RADIUS: f64 = 27.0;

/// Returns the four-way junctions of a line.
pub(super) fn junctions(plane: &Plane, line: LineId) -> Vec<Vertex> {
    let mut found: Vec<Vertex> = (0..plane.halves())
        .filter(|half| plane.line(*half) == line)
        .map(|half| plane.origin(half))
        .filter(|vertex| plane.degree(*vertex) == 4 && plane.around(*vertex).count() == 4)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The junction that becomes a roundabout.
#[derive(Clone, Copy)]
struct Hub {
    terminal: u32,
    point: Point,
}

/// Where an arm meets the circle.
#[derive(Clone, Copy)]
struct Gate {
    terminal: u32,
    point: Point,
}

impl RoadNetwork {
    /// Replaces the terminal at `middle` by a roundabout, if there is enough space.
    pub(super) fn add_roundabout(&mut self, lines: &mut Lines, middle: Point) {
        let Some(centre) = self.terminals.iter().position(|p| *p == middle) else { return };
        let centre = centre as u32;
        let hub = Hub { terminal: centre, point: middle };
        let arms: Vec<usize> = (0..self.roads.len())
            .filter(|n| self.roads[*n].from == centre || self.roads[*n].to == centre)
            .collect();
        if !self.has_space(&arms, hub) {
            return;
        }
        let class = arms.iter().map(|n| lines.get(self.roads[*n].line).class).min();
        let Some(class) = class else { return };
        let mut gates: Vec<Gate> = Vec::new();
        for (count, &arm) in arms.iter().enumerate() {
            // The first arm keeps the terminal, which is moved outwards.
            let terminal = if count == 0 { centre } else { self.terminals.len() as u32 };
            let point = self.shorten(arm, hub, terminal);
            if count > 0 {
                self.terminals.push(point);
            }
            gates.push(Gate { terminal, point });
        }
        self.terminals[centre as usize] = gates[0].point;
        let traffic = Traffic::AsDrawn;
        let line = lines.add(RoadLine { class, naming: Naming::Roundabout, traffic, at: middle });
        sort_by_angle(&mut gates, middle);
        for n in 0..gates.len() {
            let (a, b) = (gates[n], gates[(n + 1) % gates.len()]);
            let bends = arc(middle, a.point, b.point);
            self.roads.push(Road { from: a.terminal, to: b.terminal, bends, line, traffic });
        }
    }

    /// Returns whether the arms are long enough and no other road is near.
    fn has_space(&self, arms: &[usize], hub: Hub) -> bool {
        let Hub { terminal: centre, point: middle } = hub;
        let long = arms.iter().all(|n| {
            let road = &self.roads[*n];
            let other = if road.from == centre { road.to } else { road.from };
            road.from != road.to && self.terminals[other as usize].distance(middle) > 2.0 * RADIUS
        });
        long && arms.len() > 2
            && self.roads.iter().enumerate().all(|(n, road)| {
                arms.contains(&n)
                    || self.legs(road).all(|(a, b)| distance_to(middle, a, b) > RADIUS + 8.0)
            })
    }

    fn legs<'a>(&'a self, road: &'a Road) -> impl Iterator<Item = (Point, Point)> + 'a {
        let (from, to) = (self.terminals[road.from as usize], self.terminals[road.to as usize]);
        let ends = road.bends.iter().copied().chain([to]);
        std::iter::once(from).chain(road.bends.iter().copied()).zip(ends)
    }

    /// Shortens a road so that it ends at the circle, at `terminal`. Returns that point.
    fn shorten(&mut self, arm: usize, hub: Hub, terminal: u32) -> Point {
        let Hub { terminal: centre, point: middle } = hub;
        let road = &mut self.roads[arm];
        let outwards = road.from == centre;
        if !outwards {
            road.bends.reverse();
        }
        let other = if outwards { road.to } else { road.from };
        let inside = road.bends.iter().take_while(|p| p.distance(middle) <= 1.3 * RADIUS).count();
        road.bends.drain(..inside);
        let towards = road.bends.first().copied().unwrap_or(self.terminals[other as usize]);
        if !outwards {
            road.bends.reverse();
        }
        *(if outwards { &mut road.from } else { &mut road.to }) = terminal;
        to_centimetres(along(middle, unit(sub(towards, middle)), RADIUS))
    }
}

/// Sorts gates counter-clockwise.
fn sort_by_angle(gates: &mut [Gate], middle: Point) {
    let upper = |p: Point| p.y > 0.0 || (p.y == 0.0 && p.x > 0.0);
    gates.sort_by(|a, b| {
        let (a, b) = (sub(a.point, middle), sub(b.point, middle));
        upper(b).cmp(&upper(a)).then(cross(b, a).total_cmp(&0.0))
    });
}

/// Returns points on the circle between two gates, counter-clockwise.
fn arc(middle: Point, from: Point, to: Point) -> Vec<Point> {
    let (a, b) = (unit(sub(from, middle)), unit(sub(to, middle)));
    let half = |a: Point, b: Point| {
        let sum = Point::new(a.x + b.x, a.y + b.y);
        let way = if cross(a, b) < 0.0 { scale(sum, -1.0) } else { sum };
        unit(way)
    };
    let m = half(a, b);
    [half(a, m), m, half(m, b)].map(|way| to_centimetres(along(middle, way, RADIUS))).to_vec()
}
