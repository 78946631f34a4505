//! Selection of the strokes that are drawn at one zoom, within the point budget of each tile.

#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "runs and windows have elements; indices are stroke numbers"
)]

use super::lines::simplify;
use meshcloak::units::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// Point budget of a tile that is drawn by strokes. A screen shows four to nine tiles; without a
/// GPU, 100,000 points are estimated to double the time of a frame.
pub const MAX_POINTS: usize = 10_000;

/// Width of a tile on the screen in pixels.
const PIXELS: f64 = 512.0;

/// Side of the coverage squares in pixels; increased until all tiles fit their budget.
const SQUARE_SIDES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Column and row of a grid square.
type Square = (u32, u32);

/// The strokes at one zoom.
pub struct ZoomView<'a> {
    /// Line of each stroke in Web Mercator coordinates.
    pub lines: &'a [Vec<Point>],
    /// Side of a tile in Web Mercator coordinates.
    pub side: f64,
    /// Largest simplification error in Web Mercator coordinates.
    pub tolerance: f64,
}

/// Number of points of each tile.
#[derive(Default)]
struct TileLoad {
    tiles: FxHashMap<Square, usize>,
}

impl TileLoad {
    /// Adds one point per listed tile, unless a tile would exceed its budget; returns whether it
    /// did.
    fn try_add(&mut self, tiles: &[Square]) -> bool {
        let runs = || tiles.chunk_by(|a, b| a == b);
        let full = |run: &[Square]| self.tiles.get(&run[0]).unwrap_or(&0) + run.len() > MAX_POINTS;
        if runs().any(full) {
            return false;
        }
        runs().for_each(|run| *self.tiles.entry(run[0]).or_default() += run.len());
        true
    }
}

impl ZoomView<'_> {
    /// Returns the strokes that fit the budget. If not all fit, strokes whose pixels are covered by
    /// more important ones are dropped, with growing squares as pixels.
    pub fn select(&self, mut kept: Vec<u32>) -> Vec<u32> {
        let mut fitting = self.fitting(&kept);
        for pixels in SQUARE_SIDES {
            if fitting.len() == kept.len() {
                break;
            }
            self.thin(&mut kept, pixels);
            fitting = self.fitting(&kept);
        }
        fitting
    }

    /// Returns the strokes that fit into every tile they pass, in order of importance.
    fn fitting(&self, kept: &[u32]) -> Vec<u32> {
        let mut load = TileLoad::default();
        kept.iter().copied().filter(|&stroke| load.try_add(&self.tiles(stroke))).collect()
    }

    /// Returns the tiles of a stroke, ascending, once for each point in them; each pass through a
    /// tile counts as one more point.
    fn tiles(&self, stroke: u32) -> Vec<Square> {
        let line = simplify(&self.lines[stroke as usize], self.tolerance);
        let mut all = Vec::new();
        squares(&line, self.side, &mut all);
        all.dedup();
        all.extend(line.iter().map(|&point| square(point, self.side)));
        all.sort_unstable();
        all
    }

    /// Returns the squares of this side in pixels that a stroke passes, ascending.
    fn squares(&self, stroke: u32, pixels: f64) -> Vec<Square> {
        let mut all = Vec::new();
        squares(&self.lines[stroke as usize], self.side / PIXELS * pixels, &mut all);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Keeps the strokes with at least a third of their squares not covered by earlier ones.
    fn thin(&self, kept: &mut Vec<u32>, pixels: f64) {
        let mut covered: FxHashSet<Square> = FxHashSet::default();
        kept.retain(|&stroke| {
            let own = self.squares(stroke, pixels);
            let new = own.iter().filter(|square| !covered.contains(*square)).count();
            let is_visible = 3 * new >= own.len() && new > 0;
            if is_visible {
                covered.extend(own);
            }
            is_visible
        });
    }
}

/// Largest number of sample points of a segment.
const MAX_SAMPLES: f64 = 65_536.0;

fn square(point: Point, side: f64) -> Square {
    ((point.x / side) as u32, (point.y / side) as u32)
}

/// Appends the grid squares that a polyline passes, sampled twice per square; at least one, some
/// repeated.
fn squares(shape: &[Point], side: f64, out: &mut Vec<Square>) {
    out.extend(shape.first().map(|&point| square(point, side)));
    for ends in shape.windows(2) {
        let length = ends[0].distance(ends[1]) / side;
        let samples = (2.0 * length).ceil().clamp(1.0, MAX_SAMPLES);
        let each = (1..=samples as u32).map(|n| f64::from(n) / samples);
        out.extend(each.map(|part| square(ends[0].towards(ends[1], part), side)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_squares_of_a_polyline_are_found() {
        let mut out = Vec::new();
        let shape = [Point::new(0.5, 0.5), Point::new(3.5, 0.5), Point::new(3.5, 1.5)];
        squares(&shape, 1.0, &mut out);
        out.dedup();
        assert_eq!(out, [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1)]);
        out.clear();
        squares(&[Point::new(0.5, 0.5); 2], 1.0, &mut out);
        out.dedup();
        assert_eq!(out, [(0, 0)]);
    }
}
