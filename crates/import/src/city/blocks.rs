//! Minor streets: repeatedly divides the face with the largest number of missing blocks, until the
//! city has the requested number of streets.

use super::build_street::StreetCut;
use super::chord::{Chord, Ray, Rules, continuations};
use super::density::Density;
use super::face::Face;
use super::layout::Layout;
use super::lines::Lines;
use super::plane::{Half, Plane};
use super::quarter::Quarter;
use super::random::RandomStream;
use super::vector::{add, direction, dot, left, scale, turned};
use crate::progress::Progress;
use meshcloak::units::Point;
use std::collections::BinaryHeap;

/// Streets per block in a planar map of mostly three-way junctions.
const STREETS_PER_BLOCK: f64 = 2.75;
/// Largest number of candidate rays that continue existing streets.
const MAX_CONTINUATIONS: usize = 14;

/// A face that stays without streets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Park {
    pub middle: Point,
    pub area: f64,
}

/// Divides the faces of a subdivision into blocks.
pub(super) struct Blocks<'a> {
    pub(super) layout: &'a Layout,
    density: &'a Density,
    pub(super) random: RandomStream,
    pub(super) pending: BinaryHeap<PendingFace>,
    /// Blocks per unit of density × area.
    unit: f64,
    face: Face,
    /// Scratch buffer of candidate rays.
    rays: Vec<Ray>,
    pub parks: Vec<Park>,
}

/// A face to be divided; ordered by the number of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PendingFace {
    /// Number of blocks it will hold.
    pub blocks: f64,
    pub half: Half,
    /// Main street direction of its quarter.
    pub axis: Point,
    pub tries: u8,
}

impl Eq for PendingFace {}

impl Ord for PendingFace {
    fn cmp(&self, other: &PendingFace) -> std::cmp::Ordering {
        self.blocks.total_cmp(&other.blocks).then(self.half.cmp(&other.half))
    }
}

impl PartialOrd for PendingFace {
    fn partial_cmp(&self, other: &PendingFace) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Blocks<'a> {
    /// Queues all faces between the main roads.
    pub(super) fn new(layout: &'a Layout, density: &'a Density, plane: &Plane) -> Blocks<'a> {
        let random = RandomStream::new(layout.seed, 5);
        let mut blocks = Blocks {
            layout,
            density,
            random,
            pending: BinaryHeap::new(),
            unit: 1.0,
            face: Face::default(),
            rays: Vec::new(),
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
                faces.push(PendingFace { blocks: weight, half, axis, tries: 0 });
            }
        }
        blocks.unit = layout.streets as f64 / STREETS_PER_BLOCK / total;
        let unit = blocks.unit;
        blocks
            .pending
            .extend(faces.iter().map(|face| PendingFace { blocks: face.blocks * unit, ..*face }));
        blocks
    }

    /// Cuts until there are `goal` streets.
    pub(super) fn cut(
        &mut self,
        plane: &mut Plane,
        lines: &mut Lines,
        goal: usize,
        progress: &dyn Progress,
    ) {
        let mut reported = plane.streets();
        while plane.streets() < goal {
            let Some(next) = self.pending.pop() else { break };
            self.cut_one(plane, lines, next);
            if plane.streets() >= reported + 1000 {
                progress.advance((plane.streets() - reported) as u64);
                reported = plane.streets();
            }
        }
    }

    fn cut_one(&mut self, plane: &mut Plane, lines: &mut Lines, mut next: PendingFace) {
        let mut face = std::mem::take(&mut self.face);
        face.load(plane, next.half);
        let quarter = Quarter::of(self.layout, self.density, face.middle);
        if self.becomes_park(&face, quarter, next.blocks) {
            self.parks.push(Park { middle: face.middle, area: face.area });
        } else if let Some(chord) = self.best_chord(plane, &face, quarter, &next) {
            self.build(plane, lines, &StreetCut { face: &face, quarter, chord, pending: next });
        } else if next.tries < 5 {
            next.tries += 1;
            next.blocks *= 0.8;
            next.axis = face.way(face.longest(plane));
            self.pending.push(next);
        }
        self.face = face;
    }

    /// Returns density × area, with the density sampled over the face.
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

    fn becomes_park(&mut self, face: &Face, quarter: Quarter, blocks: f64) -> bool {
        let all = self.layout.streets as f64 / STREETS_PER_BLOCK;
        let fits = blocks > 2.5 && blocks < (0.02 * all).min(16.0) && face.len() < 60;
        let first = self.parks.is_empty() && quarter == Quarter::Inner;
        fits && (first || self.random.chance(quarter.park_chance()))
    }

    /// Returns the best-scored street among the candidate rays through the face.
    fn best_chord(
        &mut self,
        plane: &Plane,
        face: &Face,
        quarter: Quarter,
        next: &PendingFace,
    ) -> Option<Chord> {
        let side = (face.area / next.blocks.max(1.0)).sqrt();
        let relaxed = f64::from(next.tries);
        let rules = Rules {
            spacing: (0.28 * side / (1.0 + 0.3 * relaxed)).clamp(18.0, 120.0),
            sharpest: (quarter.sharpest() + 0.06 * relaxed).min(0.86),
            crossing_bonus: quarter.crossing_bonus(),
            smallest: if next.blocks > 3.0 { 0.2 } else { 0.27 } - 0.03 * relaxed,
        };
        let mut rays = std::mem::take(&mut self.rays);
        continuations(plane, face, &mut rays);
        self.add_axis_rays(face, quarter, next.axis, &mut rays);
        let mut best: Option<Chord> = None;
        for chord in rays.iter().filter_map(|&ray| Chord::through(plane, face, ray, &rules)) {
            if best.as_ref().is_none_or(|best| best.score < chord.score) {
                best = Some(chord);
            }
        }
        self.rays = rays;
        best
    }

    /// Adds rays across the face, perpendicular to its longer side and near its centroid.
    fn add_axis_rays(&mut self, face: &Face, quarter: Quarter, axis: Point, rays: &mut Vec<Ray>) {
        if rays.len() > MAX_CONTINUATIONS {
            // The rays nearest to the centroid divide the face most evenly.
            let squared = |ray: &Ray| ray.base.distance_squared(face.middle);
            rays.sort_by(|a, b| squared(a).total_cmp(&squared(b)));
            rays.truncate(MAX_CONTINUATIONS);
        }
        let (long, wide) = (face.extent(axis), face.extent(left(axis)));
        let stretched = long.length() > quarter.stretch() * wide.length();
        let base = |run: Point, at: f64| {
            add(scale(run, at), scale(left(run), dot(face.middle, left(run))))
        };
        let (run, span) = if stretched { (axis, long) } else { (left(axis), wide) };
        for part in [0.5, 0.42, 0.58, 0.35, 0.65] {
            let jitter = self.random.uniform(-0.04, 0.04);
            let at = span.at(part + jitter);
            let tilt = self.random.uniform(-1.0, 1.0) * quarter.tilt();
            rays.push(Ray { base: base(run, at), way: turned(left(run), direction(tilt)) });
        }
        let (run, span) = if stretched { (left(axis), wide) } else { (axis, long) };
        for part in [0.45, 0.6] {
            rays.push(Ray { base: base(run, span.at(part)), way: left(run) });
        }
        let n = (self.random.bits() % face.len() as u64) as usize;
        let start = face.points[n].towards(face.after(n), self.random.uniform(0.3, 0.7));
        rays.push(Ray { base: start, way: left(face.way(n)) });
    }

    /// Queues the face on the left of `half`, a part of the face `parent`.
    pub(super) fn push_pending(&mut self, plane: &Plane, half: Half, parent: &PendingFace) {
        self.face.load(plane, half);
        let blocks = self.weight() * self.unit;
        // A large face takes the direction of its longest street; smaller parts inherit it.
        let has_own_axis = parent.blocks >= 45.0;
        let axis = if has_own_axis { self.face.way(self.face.longest(plane)) } else { parent.axis };
        self.pending.push(PendingFace { blocks, half, axis, tries: 0 });
    }
}
