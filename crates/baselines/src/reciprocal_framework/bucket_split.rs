//! Splits a group of users into buckets of K to 2K − 1.

use super::division::perimeter;
use super::index::UserIndex;
use meshcloak::units::{Point, Rectangle};

/// Rule that fills buckets; it depends on the set of users alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BucketSplit {
    /// Splits at the line that gives the smallest sum of perimeters, into parts of any size from K,
    /// until no part has 2K users (the authors' asymmetric split).
    #[default]
    Perimeter,
    /// Runs of K users along the Hilbert curve; the last has up to 2K − 1.
    Hilbert,
}

impl BucketSplit {
    /// Returns the buckets of a group of at least `k` users.
    pub(super) fn buckets(
        self,
        index: &UserIndex,
        points: &[Point],
        mut group: Vec<u32>,
        k: usize,
    ) -> Vec<Vec<u32>> {
        group.sort_unstable_by_key(|&user| index.ranks[user as usize]);
        match self {
            BucketSplit::Hilbert => runs(&group, k),
            BucketSplit::Perimeter => {
                let mut buckets = Vec::new();
                split(points, group, k, &mut buckets);
                buckets
            }
        }
    }
}

fn runs(group: &[u32], k: usize) -> Vec<Vec<u32>> {
    let count = (group.len() / k).max(1);
    let bounds = |bucket: usize| if bucket == count { group.len() } else { bucket * k };
    (0..count).map(|bucket| group[bounds(bucket)..bounds(bucket + 1)].to_vec()).collect()
}

fn split(points: &[Point], group: Vec<u32>, k: usize, buckets: &mut Vec<Vec<u32>>) {
    if group.len() < 2 * k {
        buckets.push(group);
        return;
    }
    let axes = [|point: Point| point.x, |point: Point| point.y];
    let sorted = axes.map(|coordinate| {
        let mut sorted = group.clone();
        // The sort is stable: users with one coordinate stay in the order of the curve.
        sorted.sort_by(|&a, &b| {
            coordinate(points[a as usize]).total_cmp(&coordinate(points[b as usize]))
        });
        sorted
    });
    let best = sorted.iter().map(|sorted| best_line(points, sorted, k)).enumerate();
    let best = best.min_by(|a, b| a.1.cost.total_cmp(&b.1.cost));
    let Some((axis, Line { at, .. })) = best else { return };
    let (first, second) = sorted[axis].split_at(at);
    split(points, first.to_vec(), k, buckets);
    split(points, second.to_vec(), k, buckets);
}

/// A line that splits sorted users.
struct Line {
    /// Number of users before the line.
    at: usize,
    /// Sum of half the perimeters of both sides.
    cost: f64,
}

/// Finds the line with the smallest cost that leaves at least `k` users on both sides.
fn best_line(points: &[Point], sorted: &[u32], k: usize) -> Line {
    let forward = growing_perimeters(points, sorted.iter().copied());
    let backward = growing_perimeters(points, sorted.iter().rev().copied());
    let line = |at: usize| Line { at, cost: forward[at - 1] + backward[sorted.len() - at - 1] };
    let lines = (k..=sorted.len() - k).map(line);
    let best = lines.min_by(|a, b| a.cost.total_cmp(&b.cost));
    best.unwrap_or(Line { at: k, cost: perimeter(points, &mut sorted.iter().copied()) })
}

/// Half the perimeter of the first user, of the first two, and so on.
fn growing_perimeters(points: &[Point], users: impl Iterator<Item = u32>) -> Vec<f64> {
    let mut around: Option<Rectangle> = None;
    let grow = |user: u32| {
        let point = points[user as usize];
        let all = around.map_or([point; 3], |r| [r.min, r.max, point]);
        around = Rectangle::around(all);
        around.map_or(0.0, |rectangle| rectangle.width() + rectangle.height())
    };
    users.map(grow).collect()
}
