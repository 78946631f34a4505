//! Roundabouts where avenues meet the ring: the junction becomes a circle of one-way streets.

use super::lines::{Line, LineId, Lines, Naming, Traffic};
use super::plane::{Plane, Vertex};
use super::road_network::{Road, RoadNetwork};
use super::vector::{along, cross, distance_to, scale, sub, unit};
use meshcloak::units::Point;

/// Radius of a roundabout.
const RADIUS: f64 = 27.0;

/// The junctions of a line with other great roads that are to become roundabouts.
pub(super) fn places(plane: &Plane, line: LineId) -> Vec<Vertex> {
    let mut found: Vec<Vertex> = (0..plane.halves())
        .filter(|half| plane.line(*half) == line)
        .map(|half| plane.origin(half))
        .filter(|vertex| plane.degree(*vertex) == 4 && plane.around(*vertex).count() == 4)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

impl RoadNetwork {
    /// Makes the terminal at `middle` a roundabout, if there is room.
    pub(super) fn add_roundabout(&mut self, lines: &mut Lines, middle: Point) {
        let Some(centre) = self.terminals.iter().position(|p| *p == middle) else { return };
        let centre = centre as u32;
        let arms: Vec<usize> = (0..self.roads.len())
            .filter(|n| self.roads[*n].from == centre || self.roads[*n].to == centre)
            .collect();
        if !self.has_room(&arms, (centre, middle)) {
            return;
        }
        let class = arms.iter().map(|n| lines.get(self.roads[*n].line).class).min();
        let Some(class) = class else { return };
        let mut gates: Vec<(Point, u32)> = Vec::new();
        for (count, &arm) in arms.iter().enumerate() {
            // The first arm keeps the terminal, moved outwards.
            let terminal = if count == 0 { centre } else { self.terminals.len() as u32 };
            let gate = self.shorten(arm, (centre, middle), terminal);
            if count > 0 {
                self.terminals.push(gate);
            }
            gates.push((gate, terminal));
        }
        self.terminals[centre as usize] = gates[0].0;
        let traffic = Traffic::AsDrawn;
        let line = lines.add(Line { class, naming: Naming::Roundabout, traffic, at: middle });
        sort_round(&mut gates, middle);
        for n in 0..gates.len() {
            let (a, b) = (gates[n], gates[(n + 1) % gates.len()]);
            let bends = arc(middle, a.0, b.0);
            self.roads.push(Road { from: a.1, to: b.1, bends, line, traffic });
        }
    }

    /// Whether the arms are long enough and nothing else comes near.
    fn has_room(&self, arms: &[usize], (centre, middle): (u32, Point)) -> bool {
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

    /// Lets a road end where it meets the circle instead of at its centre; gives back where.
    fn shorten(&mut self, arm: usize, (centre, middle): (u32, Point), terminal: u32) -> Point {
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
        whole(along(middle, unit(sub(towards, middle)), RADIUS))
    }
}

/// Sorts gates round to the left.
fn sort_round(gates: &mut [(Point, u32)], middle: Point) {
    let upper = |p: Point| p.y > 0.0 || (p.y == 0.0 && p.x > 0.0);
    gates.sort_by(|a, b| {
        let (a, b) = (sub(a.0, middle), sub(b.0, middle));
        upper(b).cmp(&upper(a)).then(cross(b, a).total_cmp(&0.0))
    });
}

/// Points on the circle between two gates, round to the left.
fn arc(middle: Point, from: Point, to: Point) -> Vec<Point> {
    let (a, b) = (unit(sub(from, middle)), unit(sub(to, middle)));
    let half = |a: Point, b: Point| {
        let sum = Point::new(a.x + b.x, a.y + b.y);
        let way = if cross(a, b) < 0.0 { scale(sum, -1.0) } else { sum };
        unit(way)
    };
    let m = half(a, b);
    [half(a, m), m, half(m, b)].map(|way| whole(along(middle, way, RADIUS))).to_vec()
}

fn whole(p: Point) -> Point {
    Point::new((p.x * 100.0).round() / 100.0, (p.y * 100.0).round() / 100.0)
}
