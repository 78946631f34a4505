//! The strokes of a map as seen at one zoom: how much of each tile they take, and which of them
//! show something that others do not.

use super::lines::simplified;
use meshcloak::units::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// The lines of a tile have so many points at most, as long as it is drawn by strokes. A screen
/// shows four to nine tiles, and where there is no graphics card a hundred thousand points should
/// about double the time of a frame: an estimate, from frames that had far more of them.
pub const POINTS: usize = 10_000;

/// How many pixels a tile is wide on the screen.
const PIXELS: f64 = 512.0;

/// Pixels are looked at in squares of this many, doubled until a tile is light enough.
const SQUARES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// A square of some grid: column and row.
type Square = (u32, u32);

/// The strokes as seen at one zoom.
pub struct ZoomView<'a> {
    /// The line of each stroke in the square of the world.
    pub lines: &'a [Vec<Point>],
    /// The side of a tile there.
    pub side: f64,
    /// By how much a line may be drawn beside its place.
    pub tolerance: f64,
}

/// How many points each tile has.
#[derive(Default)]
struct Load {
    tiles: FxHashMap<Square, usize>,
}

impl Load {
    /// Adds one for each of these tiles, unless some would then be beyond the limit.
    fn fits(&mut self, tiles: &[Square]) -> bool {
        let runs = || tiles.chunk_by(|a, b| a == b);
        let full = |run: &[Square]| self.tiles.get(&run[0]).unwrap_or(&0) + run.len() > POINTS;
        if runs().any(full) {
            return false;
        }
        runs().for_each(|run| *self.tiles.entry(run[0]).or_default() += run.len());
        true
    }
}

impl ZoomView<'_> {
    /// Leaves as many strokes as fit: all if they do. Otherwise what adds nothing to the pixels of
    /// others goes first; then larger squares count as covered.
    pub fn settle(&self, mut kept: Vec<u32>) -> Vec<u32> {
        let mut fitting = self.fitting(&kept);
        for pixels in SQUARES {
            if fitting.len() == kept.len() {
                break;
            }
            self.thin(&mut kept, pixels);
            fitting = self.fitting(&kept);
        }
        fitting
    }

    /// Those for which there is room in every tile they pass through, after those before them.
    fn fitting(&self, kept: &[u32]) -> Vec<u32> {
        let mut load = Load::default();
        kept.iter().copied().filter(|&stroke| load.fits(&self.tiles(stroke))).collect()
    }

    /// The tiles of a stroke, ascending, once for each point it needs there, besides those at
    /// which it enters and leaves.
    fn tiles(&self, stroke: u32) -> Vec<Square> {
        let line = simplified(&self.lines[stroke as usize], self.tolerance);
        let mut all = Vec::new();
        squares(&line, self.side, &mut all);
        all.dedup();
        all.extend(line.iter().map(|&point| square(point, self.side)));
        all.sort_unstable();
        all
    }

    /// The squares of so many pixels that a stroke passes through, ascending.
    fn squares(&self, stroke: u32, pixels: f64) -> Vec<Square> {
        let mut all = Vec::new();
        squares(&self.lines[stroke as usize], self.side / PIXELS * pixels, &mut all);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Leaves the strokes that show something: at least a third of each is where none before it is.
    fn thin(&self, kept: &mut Vec<u32>, pixels: f64) {
        let mut covered: FxHashSet<Square> = FxHashSet::default();
        kept.retain(|&stroke| {
            let own = self.squares(stroke, pixels);
            let new = own.iter().filter(|square| !covered.contains(*square)).count();
            let shows = 3 * new >= own.len() && new > 0;
            if shows {
                covered.extend(own);
            }
            shows
        });
    }
}

/// No piece of a street is looked at in more places than that.
const PLACES: f64 = 65_536.0;

fn square(point: Point, side: f64) -> Square {
    ((point.x / side) as u32, (point.y / side) as u32)
}

/// The squares of a grid that a polyline passes through, at least one, some of them repeatedly.
fn squares(shape: &[Point], side: f64, out: &mut Vec<Square>) {
    out.extend(shape.first().map(|&point| square(point, side)));
    for ends in shape.windows(2) {
        let long = ends[0].distance(ends[1]) / side;
        let places = (2.0 * long).ceil().clamp(1.0, PLACES);
        let each = (1..=places as u32).map(|n| f64::from(n) / places);
        out.extend(each.map(|part| square(ends[0].towards(ends[1], part), side)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polyline_passes_through_the_squares_it_touches() {
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
