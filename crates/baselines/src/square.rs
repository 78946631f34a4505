//! Recursively halved square around a map, the plane of the free-space schemes.
//!
//! A cell includes its western and southern border. Membership is decided by the computed corners,
//! so rounding never puts a user outside the published rectangle.

use meshcloak::map::StreetMap;
use meshcloak::units::{Point, Rectangle};

/// Number of halvings: cells of less than half a metre on a map of 25 km.
pub(crate) const DEPTH: u32 = 16;

/// Column and row of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SquareCell {
    pub column: u32,
    pub row: u32,
}

#[cfg(test)]
impl SquareCell {
    /// Returns the cell that contains this one that many levels above.
    pub(crate) fn ancestor(self, levels: u32) -> SquareCell {
        SquareCell { column: self.column >> levels, row: self.row >> levels }
    }
}

/// A square around a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Square {
    corner: Point,
    side: f64,
}

/// Margin in metres; a point on a street may lie outside its shape by a rounding error.
const MARGIN: f64 = 1.0;

impl Square {
    /// Creates the square around a map.
    pub(crate) fn around(map: &StreetMap) -> Square {
        let bounds = map.bounds();
        let corner = Point::new(bounds.min.x - MARGIN, bounds.min.y - MARGIN);
        Square { corner, side: bounds.width().max(bounds.height()) + 2.0 * MARGIN }
    }

    /// Smallest cell that holds a point.
    pub(crate) fn cell(&self, point: Point) -> SquareCell {
        SquareCell {
            column: self.cell_index(self.corner.x, point.x),
            row: self.cell_index(self.corner.y, point.y),
        }
    }

    /// Rectangle of a cell of a level; level 0 is the whole square, [`DEPTH`] has the smallest cells.
    pub(crate) fn rectangle(&self, level: u32, cell: SquareCell) -> Rectangle {
        let shift = DEPTH - level;
        let corner = |column: u32, row: u32| {
            let (column, row) = (column << shift, row << shift);
            Point::new(self.border(self.corner.x, column), self.border(self.corner.y, row))
        };
        let SquareCell { column, row } = cell;
        Rectangle { min: corner(column, row), max: corner(column + 1, row + 1) }
    }

    /// Area of a cell of that level.
    pub(crate) fn area(&self, level: u32) -> f64 {
        let side = self.side / f64::from(1_u32 << level);
        side * side
    }

    /// Index of the cell that holds coordinate `at`.
    fn cell_index(&self, corner: f64, at: f64) -> u32 {
        const LAST: u32 = (1 << DEPTH) - 1;
        let mut cell = (((at - corner) / self.side * f64::from(LAST + 1)) as u32).min(LAST);
        while cell > 0 && at < self.border(corner, cell) {
            cell -= 1;
        }
        while cell < LAST && self.border(corner, cell + 1) <= at {
            cell += 1;
        }
        cell
    }

    /// Lower border of a cell.
    fn border(&self, corner: f64, cell: u32) -> f64 {
        corner + self.side * (f64::from(cell) / f64::from(1_u32 << DEPTH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::region::Region;
    use meshcloak::town::Town;

    #[test]
    fn every_point_is_inside_its_cell_of_every_level() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let square = Square::around(&town.map);
            let mut random = Town::generator(seed);
            for _ in 0..20 {
                let position = town.position(&mut random);
                for level in 0..=DEPTH {
                    let cell = square.cell(town.map.point(position)).ancestor(DEPTH - level);
                    let region = Region::Rectangle(square.rectangle(level, cell));
                    assert!(region.contains(&town.map, position), "seed {seed}\n{town}");
                    let area = region.area().unwrap_or_default();
                    assert!((area / square.area(level) - 1.0).abs() < 1e-3, "level {level}");
                }
            }
        }
    }
}
