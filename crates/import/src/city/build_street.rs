//! Builds one street through a face: a through street, a street that stops before water, or a dead
//! end; straight or curved.

use super::blocks::{Blocks, PendingFace};
use super::chord::Chord;
use super::face::{ChordEnd, Face, Site};
use super::lines::{LineId, Lines, Naming, RoadClass, RoadLine, Traffic};
use super::plane::{Corner, Half, Plane};
use super::quarter::Quarter;
use super::vector::{along, dot, left, norm, sub, unit};
use meshcloak::units::Point;

/// A street to build: the face, its quarter, and the chord to follow.
pub(super) struct StreetCut<'a> {
    pub face: &'a Face,
    pub quarter: Quarter,
    pub chord: Chord,
    pub pending: PendingFace,
}

/// The line of a new street.
struct StreetLine {
    line: LineId,
    /// Whether the street must be built from the far end, so that traffic keeps its direction.
    is_reversed: bool,
}

impl Blocks<'_> {
    /// Builds a street along a chord and queues the resulting faces.
    pub(super) fn build(&mut self, plane: &mut Plane, lines: &mut Lines, cut: &StreetCut) {
        let StreetCut { face, chord, pending: next, .. } = cut;
        let is_dead_end = next.blocks < 2.4 && self.random.chance(cut.quarter.dead_end_chance());
        let StreetLine { line, is_reversed } = self.line_of(plane, lines, cut);
        let from = corner_at(plane, face, chord.from);
        if is_dead_end {
            let tip = self.tip(face, chord);
            plane.reach(from, tip, line);
            let pending = PendingFace { blocks: next.blocks * 0.5, tries: next.tries + 1, ..*next };
            if pending.tries < 4 {
                self.pending.push(pending);
            }
            return;
        }
        let half = if chord.is_blind {
            self.build_blind(plane, cut, from, line)
        } else {
            let mut bends = self.bends(cut);
            let mut ends = [from, corner_at(plane, face, chord.to)];
            if is_reversed {
                bends.reverse();
                ends.reverse();
            }
            let last = bends.iter().fold(ends[0], |corner, bend| plane.reach(corner, *bend, line));
            plane.join(last, ends[1], line)
        };
        for half in [half, half ^ 1] {
            self.push_pending(plane, half, next);
        }
    }

    /// Returns the end of a dead-end street along a chord.
    fn tip(&mut self, face: &Face, chord: &Chord) -> Point {
        let way = unit(sub(chord.to.point, chord.from.point));
        let length = chord.length() * self.random.uniform(0.45, 0.72);
        let straight = along(chord.from.point, way, length);
        let swayed = along(straight, left(way), length * self.random.uniform(-0.12, 0.12));
        let clear = face.is_clear(chord.from.point, swayed, &[chord.from.site], 8.0);
        if clear { swayed } else { straight }
    }

    /// Builds a street that stops before water or a motorway, but reaches the edge of the map.
    fn build_blind(
        &mut self,
        plane: &mut Plane,
        StreetCut { face, chord, .. }: &StreetCut,
        from: Corner,
        line: LineId,
    ) -> Half {
        let at_edge =
            matches!(chord.to.site, Site::Edge(n) if plane.line(face.halves[n]) == LineId::OUTLINE);
        let to = corner_at(plane, face, chord.to);
        if at_edge {
            return plane.join(from, to, line);
        }
        let gap = (self.random.uniform(25.0, 90.0) / chord.length()).min(0.4);
        let tip = chord.to.point.towards(chord.from.point, gap);
        let tip = plane.reach(from, tip, line);
        plane.join(tip, to, LineId::GAP)
    }

    /// Returns the line that the chord continues, or a new line.
    fn line_of(&mut self, plane: &Plane, lines: &mut Lines, cut: &StreetCut) -> StreetLine {
        let StreetCut { face, quarter, chord, pending } = cut;
        let class = quarter.class(pending.blocks, &mut self.random);
        let across = if chord.continues { half_across(plane, face, chord) } else { None };
        if let Some(half) = across.filter(|half| lines.get(plane.line(*half)).class == class) {
            return StreetLine { line: plane.line(half), is_reversed: half & 1 == 0 };
        }
        let narrow = class >= RoadClass::Residential;
        let one_way = narrow && self.random.chance(quarter.one_way_chance(self.layout));
        let traffic = if one_way { Traffic::AsDrawn } else { Traffic::BothWays };
        let naming = if *quarter == Quarter::Country { Naming::Road } else { Naming::Street };
        let at = chord.from.point.towards(chord.to.point, 0.5);
        let line = lines.add(RoadLine { class, naming, traffic, at });
        StreetLine { line, is_reversed: self.random.chance(0.5) }
    }

    /// Returns points that curve a street slightly; none if the curve would come near the
    /// boundary.
    fn bends(&mut self, StreetCut { face, quarter, chord, .. }: &StreetCut) -> Vec<Point> {
        let (from, to) = (chord.from.point, chord.to.point);
        let length = chord.length();
        let depth = length * self.random.uniform(-1.0, 1.0) * quarter.bend();
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
        let sites = [chord.from.site, chord.to.site];
        let last = path.len() - 2;
        let clear = path.windows(2).enumerate().all(|(n, leg)| {
            let touched: &[Site] = match n {
                0 => &sites[..1],
                n if n == last => &sites[1..],
                _ => &[],
            };
            face.is_clear(leg[0], leg[1], touched, 9.0)
        });
        if clear { bends } else { Vec::new() }
    }
}

/// Returns the corner at an end of a chord; splits the edge there if necessary.
fn corner_at(plane: &mut Plane, face: &Face, end: ChordEnd) -> Corner {
    match end.site {
        Site::Corner(n) => face.corner(n),
        Site::Edge(n) => plane.cut(face.halves[n], end.point),
    }
}

/// Returns the street that a chord continues, as an outgoing half-edge of the chord's first end.
fn half_across(plane: &Plane, face: &Face, chord: &Chord) -> Option<Half> {
    let Site::Corner(n) = chord.from.site else { return None };
    let way = sub(chord.to.point, chord.from.point);
    let vertex = plane.origin(face.halves[n]);
    let straight = |half: &Half| {
        let back = sub(plane.point(plane.target(*half)), chord.from.point);
        plane.is_street(*half) && dot(back, way) < -0.95 * norm(back) * norm(way)
    };
    plane.around(vertex).find(straight)
}
