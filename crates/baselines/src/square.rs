//! The square around a map, halved again and again: the plane as the free-space schemes see it.
//!
//! A cell holds its western and southern border, and it is the computed corners that decide, so
//! that no rounding ever puts somebody outside the rectangle that is published for her.

use meshcloak::map::StreetMap;
use meshcloak::units::{Point, Rectangle};

/// How often the square is halved: cells of less than half a metre on a map of 25 km.
pub(crate) const DEPTH: u32 = 16;

/// A square around a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Square {
    corner: Point,
    side: f64,
}

/// A metre on each side: a point on a street may lie outside its shape by a rounding.
const MARGIN: f64 = 1.0;

impl Square {
    /// The square around everything on a map.
    pub(crate) fn around(map: &StreetMap) -> Square {
        let bounds = map.bounds();
        let corner = Point::new(bounds.min.x - MARGIN, bounds.min.y - MARGIN);
        Square { corner, side: bounds.width().max(bounds.height()) + 2.0 * MARGIN }
    }

    /// The column and row of the smallest cell that holds a point.
    pub(crate) fn cell(&self, point: Point) -> (u32, u32) {
        (self.along(self.corner.x, point.x), self.along(self.corner.y, point.y))
    }

    /// The rectangle of a cell of a level: of the whole square at 0, of a smallest cell at
    /// [`DEPTH`].
    pub(crate) fn rectangle(&self, level: u32, (column, row): (u32, u32)) -> Rectangle {
        let small = DEPTH - level;
        let corner = |(column, row): (u32, u32)| {
            let (column, row) = (column << small, row << small);
            Point::new(self.line(self.corner.x, column), self.line(self.corner.y, row))
        };
        Rectangle { min: corner((column, row)), max: corner((column + 1, row + 1)) }
    }

    /// The area of a cell of a level.
    pub(crate) fn area(&self, level: u32) -> f64 {
        let side = self.side / f64::from(1_u32 << level);
        side * side
    }

    fn along(&self, corner: f64, at: f64) -> u32 {
        const LAST: u32 = (1 << DEPTH) - 1;
        let mut cell = (((at - corner) / self.side * f64::from(LAST + 1)) as u32).min(LAST);
        while cell > 0 && at < self.line(corner, cell) {
            cell -= 1;
        }
        while cell < LAST && self.line(corner, cell + 1) <= at {
            cell += 1;
        }
        cell
    }

    /// Where the cell of that number begins.
    fn line(&self, corner: f64, cell: u32) -> f64 {
        corner + self.side * (f64::from(cell) / f64::from(1_u32 << DEPTH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::region::Region;
    use meshcloak::town::Town;

    #[test]
    fn everybody_is_inside_her_cell_of_every_level() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let square = Square::around(&town.map);
            let mut random = Town::generator(seed);
            for _ in 0..20 {
                let position = town.position(&mut random);
                let (column, row) = square.cell(town.map.point(position));
                for level in 0..=DEPTH {
                    let cell = (column >> (DEPTH - level), row >> (DEPTH - level));
                    let region = Region::Rectangle(square.rectangle(level, cell));
                    assert!(region.contains(&town.map, position), "seed {seed}\n{town}");
                    let area = region.area().unwrap_or_default();
                    assert!((area / square.area(level) - 1.0).abs() < 1e-3, "level {level}");
                }
            }
        }
    }
}
