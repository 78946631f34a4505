//! Main roads: main street, boulevard, rings and avenues, laid over the river and the motorway
//! corridors.

use super::crossings::{crossings, lay_quays, name_bridges};
use super::layout::{Layout, OuterAvenue};
use super::lines::{LineId, Lines, Naming, RoadClass};
use super::motorway::{self, Elevated, MotorwayRoute};
use super::plane::{Half, Plane, Vertex};
use super::river;
use super::roundabouts;
use super::vector::{Noise, direction, norm, scale, turned, unit};
use meshcloak::units::Point;

/// The subdivision with all main roads, and the streets outside it.
pub(super) struct Skeleton {
    pub plane: Plane,
    pub lines: Lines,
    /// Centre line of the river.
    pub river: Vec<Point>,
    /// Grade-separated streets: motorways and their ramps.
    pub elevated: Vec<Elevated>,
    /// Number of roads across the river; each motorway carriageway counts.
    pub bridges: usize,
    /// Junctions to be replaced by roundabouts.
    pub roundabouts: Vec<Vertex>,
}

/// A strip that roads cross only by bridges.
struct Barrier<'a> {
    course: &'a [Point],
    half_width: f64,
    /// Lines of the right and the left side.
    sides: [LineId; 2],
}

impl Skeleton {
    pub(super) fn new(layout: &Layout) -> Skeleton {
        let river = river::course(layout);
        let courses: Vec<Vec<Point>> =
            (0..layout.motorways.len()).map(|number| motorway::course(layout, number)).collect();
        let outline = layout.outline();
        let plane = Plane::new(&outline);
        let (lines, elevated, roundabouts) = (Lines::new(), Vec::new(), Vec::new());
        let mut skeleton =
            Skeleton { plane, lines, river: Vec::new(), elevated, bridges: 0, roundabouts };
        let half_width = layout.half_river;
        let banks = Barrier { course: &river, half_width, sides: LineId::BANKS };
        let river_starts = skeleton.lay_barrier(&banks);
        skeleton.river = river;
        let mut starts = Vec::new();
        for (course, verges) in courses.iter().zip(LineId::VERGES) {
            let half_width = motorway::HALF_WIDTH;
            starts.push(skeleton.lay_barrier(&Barrier { course, half_width, sides: verges }));
        }
        let first_ring = skeleton.lay_roads(layout);
        if let Some(starts) = river_starts {
            skeleton.span_river(layout, starts);
        }
        for (number, course) in courses.iter().enumerate() {
            if let Some(starts) = starts[number] {
                skeleton.build_motorway(course, &outline, number, starts);
            }
        }
        skeleton.roundabouts = roundabouts::junctions(&skeleton.plane, first_ring);
        skeleton
    }

    /// Lays both sides of a barrier and bars the faces between them. Returns the entry vertices.
    fn lay_barrier(&mut self, barrier: &Barrier) -> Option<[Vertex; 2]> {
        let Barrier { course, half_width, sides: [right, left] } = *barrier;
        let first = self.plane.lay_across(&river::offset(course, half_width), right)?;
        let second = self.plane.lay_across(&river::offset(course, -half_width), left)?;
        for half in 0..self.plane.halves() {
            if [(right, 0), (left, 1)].contains(&(self.plane.line(half), half & 1)) {
                self.plane.bar(half);
            }
        }
        Some([first, second])
    }

    fn span_river(&mut self, layout: &Layout, starts: [Vertex; 2]) {
        let bridges = crossings(&self.plane, starts, LineId::BANKS);
        self.bridges += name_bridges(&mut self.plane, &mut self.lines, &bridges);
        lay_quays(&mut self.plane, &mut self.lines, layout, starts);
    }

    fn build_motorway(
        &mut self,
        course: &[Point],
        outline: &[Point],
        number: usize,
        starts: [Vertex; 2],
    ) {
        let crossings = &crossings(&self.plane, starts, LineId::VERGES[number]);
        let route = MotorwayRoute { course, outline, number: number as u32, crossings };
        self.elevated.extend(motorway::build(&mut self.plane, &mut self.lines, &route));
        // Each carriageway crosses the river once.
        self.bridges += 2;
    }

    /// Lays all main roads. Returns the line of the first ring.
    fn lay_roads(&mut self, layout: &Layout) -> LineId {
        let middle = Point::default();
        let axis = self.lines.two_way(RoadClass::Primary, Naming::HighStreet, middle);
        self.plane.lay_across(&main_street(layout), axis);
        let gate = self.nearest_on(axis, layout.at(0.0, layout.boulevard));
        let boulevard = self.lines.two_way(RoadClass::Secondary, Naming::Boulevard, middle);
        self.lay_ring(layout, gate, boulevard, 41);
        for ring in 0..layout.rings.len() {
            let start = self.nearest_on(axis, layout.at(0.0, layout.rings[ring]));
            let class = if ring == 0 { RoadClass::Trunk } else { RoadClass::Primary };
            let line = self.lines.two_way(class, Naming::Ring(ring as u32), middle);
            self.lay_ring(layout, start, line, 42 + ring as u64);
        }
        for (number, &turns) in layout.avenues.iter().enumerate() {
            self.lay_avenue(layout, boulevard, turns, number as u64);
        }
        for (number, &OuterAvenue { turns, ring }) in layout.outer_avenues.iter().enumerate() {
            let line = LineId(boulevard.0 + 1 + ring as u32);
            self.lay_avenue(layout, line, turns, 10 + number as u64);
        }
        LineId(boulevard.0 + 1)
    }

    /// Lays a closed line around the centre, through `start`.
    fn lay_ring(&mut self, layout: &Layout, start: Vertex, line: LineId, salt: u64) {
        let from = self.plane.point(start);
        let (noise, radius) = (Noise(layout.seed ^ salt), norm(from));
        let corners = (radius * std::f64::consts::TAU / 170.0).clamp(28.0, 600.0) as i32;
        let corner = |n: i32| {
            let way = turned(unit(from), direction(f64::from(n) / f64::from(corners)));
            let calm = (f64::from(n.min(corners - n)) / f64::from(corners) * 8.0).min(1.0);
            scale(way, radius * (1.0 + 0.1 * calm * noise.plane(scale(way, 2.2))))
        };
        let mut path: Vec<Point> = (1..corners).map(corner).collect();
        path.push(from);
        self.plane.lay(start, &path, line);
    }

    /// Lays a line from a ring to the edge of the map.
    fn lay_avenue(&mut self, layout: &Layout, ring: LineId, turns: f64, salt: u64) {
        let way = layout.way(turns);
        let inner = self.first_along(ring, way);
        let Some(start) = inner else { return };
        let line = self.lines.two_way(RoadClass::Primary, Naming::Avenue, self.plane.point(start));
        let noise = Noise(layout.seed ^ (70 + salt));
        let first = norm(self.plane.point(start));
        let step = 230.0_f64.max(layout.reach / 120.0);
        let legs = ((layout.reach * 1.1 - first) / step) as i32;
        let leg = |n: i32| {
            let out = f64::from(n) * step;
            let bend =
                noise.line(out / (0.22 * layout.reach)) * (0.006 + 0.016 * out / layout.reach);
            scale(layout.way(turns + bend * (out / (0.1 * layout.reach)).min(1.0)), first + out)
        };
        let path: Vec<Point> = (1..=legs).map(leg).collect();
        self.plane.lay(start, &path, line);
    }

    /// Returns the vertex of a line nearest to a point.
    fn nearest_on(&self, line: LineId, goal: Point) -> Vertex {
        let squared = |v: &Vertex| self.plane.point(*v).distance_squared(goal);
        let nearest = self.on_line(line).min_by(|a, b| squared(a).total_cmp(&squared(b)));
        nearest.expect("every laid line has a vertex")
    }

    /// Returns the vertex of a ring nearest to a direction from the centre.
    fn first_along(&self, line: LineId, way: Point) -> Option<Vertex> {
        let off = |v: &Vertex| {
            let p = self.plane.point(*v);
            scale(way, norm(p)).distance_squared(p)
        };
        self.on_line(line).min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    fn on_line(&self, line: LineId) -> impl Iterator<Item = Vertex> + '_ {
        let halves = (0..self.plane.halves()).filter(move |half| self.plane.line(*half) == line);
        halves.map(|half: Half| self.plane.origin(half))
    }
}

/// Returns the course of the main street: across the whole map, through the centre.
fn main_street(layout: &Layout) -> Vec<Point> {
    let noise = Noise(layout.seed ^ 51);
    let reach = layout.reach * 1.1;
    let step = (layout.reach / 60.0).min(200.0);
    let steps = (2.0 * reach / step) as i32;
    let leg = |n: i32| {
        let y = reach - f64::from(n) * step;
        let sway = 0.05 * y.abs() + 0.08 * layout.boulevard;
        layout.at(sway * noise.line(y / (0.3 * layout.reach)), y)
    };
    (0..=steps).map(leg).collect()
}
