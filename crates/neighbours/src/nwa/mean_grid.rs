//! Grid over the means of trajectories: finds all trajectories within a radius.
//!
//! The distance of two trajectories is at least that of their means, so those in the cells around a
//! mean contain all within the radius.

use super::trajectory::Trajectory;
use meshcloak::units::Point;
use rustc_hash::FxHashMap;

/// Trajectories of one class by the cell of their mean.
pub(super) struct MeanGrid<'a> {
    class: &'a [Trajectory],
    means: Vec<Point>,
    cells: FxHashMap<(i64, i64), Vec<u32>>,
    radius: f64,
}

impl<'a> MeanGrid<'a> {
    /// Builds a grid for searches within `radius` metres.
    pub fn new(class: &'a [Trajectory], radius: f64) -> MeanGrid<'a> {
        let means: Vec<Point> = class.iter().map(Trajectory::mean).collect();
        let mut cells: FxHashMap<(i64, i64), Vec<u32>> = FxHashMap::default();
        for (index, mean) in means.iter().enumerate() {
            cells.entry(cell(*mean, radius)).or_default().push(index as u32);
        }
        MeanGrid { class, means, cells, radius }
    }

    /// Squared distance and index of all trajectories within the radius of `centre`, itself included,
    /// for which `is_wanted`; nearest first, ties by index.
    pub fn within(&self, centre: usize, is_wanted: impl Fn(u32) -> bool) -> Vec<(f64, u32)> {
        let limit = self.radius * self.radius;
        let (x, y) = cell(self.means[centre], self.radius);
        let mut found = Vec::new();
        for column in x - 1..=x + 1 {
            for row in y - 1..=y + 1 {
                let near = self.cells.get(&(column, row)).into_iter().flatten().copied();
                for index in near.filter(|&index| is_wanted(index)) {
                    let mean = self.means[index as usize];
                    if mean.distance_squared(self.means[centre]) > limit * (1.0 + 1e-9) {
                        continue;
                    }
                    let distance = self.class[centre].distance_squared(&self.class[index as usize]);
                    if distance <= limit {
                        found.push((distance, index));
                    }
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found
    }
}

fn cell(point: Point, size: f64) -> (i64, i64) {
    // A margin for rounding: neighbours within the radius are at most one cell away.
    let size = size.max(1e-3) * (1.0 + 1e-6);
    ((point.x / size).floor() as i64, (point.y / size).floor() as i64)
}
