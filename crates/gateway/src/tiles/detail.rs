//! Level of detail: which streets a tile shows at which zoom, so that no tile is too heavy to
//! draw smoothly, whatever the map. Close up every street is there for itself. The farther, the
//! more of the less important are drawn stroke by stroke instead, as lines that cannot be lit; and
//! a stroke goes when those more important than it already cover most of the pixels it would take.

use super::strokes::Strokes;
use super::view::View;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;

/// From this zoom on points of interest are shown, and what streets are called.
pub const CLOSE: u8 = 14;

/// Tiles exist up to this zoom; a browser enlarges them beyond it.
pub const CLOSEST: u8 = 16;

/// How a street is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Not at all.
    Absent,
    /// As a part of its stroke.
    Merged,
    /// For itself, so that it can be lit.
    Own,
}

/// From which zoom on each street is shown, and from which for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    shown: Vec<u8>,
    own: Vec<u8>,
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
        let mut detail = Detail::everything(map.street_count(), &strokes);
        let mut kept: Vec<u32> = (0..strokes.count() as u32).collect();
        let mut own = vec![true; strokes.count()];
        for zoom in (0..CLOSEST).rev() {
            let view = View { shapes, strokes: &strokes, side: side_of(zoom) };
            let share = view.settle(&mut kept, &own);
            own.fill(false);
            for &stroke in &share.own {
                own[stroke as usize] = true;
                strokes.streets(stroke).iter().for_each(|s| detail.own[s.index()] = zoom);
            }
            kept = share.own;
            kept.extend(share.merged);
            kept.sort_unstable();
            for &stroke in &kept {
                strokes.streets(stroke).iter().for_each(|s| detail.shown[s.index()] = zoom);
            }
        }
        detail
    }

    /// Everything at the closest zoom, and nothing before.
    fn everything(count: usize, strokes: &Strokes) -> Detail {
        let (mut of, mut places, mut place) = (vec![0; count], vec![0; count], 0);
        for stroke in 0..strokes.count() as u32 {
            for street in strokes.streets(stroke) {
                (of[street.index()], places[street.index()]) = (stroke, place);
                place += 1;
            }
        }
        Detail { shown: vec![CLOSEST; count], own: vec![CLOSEST; count], strokes: of, places }
    }

    /// How a street is shown at a zoom.
    pub fn look(&self, zoom: u8, street: StreetId) -> Look {
        let from = |list: &[u8]| list.get(street.index()).is_some_and(|&from| from <= zoom);
        match (from(&self.own), from(&self.shown)) {
            (true, _) => Look::Own,
            (_, true) => Look::Merged,
            _ => Look::Absent,
        }
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
    use super::super::view::STREETS;
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
        assert_eq!((few.look(0, StreetId(1)), few.look(0, StreetId(2))), (Look::Own, Look::Absent));
    }

    /// A ladder of so many rungs, one metre apart.
    fn ladder(rungs: usize) -> Detail {
        let names = (0..=rungs).map(|n| format!("A{n} {n},0  B{n} {n},40"));
        let rails = (1..=rungs).map(|n| format!("A{0}-A{n}  B{0}-B{n}  A{n}-B{n}", n - 1));
        let (names, rails): (Vec<_>, Vec<_>) = (names.collect(), rails.collect());
        detail(&format!("{} | {}", names.join("  "), rails.join("  ")), 1e-9)
    }

    #[test]
    fn from_afar_rungs_go_before_rails_and_no_tile_is_heavy() {
        let rungs = STREETS / 2;
        let (detail, all) = (ladder(rungs), 3 * rungs as u32);
        let count =
            |zoom, look| (0..all).filter(|&n| detail.look(zoom, StreetId(n)) == look).count();
        assert_eq!(count(CLOSEST, Look::Own), all as usize);
        assert!((0..CLOSEST).all(|zoom| count(zoom, Look::Own) <= count(zoom + 1, Look::Own)));
        assert!(
            (0..CLOSEST).all(|zoom| count(zoom, Look::Absent) >= count(zoom + 1, Look::Absent))
        );
        let far = CLOSEST - 1;
        let (own, rail) = (count(far, Look::Own), |n: &u32| n % 3 < 2);
        let rails = (0..all).filter(rail).filter(|&n| detail.look(far, StreetId(n)) == Look::Own);
        assert!(own > 0 && own <= STREETS && rails.count() * 10 > own * 9, "{own}");
        // As small as a pixel, it is still there.
        assert!(count(0, Look::Absent) < all as usize);
    }
}
