//! Polygons around everything within some metres of lines, with few corners: squares of a grid
//! that the range touches, without holes, and the outline of what they cover.
//!
//! Outlines are simple and do not touch each other, so together they are a valid multipolygon.

use super::filter::bounds;
use meshcloak::units::{Point, Rectangle};

/// Squares that are covered, in rows from the south-west; the outermost ones never are.
struct Squares {
    corner: Point,
    side: f64,
    columns: usize,
    rows: usize,
    covered: Vec<bool>,
}

/// More squares than this are not looked at.
const MOST_SQUARES: f64 = 40_000.0;

/// Outlines, counterclockwise, around everything within `metres` of the lines; together they have
/// `most_corners` at most, or four if that is less.
pub(super) fn cover(lines: &[Vec<Point>], metres: f64, most_corners: usize) -> Vec<Vec<Point>> {
    let bounds = bounds(lines);
    // A side of an outline is straight in our plane and straight on Earth, but not in the same
    // way: by so much they can be apart (up to 78° north or south).
    let longest = bounds.width().max(bounds.height()) + metres * 3.0;
    let metres = metres + longest * longest / 1e7;
    let (width, height) = (bounds.width() + metres * 2.0, bounds.height() + metres * 2.0);
    let mut side = (metres / 4.0).max((width * height / MOST_SQUARES).sqrt());
    while side < width.max(height) {
        let squares = Squares::around(lines, metres, side, bounds);
        let outlines = squares.outlines();
        if outlines.iter().map(Vec::len).sum::<usize>() <= most_corners {
            return outlines;
        }
        side *= 1.5;
    }
    let (low, high) = (bounds.min, bounds.max);
    let (west, south) = (low.x - metres, low.y - metres);
    let (east, north) = (high.x + metres, high.y + metres);
    vec![
        [(west, south), (east, south), (east, north), (west, north)]
            .map(|(x, y)| Point::new(x, y))
            .to_vec(),
    ]
}

impl Squares {
    /// The squares that the range touches, without holes.
    fn around(lines: &[Vec<Point>], metres: f64, side: f64, bounds: Rectangle) -> Squares {
        // A free row and column on every side, and one more for rounding.
        let away = metres + side * 2.0;
        let corner = Point::new(bounds.min.x - away, bounds.min.y - away);
        let count = |extent: f64| ((extent + away * 2.0) / side).ceil() as usize + 1;
        let (columns, rows) = (count(bounds.width()), count(bounds.height()));
        let covered = vec![false; columns * rows];
        let mut squares = Squares { corner, side, columns, rows, covered };
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            squares.touch((pair[0], pair[1]), metres);
        }
        squares.close();
        squares
    }

    /// Covers every square that is within `metres` of a segment, and a few more.
    fn touch(&mut self, (a, b): (Point, Point), metres: f64) {
        let column = |x: f64| ((x - self.corner.x) / self.side) as usize;
        let row = |y: f64| ((y - self.corner.y) / self.side) as usize;
        // From the middle of a square to its corner, and a hair for rounding.
        let reach = metres + self.side * 0.7072;
        for row in row(a.y.min(b.y) - metres)..=row(a.y.max(b.y) + metres) {
            for column in column(a.x.min(b.x) - metres)..=column(a.x.max(b.x) + metres) {
                let middle = self.point(column as f64 + 0.5, row as f64 + 0.5);
                let nearest = a.towards(b, middle.nearest_fraction(a, b));
                if nearest.distance_squared(middle) <= reach * reach {
                    self.covered[row * self.columns + column] = true;
                }
            }
        }
    }

    fn point(&self, column: f64, row: f64) -> Point {
        Point::new(self.corner.x + column * self.side, self.corner.y + row * self.side)
    }

    /// Fills holes, and where two squares touch at a corner only, the two beside them; until
    /// neither is left.
    fn close(&mut self) {
        loop {
            self.fill_holes();
            let mut closed = true;
            for row in 1..self.rows {
                for column in 1..self.columns {
                    let north_east = row * self.columns + column;
                    let (north_west, south_east) = (north_east - 1, north_east - self.columns);
                    let four = [south_east - 1, south_east, north_west, north_east];
                    let [sw, se, nw, ne] = four.map(|square| self.covered[square]);
                    if sw == ne && se == nw && sw != se {
                        four.iter().for_each(|&square| self.covered[square] = true);
                        closed = false;
                    }
                }
            }
            if closed {
                return;
            }
        }
    }

    /// Covers everything that cannot be reached from outside.
    fn fill_holes(&mut self) {
        let mut outside = vec![false; self.covered.len()];
        let mut open = vec![0];
        outside[0] = true;
        while let Some(square) = open.pop() {
            let (row, column) = (square / self.columns, square % self.columns);
            let beside = [
                (row > 0).then(|| square - self.columns),
                (row + 1 < self.rows).then(|| square + self.columns),
                (column > 0).then(|| square - 1),
                (column + 1 < self.columns).then(|| square + 1),
            ];
            for next in beside.into_iter().flatten() {
                if !self.covered[next] && !outside[next] {
                    outside[next] = true;
                    open.push(next);
                }
            }
        }
        self.covered.iter_mut().zip(outside).for_each(|(covered, out)| *covered = !out);
    }

    fn is_covered(&self, column: usize, row: usize) -> bool {
        self.covered[row * self.columns + column]
    }

    /// The outline of each connected part, from its south-western corner on.
    fn outlines(&self) -> Vec<Vec<Point>> {
        let mut seen = vec![false; self.covered.len()];
        let mut outlines = Vec::new();
        for row in 1..self.rows {
            for column in 1..self.columns {
                // Every outline has a southern side; the first that is met is its lowest.
                let here = row * self.columns + column;
                let southern = self.is_covered(column, row) && !self.is_covered(column, row - 1);
                if southern && !seen[here] {
                    outlines.push(self.outline((column, row), &mut seen));
                }
            }
        }
        outlines
    }

    /// Walks around a part with it to the left, and keeps the corners.
    fn outline(&self, start: (usize, usize), seen: &mut [bool]) -> Vec<Point> {
        // East, north, west, south.
        let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)];
        let (mut at, mut heading) = (start, 0_usize);
        let mut corners = Vec::new();
        loop {
            if heading == 0 {
                seen[at.1 * self.columns + at.0] = true;
            }
            let (dx, dy) = steps[heading];
            at = (at.0.wrapping_add_signed(dx), at.1.wrapping_add_signed(dy));
            // The four squares around the crossing, by quadrant.
            let square =
                |east: usize, north: usize| self.is_covered(at.0 + east - 1, at.1 + north - 1);
            let [ahead_left, ahead_right] = match heading {
                0 => [square(1, 1), square(1, 0)],
                1 => [square(0, 1), square(1, 1)],
                2 => [square(0, 0), square(0, 1)],
                _ => [square(1, 0), square(0, 0)],
            };
            let turned = match (ahead_left, ahead_right) {
                (true, true) => (heading + 3) % 4,
                (true, false) => heading,
                _ => (heading + 1) % 4,
            };
            if turned != heading {
                corners.push(self.point(at.0 as f64, at.1 as f64));
                heading = turned;
            }
            if at == start && heading == 0 {
                return corners;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    fn inside(ring: &[Point], point: Point) -> bool {
        let pairs = ring.iter().zip(ring.iter().cycle().skip(1));
        let crossed = pairs.filter(|(a, b)| {
            (a.y > point.y) != (b.y > point.y)
                && point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x
        });
        crossed.count() % 2 == 1
    }

    fn lines(town: &Town, every: usize) -> Vec<Vec<Point>> {
        town.map.streets().step_by(every).map(|street| town.map.shape(street).to_vec()).collect()
    }

    #[test]
    fn everything_within_reach_is_inside_and_corners_are_few() {
        for seed in 0..150 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let lines = lines(&town, 1 + seed as usize % 7);
            let metres = random.random_range(1.0..400.0);
            for most in [4, 12, 60, 400] {
                let rings = cover(&lines, metres, most);
                assert!(rings.iter().map(Vec::len).sum::<usize>() <= most, "seed {seed} {most}");
                for pair in lines.iter().flat_map(|line| line.windows(2)) {
                    let on = pair[0].towards(pair[1], random.random_range(0.0..=1.0));
                    let off = |of: f64| of * metres * std::f64::consts::FRAC_1_SQRT_2 * 0.9999;
                    let sides = [(0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
                    for (x, y) in sides {
                        let point = Point::new(on.x + off(x), on.y + off(y));
                        let found = rings.iter().filter(|ring| inside(ring, point)).count();
                        assert_eq!(found, 1, "seed {seed} most {most} metres {metres}\n{town}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_outline_touches_itself_or_another() {
        for seed in 0..150 {
            let town = Town::random(seed);
            let rings = cover(&lines(&town, 2), 20.0 + seed as f64, 4_000);
            let mut corners: Vec<(i64, i64)> = rings
                .iter()
                .flatten()
                .map(|p| ((p.x * 1e3).round() as i64, (p.y * 1e3).round() as i64))
                .collect();
            let count = corners.len();
            corners.sort_unstable();
            corners.dedup();
            assert_eq!(corners.len(), count, "seed {seed}\n{town}");
            assert!(rings.iter().all(|ring| ring.len() >= 4 && area(ring) > 0.0));
        }
    }

    fn area(ring: &[Point]) -> f64 {
        let pairs = ring.iter().zip(ring.iter().cycle().skip(1));
        pairs.map(|(a, b)| a.x * b.y - b.x * a.y).sum()
    }

    #[test]
    fn a_street_is_covered_closely() {
        let lines = [vec![Point::new(0.0, 0.0), Point::new(3_000.0, 2_000.0)]];
        let rings = cover(&lines, 200.0, 250);
        let covered = area(&rings[0]) / 2.0;
        let exact = 3_605.6 * 400.0 + std::f64::consts::PI * 200.0 * 200.0;
        assert!((1.0..1.35).contains(&(covered / exact)), "{}", covered / exact);
        assert_eq!(cover(&lines, 200.0, 250), rings);
    }
}
