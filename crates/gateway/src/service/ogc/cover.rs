//! Polygons that cover all points within a distance of lines, with a bounded number of corners: the
//! outlines of the grid cells that the range touches, without holes.
//!
//! Outlines are simple and disjoint, so together they are a valid multipolygon.

use super::filter::bounding_box;
use crate::service::polylines::{Segment, line_segments};
use meshcloak::units::{Point, Rectangle};

/// Covered cells of a grid, in rows from the south-west. The outermost cells are never covered.
struct CellMask {
    corner: Point,
    side: f64,
    columns: usize,
    rows: usize,
    covered: Vec<bool>,
}

/// Upper bound of the number of cells.
const MAX_CELLS: f64 = 40_000.0;

/// Returns counterclockwise outlines that cover all points within `metres` of the lines, with at
/// most `max_corners` corners in total (or 4, if that is larger).
pub(super) fn cover(lines: &[Vec<Point>], metres: f64, max_corners: usize) -> Vec<Vec<Point>> {
    let bounds = bounding_box(lines.iter().flatten().copied());
    // Margin for the difference between a straight side in the plane and one in lon/lat, up to 78°
    // of latitude.
    let longest = bounds.width().max(bounds.height()) + metres * 3.0;
    let metres = metres + longest * longest / 1e7;
    let (width, height) = (bounds.width() + metres * 2.0, bounds.height() + metres * 2.0);
    let mut side = (metres / 4.0).max((width * height / MAX_CELLS).sqrt());
    while side < width.max(height) {
        let outlines = CellMask::around(lines, metres, side, bounds).outlines();
        if outlines.iter().map(Vec::len).sum::<usize>() <= max_corners {
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

impl CellMask {
    /// Builds the mask of the cells that the range touches, without holes.
    fn around(lines: &[Vec<Point>], metres: f64, side: f64, bounds: Rectangle) -> CellMask {
        // One uncovered row and column on each side, and one for rounding.
        let margin = metres + side * 2.0;
        let corner = Point::new(bounds.min.x - margin, bounds.min.y - margin);
        let count =
            |extent: f64| (((extent + margin * 2.0) / side).ceil() as usize).saturating_add(1);
        let (columns, rows) = (count(bounds.width()), count(bounds.height()));
        let covered = vec![false; columns.saturating_mul(rows)];
        let mut mask = CellMask { corner, side, columns, rows, covered };
        for segment in lines.iter().flat_map(|line| line_segments(line)) {
            mask.cover_near(segment, metres);
        }
        mask.close();
        mask
    }

    /// Covers a superset of the cells within `metres` of a segment.
    fn cover_near(&mut self, segment: Segment, metres: f64) {
        let Segment { start: a, end: b } = segment;
        let (corner, side) = (self.corner, self.side);
        let column = |x: f64| ((x - corner.x) / side) as usize;
        let row = |y: f64| ((y - corner.y) / side) as usize;
        // Half a diagonal of a cell, rounded up.
        let reach = metres + self.side * 0.7072;
        for row in row(a.y.min(b.y) - metres)..=row(a.y.max(b.y) + metres) {
            for column in column(a.x.min(b.x) - metres)..=column(a.x.max(b.x) + metres) {
                let centre = self.point(column as f64 + 0.5, row as f64 + 0.5);
                if segment.nearest_to(centre).distance_squared(centre) <= reach * reach {
                    self.cover_cell(self.index(column, row));
                }
            }
        }
    }

    fn point(&self, column: f64, row: f64) -> Point {
        Point::new(self.corner.x + column * self.side, self.corner.y + row * self.side)
    }

    /// Returns the index of a cell.
    fn index(&self, column: usize, row: usize) -> usize {
        row.saturating_mul(self.columns).saturating_add(column)
    }

    fn cover_cell(&mut self, cell: usize) {
        if let Some(covered) = self.covered.get_mut(cell) {
            *covered = true;
        }
    }

    /// Fills holes, and the other two cells where two cells touch only at a corner, to a fixpoint.
    fn close(&mut self) {
        loop {
            self.fill_holes();
            let mut closed = true;
            for (south, north) in (0..self.rows).zip(1..self.rows) {
                for (west, east) in (0..self.columns).zip(1..self.columns) {
                    let block = [(west, south), (east, south), (west, north), (east, north)];
                    let [sw, se, nw, ne] = block.map(|(column, row)| self.is_covered(column, row));
                    if sw == ne && se == nw && sw != se {
                        let cells = block.map(|(column, row)| self.index(column, row));
                        cells.into_iter().for_each(|cell| self.cover_cell(cell));
                        closed = false;
                    }
                }
            }
            if closed {
                return;
            }
        }
    }

    /// Covers all cells that cannot be reached from outside.
    fn fill_holes(&mut self) {
        let mut outside = vec![false; self.covered.len()];
        let mut pending = vec![(0_usize, 0_usize)];
        while let Some((column, row)) = pending.pop() {
            match outside.get_mut(self.index(column, row)) {
                Some(outside) if !*outside && !self.is_covered(column, row) => *outside = true,
                _ => continue,
            }
            // South of row 0 and west of column 0 wrap to beyond the grid.
            let neighbours = [
                (column, row.wrapping_sub(1)),
                (column, row.saturating_add(1)),
                (column.wrapping_sub(1), row),
                (column.saturating_add(1), row),
            ];
            let in_grid = |&(column, row): &_| column < self.columns && row < self.rows;
            pending.extend(neighbours.into_iter().filter(in_grid));
        }
        self.covered.iter_mut().zip(outside).for_each(|(covered, outside)| *covered = !outside);
    }

    fn is_covered(&self, column: usize, row: usize) -> bool {
        self.covered.get(self.index(column, row)) == Some(&true)
    }

    /// Returns the outline of each connected part, starting at its south-western corner.
    fn outlines(&self) -> Vec<Vec<Point>> {
        let mut visited = vec![false; self.covered.len()];
        let mut outlines = Vec::new();
        for (south, row) in (0..self.rows).zip(1..self.rows) {
            for column in 1..self.columns {
                // Every outline has a southern side; rows ascend, so the first found is its lowest.
                let is_southern_side =
                    self.is_covered(column, row) && !self.is_covered(column, south);
                let is_visited = visited.get(self.index(column, row)) == Some(&true);
                if is_southern_side && !is_visited {
                    outlines.push(self.outline((column, row), &mut visited));
                }
            }
        }
        outlines
    }

    /// Traces the outline of a part, which is on the left, and returns its corners. Marks the cells
    /// above its southern sides as visited.
    fn outline(&self, start: (usize, usize), visited: &mut [bool]) -> Vec<Point> {
        let (mut at, mut heading) = (start, 0_usize);
        let mut corners = Vec::new();
        loop {
            if heading == 0
                && let Some(visited) = visited.get_mut(self.index(at.0, at.1))
            {
                *visited = true;
            }
            // East, north, west, south.
            let (dx, dy) = match heading {
                0 => (1, 0),
                1 => (0, 1),
                2 => (-1, 0),
                _ => (0, -1),
            };
            at = (at.0.wrapping_add_signed(dx), at.1.wrapping_add_signed(dy));
            // The four cells around the grid point, by quadrant.
            let before = |line: usize, after: usize| line.saturating_add(after).wrapping_sub(1);
            let cell = |east, north| self.is_covered(before(at.0, east), before(at.1, north));
            let [ahead_left, ahead_right] = match heading {
                0 => [cell(1, 1), cell(1, 0)],
                1 => [cell(0, 1), cell(1, 1)],
                2 => [cell(0, 0), cell(0, 1)],
                _ => [cell(1, 0), cell(0, 0)],
            };
            let turned = match (ahead_left, ahead_right) {
                (true, true) => heading.wrapping_add(3) % 4,
                (true, false) => heading,
                _ => heading.wrapping_add(1) % 4,
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
    fn all_points_of_the_range_are_covered_within_the_limit_of_corners() {
        for seed in 0..150 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let lines = lines(&town, 1 + seed as usize % 7);
            let metres = random.random_range(1.0..400.0);
            for max_corners in [4, 12, 60, 400] {
                let rings = cover(&lines, metres, max_corners);
                let corners = rings.iter().map(Vec::len).sum::<usize>();
                assert!(corners <= max_corners, "seed {seed} {max_corners}");
                for pair in lines.iter().flat_map(|line| line.windows(2)) {
                    let on = pair[0].towards(pair[1], random.random_range(0.0..=1.0));
                    let off = |of: f64| of * metres * std::f64::consts::FRAC_1_SQRT_2 * 0.9999;
                    let sides = [(0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
                    for (x, y) in sides {
                        let point = Point::new(on.x + off(x), on.y + off(y));
                        let found = rings.iter().filter(|ring| inside(ring, point)).count();
                        assert_eq!(found, 1, "seed {seed} {max_corners} {metres}\n{town}");
                    }
                }
            }
        }
    }

    #[test]
    fn outlines_do_not_touch_themselves_or_each_other() {
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
    fn the_cover_of_a_street_is_at_most_35_percent_too_large() {
        let lines = [vec![Point::new(0.0, 0.0), Point::new(3_000.0, 2_000.0)]];
        let rings = cover(&lines, 200.0, 250);
        let covered = area(&rings[0]) / 2.0;
        let exact = 3_605.6 * 400.0 + std::f64::consts::PI * 200.0 * 200.0;
        assert!((1.0..1.35).contains(&(covered / exact)), "{}", covered / exact);
        assert_eq!(cover(&lines, 200.0, 250), rings);
    }
}
