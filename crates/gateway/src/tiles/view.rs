//! The strokes of a map as seen at one zoom: how much of each tile they take, and which of them
//! show something that others do not.

use super::detail::Shapes;
use super::strokes::Strokes;
use meshcloak::units::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// A tile has so many streets for themselves at most, except at the closest zoom.
pub const STREETS: usize = 10_000;

/// A tile has lines of strokes in so many squares of [`COARSE`] pixels at most.
const LINES: usize = 8_000;

/// The side of a square by which lines are weighed, in pixels.
const COARSE: f64 = 16.0;

/// How many pixels a tile is wide on the screen.
const PIXELS: f64 = 512.0;

/// Pixels are looked at in squares of this many, doubled until a tile is light enough.
const SQUARES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// A square of some grid: column and row.
type Square = (u32, u32);

/// The strokes as seen at one zoom.
pub struct View<'a> {
    /// Where streets are.
    pub shapes: Shapes<'a>,
    /// All strokes.
    pub strokes: &'a Strokes,
    /// The side of a tile in the square of the world.
    pub side: f64,
}

/// Which strokes are shown how.
#[derive(Default)]
pub struct Share {
    /// Their streets are there for themselves.
    pub own: Vec<u32>,
    /// They are lines that cannot be lit.
    pub merged: Vec<u32>,
    left_out: usize,
}

/// How full each tile is.
#[derive(Default)]
struct Load {
    tiles: FxHashMap<Square, usize>,
}

impl Load {
    /// Adds one for each of these squares, unless some tile would then be beyond the limit.
    fn fits(&mut self, squares: &mut [Square], limit: usize) -> bool {
        squares.sort_unstable();
        let runs = || squares.chunk_by(|a, b| a == b);
        let full = |run: &[Square]| self.tiles.get(&run[0]).unwrap_or(&0) + run.len() > limit;
        if runs().any(full) {
            return false;
        }
        runs().for_each(|run| *self.tiles.entry(run[0]).or_default() += run.len());
        true
    }
}

impl View<'_> {
    /// Leaves as many strokes as fit. What adds nothing to the pixels of others goes first, as soon
    /// as there is more than streets for themselves; then larger squares count as covered.
    pub fn settle(&self, kept: &mut Vec<u32>, may_own: &[bool]) -> Share {
        let mut share = self.share(kept, may_own);
        if share.merged.is_empty() && share.left_out == 0 {
            return share;
        }
        for pixels in SQUARES {
            self.thin(kept, pixels);
            share = self.share(kept, may_own);
            if share.left_out == 0 {
                break;
            }
        }
        share
    }

    /// The most important strokes have their streets for themselves, the next ones are merged, as
    /// long as there is room in every tile they pass through.
    fn share(&self, kept: &[u32], may_own: &[bool]) -> Share {
        let (mut streets, mut lines, mut share) =
            (Load::default(), Load::default(), Share::default());
        for &stroke in kept {
            if may_own[stroke as usize] && streets.fits(&mut self.by_street(stroke), STREETS) {
                share.own.push(stroke);
            } else if lines.fits(&mut self.by_line(stroke), LINES) {
                share.merged.push(stroke);
            } else {
                share.left_out += 1;
            }
        }
        share
    }

    /// The tiles of a stroke, once for each of its streets in them.
    fn by_street(&self, stroke: u32) -> Vec<Square> {
        let (mut all, mut own) = (Vec::new(), Vec::new());
        for &street in self.strokes.streets(stroke) {
            squares(self.shapes.of(street), self.side, &mut own);
            own.sort_unstable();
            own.dedup();
            all.append(&mut own);
        }
        all
    }

    /// The tiles of a stroke, once for each coarse square it passes through in them.
    fn by_line(&self, stroke: u32) -> Vec<Square> {
        let mut all = self.squares(stroke, COARSE);
        let across = (PIXELS / COARSE) as u32;
        all.iter_mut().for_each(|square| *square = (square.0 / across, square.1 / across));
        all
    }

    /// The squares of so many pixels that a stroke passes through, ascending.
    fn squares(&self, stroke: u32, pixels: f64) -> Vec<Square> {
        let mut all = Vec::new();
        for &street in self.strokes.streets(stroke) {
            squares(self.shapes.of(street), self.side / PIXELS * pixels, &mut all);
        }
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

/// The squares of a grid that a polyline passes through, at least one, some of them repeatedly.
fn squares(shape: &[Point], side: f64, out: &mut Vec<Square>) {
    let square = |point: Point| ((point.x / side) as u32, (point.y / side) as u32);
    out.extend(shape.first().map(|&point| square(point)));
    for ends in shape.windows(2) {
        let long = ends[0].distance(ends[1]) / side;
        let places = (2.0 * long).ceil().clamp(1.0, PLACES);
        let each = (1..=places as u32).map(|n| f64::from(n) / places);
        out.extend(each.map(|part| square(ends[0].towards(ends[1], part))));
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
