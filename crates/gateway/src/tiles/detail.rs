//! Level of detail: which streets a tile shows at which zoom, so that no tile is too heavy to
//! draw smoothly, whatever the map. Close up everything is shown; the farther, the fewer strokes:
//! one goes when those more important than it already cover most of the pixels it would take.

use super::strokes::Strokes;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// A tile shows so many streets at most, except at the closest zoom.
pub const STREETS: usize = 6_000;

/// From this zoom on points of interest are shown, and what streets are called.
pub const CLOSE: u8 = 14;

/// Tiles exist up to this zoom; a browser enlarges them beyond it.
pub const CLOSEST: u8 = 16;

/// How many pixels a tile is wide on the screen.
const PIXELS: f64 = 512.0;

/// Pixels are looked at in squares of this many, doubled until a tile is light enough.
const SQUARES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// The zoom from which on each street is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    from: Vec<u8>,
}

/// The shapes of all streets in the square of the world.
#[derive(Clone, Copy)]
pub struct Shapes<'a> {
    /// Points, street by street.
    pub points: &'a [Point],
    /// Where each street begins, and the end.
    pub starts: &'a [u32],
}

impl<'a> Shapes<'a> {
    /// The shape of a street.
    pub fn of(&self, street: StreetId) -> &'a [Point] {
        let run = &self.starts[street.index()..street.index() + 2];
        &self.points[run[0] as usize..run[1] as usize]
    }
}

impl Detail {
    /// The detail of a map whose streets have these shapes.
    pub fn new(map: &StreetMap, shapes: Shapes<'_>) -> Detail {
        let strokes = Strokes::of(map);
        let mut from = vec![0; map.street_count()];
        let mut kept: Vec<u32> = (0..strokes.count() as u32).collect();
        for zoom in (0..CLOSEST).rev() {
            let before = kept.clone();
            let view = View { shapes, strokes: &strokes, side: side_of(zoom) };
            for square in SQUARES {
                if view.is_light(&kept) {
                    break;
                }
                view.thin(&mut kept, square);
            }
            view.cap(&mut kept);
            let mut stays = kept.iter().peekable();
            for stroke in before {
                if stays.next_if_eq(&&stroke).is_none() {
                    for street in strokes.streets(stroke) {
                        from[street.index()] = zoom + 1;
                    }
                }
            }
        }
        Detail { from }
    }

    /// Whether a street is shown at a zoom.
    pub fn shows(&self, zoom: u8, street: StreetId) -> bool {
        self.from.get(street.index()).is_some_and(|&from| from <= zoom)
    }

    /// By how many steps of a tile a street may be drawn beside its place: half a pixel, and
    /// nothing anybody could see where tiles are enlarged.
    pub fn tolerance(zoom: u8) -> f64 {
        if zoom < CLOSEST { 4.0 } else { 0.5 }
    }
}

/// A square of some grid: column and row.
type Square = (u32, u32);

/// The strokes as seen at one zoom.
struct View<'a> {
    shapes: Shapes<'a>,
    strokes: &'a Strokes,
    side: f64,
}

impl View<'_> {
    /// Whether no tile has too many streets.
    fn is_light(&self, kept: &[u32]) -> bool {
        let mut tiles = FxHashMap::default();
        kept.iter().all(|&stroke| self.fits(stroke, &mut tiles))
    }

    /// Drops the least important strokes of tiles that are still too heavy.
    fn cap(&self, kept: &mut Vec<u32>) {
        let mut tiles = FxHashMap::default();
        kept.retain(|&stroke| self.fits(stroke, &mut tiles));
    }

    /// Adds a stroke to the tiles it passes through, unless one of them is full.
    fn fits(&self, stroke: u32, tiles: &mut FxHashMap<Square, usize>) -> bool {
        let (mut passed, mut own) = (Vec::new(), Vec::new());
        for &street in self.strokes.streets(stroke) {
            own.clear();
            squares(self.shapes.of(street), self.side, &mut own);
            own.sort_unstable();
            own.dedup();
            passed.append(&mut own);
        }
        passed.sort_unstable();
        let runs = || passed.chunk_by(|a, b| a == b);
        let full = |run: &[Square]| tiles.get(&run[0]).copied().unwrap_or(0) + run.len() > STREETS;
        if runs().any(full) {
            return false;
        }
        runs().for_each(|run| *tiles.entry(run[0]).or_insert(0) += run.len());
        true
    }

    /// Leaves the strokes that show something: at least a third of each is where none before it is.
    fn thin(&self, kept: &mut Vec<u32>, square: f64) {
        let side = self.side / PIXELS * square;
        let mut covered: FxHashSet<Square> = FxHashSet::default();
        let mut own = Vec::new();
        kept.retain(|&stroke| {
            own.clear();
            for &street in self.strokes.streets(stroke) {
                squares(self.shapes.of(street), side, &mut own);
            }
            own.sort_unstable();
            own.dedup();
            let new = own.iter().filter(|square| !covered.contains(*square)).count();
            let shows = 3 * new >= own.len() && new > 0;
            if shows {
                covered.extend(&own);
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

/// The side of a tile in the square of the world.
pub fn side_of(zoom: u8) -> f64 {
    1.0 / f64::from(1_u32 << zoom.min(30))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    /// Shapes of a town laid on the world, a metre being this long there.
    fn detail(text: &str, metre: f64) -> Detail {
        let map = town(text).map;
        let (mut points, mut starts) = (Vec::new(), vec![0]);
        for street in map.streets() {
            let place = |at: &Point| Point::new(0.5 + at.x * metre, 0.5 + at.y * metre);
            points.extend(map.shape(street).iter().map(place));
            starts.push(points.len() as u32);
        }
        Detail::new(&map, Shapes { points: &points, starts: &starts })
    }

    #[test]
    fn what_is_light_is_shown_from_everywhere() {
        let few = detail("A 0,0  B 300,0  C 300,1 | A-B  B-C", 1e-8);
        assert_eq!(few.from, [0, 0]);
        assert!(few.shows(0, StreetId(1)) && !few.shows(0, StreetId(2)));
    }

    /// A ladder of so many rungs, one metre apart: more streets than a tile holds.
    fn ladder(rungs: usize) -> String {
        let names = (0..=rungs).map(|n| format!("A{n} {n},0  B{n} {n},40"));
        let rails = (1..=rungs).map(|n| format!("A{0}-A{n}  B{0}-B{n}  A{n}-B{n}", n - 1));
        let (names, rails): (Vec<_>, Vec<_>) = (names.collect(), rails.collect());
        format!("{} | {}", names.join("  "), rails.join("  "))
    }

    #[test]
    fn from_afar_rungs_go_before_rails_and_no_tile_is_heavy() {
        let rungs = 3_000;
        let ladder = detail(&ladder(rungs), 1e-8);
        let (all, detail) = (0..3 * rungs as u32, &ladder);
        let shown = |zoom| all.clone().filter(move |&n| detail.shows(zoom, StreetId(n)));
        assert_eq!(shown(CLOSEST).count(), 3 * rungs);
        let far: Vec<u32> = shown(4).collect();
        let rails = far.iter().filter(|&n| n % 3 < 2).count();
        assert!(far.len() <= STREETS && rails * 10 > far.len() * 9, "{rails} of {}", far.len());
        assert!((0..CLOSEST).all(|zoom| shown(zoom).all(|n| ladder.shows(zoom + 1, StreetId(n)))));
    }

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
