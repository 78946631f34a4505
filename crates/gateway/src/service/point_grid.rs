//! Points in square cells, in flat arrays: which lie near a piece of street, which are nearest.

use super::few::Few;
use meshcloak::units::{Point, Rectangle};

/// Points by cell. Cells are in rows from the south-west corner; about one for each point, so
/// that the grid stays small however far the points are apart.
#[derive(Clone, Debug)]
pub(crate) struct PointGrid {
    corner: Point,
    side: f64,
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    points: Vec<(Point, u32)>,
}

/// Which cells of a grid are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Cells(Vec<bool>);

/// A cell narrower than this finds too little; metres.
const NARROWEST: f64 = 25.0;

impl PointGrid {
    /// The grid of these points and their numbers; points are finite.
    pub(crate) fn new(points: &[(Point, u32)]) -> PointGrid {
        let bounds = Rectangle::around(points.iter().map(|point| point.0))
            .unwrap_or(Rectangle { min: Point::default(), max: Point::default() });
        let (width, height) = (bounds.width(), bounds.height());
        let count = points.len().max(1) as f64;
        let area = width.max(1.0) * height.max(1.0);
        let side = (area / count).sqrt().max(width.max(height) / count).max(NARROWEST);
        let cells = |extent: f64| (extent / side) as usize + 1;
        let (columns, rows) = (cells(width), cells(height));
        let (starts, points) = (vec![0; columns * rows + 1], points.to_vec());
        let mut grid = PointGrid { corner: bounds.min, side, columns, rows, starts, points };
        grid.sort();
        grid
    }

    fn sort(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.sort_by_key(|&(point, number)| (self.cell_of(point), number));
        for &(point, _) in &points {
            let cell = self.cell_of(point);
            self.starts[cell + 1] += 1;
        }
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        self.points = points;
    }

    fn column(&self, x: f64) -> usize {
        (((x - self.corner.x) / self.side) as usize).min(self.columns - 1)
    }

    fn row(&self, y: f64) -> usize {
        (((y - self.corner.y) / self.side) as usize).min(self.rows - 1)
    }

    fn cell_of(&self, point: Point) -> usize {
        self.row(point.y) * self.columns + self.column(point.x)
    }

    fn in_cell(&self, cell: usize) -> &[(Point, u32)] {
        &self.points[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// All numbers, in no order that matters.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.points.iter().map(|&(_, number)| number)
    }

    /// No cell wanted yet.
    pub(crate) fn no_cells(&self) -> Cells {
        Cells(vec![false; self.columns * self.rows])
    }

    /// Wants every cell that a point within `metres` of the segment can lie in, and perhaps more.
    pub(crate) fn want_near(&self, cells: &mut Cells, (a, b): (Point, Point), metres: f64) {
        let (low, high) =
            (Point::new(a.x.min(b.x), a.y.min(b.y)), Point::new(a.x.max(b.x), a.y.max(b.y)));
        // Half a diagonal, and more than rounding can take away.
        let reach = metres + self.side * 0.7072;
        for row in self.row(low.y - metres)..=self.row(high.y + metres) {
            for column in self.column(low.x - metres)..=self.column(high.x + metres) {
                let wanted = &mut cells.0[row * self.columns + column];
                // Points beyond the corner or the last cells are none, so borders need no care.
                *wanted = *wanted || {
                    let middle = |corner: f64, number| corner + (number as f64 + 0.5) * self.side;
                    let centre =
                        Point::new(middle(self.corner.x, column), middle(self.corner.y, row));
                    let nearest = a.towards(b, centre.nearest_fraction(a, b));
                    nearest.distance_squared(centre) <= reach * reach
                };
            }
        }
    }

    /// The numbers in the cells that are wanted.
    pub(crate) fn in_cells<'a>(&'a self, cells: &'a Cells) -> impl Iterator<Item = u32> + 'a {
        let wanted = cells.0.iter().enumerate().filter(|(_, wanted)| **wanted);
        wanted.flat_map(|(cell, _)| self.in_cell(cell)).map(|&(_, number)| number)
    }

    /// Adds to `few` the points nearest to `point`: ring after ring of cells, until nothing
    /// nearer can lie beyond.
    pub(crate) fn nearest(&self, point: Point, few: &mut Few<f64>) {
        self.nearest_of(point, |_| true, few);
    }

    /// The same of those of which `wanted` says so.
    pub(crate) fn nearest_of(
        &self,
        point: Point,
        wanted: impl Fn(u32) -> bool,
        few: &mut Few<f64>,
    ) {
        let mut meet = |cell| {
            for &(at, number) in self.in_cell(cell) {
                if wanted(number) {
                    few.meet(number, at.distance(point));
                }
            }
            few.bound()
        };
        let mut bound: Option<f64> = None;
        let (column, row) = (self.column(point.x), self.row(point.y));
        for ring in 0..self.columns.max(self.rows) {
            // Everything nearer than this lies in the rings before; `point` may be off the grid.
            let searched = (ring as f64 - 1.0) * self.side;
            if bound.is_some_and(|bound| bound < searched) {
                return;
            }
            let west = column.checked_sub(ring);
            let east = Some(column + ring).filter(|&east| east < self.columns);
            for here in row.saturating_sub(ring)..=(row + ring).min(self.rows - 1) {
                let columns = west.unwrap_or(0)..=east.unwrap_or(self.columns - 1);
                if here.abs_diff(row) == ring {
                    columns.for_each(|column| bound = meet(here * self.columns + column));
                } else {
                    let both = west.into_iter().chain(east.filter(|_| ring > 0));
                    both.for_each(|column| bound = meet(here * self.columns + column));
                }
            }
        }
    }

    /// Calls `meet` with every point within `metres`, and how far it is.
    pub(crate) fn within(&self, point: Point, metres: f64, mut meet: impl FnMut(u32, f64)) {
        // More than rounding can take away.
        let reach = metres + metres * 1e-9 + 1e-6;
        for row in self.row(point.y - reach)..=self.row(point.y + reach) {
            for column in self.column(point.x - reach)..=self.column(point.x + reach) {
                for &(at, number) in self.in_cell(row * self.columns + column) {
                    let distance = at.distance(point);
                    if distance <= metres {
                        meet(number, distance);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    fn points(seed: u64) -> Vec<(Point, u32)> {
        let mut random = Town::generator(seed);
        let wide = if seed.is_multiple_of(3) { 30_000.0 } else { 900.0 };
        let count = random.random_range(0..=seed as u32 * 2);
        let mut place = || (random.random_range(-wide..wide) / 50.0_f64).round() * 50.0;
        (0..count).map(|number| (Point::new(place(), place()), number)).collect()
    }

    #[test]
    fn everything_near_a_segment_is_in_the_cells_that_are_wanted() {
        for seed in 0..200 {
            let points = points(seed);
            let grid = PointGrid::new(&points);
            let mut random = Town::generator(seed);
            let mut place =
                || Point::new(random.random_range(-1e3..1e3), random.random_range(-1e3..1e3));
            let (a, b) = (place(), place());
            for metres in [0.0, 30.0, 200.0, 2_000.0] {
                let mut cells = grid.no_cells();
                grid.want_near(&mut cells, (a, b), metres);
                let found: Vec<u32> = grid.in_cells(&cells).collect();
                for &(point, number) in &points {
                    let gap = a.towards(b, point.nearest_fraction(a, b)).distance(point);
                    assert!(gap > metres || found.contains(&number), "seed {seed} {gap} {metres}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_agree_with_a_look_at_every_point() {
        for seed in 0..300 {
            let points = points(seed);
            let grid = PointGrid::new(&points);
            let mut random = Town::generator(seed);
            for count in [1, 3, 10] {
                let wide = if seed.is_multiple_of(2) { 50_000.0 } else { 800.0 };
                let here =
                    Point::new(random.random_range(-wide..wide), random.random_range(-wide..wide));
                let (mut fast, mut slow) = (Few::new(count), Few::new(count));
                grid.nearest(here, &mut fast);
                points.iter().for_each(|&(point, number)| slow.meet(number, point.distance(here)));
                assert_eq!(fast.into_vec(), slow.into_vec(), "seed {seed}");
                let (mut fast, mut slow) = (Few::new(count), Few::new(count));
                let odd = |number: u32| number % 2 == 1;
                grid.nearest_of(here, odd, &mut fast);
                let wanted = points.iter().filter(|point| odd(point.1));
                wanted.for_each(|&(point, number)| slow.meet(number, point.distance(here)));
                assert_eq!(fast.into_vec(), slow.into_vec(), "seed {seed}");
            }
        }
    }

    #[test]
    fn those_within_a_radius_are_those_of_all() {
        let mut found = 0;
        for seed in 0..300 {
            let points = points(seed);
            let grid = PointGrid::new(&points);
            let mut random = Town::generator(seed);
            for metres in [0.0, 50.0, 400.0, 2_000.0] {
                // Points are at whole fifties, so some are as far as that to the last bit.
                let mut place = || (random.random_range(-1e3..1e3) / 50.0_f64).round() * 50.0;
                let here = Point::new(place(), place());
                let mut near = Vec::new();
                grid.within(here, metres, |number, distance| near.push((number, distance)));
                near.sort_by_key(|near| near.0);
                let all = points.iter().map(|&(point, number)| (number, point.distance(here)));
                let expected: Vec<_> = all.filter(|(_, distance)| *distance <= metres).collect();
                found += near.len();
                assert_eq!(near, expected, "seed {seed} {metres}");
            }
        }
        assert!(found > 1_000, "{found}");
    }
}
