//! The streets of the quarters: the face with the most blocks still to come is cut in two, until
//! the city has as many streets as were asked for.

use super::chord::{Chord, Rules, ways_on};
use super::density::Density;
use super::dice::Dice;
use super::face::{End, Face};
use super::layout::Layout;
use super::lines::{Class, Line, LineId, Lines, Naming, Traffic};
use super::plane::{Corner, Half, Plane};
use super::vector::{add, along, direction, dot, left, norm, scale, sub, turned, unit};
use super::zone::Zone;
use crate::progress::Progress;
use meshcloak::units::Point;
use std::collections::BinaryHeap;

/// Streets for each block, as a planar map of mostly three-way junctions has them.
const STREETS_PER_BLOCK: f64 = 2.75;

/// A park, or a lake, which no street runs through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Park {
    pub middle: Point,
    pub area: f64,
}

/// Cuts the plane into blocks.
pub(super) struct Blocks<'a> {
    layout: &'a Layout,
    density: &'a Density,
    dice: Dice,
    waiting: BinaryHeap<Waiting>,
    /// Blocks to come per unit of density and area.
    unit: f64,
    face: Face,
    ways: Vec<(Point, Point)>,
    pub parks: Vec<Park>,
}

/// A face that is to be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    /// How many blocks it is to become.
    blocks: f64,
    half: Half,
    /// The direction of its quarter.
    axis: Point,
    tries: u8,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        self.blocks.total_cmp(&other.blocks).then(self.half.cmp(&other.half))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Blocks<'a> {
    /// All faces between the great roads, waiting to be cut.
    pub(super) fn new(layout: &'a Layout, density: &'a Density, plane: &Plane) -> Blocks<'a> {
        let dice = Dice::new(layout.seed, 5);
        let mut blocks = Blocks {
            layout,
            density,
            dice,
            waiting: BinaryHeap::new(),
            unit: 1.0,
            face: Face::default(),
            ways: Vec::new(),
            parks: Vec::new(),
        };
        let mut seen = vec![false; plane.halves() as usize];
        let mut outside = Vec::new();
        plane.face(Plane::OUTSIDE, &mut outside);
        outside.iter().for_each(|half| seen[*half as usize] = true);
        let mut total = 0.0;
        let mut faces = Vec::new();
        for half in 0..plane.halves() {
            if seen[half as usize] {
                continue;
            }
            blocks.face.load(plane, half);
            blocks.face.halves.iter().for_each(|half| seen[*half as usize] = true);
            if blocks.face.may_be_built(plane) {
                let weight = blocks.weight();
                total += weight;
                let axis = blocks.face.way(blocks.face.longest(plane));
                faces.push(Waiting { blocks: weight, half, axis, tries: 0 });
            }
        }
        blocks.unit = layout.streets as f64 / STREETS_PER_BLOCK / total;
        let unit = blocks.unit;
        blocks
            .waiting
            .extend(faces.iter().map(|face| Waiting { blocks: face.blocks * unit, ..*face }));
        blocks
    }

    /// Cuts until there are `goal` streets.
    pub(super) fn cut(
        &mut self,
        (plane, lines): (&mut Plane, &mut Lines),
        goal: usize,
        progress: &dyn Progress,
    ) {
        let mut told = plane.streets();
        while plane.streets() < goal {
            let Some(next) = self.waiting.pop() else { break };
            self.cut_one(plane, lines, next);
            if plane.streets() >= told + 1000 {
                progress.advance((plane.streets() - told) as u64);
                told = plane.streets();
            }
        }
    }

    fn cut_one(&mut self, plane: &mut Plane, lines: &mut Lines, mut next: Waiting) {
        let mut face = std::mem::take(&mut self.face);
        face.load(plane, next.half);
        let zone = Zone::of(self.layout, self.density, face.middle);
        if self.becomes_park(&face, zone, next.blocks) {
            self.parks.push(Park { middle: face.middle, area: face.area });
        } else if let Some(chord) = self.best_chord(plane, &face, (zone, &next)) {
            self.build((plane, lines), &face, (zone, chord, next));
        } else if next.tries < 5 {
            next.tries += 1;
            next.blocks *= 0.8;
            next.axis = face.way(face.longest(plane));
            self.waiting.push(next);
        }
        self.face = face;
    }

    /// Density times area, from points spread over the face.
    fn weight(&self) -> f64 {
        let face = &self.face;
        let step = face.len().div_ceil(24);
        let mut sum = 2.0 * self.density.at(face.middle);
        let mut count = 2.0;
        for n in (0..face.len()).step_by(step) {
            for part in [0.4, 0.75] {
                sum += self.density.at(face.middle.towards(face.points[n], part));
                count += 1.0;
            }
        }
        sum / count * face.area.max(0.0)
    }

    fn becomes_park(&mut self, face: &Face, zone: Zone, blocks: f64) -> bool {
        let big = blocks > 2.5 && blocks < 16.0;
        let tidy = face.len() < 60;
        let first = self.parks.is_empty() && zone == Zone::Inner && blocks < 24.0;
        big && tidy && (first || self.dice.chance(zone.park_chance()))
    }

    /// The best of some streets through the face.
    fn best_chord(
        &mut self,
        plane: &Plane,
        face: &Face,
        (zone, next): (Zone, &Waiting),
    ) -> Option<Chord> {
        let side = (face.area / next.blocks.max(1.0)).sqrt();
        let relaxed = f64::from(next.tries);
        let rules = Rules {
            spacing: (0.28 * side / (1.0 + 0.3 * relaxed)).clamp(18.0, 120.0),
            sharpest: (zone.sharpest() + 0.06 * relaxed).min(0.86),
            crossing_bonus: zone.crossing_bonus(),
            smallest: if next.blocks > 3.0 { 0.2 } else { 0.27 } - 0.03 * relaxed,
        };
        let mut best: Option<Chord> = None;
        let mut offer = |chord: Option<Chord>| {
            if let Some(chord) = chord {
                if best.as_ref().is_none_or(|best| best.score < chord.score) {
                    best = Some(chord);
                }
            }
        };
        let mut ways = std::mem::take(&mut self.ways);
        ways_on(plane, face, &mut ways);
        self.add_axis_ways(face, (zone, next.axis), &mut ways);
        for &way in &ways {
            offer(Chord::through((plane, face), way, &rules));
        }
        self.ways = ways;
        best
    }

    /// Ways across the quarter, square to its longer side and not far from its middle.
    fn add_axis_ways(
        &mut self,
        face: &Face,
        (zone, axis): (Zone, Point),
        ways: &mut Vec<(Point, Point)>,
    ) {
        let on_street = ways.len();
        if on_street > 14 {
            // Those nearest to the middle halve it best.
            let middle = face.middle;
            ways.sort_by(|a, b| {
                a.0.distance_squared(middle).total_cmp(&b.0.distance_squared(middle))
            });
            ways.truncate(14);
        }
        let (long, wide) = (face.extent(axis), face.extent(left(axis)));
        let stretched = long.1 - long.0 > zone.stretch() * (wide.1 - wide.0);
        let (run, (low, high)) = if stretched { (axis, long) } else { (left(axis), wide) };
        for part in [0.5, 0.42, 0.58, 0.35, 0.65] {
            let jitter = self.dice.within(-0.04, 0.04);
            let at = low + (high - low) * (part + jitter);
            let tilt = self.dice.within(-1.0, 1.0) * zone.tilt();
            let base = add(scale(run, at), scale(left(run), dot(face.middle, left(run))));
            ways.push((base, turned(left(run), direction(tilt))));
        }
        let (run, (low, high)) = if stretched { (left(axis), wide) } else { (axis, long) };
        for part in [0.45, 0.6] {
            let base = add(
                scale(run, low + (high - low) * part),
                scale(left(run), dot(face.middle, left(run))),
            );
            ways.push((base, left(run)));
        }
        let n = (self.dice.bits() % face.len() as u64) as usize;
        let start = face.points[n].towards(face.after(n), self.dice.within(0.3, 0.7));
        ways.push((start, left(face.way(n))));
    }

    /// Builds a street along a chord, and lets what it makes of the face wait.
    fn build(
        &mut self,
        (plane, lines): (&mut Plane, &mut Lines),
        face: &Face,
        (zone, chord, next): (Zone, Chord, Waiting),
    ) {
        let stub = next.blocks < 2.4 && self.dice.chance(zone.dead_end_chance());
        let (line, turned) = self.line_of(plane, lines, face, (zone, &chord, next.blocks));
        let from = corner_at(plane, face, chord.from);
        if stub {
            let tip = self.tip(face, &chord);
            plane.reach(from, tip, line);
            let waiting = Waiting { blocks: next.blocks * 0.5, tries: next.tries + 1, ..next };
            if waiting.tries < 4 {
                self.waiting.push(waiting);
            }
            return;
        }
        let half = if chord.is_blind {
            self.build_blind(plane, face, (from, &chord, line))
        } else {
            let mut bends = self.bends(face, &chord, zone);
            let mut ends = (from, corner_at(plane, face, chord.to));
            if turned {
                bends.reverse();
                ends = (ends.1, ends.0);
            }
            let last = bends.iter().fold(ends.0, |corner, bend| plane.reach(corner, *bend, line));
            plane.join(last, ends.1, line)
        };
        for half in [half, half ^ 1] {
            self.wait(plane, half, &next);
        }
    }

    /// Where a dead end along a chord stops.
    fn tip(&mut self, face: &Face, chord: &Chord) -> Point {
        let way = unit(sub(chord.to.1, chord.from.1));
        let length = chord.length() * self.dice.within(0.45, 0.72);
        let straight = along(chord.from.1, way, length);
        let swayed = along(straight, left(way), length * self.dice.within(-0.12, 0.12));
        let clear = face.is_clear((chord.from.1, swayed), &[chord.from.0], 8.0);
        if clear { swayed } else { straight }
    }

    /// A street that stops before water or motorway, but runs on to the edge of the map.
    fn build_blind(
        &mut self,
        plane: &mut Plane,
        face: &Face,
        (from, chord, line): (Corner, &Chord, LineId),
    ) -> Half {
        let at_edge =
            matches!(chord.to.0, End::Edge(n) if plane.line(face.halves[n]) == LineId::OUTLINE);
        let to = corner_at(plane, face, chord.to);
        if at_edge {
            return plane.join(from, to, line);
        }
        let left_over = (self.dice.within(25.0, 90.0) / chord.length()).min(0.4);
        let tip = chord.to.1.towards(chord.from.1, left_over);
        let tip = plane.reach(from, tip, line);
        plane.join(tip, to, LineId::GAP)
    }

    fn wait(&mut self, plane: &Plane, half: Half, parent: &Waiting) {
        self.face.load(plane, half);
        let blocks = self.weight() * self.unit;
        // A quarter finds its own direction once, when it is small enough to be one.
        let own = parent.blocks >= 45.0;
        let axis = if own { self.face.way(self.face.longest(plane)) } else { parent.axis };
        self.waiting.push(Waiting { blocks, half, axis, tries: 0 });
    }

    /// The line that a street goes on, or a new one; and whether it has to be drawn backwards
    /// for traffic to go on in the same direction.
    fn line_of(
        &mut self,
        plane: &Plane,
        lines: &mut Lines,
        face: &Face,
        (zone, chord, blocks): (Zone, &Chord, f64),
    ) -> (LineId, bool) {
        let class = zone.class(blocks, &mut self.dice);
        let across = if chord.continues { half_across(plane, face, chord) } else { None };
        if let Some(half) = across.filter(|half| lines.get(plane.line(*half)).class == class) {
            return (plane.line(half), half & 1 == 0);
        }
        let narrow = class >= Class::Residential;
        let one_way = narrow && self.dice.chance(zone.one_way_chance(self.layout));
        let traffic = if one_way { Traffic::AsDrawn } else { Traffic::BothWays };
        let naming = if zone == Zone::Country { Naming::Road } else { Naming::Street };
        let at = chord.from.1.towards(chord.to.1, 0.5);
        (lines.add(Line { class, naming, traffic, at }), self.dice.chance(0.5))
    }

    /// Points that bend a street gently, if there is room.
    fn bends(&mut self, face: &Face, chord: &Chord, zone: Zone) -> Vec<Point> {
        let (from, to) = (chord.from.1, chord.to.1);
        let length = chord.length();
        let depth = length * self.dice.within(-1.0, 1.0) * zone.bend();
        if length < 130.0 || depth.abs() < 6.0 {
            return Vec::new();
        }
        let normal = left(unit(sub(to, from)));
        let twist = self.dice.within(-0.8, 0.8);
        let pieces = (length / 90.0).clamp(3.0, 12.0) as i32;
        let bend = |n: i32| {
            let t = f64::from(n) / f64::from(pieces);
            let bow = 4.0 * t * (1.0 - t);
            along(from.towards(to, t), normal, depth * bow * (1.0 + twist * (2.0 * t - 1.0)))
        };
        let bends: Vec<Point> = (1..pieces).map(bend).collect();
        let mut path = vec![from];
        path.extend(&bends);
        path.push(to);
        let ends = [chord.from.0, chord.to.0];
        let last = path.len() - 2;
        let clear = path.windows(2).enumerate().all(|(n, leg)| {
            let own: &[End] = match n {
                0 => &ends[..1],
                n if n == last => &ends[1..],
                _ => &[],
            };
            face.is_clear((leg[0], leg[1]), own, 9.0)
        });
        if clear { bends } else { Vec::new() }
    }
}

/// The corner at an end of a chord, cutting the edge there if need be.
fn corner_at(plane: &mut Plane, face: &Face, (end, point): (End, Point)) -> Corner {
    match end {
        End::Corner(n) => face.corner(n),
        End::Edge(n) => plane.cut(face.halves[n], point),
    }
}

/// The street that a chord goes on, as it leaves the chord's first end.
fn half_across(plane: &Plane, face: &Face, chord: &Chord) -> Option<Half> {
    let End::Corner(n) = chord.from.0 else { return None };
    let way = sub(chord.to.1, chord.from.1);
    let vertex = plane.origin(face.halves[n]);
    let straight = |half: &Half| {
        let back = sub(plane.point(plane.target(*half)), chord.from.1);
        plane.is_street(*half) && dot(back, way) < -0.95 * norm(back) * norm(way)
    };
    plane.around(vertex).find(straight)
}
