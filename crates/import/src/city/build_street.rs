//! Building one street of a quarter: through, blind before water, or a dead end; straight or bent.

use super::blocks::{Blocks, PendingFace};
use super::chord::Chord;
use super::face::{End, Face};
use super::lines::{Class, Line, LineId, Lines, Naming, Traffic};
use super::plane::{Corner, Half, Plane};
use super::vector::{along, dot, left, norm, sub, unit};
use super::zone::Zone;
use meshcloak::units::Point;

impl Blocks<'_> {
    /// Builds a street along a chord, and lets what it makes of the face wait.
    pub(super) fn build(
        &mut self,
        (plane, lines): (&mut Plane, &mut Lines),
        face: &Face,
        (zone, chord, next): (Zone, Chord, PendingFace),
    ) {
        let stub = next.blocks < 2.4 && self.random.chance(zone.dead_end_chance());
        let (line, turned) = self.line_of(plane, lines, face, (zone, &chord, next.blocks));
        let from = corner_at(plane, face, chord.from);
        if stub {
            let tip = self.tip(face, &chord);
            plane.reach(from, tip, line);
            let pending = PendingFace { blocks: next.blocks * 0.5, tries: next.tries + 1, ..next };
            if pending.tries < 4 {
                self.pending.push(pending);
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
            self.push_pending(plane, half, &next);
        }
    }

    /// Where a dead end along a chord stops.
    fn tip(&mut self, face: &Face, chord: &Chord) -> Point {
        let way = unit(sub(chord.to.1, chord.from.1));
        let length = chord.length() * self.random.uniform(0.45, 0.72);
        let straight = along(chord.from.1, way, length);
        let swayed = along(straight, left(way), length * self.random.uniform(-0.12, 0.12));
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
        let left_over = (self.random.uniform(25.0, 90.0) / chord.length()).min(0.4);
        let tip = chord.to.1.towards(chord.from.1, left_over);
        let tip = plane.reach(from, tip, line);
        plane.join(tip, to, LineId::GAP)
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
        let class = zone.class(blocks, &mut self.random);
        let across = if chord.continues { half_across(plane, face, chord) } else { None };
        if let Some(half) = across.filter(|half| lines.get(plane.line(*half)).class == class) {
            return (plane.line(half), half & 1 == 0);
        }
        let narrow = class >= Class::Residential;
        let one_way = narrow && self.random.chance(zone.one_way_chance(self.layout));
        let traffic = if one_way { Traffic::AsDrawn } else { Traffic::BothWays };
        let naming = if zone == Zone::Country { Naming::Road } else { Naming::Street };
        let at = chord.from.1.towards(chord.to.1, 0.5);
        (lines.add(Line { class, naming, traffic, at }), self.random.chance(0.5))
    }

    /// Points that bend a street gently, if there is room.
    fn bends(&mut self, face: &Face, chord: &Chord, zone: Zone) -> Vec<Point> {
        let (from, to) = (chord.from.1, chord.to.1);
        let length = chord.length();
        let depth = length * self.random.uniform(-1.0, 1.0) * zone.bend();
        if length < 130.0 || depth.abs() < 6.0 {
            return Vec::new();
        }
        let normal = left(unit(sub(to, from)));
        let twist = self.random.uniform(-0.8, 0.8);
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
