//! Snapping of a point to the nearest position on a street (docs/SPEC.md §1).
//!
//! Grid cells are searched in rings around the point until no other cell can contain a nearer
//! segment. Reference: `naive::snap`.

use super::grid::Grid;
use super::position::shape_metres;
use super::{Position, StreetId, StreetMap};
use crate::units::Point;

/// A snapped point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapped {
    /// Position on the street.
    pub position: Position,
    /// Euclidean distance from the point, in metres.
    pub distance: f64,
}

impl StreetMap {
    /// Returns the nearest position on any street; ties go to the first street. `None` if it is
    /// farther than `limit` metres (`None` is no limit) or the point is not finite.
    pub fn snap(&self, point: Point, limit: Option<f64>) -> Option<Snapped> {
        let limit_squared = limit.map_or(f64::INFINITY, |metres| metres * metres);
        let outside = self.tables.grid.bounds().nearest(point).distance_squared(point);
        if !(point.x.is_finite() && point.y.is_finite()) || outside > limit_squared {
            return None;
        }
        let mut best = Nearest { squared: limit_squared, segment: None };
        best.search_rings(self, point);
        self.on_segment(point, best.segment?)
    }

    /// Returns the position on a segment nearest to `point`.
    pub(super) fn on_segment(&self, point: Point, segment: u32) -> Option<Snapped> {
        let starts = &self.tables.shape_starts;
        let street = StreetId(starts.partition_point(|&start| start <= segment) as u32 - 1);
        let shape = self.shape(street);
        let within = (segment - starts[street.index()]) as usize;
        let (a, b) = (shape[within], *shape.get(within + 1)?);
        let fraction = point.nearest_fraction(a, b);
        let before = shape_metres(&shape[..=within]) + a.distance(b) * fraction;
        let whole = shape_metres(shape);
        let part = if whole > 0.0 { before / whole } else { 0.0 };
        let offset = self.street(street).length.part(part);
        let distance = a.towards(b, fraction).distance(point);
        Some(Snapped { position: Position { street, offset }, distance })
    }
}

struct Nearest {
    squared: f64,
    segment: Option<u32>,
}

impl Nearest {
    /// Keeps `segment` if it is nearer than the best so far, or equally near and earlier.
    fn consider(&mut self, map: &StreetMap, point: Point, segment: u32) {
        let points = &map.tables.shape_points;
        let (a, b) = (points[segment as usize], points[segment as usize + 1]);
        let squared = a.towards(b, point.nearest_fraction(a, b)).distance_squared(point);
        let earlier = self.segment.is_none_or(|found| segment < found);
        if squared < self.squared || (squared == self.squared && earlier) {
            self.squared = squared;
            self.segment = Some(segment);
        }
    }

    fn search_cell(&mut self, map: &StreetMap, point: Point, (column, row): (u32, u32)) {
        let grid = &map.tables.grid;
        if grid.distance_squared(point, column, row) > self.squared {
            return;
        }
        for &segment in grid.segments_in(column, row) {
            self.consider(map, point, segment);
        }
    }

    /// Searches rings of cells outwards until no other cell can contain a nearer segment.
    fn search_rings(&mut self, map: &StreetMap, point: Point) {
        let grid = &map.tables.grid;
        let (column, row) = grid.cell_of(point);
        for ring in 0.. {
            let west = column.checked_sub(ring);
            let east = Some(column + ring).filter(|&east| east < grid.columns);
            for row_here in row.saturating_sub(ring)..=(row + ring).min(grid.rows - 1) {
                if row_here.abs_diff(row) == ring {
                    let columns = west.unwrap_or(0)..=east.unwrap_or(grid.columns - 1);
                    columns.for_each(|here| self.search_cell(map, point, (here, row_here)));
                } else {
                    let both = west.into_iter().chain(east);
                    both.for_each(|here| self.search_cell(map, point, (here, row_here)));
                }
            }
            let searched = searched_radius(grid, point, (column, row), ring);
            if searched * searched > self.squared || searched == f64::INFINITY {
                return;
            }
        }
    }
}

/// Returns a lower bound of the distance from `point` to unsearched cells after the rings up to
/// `ring`; infinite if they cover the grid. Safe against rounding.
fn searched_radius(grid: &Grid, point: Point, cell: (u32, u32), ring: u32) -> f64 {
    let (column, row) = cell;
    let edge = |corner: f64, number: u32| corner + f64::from(number) * grid.side;
    let sides = [
        (column > ring).then(|| point.x - edge(grid.corner.x, column - ring)),
        (column + ring + 1 < grid.columns)
            .then(|| edge(grid.corner.x, column + ring + 1) - point.x),
        (row > ring).then(|| point.y - edge(grid.corner.y, row - ring)),
        (row + ring + 1 < grid.rows).then(|| edge(grid.corner.y, row + ring + 1) - point.y),
    ];
    let nearest = sides.into_iter().flatten().fold(f64::INFINITY, f64::min);
    (nearest - grid.side * 1e-6).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::{Town, town};
    use crate::units::Length;
    use rand::RngExt as _;

    #[test]
    fn a_point_snaps_to_the_nearest_bend_not_the_nearest_terminal() {
        let town = town("A 0,0  B 100,0  C 50,-40 | A-B(50,80) A-C C-B");
        let snapped = town.map.snap(Point::new(50.0, 90.0), None).unwrap();
        assert_eq!(snapped.position.street, StreetId(0));
        assert_eq!(snapped.distance, 10.0);
        let half = town.map.street(StreetId(0)).length.part(0.5);
        assert_eq!(snapped.position.offset, half);
    }

    #[test]
    fn the_limit_is_respected() {
        let map = town("A 0,0  B 100,0 | A-B").map;
        let point = Point::new(50.0, 50.0);
        assert!(map.snap(point, Some(50.0)).is_some());
        assert!(map.snap(point, Some(49.9)).is_none());
        assert_eq!(map.snap(Point::new(50.0, 3e6), None).unwrap().distance, 3e6);
        assert!(map.snap(Point::new(f64::NAN, 0.0), None).is_none());
        assert!(map.snap(Point::new(f64::INFINITY, 0.0), None).is_none());
    }

    #[test]
    fn ties_go_to_the_first_street() {
        // Two streets with the same geometry, and a junction of two others.
        let map = town("A 0,0  B 100,0  C 200,0 | B-C A-B:150 A-B").map;
        assert_eq!(map.snap(Point::new(20.0, 5.0), None).unwrap().position.street, StreetId(1));
        let at_b = map.snap(Point::new(100.0, 30.0), None).unwrap().position;
        assert_eq!(at_b, Position { street: StreetId(0), offset: Length::ZERO });
    }

    #[test]
    fn snapping_agrees_with_the_reference() {
        let mut beyond = 0;
        for seed in 0..600 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            for _ in 0..20 {
                let reach = if random.random_bool(0.1) { 30_000.0 } else { 1_500.0 };
                let mut coordinate = || random.random_range(-reach..reach);
                let point = Point::new(coordinate(), coordinate());
                for limit in [None, Some(50.0), Some(400.0)] {
                    let found = town.map.snap(point, limit);
                    beyond += usize::from(found.is_none());
                    assert_eq!(
                        found,
                        naive::snap(&town.map, point, limit),
                        "seed {seed} {point:?}\n{town}"
                    );
                }
            }
        }
        assert!(beyond > 100, "only {beyond} points were off the map");
    }
}
