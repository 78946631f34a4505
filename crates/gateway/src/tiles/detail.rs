//! Level of detail: which streets a tile shows at which zoom, so that no tile is too heavy to
//! draw smoothly, whatever the map. Close up every street is there for itself. From farther off
//! streets are drawn stroke by stroke, as lines with few points; and where a tile would still have
//! too many, a stroke goes when those more important than it cover most of the pixels it would take.

use super::encode::EXTENT;
use super::strokes::Strokes;
use super::view::ZoomView;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;

/// From this zoom on points of interest are shown, and what streets are called.
pub const CLOSE: u8 = 14;

/// From this zoom on every street is there, and for itself.
pub const WHOLE: u8 = 15;

/// Tiles exist up to this zoom; a browser enlarges them beyond it.
pub const CLOSEST: u8 = 16;

/// From which zoom on each street is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    shown: Vec<u8>,
    /// Which stroke a street is of, and its place in the order of all streets by strokes.
    strokes: Vec<u32>,
    places: Vec<u32>,
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
        let mut detail = Detail::whole(map.street_count(), &strokes);
        let lines = strokes.lines(shapes);
        let mut kept: Vec<u32> = (0..strokes.count() as u32).collect();
        for zoom in (0..WHOLE).rev() {
            let tolerance = Detail::tolerance(zoom) / f64::from(EXTENT) * side_of(zoom);
            kept = ZoomView { lines: &lines, side: side_of(zoom), tolerance }.settle(kept);
            for &stroke in &kept {
                strokes.streets(stroke).iter().for_each(|s| detail.shown[s.index()] = zoom);
            }
        }
        detail
    }

    /// Everything where the map is whole, and nothing before.
    fn whole(count: usize, strokes: &Strokes) -> Detail {
        let (mut of, mut places, mut place) = (vec![0; count], vec![0; count], 0);
        for stroke in 0..strokes.count() as u32 {
            for street in strokes.streets(stroke) {
                (of[street.index()], places[street.index()]) = (stroke, place);
                place += 1;
            }
        }
        Detail { shown: vec![WHOLE; count], strokes: of, places }
    }

    /// Whether a street is shown at a zoom.
    pub fn shows(&self, zoom: u8, street: StreetId) -> bool {
        self.shown.get(street.index()).is_some_and(|&from| from <= zoom)
    }

    /// The stroke of a street.
    pub fn stroke(&self, street: StreetId) -> u32 {
        self.strokes[street.index()]
    }

    /// Where a street is among all of them, stroke by stroke in the order of their ways.
    pub fn place(&self, street: StreetId) -> u32 {
        self.places[street.index()]
    }

    /// By how many steps of a tile a street may be drawn beside its place: half a pixel, and
    /// nothing anybody could see where tiles are enlarged.
    pub fn tolerance(zoom: u8) -> f64 {
        if zoom < CLOSEST { 4.0 } else { 0.5 }
    }
}

/// The side of a tile in the square of the world.
pub fn side_of(zoom: u8) -> f64 {
    1.0 / f64::from(1_u32 << zoom.min(30))
}

#[cfg(test)]
mod tests {
    use super::super::view::POINTS;
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
        assert!(few.shows(0, StreetId(0)) && few.shows(0, StreetId(1)));
    }

    /// A ladder of so many rungs, one metre apart.
    fn ladder(rungs: usize) -> Detail {
        let names = (0..=rungs).map(|n| format!("A{n} {n},0  B{n} {n},40"));
        let rails = (1..=rungs).map(|n| format!("A{0}-A{n}  B{0}-B{n}  A{n}-B{n}", n - 1));
        let (names, rails): (Vec<_>, Vec<_>) = (names.collect(), rails.collect());
        detail(&format!("{} | {}", names.join("  "), rails.join("  ")), 1e-8)
    }

    #[test]
    fn from_afar_rungs_go_before_rails_and_some_of_it_is_always_there() {
        let rungs = POINTS;
        let (detail, all) = (ladder(rungs), 3 * rungs as u32);
        let count = |zoom| (0..all).filter(|&n| detail.shows(zoom, StreetId(n))).count();
        assert_eq!(count(WHOLE), all as usize);
        assert!((0..WHOLE).all(|zoom| count(zoom) <= count(zoom + 1)));
        let far = (0..WHOLE).rev().find(|&zoom| count(zoom) < all as usize).expect("it is heavy");
        let rails = (0..all).filter(|&n| n % 3 < 2 && detail.shows(far, StreetId(n))).count();
        assert_eq!(rails, 2 * rungs, "at {far}");
        assert!(count(0) > 0, "as small as a pixel, it is still there");
    }
}
