//! Points that come and go, in square cells over the map: who is inside a rectangle?

use meshcloak::units::{Point, Rectangle};

/// Numbered points by cell.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    corner: Point,
    side: f64,
    columns: usize,
    rows: usize,
    cells: Vec<Vec<(u32, Point)>>,
}

/// The longer side of the map has at most so many cells.
const MOST_CELLS: f64 = 256.0;

/// No cell is smaller than this, in metres.
const SMALLEST_SIDE: f64 = 100.0;

impl Grid {
    /// An empty grid over `bounds`; a point outside counts to the nearest cell.
    pub(crate) fn new(bounds: Rectangle) -> Grid {
        let side = (bounds.width().max(bounds.height()) / MOST_CELLS).max(SMALLEST_SIDE);
        let columns = (bounds.width() / side) as usize + 1;
        let rows = (bounds.height() / side) as usize + 1;
        Grid { corner: bounds.min, side, columns, rows, cells: vec![Vec::new(); columns * rows] }
    }

    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        self.cells.iter_mut().for_each(Vec::clear);
    }

    /// A point comes.
    pub(crate) fn insert(&mut self, number: u32, point: Point) {
        let cell = self.cell(point);
        self.cells[cell].push((number, point));
    }

    /// A point goes, if it is there.
    pub(crate) fn remove(&mut self, number: u32, point: Point) {
        let cell = self.cell(point);
        let cell = &mut self.cells[cell];
        if let Some(place) = cell.iter().position(|(other, _)| *other == number) {
            cell.swap_remove(place);
        }
    }

    /// Visits every point inside a rectangle, its edge included, in no particular order.
    pub(crate) fn within(&self, rectangle: Rectangle, mut visit: impl FnMut(u32)) {
        let Rectangle { min, max } = rectangle;
        let ((left, bottom), (right, top)) = (self.place(min), self.place(max));
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

    /// How many cells [`Grid::within`] would look into.
    pub(crate) fn cells_within(&self, rectangle: Rectangle) -> usize {
        let ((left, bottom), (right, top)) = (self.place(rectangle.min), self.place(rectangle.max));
        (right + 1 - left) * (top + 1 - bottom)
    }

    fn cell(&self, point: Point) -> usize {
        let (column, row) = self.place(point);
        row * self.columns + column
    }

    /// Column and row; a cast keeps what is below zero, or no number, at zero.
    fn place(&self, point: Point) -> (usize, usize) {
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
    fn those_inside_are_found_and_nobody_else() {
        let bounds = Rectangle { min: Point::new(-500.0, 0.0), max: Point::new(40_000.0, 900.0) };
        let mut grid = Grid::new(bounds);
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
                let gone = random.random_range(0..points.len());
                points[gone].take().into_iter().for_each(|p| grid.remove(gone as u32, p));
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
