//! Uniform grid over the map with insertion, removal and rectangle queries.

use meshcloak::units::{Point, Rectangle};

/// Numbered points in square cells.
#[derive(Clone, Debug)]
pub(crate) struct QueryGrid {
    corner: Point,
    side: f64,
    columns: usize,
    rows: usize,
    cells: Vec<Vec<(u32, Point)>>,
}

/// Maximum number of cells along the longer side of the map.
const MAX_CELLS: f64 = 256.0;

/// Minimum side of a cell in metres.
const MIN_SIDE: f64 = 100.0;

impl QueryGrid {
    /// Creates an empty grid over `bounds`; points outside belong to the nearest cell.
    pub(crate) fn new(bounds: Rectangle) -> QueryGrid {
        let side = (bounds.width().max(bounds.height()) / MAX_CELLS).max(MIN_SIDE);
        let columns = (bounds.width() / side) as usize + 1;
        let rows = (bounds.height() / side) as usize + 1;
        QueryGrid {
            corner: bounds.min,
            side,
            columns,
            rows,
            cells: vec![Vec::new(); columns * rows],
        }
    }

    /// Removes all points.
    pub(crate) fn clear(&mut self) {
        self.cells.iter_mut().for_each(Vec::clear);
    }

    /// Inserts a point.
    pub(crate) fn insert(&mut self, number: u32, point: Point) {
        let cell = self.cell(point);
        self.cells[cell].push((number, point));
    }

    /// Removes a point if it is present.
    pub(crate) fn remove(&mut self, number: u32, point: Point) {
        let cell = self.cell(point);
        let cell = &mut self.cells[cell];
        if let Some(index) = cell.iter().position(|(other, _)| *other == number) {
            cell.swap_remove(index);
        }
    }

    /// Visits each point inside a rectangle, boundary included, in unspecified order.
    pub(crate) fn within(&self, rectangle: Rectangle, mut visit: impl FnMut(u32)) {
        let Rectangle { min, max } = rectangle;
        let ((left, bottom), (right, top)) = (self.column_row(min), self.column_row(max));
        for row in bottom..=top {
            for column in left..=right {
                for &(number, Point { x, y }) in &self.cells[row * self.columns + column] {
                    if min.x <= x && x <= max.x && min.y <= y && y <= max.y {
                        visit(number);
                    }
                }
            }
        }
    }

    fn cell(&self, point: Point) -> usize {
        let (column, row) = self.column_row(point);
        row * self.columns + column
    }

    /// Column and row of a point; the cast maps negative values and NaN to zero.
    fn column_row(&self, point: Point) -> (usize, usize) {
        let column = ((point.x - self.corner.x) / self.side) as usize;
        let row = ((point.y - self.corner.y) / self.side) as usize;
        (column.min(self.columns - 1), row.min(self.rows - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn within_visits_exactly_the_points_inside() {
        let bounds = Rectangle { min: Point::new(-500.0, 0.0), max: Point::new(40_000.0, 900.0) };
        let mut grid = QueryGrid::new(bounds);
        let mut random = Town::generator(1);
        let mut points: Vec<Option<Point>> = Vec::new();
        let mut found = 0;
        for _ in 0..500 {
            let mut corner =
                || Point::new(random.random_range(-900.0..41e3), random.random_range(-99.0..1e3));
            let (a, b) = (corner(), corner());
            grid.insert(points.len() as u32, a);
            points.push(Some(a));
            if points.len().is_multiple_of(3) {
                let removed = random.random_range(0..points.len());
                points[removed].take().into_iter().for_each(|p| grid.remove(removed as u32, p));
            }
            let rectangle = Rectangle::around([a, b]).unwrap();
            let mut inside = Vec::new();
            grid.within(rectangle, |number| inside.push(number));
            inside.sort_unstable();
            let holds = |point: &Option<Point>| point.is_some_and(|p| rectangle.nearest(p) == p);
            let expected: Vec<u32> =
                (0..).zip(&points).filter(|(_, p)| holds(p)).map(|(number, _)| number).collect();
            assert_eq!(inside, expected);
            found += inside.len();
        }
        assert!(found > 5_000, "only {found}");
    }
}
