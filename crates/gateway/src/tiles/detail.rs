//! Level of detail: the smallest zoom at which each street is drawn, so that every tile stays within
//! its point budget on any map.
//!
//! From [`WHOLE_ZOOM`] on all streets are drawn, one feature each. Below it, streets are merged into
//! strokes and simplified. Where a tile still exceeds the budget, a stroke is dropped if more
//! important strokes cover most of its pixels (`view`).

#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices are street numbers of a checked map"
)]

use super::encode::EXTENT;
use super::strokes::Strokes;
use super::view::ZoomView;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;

/// Smallest zoom with POIs and street names.
pub const DETAILED_ZOOM: u8 = 14;

/// Smallest zoom at which every street is a feature of its own.
pub const WHOLE_ZOOM: u8 = 15;

/// Largest zoom of a tile; the browser enlarges tiles beyond it.
pub const MAX_ZOOM: u8 = 16;

/// Smallest zoom, stroke and drawing order of each street.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    min_zooms: Vec<u8>,
    strokes: Vec<u32>,
    /// Rank of each street when sorted by stroke and then along the stroke.
    orders: Vec<u32>,
}

/// Shapes of all streets in Web Mercator coordinates.
#[derive(Clone, Copy)]
pub struct Shapes<'a> {
    /// Points, street by street.
    pub points: &'a [Point],
    /// Index of the first point of each street, and the end.
    pub starts: &'a [u32],
}

impl<'a> Shapes<'a> {
    /// Returns the shape of a street.
    pub fn of(&self, street: StreetId) -> &'a [Point] {
        let run = &self.starts[street.index()..street.index() + 2];
        &self.points[run[0] as usize..run[1] as usize]
    }
}

impl Detail {
    /// Computes the level of detail of a map.
    pub fn new(map: &StreetMap, shapes: Shapes<'_>) -> Detail {
        let strokes = Strokes::new(map);
        let mut detail = Detail::undecided(map.street_count(), &strokes);
        let lines = strokes.lines(shapes);
        let mut kept: Vec<u32> = (0..strokes.count() as u32).collect();
        for zoom in (0..WHOLE_ZOOM).rev() {
            let tolerance = Detail::tolerance(zoom) / f64::from(EXTENT) * side_of(zoom);
            kept = ZoomView { lines: &lines, side: side_of(zoom), tolerance }.select(kept);
            for &stroke in &kept {
                strokes.streets(stroke).iter().for_each(|s| detail.min_zooms[s.index()] = zoom);
            }
        }
        detail
    }

    /// Every street from [`WHOLE_ZOOM`] on.
    fn undecided(count: usize, strokes: &Strokes) -> Detail {
        let (mut of, mut orders, mut next) = (vec![0; count], vec![0; count], 0);
        for stroke in 0..strokes.count() as u32 {
            for street in strokes.streets(stroke) {
                (of[street.index()], orders[street.index()]) = (stroke, next);
                next += 1;
            }
        }
        Detail { min_zooms: vec![WHOLE_ZOOM; count], strokes: of, orders }
    }

    /// Whether a street is drawn at a zoom.
    pub fn shows(&self, zoom: u8, street: StreetId) -> bool {
        self.min_zooms.get(street.index()).is_some_and(|&from| from <= zoom)
    }

    /// Returns the stroke of a street.
    pub fn stroke(&self, street: StreetId) -> u32 {
        self.strokes[street.index()]
    }

    /// Returns the rank of a street when sorted by stroke and then along the stroke.
    pub fn order(&self, street: StreetId) -> u32 {
        self.orders[street.index()]
    }

    /// Largest simplification error in tile units: half a pixel; smaller at [`MAX_ZOOM`], whose
    /// tiles are enlarged.
    pub fn tolerance(zoom: u8) -> f64 {
        if zoom < MAX_ZOOM { 4.0 } else { 0.5 }
    }
}

/// Returns the side of a tile in Web Mercator coordinates.
pub fn side_of(zoom: u8) -> f64 {
    1.0 / f64::from(1_u32 << zoom.min(30))
}

#[cfg(test)]
mod tests {
    use super::super::view::MAX_POINTS;
    use super::*;
    use meshcloak::town::town;

    /// Detail of a town whose metre has this length in Web Mercator coordinates.
    fn detail(text: &str, metre: f64) -> Detail {
        let map = town(text).map;
        let (mut points, mut starts) = (Vec::new(), vec![0]);
        for street in map.streets() {
            let project = |at: &Point| Point::new(0.5 + at.x * metre, 0.5 + at.y * metre);
            points.extend(map.shape(street).iter().map(project));
            starts.push(points.len() as u32);
        }
        Detail::new(&map, Shapes { points: &points, starts: &starts })
    }

    #[test]
    fn a_small_map_is_drawn_completely_at_every_zoom() {
        let detail = detail("A 0,0  B 300,0  C 300,1 | A-B  B-C", 1e-8);
        assert!(detail.shows(0, StreetId(0)) && detail.shows(0, StreetId(1)));
    }

    /// A ladder of this number of rungs, one metre apart.
    fn ladder(rungs: usize) -> Detail {
        let names = (0..=rungs).map(|n| format!("A{n} {n},0  B{n} {n},40"));
        let rails = (1..=rungs).map(|n| format!("A{0}-A{n}  B{0}-B{n}  A{n}-B{n}", n - 1));
        let (names, rails): (Vec<_>, Vec<_>) = (names.collect(), rails.collect());
        detail(&format!("{} | {}", names.join("  "), rails.join("  ")), 1e-8)
    }

    #[test]
    fn short_strokes_are_dropped_first_and_some_remain_at_zoom_0() {
        let rungs = MAX_POINTS;
        let (detail, all) = (ladder(rungs), 3 * rungs as u32);
        let count = |zoom| (0..all).filter(|&n| detail.shows(zoom, StreetId(n))).count();
        assert_eq!(count(WHOLE_ZOOM), all as usize);
        assert!((0..WHOLE_ZOOM).all(|zoom| count(zoom) <= count(zoom + 1)));
        let far = (0..WHOLE_ZOOM)
            .rev()
            .find(|&zoom| count(zoom) < all as usize)
            .expect("the ladder exceeds the budget");
        let rails = (0..all).filter(|&n| n % 3 < 2 && detail.shows(far, StreetId(n))).count();
        assert_eq!(rails, 2 * rungs, "at {far}");
        assert!(count(0) > 0, "a map smaller than a pixel is still drawn");
    }
}
