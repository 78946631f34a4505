//! Uniqueness of the top N locations (Zang & Bolot 2011): how many traces have the same set of most
//! visited cells?

use super::trajectory::Trajectory;
use crate::statistics::Average;
use meshcloak::units::Point;
use rustc_hash::FxHashMap;

/// Square cell of the plane: column and row.
type Cell = (i64, i64);

/// Sizes of the anonymity sets of all traces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Uniqueness {
    /// Share of traces that no other trace equals.
    pub unique: Average,
    /// Share of traces with fewer than k equal ones, themselves included.
    pub below_k: Average,
    /// Median size of the anonymity set of a trace.
    pub median: Option<u64>,
}

/// Measures the anonymity sets by the `n` most visited cells of `size` metres.
pub fn uniqueness(trajectories: &[Trajectory], n: usize, size: f64, k: usize) -> Uniqueness {
    let tops: Vec<Vec<Cell>> = trajectories.iter().map(|one| top(one, n, size)).collect();
    let mut counts: FxHashMap<&[Cell], u64> = FxHashMap::default();
    for top in &tops {
        *counts.entry(top).or_default() += 1;
    }
    let mut sizes: Vec<u64> = tops.iter().map(|top| counts[top.as_slice()]).collect();
    sizes.sort_unstable();
    Uniqueness {
        unique: sizes.iter().map(|&size| f64::from(u8::from(size == 1))).collect(),
        below_k: sizes.iter().map(|&size| f64::from(u8::from((size as usize) < k))).collect(),
        median: sizes.get(sizes.len() / 2).copied(),
    }
}

/// The up to `n` most visited cells, as a sorted set; ties by cell.
fn top(trajectory: &Trajectory, n: usize, size: f64) -> Vec<Cell> {
    let cell = |point: &Point| ((point.x / size).floor() as i64, (point.y / size).floor() as i64);
    let mut cells: Vec<Cell> = trajectory.points.iter().map(cell).collect();
    cells.sort_unstable();
    let mut counted: Vec<(usize, Cell)> =
        cells.chunk_by(|a, b| a == b).map(|equal| (equal.len(), equal[0])).collect();
    counted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    counted.truncate(n);
    let mut top: Vec<Cell> = counted.into_iter().map(|(_, cell)| cell).collect();
    top.sort_unstable();
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(user: u32, xs: &[f64]) -> Trajectory {
        let points = xs.iter().map(|&x| Point::new(x, 0.0)).collect();
        Trajectory { user, start: 0, points }
    }

    #[test]
    fn traces_with_the_same_most_visited_cells_are_equal() {
        // Cells of 100 m: users 0 and 1 share their two most visited cells, user 2 only the first.
        let traces = [
            trace(0, &[10.0, 20.0, 30.0, 110.0, 120.0, 250.0]),
            trace(1, &[90.0, 110.0, 199.0, 5.0, 350.0]),
            trace(2, &[10.0, 20.0, 30.0, 910.0, 920.0]),
        ];
        let two = uniqueness(&traces, 2, 100.0, 2);
        assert_eq!(two.unique.value(), Some(1.0 / 3.0));
        assert_eq!(two.median, Some(2));
        let one = uniqueness(&traces, 1, 1000.0, 4);
        assert_eq!((one.unique.value(), one.below_k.value()), (Some(0.0), Some(1.0)));
        assert_eq!(uniqueness(&[], 1, 100.0, 2).median, None);
    }
}
