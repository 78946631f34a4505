//! Hilbert curve through the smallest cells of a [`crate::square::Square`]; it preserves locality.

use crate::square::{DEPTH, SquareCell};

/// Position of a smallest cell along the curve.
pub(crate) fn key(cell: SquareCell) -> u32 {
    let (mut x, mut y) = (cell.column, cell.row);
    let mut key = 0;
    for bit in (0..DEPTH).rev() {
        let (east, north) = (x >> bit & 1, y >> bit & 1);
        key = key << 2 | ((3 * east) ^ north);
        // The curve is transposed in southern quadrants, and also mirrored in the south-east.
        if north == 0 {
            if east == 1 {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_cells_of_the_curve_are_adjacent() {
        let cells = (0..32 * 32).map(|n| SquareCell { column: n % 32, row: n / 32 });
        let mut cells: Vec<(u32, SquareCell)> = cells.map(|cell| (key(cell), cell)).collect();
        cells.sort_unstable();
        for (number, pair) in cells.windows(2).enumerate() {
            let [(key, a), (next, b)] = [pair[0], pair[1]];
            assert_eq!((key, next), (number as u32, number as u32 + 1));
            assert_eq!(a.column.abs_diff(b.column) + a.row.abs_diff(b.row), 1, "{pair:?}");
        }
    }

    #[test]
    fn the_four_quadrants_are_four_quarters_of_the_curve() {
        const HALF: u32 = 1 << (DEPTH - 1);
        let quarter = |column, row| key(SquareCell { column, row }) >> (2 * DEPTH - 2);
        let corners = [(0, 0), (0, HALF), (HALF, HALF), (HALF, 0)];
        assert_eq!(corners.map(|(x, y)| quarter(x, y)), [0, 1, 2, 3]);
        assert_eq!(corners.map(|(x, y)| quarter(x + 77, y + HALF - 1)), [0, 1, 2, 3]);
    }
}
