//! Motorways: two carriageways in a corridor that other roads cross by bridges, with ramps at some
//! of the crossings.

use super::crossings::Crossing;
use super::layout::Layout;
use super::lines::{LineId, Lines, Naming, RoadClass, RoadLine, Traffic};
use super::plane::{Plane, Vertex};
use super::vector::{Noise, along, left, meeting, sub, unit};
use meshcloak::units::Point;

/// Half the width of the corridor, in metres.
pub(super) const HALF_WIDTH: f64 = 42.0;
/// Distance from the centre line to the middle of a carriageway, in metres.
const CARRIAGEWAY: f64 = 11.0;
/// Length of a ramp, in metres.
const RAMP: f64 = 280.0;
/// Smallest distance between two interchanges, in metres.
const MIN_INTERCHANGE_DISTANCE: f64 = 1100.0;
/// Largest distance between two terminals, in metres.
const MAX_TERMINAL_DISTANCE: f64 = 1500.0;

/// A grade-separated street, which is not part of the subdivision.
pub(super) struct Elevated {
    pub from: Vertex,
    pub to: Vertex,
    pub bends: Vec<Point>,
    pub line: LineId,
}

/// Returns the centre line of a motorway; it begins and ends outside the map.
pub(super) fn course(layout: &Layout, number: usize) -> Vec<Point> {
    let noise = Noise(layout.seed ^ (61 + number as u64));
    let reach = layout.reach * 1.1;
    let steps = (2.0 * reach / (layout.reach / 90.0).clamp(120.0, 260.0)) as i32;
    let scale = layout.reach.min(25_000.0);
    let leg = |n: i32| {
        let y = reach * (2.0 * f64::from(n) / f64::from(steps) - 1.0);
        let bend = 0.04 * scale * noise.line(y / (0.5 * scale));
        layout.at(layout.motorways[number] + bend, y)
    };
    (0..=steps).map(leg).collect()
}

/// Where a motorway runs and what crosses it.
pub(super) struct MotorwayRoute<'a> {
    /// Centre line.
    pub course: &'a [Point],
    /// Edge of the map.
    pub outline: &'a [Point],
    pub number: u32,
    /// Roads across the corridor, in order along the course.
    pub crossings: &'a [Crossing],
}

/// A motorway under construction.
pub(super) struct Motorway<'a> {
    middle: CentreLine<'a>,
    plane: &'a mut Plane,
    lines: [LineId; 2],
    ramps: LineId,
    streets: Vec<Elevated>,
}

/// A terminal on a carriageway: a ramp, or a division of a long section.
#[derive(Clone, Copy)]
struct CarriagewayStop {
    at: f64,
    vertex: Vertex,
}

/// Builds both carriageways and all ramps of a motorway.
pub(super) fn build(plane: &mut Plane, lines: &mut Lines, route: &MotorwayRoute) -> Vec<Elevated> {
    let &MotorwayRoute { course, outline, number, crossings } = route;
    let middle = CentreLine::new(course);
    let Some(ends) = middle.inside(outline) else { return Vec::new() };
    let mut line = |class, naming| {
        lines.add(RoadLine { class, naming, traffic: Traffic::AsDrawn, at: course[0] })
    };
    let carriageway = line(RoadClass::Motorway, Naming::Motorway(number));
    let back = line(RoadClass::Motorway, Naming::Motorway(number));
    let ramps = line(RoadClass::MotorwayLink, Naming::None);
    let chosen = choose(plane, lines, &middle, crossings);
    let ends = ends.map(|at| CarriagewayStop { at, vertex: plane.add_lone(middle.at(at, 0.0)) });
    let mut motorway =
        Motorway { middle, plane, lines: [carriageway, back], ramps, streets: Vec::new() };
    for side in 0..2 {
        let stops = motorway.add_ramps(&chosen, side);
        motorway.add_carriageway(side, ends, stops);
    }
    motorway.streets
}

/// Chooses the crossings that get ramps: main roads at a sufficient distance.
fn choose<'c>(
    plane: &Plane,
    lines: &Lines,
    middle: &CentreLine,
    crossings: &'c [Crossing],
) -> Vec<&'c Crossing> {
    let mut last = f64::MIN;
    let is_chosen = |crossing: &&Crossing| {
        let is_main = lines.get(plane.line(crossing.halves[0])).class <= RoadClass::Primary;
        let at = middle.nearest(plane.point(crossing.sides[0]));
        let chosen = is_main && at - last > MIN_INTERCHANGE_DISTANCE;
        last = if chosen { at } else { last };
        chosen
    };
    crossings.iter().filter(is_chosen).collect()
}

impl Motorway<'_> {
    /// Adds an exit and an entry ramp at each interchange. Returns their terminals on the right (0)
    /// or left (1) carriageway, in order along the course.
    fn add_ramps(&mut self, chosen: &[&Crossing], side: usize) -> Vec<CarriagewayStop> {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let mut stops = Vec::new();
        for crossing in chosen {
            let road = crossing.sides[side];
            self.plane.pin(road);
            let at = self.middle.nearest(self.plane.point(road));
            for step in [-1.0, 1.0] {
                let far = at + step * RAMP;
                let vertex = self.plane.add_lone(self.middle.at(far, sign * CARRIAGEWAY));
                stops.push(CarriagewayStop { at: far, vertex });
                let bend = |n: i32| {
                    let t = f64::from(n) / 6.0;
                    let out = t * t * (3.0 - 2.0 * t);
                    let off = CARRIAGEWAY + (HALF_WIDTH - CARRIAGEWAY) * out;
                    self.middle.at(far + (at - far) * t, sign * off)
                };
                let mut bends: Vec<Point> = (1..6).map(bend).collect();
                let leaves = step * sign < 0.0;
                if !leaves {
                    bends.reverse();
                }
                let (from, to) = if leaves { (vertex, road) } else { (road, vertex) };
                self.streets.push(Elevated { from, to, bends, line: self.ramps });
            }
        }
        stops
    }

    /// Adds the right carriageway (0), along the course, or the left one (1), against it.
    fn add_carriageway(
        &mut self,
        side: usize,
        ends: [CarriagewayStop; 2],
        ramps: Vec<CarriagewayStop>,
    ) {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let mut stops = vec![ends[0]];
        for stop in ramps.into_iter().chain([ends[1]]) {
            let last = stops[stops.len() - 1].at;
            let pieces = ((stop.at - last) / MAX_TERMINAL_DISTANCE).ceil().max(1.0);
            for n in 1..pieces as i32 {
                let at = last + (stop.at - last) * f64::from(n) / pieces;
                let point = self.middle.at(at, sign * CARRIAGEWAY);
                stops.push(CarriagewayStop { at, vertex: self.plane.add_lone(point) });
            }
            stops.push(stop);
        }
        for pair in stops.windows(2) {
            let (low, high) = (pair[0].at, pair[1].at);
            let joins = self.middle.bends_between(low, high, [ends[0].at, ends[1].at]);
            let mut bends: Vec<Point> =
                joins.iter().map(|at| self.middle.at(*at, sign * CARRIAGEWAY)).collect();
            let (mut from, mut to) = (pair[0].vertex, pair[1].vertex);
            if side == 1 {
                bends.reverse();
                std::mem::swap(&mut from, &mut to);
            }
            self.streets.push(Elevated { from, to, bends, line: self.lines[side] });
        }
    }
}

/// A centre line with cumulative lengths.
struct CentreLine<'a> {
    course: &'a [Point],
    lengths: Vec<f64>,
}

impl CentreLine<'_> {
    fn new(course: &[Point]) -> CentreLine<'_> {
        let mut lengths = vec![0.0];
        for leg in course.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + leg[0].distance(leg[1]));
        }
        CentreLine { course, lengths }
    }

    fn leg(&self, at: f64) -> usize {
        self.lengths.partition_point(|length| *length <= at).clamp(1, self.course.len() - 1) - 1
    }

    /// Returns the unit vector to the right of the course at point `n`.
    fn right(&self, n: usize) -> Point {
        let last = self.course.len() - 1;
        let way = unit(sub(self.course[(n + 1).min(last)], self.course[n.saturating_sub(1)]));
        let normal = left(way);
        Point::new(-normal.x, -normal.y)
    }

    /// Returns the point `off` metres to the right of the course at distance `at`.
    fn at(&self, at: f64, off: f64) -> Point {
        let n = self.leg(at);
        let t = (at - self.lengths[n]) / (self.lengths[n + 1] - self.lengths[n]);
        let right = unit(self.right(n).towards(self.right(n + 1), t));
        along(self.course[n].towards(self.course[n + 1], t), right, off)
    }

    /// Returns the distance along the course of its nearest point to `p`.
    fn nearest(&self, p: Point) -> f64 {
        let mut best = (f64::MAX, 0.0);
        for n in 0..self.course.len() - 1 {
            let (a, b) = (self.course[n], self.course[n + 1]);
            let t = p.nearest_fraction(a, b);
            let off = a.towards(b, t).distance_squared(p);
            if off < best.0 {
                best = (off, self.lengths[n] + t * (self.lengths[n + 1] - self.lengths[n]));
            }
        }
        best.1
    }

    /// Returns the distances at which the course enters and leaves the map.
    fn inside(&self, outline: &[Point]) -> Option<[f64; 2]> {
        let mut distances = Vec::new();
        for (n, leg) in self.course.windows(2).enumerate() {
            for k in 0..outline.len() {
                let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
                let met = meeting(leg[0], leg[1], a, b);
                distances.extend(met.map(|(s, _)| self.lengths[n] + s * leg[0].distance(leg[1])));
            }
        }
        Some([*distances.first()?, *distances.last()?]).filter(|[start, end]| end - start > 500.0)
    }

    /// Returns the distances of the bends between two terminals; none near the ends of the
    /// motorway, where both carriageways meet.
    fn bends_between(&self, low: f64, high: f64, ends: [f64; 2]) -> Vec<f64> {
        let margin = |at: f64| if ends.contains(&at) { 70.0 } else { 25.0 };
        let (from, to) = (low + margin(low), high - margin(high));
        let mut distances = vec![from];
        distances
            .extend(self.lengths.iter().copied().filter(|at| *at > from + 20.0 && *at < to - 20.0));
        distances.push(to);
        distances.retain(|at| *at > low && *at < high);
        distances
    }
}
